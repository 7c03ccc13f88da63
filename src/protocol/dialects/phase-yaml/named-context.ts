import { type JsonRecord, type JsonValue, isRecord, ownValue } from "../../../shared/json-value.ts";
import { fitsPart } from "../../fits-part.ts";
import { type Handoff, handoffParts, withParts } from "../../handoff.ts";

/** What each part of a handoff is called in `context`, where it has no field of its own. */
export const CONTEXT_NAMES: Readonly<Record<string, string>> = {
  summary: "summary",
  task: "task",
  issue: "issue",
  pull_request: "pull_request",
  requirements: "requirements",
  "context.text": "text",
  "context.decisions": "decisions",
  "context.limitations": "limitations",
  "context.assumptions": "assumptions",
  "work.created": "files_created",
  "work.modified": "files_modified",
  "work.artifacts": "artifacts",
  "work.commits": "commits",
  "work.branch": "branch",
  "work.workspace": "workspace",
  "work.merge": "merge",
  "work.output_type": "output_type",
  "work.directory": "directory",
  "work.skills": "skills",
  "work.library_skills": "library_skills",
  "work.verified": "source_files_verified",
  "work.actions": "actions",
  "findings.issues": "issues",
  "findings.fixes": "fixes",
  "findings.failures": "failures",
  "findings.resolved": "issues_resolved",
  "findings.new_issues": "new_issues",
  "findings.review": "review",
  "knowledge.patterns": "patterns",
  "knowledge.gotchas": "gotchas",
  questions: "questions",
  next_steps: "next_steps",
  blockers: "blockers",
  files_to_read: "files_to_read",
  test_requirements: "test_requirements",
  "checks.command": "command",
  "checks.expected_result": "expected_result",
  "checks.checklist": "checklist",
  "checks.environment": "environment",
  "routing.next_phase": "next_phase",
  "routing.blocked_reason": "blocked_reason",
  "routing.attempted": "attempted",
  error: "error",
};

/** Those parts by these names. */
export function nameParts(handoff: Handoff): JsonRecord {
  const named: JsonRecord = {};
  for (const [part, value] of handoffParts(handoff)) {
    const name = ownValue(CONTEXT_NAMES, part);
    if (name !== undefined && !isEmpty(value)) named[name] = value;
  }
  return named;
}

function isEmpty(value: JsonValue): boolean {
  return (
    value === "" || (Array.isArray(value) && value.length === 0) || (isRecord(value) && Object.keys(value).length === 0)
  );
}

/** The handoff with what its `context` calls by these names as parts, where it has them not. Other names stay. */
export function withNamedParts(handoff: Handoff): Handoff {
  const data = handoff.context?.data;
  if (data === undefined) return handoff;
  const stated = handoffParts(handoff);
  const found = new Map<string, JsonValue>();
  const left: JsonRecord = { ...data };
  for (const [part, name] of Object.entries(CONTEXT_NAMES)) {
    const value = ownValue(data, name);
    if (value === undefined || stated.has(part) || isEmpty(value) || !fitsPart(part, value)) continue;
    found.set(part, value);
    delete left[name];
  }
  const { data: _data, ...others } = withParts(handoff, found).context ?? {};
  return { ...withParts(handoff, found), context: { ...others, data: left } };
}
