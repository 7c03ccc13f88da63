/** The dialects, in the order of their numbers. A name ends with the syntax: `-json`, `-xml`, `-yaml`. */
export const DIALECT_NAMES = ["pipeline-json", "issue-xml", "phase-yaml", "task-yaml", "output-json"] as const;
export type BuiltinDialect = (typeof DIALECT_NAMES)[number];
/** One of the five, or a format that a team describes itself: its name is any other. */
export type DialectName = BuiltinDialect | (string & Record<never, never>);

export const OUTCOMES = [
  "done",
  "done-with-warnings",
  "needs-review",
  "needs-fixes",
  "failed",
  "blocked",
  "in-progress",
  "pending",
  "skipped",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How bad it is that a text is wrong. */
export const SEVERITIES = ["error", "warning", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];
