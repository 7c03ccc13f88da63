import type { Outcome } from "../../handoff.ts";

/** The word for each outcome; where the format lacks one, the nearest weaker word. */
export const WORDS: Readonly<Record<Outcome, string>> = {
  done: "success",
  "done-with-warnings": "blocked",
  "needs-review": "blocked",
  "needs-fixes": "blocked",
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
