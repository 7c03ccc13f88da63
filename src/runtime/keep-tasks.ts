import type { Machine } from "../ports/machine.ts";
import type { TaskSource } from "../workflow/definition.ts";
import type { RunState } from "../workflow/state.ts";
import { type TaskChange, taskChanges } from "../workflow/tasks/task-progress.ts";
import { writeSource } from "../workflow/tasks/write-source.ts";
import type { RunSession } from "./run-session.ts";

/**
 * Writes back to the files that tasks came from how far they have come. Told again after a crash, it stays the same.
 * Whatever goes wrong holds nobody up; it is given back in words.
 */
export async function keepTasks(
  machine: Machine,
  { workflow, state, lease }: RunSession,
  before: RunState | null,
): Promise<string[]> {
  const all = taskChanges(before, state);
  const messages: string[] = [];
  for (const path of new Set(all.map(({ source }) => source.path))) {
    const changes = all.filter(({ source }) => source.path === path);
    try {
      const at = new Date(machine.clock.now()).toISOString();
      const directory = await placeOf(machine, lease.run, workflow.workspace, path);
      messages.push(...(await writeBack(machine, directory, path, changes, at)));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      messages.push(`The progress of ${idsOf(changes)} was not written to ${path}: ${message}`);
    }
  }
  return messages;
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
  // The last look at the file counts: it may be taken more than once.
  let problems: readonly string[] = [`${path} is not in the workspace, or a link that leads out of it`];
  const change = (text: string | null): string | null => {
    const tried = text === null ? { text, problems: [`${path} is not there any more`] } : changeAll(text, changes, at);
    problems = tried.problems;
    return tried.text;
  };
  // Task Master's own commands hold a lock while they write.
  await workspace.rewrite(directory, path, change, changes[0]?.source.format === "task-master");
  return problems.map((problem) => `${problem}: the progress of ${idsOf(changes)} was not written.`);
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
    if (written.kind === "impossible") problems.push(`${change.source.path} ${written.why}`);
  }
  return { text: latest === text ? null : latest, problems };
}

function idsOf(changes: readonly { readonly source: TaskSource }[]): string {
  const ids = changes.map(({ source }) => source.id);
  return ids.length > 5 ? `${ids.slice(0, 5).join(", ")} and ${ids.length - 5} more` : ids.join(", ");
}
