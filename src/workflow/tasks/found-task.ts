import { AppError } from "../../shared/app-error.ts";
import type { Priority, TaskSource } from "../definition.ts";
import { taskId } from "../file/words.ts";

/** A task as its file describes it. `id` is already the id within a run. */
export interface FoundTask {
  readonly id: string;
  /** The id in the file: `12`, `15.3`, `T001`, `bd-a3f8`. */
  readonly sourceId: string;
  readonly name: string;
  readonly priority: Priority;
  readonly dependsOn: readonly string[];
  readonly brief: string;
  readonly standing: FoundTaskStatus;
  /** The status word of the file. */
  readonly word: string;
  /** Id of the parent task. */
  readonly parent: string | null;
}

/** `open` is to be done, `done` blocks no other task, `held` was put aside by a person. */
export type FoundTaskStatus = "open" | "done" | "held";

/** Progress of a task in a run; each format has its own words for it. */
export type Progress = "pending" | "in-progress" | "done" | "failed" | "blocked";

export interface FoundTaskFile {
  readonly format: TaskSource["format"];
  readonly path: string;
  readonly tag: string | null;
  readonly tasks: readonly FoundTask[];
}

/** Result of writing the progress of a task into a text. */
export type TaskFileChange =
  | { readonly kind: "changed"; readonly text: string }
  | { readonly kind: "same" }
  /** Nothing can be written; `why` continues a sentence that starts with the name of the file. */
  | { readonly kind: "impossible"; readonly why: string };

export const SAME: TaskFileChange = { kind: "same" };

export function impossible(why: string): TaskFileChange {
  return { kind: "impossible", why };
}

export function vanished(id: string): TaskFileChange {
  return impossible(`does not have the task ${id} any more`);
}

/** Maximum number of tasks in one run. */
export const MAX_TASKS = 5_000;

const PRIORITIES: readonly Priority[] = ["critical", "high", "medium", "low"];

export function priorityOf(word: unknown): Priority {
  return PRIORITIES.find((priority) => priority === String(word).toLowerCase()) ?? "medium";
}

/** Converts an id of a file to one of a run: invalid characters become hyphens. Collisions are reported later. */
export function runId(id: string): string {
  return taskId.accepts(id)
    ? id
    : id
        .replaceAll(/[^\w.-]/g, "-")
        .replace(/^[.-]+/, "")
        .slice(0, 64);
}

export function broken(path: string, what: string, hint: string): AppError {
  return new AppError("cannot-read", `${path} ${what}`, hint);
}
