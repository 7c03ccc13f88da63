import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { AppError } from "../../shared/app-error.ts";
import type { TaskDefinition } from "../../workflow/definition.ts";
import { type FoundTask, readTaskFile } from "../../workflow/tasks/read-task-file.ts";
import { readTaskmaster } from "../../workflow/tasks/read-taskmaster.ts";

/** The tasks of files that match; what is done already is left out, and nobody waits for it. */
export function loadTasks(pattern: string | undefined, directory: string): TaskDefinition[] {
  if (pattern === undefined) return [];
  const found = globSync(pattern, { cwd: directory })
    .sort()
    .flatMap((path) => readTasks(join(directory, path)));
  if (found.length === 0)
    throw new AppError(
      "no-match",
      `No task was found in ${pattern}.`,
      "Name Markdown task files (# Task ID: Name) or a Task Master tasks.json.",
    );
  const done = new Set(found.filter(({ isDone }) => isDone).map(({ task }) => task.id));
  return found
    .filter(({ isDone }) => !isDone)
    .map(({ task }) => ({ ...task, dependsOn: task.dependsOn.filter((id) => !done.has(id)) }));
}

function readTasks(path: string): FoundTask[] {
  const text = readFileSync(path, "utf8");
  if (!path.endsWith(".json")) {
    const task = readTaskFile(text, basename(path));
    return task === null ? [] : [task];
  }
  try {
    return readTaskmaster(JSON.parse(text), "master");
  } catch {
    throw new AppError("cannot-read", `${path} is not JSON.`, "Repair the file, or name another.");
  }
}
