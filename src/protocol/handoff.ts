import { type JsonRecord, type JsonValue, isRecord } from "../shared/json-value.ts";
import type { Handoff } from "./handoff-type.ts";
import { DIALECT_NAMES, type DialectName, OUTCOMES } from "./handoff-words.ts";
import { type Field, type RecordShape, field, shape } from "./shape.ts";

export type { Handoff } from "./handoff-type.ts";
export type { BuiltinDialect, DialectName, Outcome } from "./handoff-words.ts";

/**
 * The canonical handoff: what every dialect is lifted into and lowered out of. Keys are the words of the formats. Items
 * of lists are open records: a key this page does not name stays on its item. The type in `handoff-type.ts` is written
 * from this shape by `npm run reference`.
 */

const text = shape.text();
const texts = shape.list(text);

const LEVELS = ["high", "medium", "low"] as const;
const PRIORITIES = ["critical", ...LEVELS] as const;

function may<T>(of: Parameters<typeof field.optional<T>>[0], about: string): Field<T, false> {
  return field.optional(of, { rule: "canonical", about });
}

const issue = shape.record({
  id: may(text, "Name of the issue, unique in the run."),
  severity: may(
    shape.words([...PRIORITIES, "important"]),
    "How bad it is: critical, high, medium or low; issue-xml knows critical and important.",
  ),
  category: may(text, "What kind of problem it is: bug, security, performance or quality."),
  location: may(text, "Where it is: file:line."),
  description: may(text, "What is wrong."),
  remediation: may(text, "How to fix it."),
  status: may(shape.words(["open", "fixed", "wontfix"]), "Whether it is still open: open, fixed or wontfix."),
});

const fileChange = shape.record({
  path: may(text, "Path of the file from the project root."),
  purpose: may(text, "What the file is for."),
  lines: may(text, "Which lines: N-M or all."),
  change_type: may(
    shape.words(["add", "modify", "delete", "refactor"]),
    "What was done to the file: add, modify, delete or refactor.",
  ),
  description: may(text, "What changed and why."),
});

const artifact = shape.record({
  type: may(
    shape.words(["source_file", "test_file", "documentation", "config_file", "report"]),
    "What kind of file it is: source_file, test_file, documentation, config_file or report.",
  ),
  path: may(text, "Path or glob from the project root."),
  purpose: may(text, "What it is for."),
  priority: may(shape.words(PRIORITIES), "How important it is to look at it: critical, high, medium or low."),
});

const described = shape.record({
  location: may(text, "Where it is: file:line."),
  type: may(text, "What kind of check or change it is."),
  description: may(text, "What it is, in words."),
});

const blocker = shape.record({
  description: may(text, "What blocks the work."),
  type: may(text, "What kind of blocker it is."),
  impact: may(text, "What cannot be done because of it."),
  resolution: may(text, "How it could be resolved."),
  blocks: may(texts, "Tasks that wait for it."),
});

const onFailure = shape.record({
  retry: may(shape.number(), "How often to try again at most."),
  route_to: may(text, "Agent that takes the failure over."),
  notify: may(text, "Agent that is told of the failure."),
  escalate_after: may(shape.number(), "Failures after which the delegator is asked."),
  context: may(text, "What the agent that takes over should know."),
});

const work = shape.record({
  created: may(shape.list(fileChange), "Files that were created."),
  modified: may(shape.list(fileChange), "Files that were modified."),
  artifacts: may(shape.list(artifact), "Outputs to look at."),
  commits: may(
    shape.list(shape.record({ sha: may(text, "Id of the commit."), message: may(text, "First line of its message.") })),
    "Commits that were made.",
  ),
  branch: may(text, "Branch that the work is on."),
  workspace: may(
    shape.record({
      path: may(text, "Where the workspace is."),
      type: may(
        shape.words(["worktree", "in-place", "cloud"]),
        "What kind of workspace it is: worktree, in-place or cloud.",
      ),
      port: may(text, "Port that is reserved for it."),
    }),
    "Where the work was done.",
  ),
  merge: may(
    shape.record({
      status: may(shape.words(["merged"]), "Whether it was merged: merged."),
      sha: may(text, "Id of the merge commit."),
      strategy: may(text, "How it was merged: squash, merge or rebase."),
    }),
    "How the work was merged.",
  ),
  output_type: may(text, "What kind of output this is."),
  directory: may(text, "Directory of the feature."),
  skills: may(texts, "Skills that were used."),
  library_skills: may(texts, "Library skills that were read."),
  verified: may(texts, "Places in the source that were read: path:start-end."),
  actions: may(texts, "Closing actions that were taken."),
});

