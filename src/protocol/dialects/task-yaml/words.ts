import type { Outcome } from "../../handoff.ts";

/** The word for each outcome; where the format lacks one, the nearest weaker word. */
export const WORDS: Readonly<Record<Outcome, string>> = {
  done: "completed",
  "done-with-warnings": "partial",
  "needs-review": "partial",
  "needs-fixes": "partial",
  failed: "failed",
  blocked: "blocked",
  "in-progress": "partial",
  pending: "partial",
  skipped: "partial",
};
