import type { JsonRecord, JsonValue } from "../shared/json-value.ts";
import { type DialectName, OUTCOMES } from "./handoff-words.ts";
import { type Field, type Infer, field, shape } from "./shape.ts";

export { DIALECT_NAMES, type DialectName, OUTCOMES, type Outcome } from "./handoff-words.ts";

/**
 * The canonical handoff: what every dialect is lifted into and lowered out of. Keys are the words of
 * the formats. Items of lists are open records: a key this page does not name stays on its item.
 */

const text = shape.text();
const texts = shape.list(text);

function may<T>(of: Parameters<typeof field.optional<T>>[0], about: string): Field<T, false> {
  return field.optional(of, { rule: "canonical", about });
}

export const issueShape = shape.record({
  id: may(text, "Name of the issue, unique in the run."),
  severity: may(text, "How bad it is, in the dialect's own word."),
  category: may(text, "bug, security, performance, quality."),
  location: may(text, "file:line."),
  description: may(text, "What is wrong."),
  remediation: may(text, "How to fix it."),
  status: may(text, "open, fixed, wontfix."),
});

const fileChange = shape.record({
  path: may(text, "Path from the project root."),
  purpose: may(text, "What the file is for."),
  lines: may(text, "N-M or all."),
  change_type: may(text, "add, modify, delete, refactor."),
  description: may(text, "What changed and why."),
});

const artifact = shape.record({
  type: may(text, "source_file, test_file, documentation, config_file, report."),
  path: may(text, "Path or glob from the project root."),
  purpose: may(text, "What it is for."),
  priority: may(text, "critical, high, medium, low."),
});

const described = shape.record({
  location: may(text, "file:line."),
  type: may(text, "What kind."),
  description: may(text, "In words."),
});

const blocker = shape.record({
  description: may(text, "What blocks."),
  type: may(text, "What kind of blocker."),
  impact: may(text, "What cannot be done."),
  resolution: may(text, "How it could be resolved."),
  blocks: may(texts, "Tasks that wait for it."),
});

const onFailure = shape.record({
  retry: may(shape.number(), "Most retries."),
  route_to: may(text, "Agent that takes the failure over."),
  notify: may(text, "Agent that is told."),
  escalate_after: may(shape.number(), "Failures before the delegator is asked."),
  context: may(text, "What the taker-over should know."),
});

const work = shape.record({
  created: may(shape.list(fileChange), "Files created."),
  modified: may(shape.list(fileChange), "Files modified."),
  artifacts: may(shape.list(artifact), "Outputs to look at."),
  commits: may(
    shape.list(shape.record({ sha: may(text, "Commit id."), message: may(text, "Its subject.") })),
    "Commits.",
  ),
  branch: may(text, "Branch of the work."),
  workspace: may(
    shape.record({
      path: may(text, "Where it is."),
      type: may(text, "worktree, in-place, cloud."),
      port: may(text, "Leased port."),
    }),
    "Where the work was done.",
  ),
  merge: may(
    shape.record({
      status: may(text, "merged."),
      sha: may(text, "Merge commit."),
      strategy: may(text, "squash, merge, rebase."),
    }),
    "How it was merged.",
  ),
  output_type: may(text, "What kind of output this is."),
  directory: may(text, "Directory of the feature."),
  skills: may(texts, "Skills used."),
  library_skills: may(texts, "Library skills read."),
  verified: may(texts, "Source places read, path:start-end."),
  actions: may(texts, "Closing actions taken."),
});

const context = shape.record({
  text: may(text, "What the next agent must know."),
  decisions: may(texts, "Decisions taken and why."),
  limitations: may(texts, "Known limits."),
  assumptions: may(texts, "What was taken for granted."),
  data: may(shape.freeMap(), "Other context, by name."),
});

const findings = shape.record({
  issues: may(shape.list(issueShape), "Problems found."),
  fixes: may(shape.list(described), "Fixes applied."),
  failures: may(shape.list(described), "Checks that failed."),
  resolved: may(texts, "Ids of issues now resolved."),
  new_issues: may(texts, "Problems the fixes brought."),
  review: may(shape.freeMap(), "Verdict of a review and its counts."),
});

const knowledge = shape.record({
  patterns: may(
    shape.list(
      shape.record({
        id: may(text, "pattern-001."),
        pattern: may(text, "The pattern."),
        location: may(text, "Where it is used."),
        applies_to: may(texts, "Tags."),
      }),
    ),
    "Patterns to follow.",
  ),
  gotchas: may(
    shape.list(
      shape.record({
        id: may(text, "gotcha-001."),
        issue: may(text, "The trap."),
        discovered_in: may(text, "Where it was found."),
        mitigation: may(text, "How to avoid it."),
        severity: may(text, "high, medium, low."),
      }),
    ),
    "Traps to avoid.",
  ),
});

