import type { Ports } from "../ports/ports.ts";
import type { TaskSource } from "../workflow/definition.ts";
import type { RunState } from "../workflow/state.ts";
import { writeSource, type TaskChange, taskChanges } from "../workflow/tasks/task-sources.ts";
import type { RunSession } from "./run-session.ts";

/**
 * Writes the progress of tasks since the state `before` back to their files; null writes all of it. Repeating it
 * changes nothing. Failures are returned as messages and do not stop the run.
 */
export async function keepTasks(
  ports: Ports,
  { workflow, state, lease }: RunSession,
  before: RunState | null,
): Promise<KeptTasks> {
  const all = taskChanges(before, state);
  const kept = { messages: [] as string[], isTold: true };
  for (const path of new Set(all.map(({ source }) => source.path))) {
    const changes = all.filter(({ source }) => source.path === path);
    try {
      const at = new Date(ports.clock.now()).toISOString();
      const directory = await placeOf(ports, lease.run, workflow.workspace, path);
      kept.messages.push(...(await writeBack(ports, directory, path, changes, at)));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      kept.messages.push(`The progress of ${idsOf(changes)} was not written to ${path}: ${message}`);
      kept.isTold = false;
    }
  }
  return kept;
}

interface KeptTasks {
  /** Failures, for the live view. */
  readonly messages: readonly string[];
  /** False when another attempt may help. */
  readonly isTold: boolean;
}

/**
 * The folder of the agents, so that the change is part of their branch. A file that is missing there is changed in the
 * repository.
 */
async function placeOf(ports: Ports, run: string, kind: "in-place" | "worktree", path: string): Promise<string> {
  const directory = await ports.workspace.prepare(run, kind);
  if (kind === "in-place" || (await ports.workspace.read(directory, path, 0)) !== null) return directory;
  return ports.workspace.prepare(run, "in-place");
}

async function writeBack(
  { workspace }: Ports,
  directory: string,
  path: string,
  changes: readonly TaskChange[],
  at: string,
): Promise<string[]> {
  const all = `the progress of ${idsOf(changes)} was not written.`;
  // The function may be called more than once; the problems of the last call count.
  let problems: readonly string[] = [`${path} is not in the workspace, or a link that leads out of it: ${all}`];
  const change = (text: string | null): string | null => {
    const tried =
      text === null ? { text, problems: [`${path} is not there any more: ${all}`] } : changeAll(text, changes, at);
    problems = tried.problems;
    return tried.text;
  };
  // Task Master's own commands hold this lock while they write.
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
