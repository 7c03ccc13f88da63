import type { Machine } from "../ports/machine.ts";
import type { Handoff } from "../protocol/handoff.ts";
import type { Event } from "../workflow/event.ts";
import { updateManifest } from "../workflow/manifest/update-manifest.ts";
import type { RunSession } from "./run-session.ts";

/** Outputs of 004 belong to a feature directory, whose MANIFEST.yaml tells what is in it. Told again after a crash, it stays the same. */
export async function keepManifests(
  machine: Machine,
  { workflow, state, lease }: RunSession,
  outputs: readonly Output[],
): Promise<void> {
  for (const { agent, handoff } of outputs) {
    if (handoff.dialect !== "output-json") continue;
    const directory = (handoff.work?.directory ?? state.known["directory"]?.value ?? "")
      .replace(/^\.\//, "")
      .replace(/\/+$/, "");
    if (directory === "") continue;
    const isFeature = directory.split("/").some((part) => FEATURE_ROOTS.includes(part));
    const root = await machine.workspace.prepare(lease.run, workflow.workspace);
    const at = new Date(machine.clock.now()).toISOString();
    await machine.workspace.rewrite(root, `${directory}/MANIFEST.yaml`, (text) =>
      // One is begun only where features live; one that is there is kept anywhere.
      text === null && !isFeature ? null : updateManifest(text, { agent, handoff, at, directory }),
    );
  }
}

/** Folders of 004 below which each feature has one of its own. */
const FEATURE_ROOTS: readonly string[] = [
  ".output",
  "features",
  "capabilities",
  "mcp-wrappers",
  "research",
  "threat-modeling",
];

export interface Output {
  readonly agent: string;
  readonly handoff: Handoff;
}

export function acceptedOutputs(events: readonly Event[]): Output[] {
  return events.flatMap((event) =>
    event.kind === "handoff-accepted" ? [{ agent: event.agent, handoff: event.delivery.handoff }] : [],
  );
}
