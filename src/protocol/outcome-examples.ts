import type { JsonRecord, JsonValue } from "../shared/json-value.ts";
import { type RoleEdge, edgesBetween } from "./dialects/issue-xml/edges.ts";
import { FORMS, GENERAL_FORM } from "./dialects/issue-xml/example.ts";
import type { Dialect } from "./dialect.ts";
import { DIALECTS, isBuiltin } from "./dialects/registry.ts";
import { changeExample } from "./dialects/render-sample.ts";
import type { BuiltinDialect, DialectName, Outcome } from "./handoff.ts";

/** How work can end, as instructions teach it: by its outcome, or as the last step of a run. */
export type TaughtOutcome = Exclude<Outcome, "in-progress" | "pending"> | "final";

/** What else people call them. */
export const TAUGHT_OUTCOMES: Readonly<Record<string, TaughtOutcome>> = {
  done: "done",
  "done-with-warnings": "done-with-warnings",
  "needs-review": "needs-review",
  "needs-fixes": "needs-fixes",
  partial: "needs-fixes",
  loop: "needs-fixes",
  failed: "failed",
  error: "failed",
  blocked: "blocked",
  skipped: "skipped",
  final: "final",
  complete: "final",
};

interface OutcomeLesson {
  /** What to write, in one line. */
  readonly says: string;
  /** The example of the dialect with these changes is such a handoff. */
  readonly set: Readonly<Record<string, JsonValue | undefined>>;
}

type Lessons = Readonly<Partial<Record<TaughtOutcome, OutcomeLesson>>>;

const BLOCKER = {
  blocker: "The card service has no test account",
  impact: "Redeeming cannot be tried out",
  suggested_resolution: "Ask the provider for an account",
  blocking_tasks: ["task-9"],
};

const LESSONS: Readonly<Record<BuiltinDialect, Lessons>> = {
  "pipeline-json": {
    "done-with-warnings": {
      says: "`PASS_WITH_WARNINGS`: done; what is left open in `issues` blocks nothing.",
      set: { status: "PASS_WITH_WARNINGS", "issues.0.status": "open" },
    },
    "needs-fixes": {
      says: "`PASS_WITH_FIXES`: an earlier agent must work again: `loop_required` true, `loop_target` and `to_agent` name it, `loop_reason` says why, open `issues` what to fix.",
      set: {
        from_agent: "TestAgent",
        to_agent: "BackendBuilder",
        status: "PASS_WITH_FIXES",
        loop_required: true,
        loop_target: "BackendBuilder",
        loop_reason: "BUGS_FOUND_IN_TESTS",
        test_requirements: undefined,
        "issues.0.status": "open",
      },
    },
    failed: {
      says: "`FAIL`: open `issues` say what is wrong.",
      set: { status: "FAIL", "issues.0.status": "open" },
    },
    blocked: {
      says: "`FAIL`, too, when something outside stops you: `known_limitations` say what.",
      set: {
        status: "FAIL",
        "context.known_limitations": ["Blocked: the card service has no test account. Ask the provider for one"],
      },
    },
    final: { says: "`to_agent` is COMPLETE when you are the last agent.", set: { to_agent: "COMPLETE" } },
  },
  "issue-xml": {
    "needs-fixes": {
      says: "Fixes needed: `success` to the fixer, with `review_status` changes_requested or `validation_status` failed; to others `failure`, `recoverable`.",
      set: {},
    },
    failed: {
      says: "`failure`, to `orchestrator`: `error` in `data`, with `type`, `message`, `details`, `recoverable` (true or false), `suggested_action`.",
      set: { ...FORMS["001-R21"] },
    },
    blocked: {
      says: "`blocked`: `context` in `data` says what stops you.",
      set: {
        ...GENERAL_FORM,
        to: "orchestrator",
        status: "blocked",
        summary: "The card service has no test account",
        "data.context": "Redeeming cannot be tried out. Ask the provider for an account",
      },
    },
    skipped: {
      says: "`skipped`: there was nothing to do.",
      set: {
        ...GENERAL_FORM,
        from: "fixer-agent",
        to: "validator-agent",
        status: "skipped",
        summary: "The review left nothing to fix",
      },
    },
    final: { says: "`<workflow-complete>`: the run is over.", set: { ...FORMS["001-R20"] } },
  },
  "phase-yaml": {
    "needs-fixes": {
      says: "`retry`: something must be fixed first; `on_failure` says by whom and why.",
      set: { "handoff.status": "retry", "handoff.to": "@checkout-builder", "handoff.metrics.tests_passed": 30 },
    },
    failed: {
      says: "`failed`: `on_failure.context` says why.",
      set: { "handoff.status": "failed", "handoff.on_failure.context": "The totals of an empty cart are wrong" },
    },
    blocked: {
      says: "`blocked`: something outside stops you; `context` says what.",
      set: {
        "handoff.status": "blocked",
        "handoff.to": "None",
        "handoff.context": { blocker: "The card service has no test account" },
      },
    },
    final: {
      says: '`phase` Complete with `to` "None": the run is over.',
      set: { "handoff.phase": "Complete", "handoff.to": "None" },
    },
  },
  "task-yaml": {
    "needs-fixes": {
      says: "`partial`: `blockers` and `suggested_next_steps` say what is missing.",
      set: { outcome: "partial", blockers: [BLOCKER] },
    },
    failed: {
      says: "`failed`: each of `blockers` has a `suggested_resolution`.",
      set: { outcome: "failed", blockers: [BLOCKER] },
    },
    blocked: {
      says: "`blocked`: each of `blockers` has its `blocking_tasks`.",
      set: { outcome: "blocked", blockers: [BLOCKER] },
    },
  },
  "output-json": {
    "needs-review": {
      says: "`needs_review`: done, and a person must approve it.",
      set: { status: "needs_review" },
    },
    blocked: {
      says: "`blocked`, also for failed work: `blocked_reason`, `attempted`, `handoff.next_agent` null, `handoff.blockers`.",
      set: {
        output_type: "implementation-blocked",
        status: "blocked",
        blocked_reason: "missing_requirements",
        attempted: ["Read the rules of the shop"],
        "handoff.next_agent": null,
        "handoff.blockers": [
          {
            type: "unclear_requirement",
            description: "The rules do not say whether a card may pay for shipping",
            resolution: "Ask the shop",
          },
        ],
      },
    },
    final: {
      says: "`next_phase` complete, `next_agent` null: the feature is finished.",
      set: { phase: "testing", "handoff.next_phase": "complete", "handoff.next_agent": null },
    },
  },
};

