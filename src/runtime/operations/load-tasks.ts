import { isUtf8 } from "node:buffer";
import { globSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import type { TaskDefinition } from "../../workflow/definition.ts";
import type { FoundFile } from "../../workflow/tasks/found-task.ts";
import { planTasks } from "../../workflow/tasks/plan-tasks.ts";
import { readSource } from "../../workflow/tasks/read-source.ts";

export interface TaskRequest {
  readonly pattern: string | undefined;
  /** The pattern counts from here. */
  readonly directory: string;
  /** Of the repository: only what is inside is written back. */
  readonly root: string;
  /** Of a Task Master file. */
  readonly tag: string | undefined;
  /** Tasks that the workflow itself brings. */
  readonly others: readonly TaskDefinition[];
}

export interface LoadedTasks {
  readonly tasks: readonly TaskDefinition[];
  /** What the operator should know. */
  readonly notes: readonly string[];
}

/** The tasks of files that match; what is done already is left out, and nobody waits for it. */
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

const MOST_BYTES = 16_777_216;

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

/** Named from the root, with slashes; a path that leads out of it begins with dots. */
function isBelow(path: string): boolean {
  return path !== "" && !path.startsWith("../") && !isAbsolute(path);
}

function readFile(file: string, root: string, wanted: string | null): FoundFile | null {
  const path = relative(root, file).split(sep).join("/");
  if (isBelow(path)) refuseLinkOut(file, path, root);
  const text = readText(file, path);
  return text === null ? null : readSource(text, path, { wanted, current: currentTag(file) });
}

/** What a repository holds must not make anything outside of it a task, which agents are told. */
function refuseLinkOut(file: string, path: string, root: string): void {
  if (realpathSync(file).startsWith(realpathSync(root) + sep)) return;
  throw new AppError(
    "cannot-read",
    `${path} is a link that leads out of the repository.`,
    "Name the file it leads to.",
  );
}

/** Null for a folder: patterns match them too. */
function readText(file: string, path: string): string | null {
  const { size, isFile } = look(file, path);
  if (!isFile) return null;
  if (size > MOST_BYTES)
    throw new AppError("cannot-read", `${path} is larger than ${MOST_BYTES} bytes.`, "Take out what is done.");
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

/** Task Master remembers beside its tasks which tag its commands work on. */
function currentTag(file: string): string | null {
  try {
    const state: unknown = JSON.parse(readFileSync(join(file, "../../state.json"), "utf8"));
    return isRecord(state) && typeof state["currentTag"] === "string" ? state["currentTag"] : null;
  } catch {
    return null;
  }
}
