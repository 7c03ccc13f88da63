import type { Machine } from "../ports/machine.ts";
import type { TaskSource } from "../workflow/definition.ts";
import type { RunState } from "../workflow/state.ts";
import { type TaskChange, taskChanges } from "../workflow/tasks/task-progress.ts";
import { writeSource } from "../workflow/tasks/write-source.ts";
import type { RunSession } from "./run-session.ts";

/**
 * Writes back to the files that tasks came from how far they have come since a state that they were told of; null tells
 * them everything, and told again they stay the same. Whatever goes wrong holds nobody up.
 */
export async function keepTasks(
  machine: Machine,
  { workflow, state, lease }: RunSession,
  before: RunState | null,
): Promise<KeptTasks> {
  const all = taskChanges(before, state);
  const kept = { messages: [] as string[], isTold: true };
  for (const path of new Set(all.map(({ source }) => source.path))) {
    const changes = all.filter(({ source }) => source.path === path);
    try {
      const at = new Date(machine.clock.now()).toISOString();
      const directory = await placeOf(machine, lease.run, workflow.workspace, path);
      kept.messages.push(...(await writeBack(machine, directory, path, changes, at)));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      kept.messages.push(`The progress of ${idsOf(changes)} was not written to ${path}: ${message}`);
      kept.isTold = false;
    }
  }
  return kept;
}

export interface KeptTasks {
  /** What went wrong, for whoever looks on. */
  readonly messages: readonly string[];
  /** False when it is worth another try. */
  readonly isTold: boolean;
}

/** Where the agents work, so that it goes with their branch; a file that git does not know is only in the repository. */
async function placeOf(machine: Machine, run: string, kind: "in-place" | "worktree", path: string): Promise<string> {
  const directory = await machine.workspace.prepare(run, kind);
  if (kind === "in-place" || (await machine.workspace.read(directory, path, 0)) !== null) return directory;
  return machine.workspace.prepare(run, "in-place");
}

async function writeBack(
  { workspace }: Machine,
  directory: string,
  path: string,
  changes: readonly TaskChange[],
  at: string,
): Promise<string[]> {
  const all = `the progress of ${idsOf(changes)} was not written.`;
  // The last look at the file counts: it may be taken more than once.
  let problems: readonly string[] = [`${path} is not in the workspace, or a link that leads out of it: ${all}`];
  const change = (text: string | null): string | null => {
    const tried =
      text === null ? { text, problems: [`${path} is not there any more: ${all}`] } : changeAll(text, changes, at);
    problems = tried.problems;
    return tried.text;
  };
  // Task Master's own commands hold a lock while they write.
  await workspace.rewrite(directory, path, change, changes[0]?.source.format === "task-master");
  return [...problems];
}

/** Null when nothing is to be written. */
function changeAll(
  text: string,
  changes: readonly TaskChange[],
  at: string,
): { readonly text: string | null; readonly problems: readonly string[] } {
  const problems: string[] = [];
  let latest = text;
  for (const change of changes) {
    const written = writeSource(latest, change, at);
    if (written.kind === "changed") latest = written.text;
    const { path, id } = change.source;
    if (written.kind === "impossible")
      problems.push(`${path} ${written.why}: that ${id} is ${change.progress} was not written.`);
  }
  return { text: latest === text ? null : latest, problems };
}

function idsOf(changes: readonly { readonly source: TaskSource }[]): string {
  const ids = changes.map(({ source }) => source.id);
  return ids.length > 5 ? `${ids.slice(0, 5).join(", ")} and ${ids.length - 5} more` : ids.join(", ");
}
