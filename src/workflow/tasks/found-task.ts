import { AppError } from "../../shared/app-error.ts";
import type { Priority, TaskSource } from "../definition.ts";
import { taskId } from "../file/words.ts";

/** A task as its file tells it. Ids are already those of a run. */
export interface FoundTask {
  readonly id: string;
  /** As the file has it: `12`, `15.3`, `T001`, `bd-a3f8`. */
  readonly sourceId: string;
  readonly name: string;
  readonly priority: Priority;
  readonly dependsOn: readonly string[];
  readonly brief: string;
  readonly standing: Standing;
  /** Why it stands there, in the file's own word. */
  readonly word: string;
  /** The task that this one is a part of. */
  readonly parent: string | null;
}

/** `open` is to be done, `done` is waited for no longer, `held` is what somebody has put aside. */
export type Standing = "open" | "done" | "held";

/** How far a run has come with a task; each format has its own words for it. */
export type Progress = "pending" | "in-progress" | "done" | "failed" | "blocked";

export interface FoundFile {
  readonly format: TaskSource["format"];
  readonly path: string;
  readonly tag: string | null;
  readonly tasks: readonly FoundTask[];
}

/** What became of a text when a task's progress was to be written into it. */
export type Written =
  | { readonly kind: "changed"; readonly text: string }
  | { readonly kind: "same" }
  /** Nothing may be written; the sentence goes on after the name of the file. */
  | { readonly kind: "impossible"; readonly why: string };

export const SAME: Written = { kind: "same" };

export function impossible(why: string): Written {
  return { kind: "impossible", why };
}

export function vanished(id: string): Written {
  return impossible(`does not have the task ${id} any more`);
}

/** Of one run. */
export const MOST_TASKS = 5_000;

const PRIORITIES: readonly Priority[] = ["critical", "high", "medium", "low"];

export function priorityOf(word: unknown): Priority {
  return PRIORITIES.find((priority) => priority === String(word).toLowerCase()) ?? "medium";
}

/** An id of a file as one of a run: what cannot stand in one becomes a hyphen. Two that become one are told later. */
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
