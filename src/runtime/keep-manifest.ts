import { claimedPath } from "../evidence/claimed-path.ts";
import type { Ports } from "../ports/ports.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { ownValue } from "../shared/json-value.ts";
import type { Event } from "../workflow/event.ts";
import type { RunState } from "../workflow/state.ts";
import { completeManifest, manifestFiles, updateManifest } from "../workflow/update-manifest.ts";
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
  const isOver = state.status === "completed";
  const at = new Date(ports.clock.now()).toISOString();
  for (const { agent, handoff } of outputs) {
    const directory = featureDirectory(handoff, state);
    if (directory === null) continue;
    const isFeature = directory.split("/").some((part) => FEATURE_ROOTS.includes(part));
    const root = await ports.workspace.prepare(lease.run, workflow.workspace);
    const ownFile = ownValue(workflow.agents, agent)?.file ?? null;
    const ownFiles = ownFile === null ? [] : [ownFile.replaceAll("{iteration}", String(state.iteration))];
    const contribution = { agent, handoff, at, directory, isOver, ownFiles };
    const there = await filesThere(ports, root, manifestFiles(contribution));
    await ports.workspace.rewrite(root, `${directory}/MANIFEST.yaml`, (text) =>
      // A manifest is created only below the feature folders, but an existing one is updated anywhere.
      text === null && !isFeature
        ? null
        : updateManifest(text, { ...contribution, isThere: (path) => there.has(path) }),
    );
  }
  if (isOver) await completeManifests(ports, { workflow, state, lease });
}

/** The run ends after its last handoff: a gate, a question or another agent may come between. */
async function completeManifests(
  ports: Ports,
  { workflow, state, lease }: Pick<RunSession, "workflow" | "state" | "lease">,
): Promise<void> {
  const lasts = Object.values(state.tasks).flatMap(({ last }) => (last === null ? [] : [last.handoff]));
  const directories = new Set(lasts.flatMap((handoff) => featureDirectory(handoff, state) ?? []));
  for (const directory of directories) {
    const root = await ports.workspace.prepare(lease.run, workflow.workspace);
    await ports.workspace.rewrite(root, `${directory}/MANIFEST.yaml`, (text) =>
      text === null ? null : completeManifest(text),
    );
  }
}

function featureDirectory({ dialect, work }: Handoff, { known }: RunState): string | null {
  if (dialect !== "output-json") return null;
  const directory = (work?.directory ?? known["directory"]?.value ?? "").replace(/^\.\//, "").replace(/\/+$/, "");
  return directory === "" ? null : directory;
}

async function filesThere({ workspace }: Ports, root: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const there = new Set<string>();
  for (const path of paths)
    if (claimedPath(path).isSafe && (await workspace.read(root, path, 0)) !== null) there.add(path);
  return there;
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
