import type { Machine } from "../ports/machine.ts";
import type { Event } from "../workflow/event.ts";
import { updateManifest } from "../workflow/manifest/update-manifest.ts";
import type { RunSession } from "./run-session.ts";

/** Outputs of 004 belong to a feature directory, whose MANIFEST.yaml tells what is in it. Told again after a crash, it stays the same. */
export async function keepManifests(
  machine: Machine,
  { workflow, state, lease }: RunSession,
  events: readonly Event[],
): Promise<void> {
  for (const event of events) {
    if (event.kind !== "handoff-accepted" || event.delivery.handoff.dialect !== "output-json") continue;
    const { handoff } = event.delivery;
    const directory = (handoff.work?.directory ?? state.known["directory"]?.value ?? "")
      .replace(/^\.\//, "")
      .replace(/\/+$/, "");
    if (directory === "") continue;
    const isFeature = directory.split("/").some((part) => FEATURE_ROOTS.includes(part));
    const root = await machine.workspace.prepare(lease.run, workflow.workspace);
    const at = new Date(machine.clock.now()).toISOString();
    await machine.workspace.rewrite(root, `${directory}/MANIFEST.yaml`, (text) =>
      // One is begun only where features live; one that is there is kept anywhere.
      text === null && !isFeature ? null : updateManifest(text, { agent: event.agent, handoff, at, directory }),
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
