import type { Outcome } from "../../handoff.ts";

/** The word for each outcome; where the format lacks one, the nearest weaker word, so that nothing passes by conversion. */
export const WORDS: Readonly<Record<Outcome, string>> = {
  done: "PASS",
  "done-with-warnings": "PASS_WITH_WARNINGS",
  "needs-review": "PASS_WITH_FIXES",
  "needs-fixes": "PASS_WITH_FIXES",
  failed: "FAIL",
  blocked: "FAIL",
  "in-progress": "FAIL",
  pending: "FAIL",
  skipped: "PASS_WITH_FIXES",
};
