import { AppError } from "../../shared/app-error.ts";

/** A state is not moved away from under a process that works with it. */
export function drivenRun(run: string): AppError {
  return new AppError(
    "conflict",
    `A process drives run ${run}.`,
    "End it, or wait until the run has ended or waits; then say it again.",
  );
}
