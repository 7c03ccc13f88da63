import type { Ask } from "../workflow/state.ts";

/** With its task, where a run has several: agents of two tasks may ask the same. */
export function askName({ id, task }: Pick<Ask, "id" | "task">): string {
  return task === "main" ? id : `${id} (${task})`;
}