/** A format of a team's own has one example, and says the rest in its fields and rules. */
export function lessonsOf(name: DialectName): Lessons {
  return isBuiltin(name) ? LESSONS[name] : {};
}

/** An example of a handoff that ends so; undefined when the dialect's own example does, or none can be made. */
export function exampleFor(dialect: Dialect, asked: TaughtOutcome | undefined): JsonRecord | undefined {
  if (dialect.exampleOf !== undefined)
    return asked === undefined || asked === "final" ? undefined : dialect.exampleOf(asked);
  return exampleOfFive(dialect, asked ?? "done");
}

function exampleOfFive({ name, words, example }: Dialect, outcome: TaughtOutcome): JsonRecord | undefined {
  const lessons = lessonsOf(name);
  const word = outcome === "final" ? undefined : words[outcome];
  const same = (Object.keys(lessons) as TaughtOutcome[]).find((other) => other !== "final" && words[other] === word);
  const lesson = lessons[outcome] ?? (outcome === "done" || same === undefined ? undefined : lessons[same]);
  return lesson && changeExample(example, lesson.set);
}

/** The form of issue-xml in which an agent asks for fixes, or in which it hands on. */
export function formOf(
  from: string | undefined,
  to: string | undefined,
  outcome: TaughtOutcome,
): JsonRecord | undefined {
  const edge = edgesBetween(from, to).find(
    (one) => one.from !== undefined && asksForFixes(one) === (outcome === "needs-fixes"),
  );
  return edge && changeExample(DIALECTS["issue-xml"].example, FORMS[edge.rule] ?? {});
}

/** Whether a handover of issue-xml sends the work to be fixed. */
export function asksForFixes({ fixed = {} }: RoleEdge): boolean {
  return fixed["review_status"] === "changes_requested" || fixed["validation_status"] === "failed";
}
