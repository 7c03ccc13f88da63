import type { Outcome } from "../../handoff.ts";

/** The word for each outcome; where the format lacks one, the nearest weaker word. */
export const WORDS: Readonly<Record<Outcome, string>> = {
  done: "complete",
  "done-with-warnings": "needs_review",
  "needs-review": "needs_review",
  "needs-fixes": "blocked",
  failed: "blocked",
  blocked: "blocked",
  "in-progress": "blocked",
  pending: "blocked",
  skipped: "needs_review",
};
