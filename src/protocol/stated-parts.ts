import type { BuiltinDialect } from "./handoff.ts";

/**
 * The parts of the canonical handoff that a text of each dialect can state, beside those that every conversion keeps. A
 * handoff that was converted from a dialect has no other parts, unless they are carried.
 */
export const STATED_PARTS: Readonly<Record<BuiltinDialect, ReadonlySet<string>>> = {
  "pipeline-json": partsIn(
    "iteration test_requirements metrics routing.loop",
    "work.artifacts context.decisions context.limitations context.assumptions",
    "findings.issues findings.fixes findings.resolved findings.new_issues",
    "checks.command checks.expected_result checks.checklist",
  ),
  "issue-xml": partsIn(
    "summary requirements context.text metrics error",
    "work.commits work.branch work.workspace work.merge work.actions",
    "findings.issues findings.fixes findings.failures findings.review",
    "checks.status checks.environment checks.results",
  ),
  "phase-yaml": partsIn("phase attempt metrics depends_on context.data routing.on_failure"),
  "task-yaml": partsIn(
    "work.created work.modified knowledge.patterns knowledge.gotchas",
    "files_to_read questions next_steps blockers",
  ),
  "output-json": partsIn(
    "phase summary context.text checks.results blockers",
    "work.modified work.artifacts work.output_type work.directory",
    "work.skills work.library_skills work.verified",
    "routing.next_phase routing.blocked_reason routing.attempted",
  ),
};

function partsIn(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.join(" ").split(" "));
}

/** Parts that a conversion may fill in and that stay so when it is read: whom it is from and for, when, and for what. */
const KEPT_WHEN_FILLED = partsIn("from to final at outcome status issue pull_request task");

/** Whether a part stays as the target's own fields have it, whatever the source could state. */
export function isKept(part: string): boolean {
  return KEPT_WHEN_FILLED.has(part) || part.startsWith("extensions.") || part.startsWith("spelling.");
}
