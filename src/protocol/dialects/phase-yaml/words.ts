import type { Outcome } from "../../handoff.ts";

/** The word for each outcome; where the format lacks one, the nearest weaker word. */
export const WORDS: Readonly<Record<Outcome, string>> = {
  done: "complete",
  "done-with-warnings": "retry",
  "needs-review": "retry",
  "needs-fixes": "retry",
  failed: "failed",
  blocked: "blocked",
  "in-progress": "in_progress",
  pending: "pending",
  skipped: "pending",
};
