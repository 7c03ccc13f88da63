import { type FoundTaskFile, broken, type TaskFileChange, type Progress } from "./found-task.ts";
import { readBeads, writeBeads } from "./beads.ts";
import { readSpecKit, taskLines, writeSpecKit } from "./spec-kit.ts";
import { TITLE, readTaskFile, writeTaskFile } from "./task-file.ts";
import { type TagChoice, readTaskMaster, writeTaskMaster } from "./task-master.ts";
import type { TaskSource } from "../definition.ts";
import type { RunState, TaskState } from "../state.ts";

/** Reads the tasks of a file in any of the four formats, recognized by name and content; null when it has none. */
export function readSource(text: string, path: string, tags: TagChoice): FoundTaskFile | null {
  if (/\.json$/i.test(path)) {
    const { tag, tasks } = readTaskMaster(text, path, tags);
    return { format: "task-master", path, tag, tasks };
  }
  if (/\.jsonl$/i.test(path)) return { format: "beads", path, tag: null, tasks: readBeads(text, path) };
  if (/\.(?:md|markdown|txt)$/i.test(path)) return readMarkdown(text, path);
  throw broken(
    path,
    "is of no kind that tasks are read from.",
    "Name Markdown task files, a Spec Kit tasks.md, a Task Master tasks.json or a beads issues.jsonl.",
  );
}

function readMarkdown(text: string, path: string): FoundTaskFile | null {
  const name = path.split("/").at(-1) ?? path;
  const hasTitle = TITLE.test(text);
  const isList = taskLines(text).length > 0;
  if (hasTitle && isList)
    throw broken(
      path,
      "is both a task file (# Task ID: Name) and a Spec Kit list (- [ ] T001 ...).",
      "Take one of them out: which one counts must not be left to chance.",
    );
  if (isList) return { format: "spec-kit", path, tag: null, tasks: readSpecKit(text, path) };
  const task = readTaskFile(text, name);
  return task === null ? null : { format: "task-file", path, tag: null, tasks: [task] };
}

/** Writes the progress of a task into a text of any format. `at` is the present time in ISO 8601. */
export function writeSource(text: string, { source, progress }: TaskChange, at: string): TaskFileChange {
  switch (source.format) {
    case "task-file":
      return writeTaskFile(text, source.id, source.path.split("/").at(-1) ?? "", progress);
    case "task-master":
      return writeTaskMaster(text, source.id, source.tag ?? "master", progress);
    case "spec-kit":
      return writeSpecKit(text, source.id, progress);
    case "beads":
      return writeBeads(text, source.id, progress, at);
  }
}

export interface TaskChange {
  readonly source: TaskSource;
  readonly progress: Progress;
}

/**
 * The changes to write back after a run moved from one state to the next. Without a previous state, as after a crash,
 * the progress of every started task is written again.
 */
export function taskChanges(before: RunState | null, after: RunState): TaskChange[] {
  return Object.values(after.tasks).flatMap(({ id, source }) => {
    if (source === undefined) return [];
    const [was, is] = [before === null ? null : progressOf(before, id), progressOf(after, id)];
    // A task that is no longer blocked, and was never started, is pending again.
    const progress = is ?? (was === null ? null : "pending");
    return progress === null || progress === was ? [] : [{ source, progress }];
  });
}

/** Null until the task is started: its file is up to date. */
function progressOf(state: RunState, id: string): Progress | null {
  const task = Object.hasOwn(state.tasks, id) ? state.tasks[id] : undefined;
  if (task === undefined) return null;
  if (task.status === "done" || task.status === "failed") return task.status;
  if (isHeldUp(state, task) && state.status === "running") return "blocked";
  if (task.trail.length === 0) return task.blockers.length > 0 ? "blocked" : null;
  // A run that was cancelled or has failed resets its unfinished tasks to pending.
  return state.status === "running" ? "in-progress" : "pending";
}

function isHeldUp(state: RunState, { id, blockers, status }: TaskState): boolean {
  if (blockers.length > 0) return true;
  const asks = Object.values(state.asks).filter(({ task }) => task === id);
  return status === "asking" && asks.some(({ kind }) => kind === "blocked" || kind === "escalation");
}
