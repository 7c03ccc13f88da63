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

/** `[X]` in the place of a figure, as the template has it; in YAML a list. */
export function isUnfilledFigure(value: unknown): boolean {
  if (typeof value === "string") return /\[[A-Z]\]/.test(value);
  return (
    Array.isArray(value) && value.length === 1 && typeof value[0] === "string" && /^(?:[A-Z]|\.\.\.)$/.test(value[0])
  );
}
