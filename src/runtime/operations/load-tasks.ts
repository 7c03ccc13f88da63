import { isUtf8 } from "node:buffer";
import { globSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import type { TaskDefinition } from "../../workflow/definition.ts";
import type { FoundTaskFile } from "../../workflow/tasks/found-task.ts";
import { planTasks } from "../../workflow/tasks/plan-tasks.ts";
import { readSource } from "../../workflow/tasks/task-sources.ts";

interface TaskRequest {
  readonly pattern: string | undefined;
  /** The pattern is relative to this folder. */
  readonly directory: string;
  /** Root of the repository: only files below it are written back. */
  readonly root: string;
  /** Tag of a Task Master file. */
  readonly tag: string | undefined;
  /** Tasks of the workflow itself. */
  readonly others: readonly TaskDefinition[];
}

export interface LoadedTasks {
  readonly tasks: readonly TaskDefinition[];
  /** Messages for the operator. */
  readonly notes: readonly string[];
}

/** The tasks of the matching files. Done tasks are left out, and no task waits for them. */
export function loadTasks({ pattern, directory, root, tag, others }: TaskRequest): LoadedTasks {
  if (pattern === undefined) return { tasks: [], notes: [] };
  const files = globSync(pattern, { cwd: directory })
    .sort()
    .flatMap((path) => readFile(resolve(directory, path), root, tag ?? null) ?? []);
  if (files.every(({ tasks }) => tasks.length === 0)) throw nothingFound(pattern);
  const { tasks, leftOut } = planTasks(files, new Set(others.map(({ id }) => id)));
  if (tasks.length === 0) throw nothingToDo(pattern, leftOut.map(tellLeftOut));
  const outside = files.filter(({ path }) => !isBelow(path)).map(({ path }) => path);
  return {
    tasks: tasks.map((task) => (isBelow(task.source?.path ?? "") ? task : withoutSource(task))),
    notes: [
      ...(leftOut.length === 0 ? [] : [`Left out: ${shorten(leftOut.map(tellLeftOut))}.`]),
      ...outside.map((path) => `${path} is outside of the repository: progress is not written back to it.`),
    ],
  };
}

const MAX_BYTES = 16_777_216;

function nothingFound(pattern: string): AppError {
  return new AppError(
    "no-match",
    `No task was found in ${pattern}.`,
    "Name Markdown task files (# Task ID: Name), a Spec Kit tasks.md, a Task Master tasks.json or a beads issues.jsonl.",
  );
}

function nothingToDo(pattern: string, leftOut: readonly string[]): AppError {
  const why = leftOut.length === 0 ? "All tasks are done" : `Nothing is left to do but ${shorten(leftOut)}`;
  return new AppError("no-match", `${why} in ${pattern}.`, "Set a task to pending (or open) to have it done.");
}

function tellLeftOut({ id, why }: { readonly id: string; readonly why: string }): string {
  return `${id} (${why})`;
}

function shorten(items: readonly string[]): string {
  return items.length > 10 ? `${items.slice(0, 10).join(", ")} and ${items.length - 10} more` : items.join(", ");
}

function withoutSource({ source: _source, ...task }: TaskDefinition): TaskDefinition {
  return task;
}

/** `path` is relative to the root, with slashes; a path outside starts with `../`. */
function isBelow(path: string): boolean {
  return path !== "" && !path.startsWith("../") && !isAbsolute(path);
}

function readFile(file: string, root: string, wanted: string | null): FoundTaskFile | null {
  const path = relative(root, file).split(sep).join("/");
  if (isBelow(path)) refuseLinkOut(file, path, root);
  const text = readText(file, path);
  return text === null ? null : readSource(text, path, { wanted, current: currentTag(file) });
}

/** A link in the repository must not turn a file outside of it into a task, because agents see the text of tasks. */
function refuseLinkOut(file: string, path: string, root: string): void {
  if (realpathSync(file).startsWith(realpathSync(root) + sep)) return;
  throw new AppError(
    "cannot-read",
    `${path} is a link that leads out of the repository.`,
    "Name the file it leads to.",
  );
}

/** Null for a folder, which patterns can match as well. */
function readText(file: string, path: string): string | null {
  const { size, isFile } = look(file, path);
  if (!isFile) return null;
  if (size > MAX_BYTES)
    throw new AppError("cannot-read", `${path} is larger than ${MAX_BYTES} bytes.`, "Take out what is done.");
  const bytes = readFileSync(file);
  if (!isUtf8(bytes)) throw new AppError("cannot-read", `${path} is not UTF-8 text.`, "Save it as UTF-8.");
  return bytes.toString("utf8");
}

function look(file: string, path: string): { readonly size: number; readonly isFile: boolean } {
  try {
    const stats = statSync(file);
    return { size: stats.size, isFile: stats.isFile() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new AppError("cannot-read", `${path} cannot be read: ${code ?? String(error)}.`, "Check the file.");
  }
}

/** Task Master stores the current tag in a file beside its tasks. */
function currentTag(file: string): string | null {
  try {
    const state: unknown = JSON.parse(readFileSync(join(file, "../../state.json"), "utf8"));
    return isRecord(state) && typeof state["currentTag"] === "string" ? state["currentTag"] : null;
  } catch {
    return null;
  }
}
