import type { Outcome } from "../../handoff.ts";

/** The word for each outcome. Where the format lacks one, what may go on goes on and what must stop stops. */
export const WORDS: Readonly<Record<Outcome, string>> = {
  done: "complete",
  "done-with-warnings": "complete",
  "needs-review": "blocked",
  "needs-fixes": "retry",
  failed: "failed",
  blocked: "blocked",
  "in-progress": "in_progress",
  pending: "pending",
  skipped: "complete",
};

/** `[X]` in the place of a figure, as the template has it; in YAML a list. */
export function isUnfilledFigure(value: unknown): boolean {
  if (typeof value === "string") return /\[[A-Z]\]/.test(value);
  return (
    Array.isArray(value) && value.length === 1 && typeof value[0] === "string" && /^(?:[A-Z]|\.\.\.)$/.test(value[0])
  );
}
