import type { Event } from "../workflow/event.ts";

/** Attempts that were not watched to their end: they were lost, or stopped with their task. Nobody knows their time. */
export class UnwatchedAttempts {
  /** The tasks that an attempt is at work on. */
  readonly #atWork = new Set<string>();
  #found = 0;

  get found(): number {
    return this.#found;
  }

  note(event: Event): void {
    if (event.kind === "attempt-started") this.#atWork.add(event.task);
    else if (event.kind === "attempt-ended") {
      this.#atWork.delete(event.task);
      if (event.end === "lost") this.#found++;
    } else if (event.kind === "task-finished" && this.#atWork.delete(event.task)) this.#found++;
  }
}
