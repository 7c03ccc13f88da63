import type { Outcome } from "../../handoff.ts";

/** The word for each outcome. Where the format lacks one, what may go on goes on and what must stop stops. */
export const WORDS: Readonly<Record<Outcome, string>> = {
  done: "completed",
  "done-with-warnings": "completed",
  "needs-review": "partial",
  "needs-fixes": "partial",
  failed: "failed",
  blocked: "blocked",
  "in-progress": "partial",
  pending: "partial",
  skipped: "completed",
};
