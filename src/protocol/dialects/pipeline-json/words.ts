import type { Outcome } from "../../handoff.ts";

/** The word for each outcome. Where the format lacks one, what may go on goes on and what must stop stops. */
export const WORDS: Readonly<Record<Outcome, string>> = {
  done: "PASS",
  "done-with-warnings": "PASS_WITH_WARNINGS",
  "needs-review": "PASS_WITH_FIXES",
  "needs-fixes": "PASS_WITH_FIXES",
  failed: "FAIL",
  blocked: "FAIL",
  "in-progress": "FAIL",
  pending: "FAIL",
  skipped: "PASS",
};
