import type { Outcome } from "../../handoff.ts";

/** The word for each outcome. Where the format lacks one, what may go on goes on and what must stop stops. */
export const WORDS: Readonly<Record<Outcome, string>> = {
  done: "complete",
  "done-with-warnings": "complete",
  "needs-review": "needs_review",
  "needs-fixes": "blocked",
  failed: "blocked",
  blocked: "blocked",
  "in-progress": "blocked",
  pending: "blocked",
  skipped: "complete",
};
