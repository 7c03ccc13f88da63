import type { Ports } from "../ports/ports.ts";
import type { Handoff } from "../protocol/handoff.ts";
import type { Event } from "../workflow/event.ts";
import { updateManifest } from "../workflow/update-manifest.ts";
import type { RunSession } from "./run-session.ts";

/**
 * Outputs of 004 belong to a feature directory, whose MANIFEST.yaml lists them. Repeating it after a crash changes
 * nothing.
 */
export async function keepManifests(
  ports: Ports,
  { workflow, state, lease }: RunSession,
  outputs: readonly AcceptedOutput[],
): Promise<void> {
  for (const { agent, handoff } of outputs) {
    if (handoff.dialect !== "output-json") continue;
    const directory = (handoff.work?.directory ?? state.known["directory"]?.value ?? "")
      .replace(/^\.\//, "")
      .replace(/\/+$/, "");
    if (directory === "") continue;
    const isFeature = directory.split("/").some((part) => FEATURE_ROOTS.includes(part));
    const root = await ports.workspace.prepare(lease.run, workflow.workspace);
    const at = new Date(ports.clock.now()).toISOString();
    await ports.workspace.rewrite(root, `${directory}/MANIFEST.yaml`, (text) =>
      // A manifest is created only below the feature folders, but an existing one is updated anywhere.
      text === null && !isFeature ? null : updateManifest(text, { agent, handoff, at, directory }),
    );
  }
}

/** Folders of 004 in which each feature has its own folder. */
const FEATURE_ROOTS: readonly string[] = [
  ".output",
  "features",
  "capabilities",
  "mcp-wrappers",
  "research",
  "threat-modeling",
];

interface AcceptedOutput {
  readonly agent: string;
  readonly handoff: Handoff;
}

export function acceptedOutputs(events: readonly Event[]): AcceptedOutput[] {
  return events.flatMap((event) =>
    event.kind === "handoff-accepted" ? [{ agent: event.agent, handoff: event.delivery.handoff }] : [],
  );
}
