import type { AttemptItem, StepItem } from "../../../src/api/answers.ts";

/** The word that its look hangs on. `isIdle`: nothing was heard of its session for long. */
export function statusOf({ outcome, ended_at, attempts }: StepItem, isIdle: boolean): string {
  if (outcome !== null) return outcome;
  if (ended_at === null) return isIdle ? "no-sign" : "working";
  const last = attempts.at(-1);
  return last === undefined ? "failed" : attemptStatus(last, isIdle);
}

/** One that ended by itself has a handoff, accepted or refused; or none was read. */
export function attemptStatus(
  { end, was_refused: wasRefused, has_handoff: has }: AttemptItem,
  isIdle: boolean,
): string {
  if (wasRefused) return "refused";
  if (end === null) return isIdle ? "no-sign" : "working";
  return end === "finished" && !has ? "no-handoff" : end;
}