const checks = shape.record({
  command: may(text, "Command that shows the work is done."),
  expected_result: may(text, "What success looks like."),
  checklist: may(texts, "Completion criteria."),
  status: may(text, "Verdict of the validation."),
  environment: may(shape.freeMap(), "State of the prepared workspace."),
  results: may(shape.freeMap(), "Results as the agent reports them."),
});

const routing = shape.record({
  loop: may(
    shape.record({
      required: may(shape.boolean(), "Whether work goes back."),
      target: may(shape.nullable(text), "To whom."),
      reason: may(shape.nullable(text), "Why."),
    }),
    "Wish to go back.",
  ),
  next_phase: may(text, "Wished next phase."),
  on_failure: may(onFailure, "What to do when this fails."),
  blocked_reason: may(text, "Why work stopped."),
  attempted: may(texts, "What was tried before giving up."),
});

const question = shape.record({
  question: may(text, "What is open."),
  context: may(text, "Why it matters."),
  recommendation: may(text, "The agent's own answer."),
  blocking: may(shape.boolean(), "Whether it stops the next tasks."),
});

const nextStep = shape.record({
  step: may(text, "What should happen."),
  priority: may(text, "high, medium, low."),
  depends_on: may(texts, "What it needs first."),
});

const testRequirements = shape.record({
  coverage: may(shape.number(), "Percent of lines."),
  critical_paths: may(texts, "What must be tested."),
  edge_cases_to_test: may(texts, "Edge cases."),
});

const errorReport = shape.record({
  type: may(text, "Kind of error."),
  message: may(text, "What happened."),
  details: may(text, "More of it."),
  recoverable: may(shape.boolean(), "Whether a retry can help."),
  suggested_action: may(text, "What to do."),
});

export const handoffShape = shape.record({
  from: may(text, "Agent that wrote it, as it says itself."),
  to: may(shape.nullable(text), "Agent it is meant for; null when there is none."),
  final: may(shape.boolean(), "True when the author says that the run is over."),
  at: may(text, "When it was written, ISO 8601."),
  task: may(shape.record({ id: may(text, "Task id."), name: may(text, "Task name.") }), "Task it belongs to."),
  issue: may(
    shape.record({
      number: may(text, "Issue number, as text."),
      url: may(text, "Address."),
      title: may(text, "Title."),
      type: may(text, "feature, bug, enhancement, refactor, chore."),
      priority: may(text, "critical, high, medium, low."),
    }),
    "Issue it belongs to.",
  ),
  pull_request: may(
    shape.record({ number: may(text, "Number, as text."), url: may(text, "Address.") }),
    "Pull request.",
  ),
  phase: may(text, "Phase, in the dialect's own word."),
  iteration: may(shape.number(), "Round of the run, from 1."),
  attempt: may(shape.number(), "Retries made."),
  outcome: field.required(shape.oneOf(OUTCOMES), { rule: "canonical", about: "How the work ended." }),
  status: may(text, "The dialect's own word for it."),
  summary: may(text, "What was done."),
  requirements: may(texts, "What is asked for."),
  work: may(work, "What was made."),
  context: may(context, "What to know."),
  findings: may(findings, "What was found."),
  knowledge: may(knowledge, "What was learned."),
  questions: may(shape.list(question), "Open questions."),
  next_steps: may(shape.list(nextStep), "Suggested next steps."),
  blockers: may(shape.list(blocker), "What blocks."),
  files_to_read: may(
    shape.list(shape.record({ file: may(text, "Path."), reason: may(text, "Why.") })),
    "Files the next agent should read.",
  ),
  depends_on: may(texts, "Tasks this depends on or affects."),
  test_requirements: may(testRequirements, "What must be tested."),
  checks: may(checks, "How to check it, and what was reported."),
  metrics: may(shape.freeMap(), "Figures, an open set."),
  routing: may(routing, "Wishes about what happens next."),
  error: may(errorReport, "Why it failed."),
  extensions: may(shape.freeMap(), "Fields a dialect does not name, kept by dialect."),
});

export type Handoff = Infer<typeof handoffShape> & { readonly dialect: DialectName };
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
const GROUPS = new Set(["work", "context", "findings", "knowledge", "checks", "routing", "extensions"]);

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
  const changed: JsonRecord = { ...(handoff as unknown as JsonRecord) };
  for (const [name, value] of parts) {
    const [key = "", inner] = name.split(".");
    changed[key] = inner === undefined ? value : { ...(changed[key] as JsonRecord | undefined), [inner]: value };
  }
  return changed as unknown as Handoff;
}
