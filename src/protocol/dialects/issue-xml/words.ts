import type { Outcome } from "../../handoff.ts";

/** The word for each outcome. Where the format lacks one, what may go on goes on and what must stop stops. */
export const WORDS: Readonly<Record<Outcome, string>> = {
  done: "success",
  "done-with-warnings": "success",
  "needs-review": "blocked",
  "needs-fixes": "failure",
  failed: "failure",
  blocked: "blocked",
  "in-progress": "pending",
  pending: "pending",
  skipped: "skipped",
};

/** What each status of this format says of the work. */
export const STATUS_OUTCOMES: Readonly<Record<string, Outcome>> = {
  success: "done",
  ready: "done",
  "ready-for-re-review": "done",
  approved: "done",
  completed: "done",
  merged: "done",
  failure: "failed",
  blocked: "blocked",
  pending: "pending",
  skipped: "skipped",
};