const context = shape.record({
  text: may(text, "What the next agent must know."),
  decisions: may(texts, "Decisions that were taken, and why."),
  limitations: may(texts, "Known limits of the work."),
  assumptions: may(texts, "What was taken for granted."),
  data: may(shape.freeMap(), "Other context, by name."),
});

const findings = shape.record({
  issues: may(shape.list(issue), "Problems that were found."),
  fixes: may(shape.list(described), "Fixes that were applied."),
  failures: may(shape.list(described), "Checks that failed."),
  resolved: may(texts, "Ids of issues that are now resolved."),
  new_issues: may(texts, "Problems that the fixes brought."),
  review: may(shape.freeMap(), "Verdict of a review and its counts."),
});

const knowledge = shape.record({
  patterns: may(
    shape.list(
      shape.record({
        id: may(text, "Id of the pattern: pattern-001."),
        pattern: may(text, "The pattern, in one sentence."),
        location: may(text, "Where it is used."),
        applies_to: may(texts, "Tags that say when to use it."),
      }),
    ),
    "Patterns to follow.",
  ),
  gotchas: may(
    shape.list(
      shape.record({
        id: may(text, "Id of the gotcha: gotcha-001."),
        issue: may(text, "The trap, in one sentence."),
        discovered_in: may(text, "Where it was found."),
        mitigation: may(text, "How to avoid it."),
        severity: may(shape.words(LEVELS), "How much harm it does: high, medium or low."),
      }),
    ),
    "Traps to avoid.",
  ),
});

const checks = shape.record({
  command: may(text, "Command that shows that the work is done."),
  expected_result: may(text, "What success looks like."),
  checklist: may(texts, "Criteria of completion."),
  status: may(text, "Verdict of the validation."),
  environment: may(shape.freeMap(), "State of the prepared workspace."),
  results: may(shape.freeMap(), "Results as the agent reports them."),
});

const routing = shape.record({
  loop: may(
    shape.record({
      required: may(shape.boolean(), "Whether the work goes back."),
      target: may(shape.nullable(text), "Agent that it goes back to."),
      reason: may(shape.nullable(text), "Why it goes back."),
    }),
    "Request to send the work back.",
  ),
  next_phase: may(text, "Phase that should follow."),
  on_failure: may(onFailure, "What to do when this fails."),
  blocked_reason: may(text, "Why the work stopped."),
  attempted: may(texts, "What was tried before giving up."),
});

const question = shape.record({
  question: may(text, "What is open."),
  context: may(text, "Why it matters."),
  recommendation: may(text, "Answer that the agent proposes."),
  blocking: may(shape.boolean(), "Whether it stops the next tasks."),
});

const nextStep = shape.record({
  step: may(text, "What should happen."),
  priority: may(shape.words(LEVELS), "How urgent it is: high, medium or low."),
  depends_on: may(texts, "What it needs first."),
});

const testRequirements = shape.record({
  coverage: may(shape.number(), "Percent of lines that tests have to cover."),
  critical_paths: may(texts, "What must be tested."),
  edge_cases_to_test: may(texts, "Edge cases that must be tested."),
});

const errorReport = shape.record({
  type: may(text, "What kind of error it is."),
  message: may(text, "What happened."),
  details: may(text, "More about what happened."),
  recoverable: may(shape.boolean(), "Whether another try can help."),
  suggested_action: may(text, "What to do about it."),
});

