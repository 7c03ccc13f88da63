import type { StepItem } from "../../../src/api/answers.ts";

/** The word that its look hangs on. */
export function statusOf({ outcome, ended_at, attempts }: StepItem): string {
  if (outcome !== null) return outcome;
  if (ended_at === null) return "working";
  return attempts.at(-1)?.end ?? "failed";
}