export const handoffShape = shape.record({
  from: may(text, "Agent that wrote it, as it says itself."),
  to: may(shape.nullable(text), "Agent it is meant for; null when there is none."),
  final: may(shape.boolean(), "True when the author says that the run is over."),
  at: may(text, "When it was written, ISO 8601."),
  task: may(
    shape.record({ id: may(text, "Id of the task."), name: may(text, "Name of the task.") }),
    "Task it belongs to.",
  ),
  issue: may(
    shape.record({
      number: may(text, "Number of the issue, as text."),
      url: may(text, "Address of the issue."),
      title: may(text, "Title of the issue."),
      type: may(
        shape.words(["feature", "bug", "enhancement", "refactor", "chore"]),
        "What kind of issue it is: feature, bug, enhancement, refactor or chore.",
      ),
      priority: may(shape.words(PRIORITIES), "How urgent it is: critical, high, medium or low."),
    }),
    "Issue it belongs to.",
  ),
  pull_request: may(
    shape.record({
      number: may(text, "Number of the pull request, as text."),
      url: may(text, "Address of the pull request."),
    }),
    "Pull request it belongs to.",
  ),
  phase: may(text, "Phase, in the dialect's own word."),
  iteration: may(shape.number(), "Round of the run, from 1."),
  attempt: may(shape.number(), "How often the work was tried again."),
  outcome: field.required(shape.oneOf(OUTCOMES), { rule: "canonical", about: "How the work ended." }),
  status: may(text, "How the work ended, in the dialect's own word."),
  summary: may(text, "What was done."),
  requirements: may(texts, "What is asked for."),
  work: may(work, "What was made."),
  context: may(context, "What to know."),
  findings: may(findings, "What was found."),
  knowledge: may(knowledge, "What was learned."),
  questions: may(shape.list(question), "Questions that are open."),
  next_steps: may(shape.list(nextStep), "Steps that the agent suggests."),
  blockers: may(shape.list(blocker), "What blocks the work."),
  files_to_read: may(
    shape.list(shape.record({ file: may(text, "Path of the file."), reason: may(text, "Why to read it.") })),
    "Files the next agent should read.",
  ),
  depends_on: may(texts, "Tasks this depends on or affects."),
  test_requirements: may(testRequirements, "What must be tested."),
  checks: may(checks, "How to check the work, and what was reported."),
  metrics: may(shape.freeMap(), "Figures, an open set."),
  routing: may(routing, "What should happen next; the workflow decides."),
  error: may(errorReport, "Why the work failed."),
  extensions: may(shape.freeMap(), "Fields a dialect does not name, kept by dialect."),
  spelling: may(
    shape.map(shape.map(text)),
    "Numbers that do not print as they were written, such as 7.0: by dialect, then by place in its document.",
  ),
});

const dialectField = field.required(shape.words<DialectName>(DIALECT_NAMES), {
  rule: "canonical",
  about: "The dialect it was written in: one of the five, or a format of the team's own.",
});
/** The handoff with the name of its dialect, as it is stored and printed. */
export const canonicalShape: RecordShape & { readonly type?: Handoff } = {
  kind: "record",
  fields: { dialect: dialectField, ...handoffShape.fields },
};

export type HandoffContent = Omit<Handoff, "dialect">;

type Groups = {
  [Group in "work" | "context" | "findings" | "knowledge" | "checks" | "routing"]: NonNullable<Handoff[Group]>;
};

/** The groups of a handoff, empty where it has none: writers need not ask. */
export function groupsOf(handoff: Handoff): Groups {
  return { ...NO_GROUPS, ...(compactGroups(handoff) as Partial<Groups>) };
}

const NO_GROUPS: Groups = { work: {}, context: {}, findings: {}, knowledge: {}, checks: {}, routing: {} };

function compactGroups(handoff: Handoff): Partial<Record<keyof Groups, unknown>> {
  return Object.fromEntries(Object.entries(handoff).filter(([key, value]) => key in NO_GROUPS && value !== undefined));
}

/** Groups whose parts are compared, carried and reported one by one. */
const GROUPS = new Set(["work", "context", "findings", "knowledge", "checks", "routing", "extensions", "spelling"]);

/** The parts of a handoff, `summary` or `work.modified`, with their values; absent parts are left out. */
export function handoffParts(handoff: HandoffContent): Map<string, JsonValue> {
  const parts = new Map<string, JsonValue>();
  for (const [key, value] of Object.entries(handoff as JsonRecord)) {
    if (value === undefined || key === "dialect") continue;
    if (!GROUPS.has(key)) parts.set(key, value);
    else
      for (const [inner, part] of Object.entries(value as JsonRecord))
        if (part !== undefined) parts.set(`${key}.${inner}`, part);
  }
  return parts;
}

/** The same handoff with some parts replaced. */
export function withParts(handoff: Handoff, parts: ReadonlyMap<string, JsonValue>): Handoff {
  const changed: JsonRecord = {};
  const given: JsonRecord = { ...handoff };
  for (const [name, value] of parts) {
    const [key = "", inner] = name.split(".");
    const group = changed[key] ?? given[key];
    changed[key] = inner === undefined ? value : { ...(isRecord(group) && group), [inner]: value };
  }
  return { ...handoff, ...changed };
}

/** The same handoff without some parts; a group that is left empty goes too. */
export function withoutParts(handoff: Handoff, names: readonly string[]): Handoff {
  const { dialect, outcome } = handoff;
  const left: JsonRecord = { ...handoff };
  for (const name of names) {
    const [key = "", inner] = name.split(".");
    const group = left[key];
    if (inner !== undefined && isRecord(group)) {
      const { [inner]: _taken, ...others } = group;
      left[key] = others;
    }
    if (inner === undefined || isEmptyGroup(left[key])) delete left[key];
  }
  return { ...left, dialect, outcome };
}

function isEmptyGroup(value: JsonValue | undefined): boolean {
  return value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}
