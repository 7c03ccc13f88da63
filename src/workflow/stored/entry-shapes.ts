import { CLAIM_KINDS, type Judgement, type Verdict } from "../../evidence/claim.ts";
import type { Figures } from "../../evidence/observations.ts";
import { DIALECT_NAMES, type Handoff, handoffShape } from "../../protocol/handoff.ts";
import { field, shape } from "../../protocol/shape.ts";
import type { AttemptRecord, FilesRead, GivenFact, GivenPacket, GivenPrompt, KeptText } from "../attempt-record.ts";
import type { TaskDefinition } from "../definition.ts";
import type { Effect } from "../effect.ts";
import type { Event, FailureClass, LoopVerdict } from "../event.ts";
import { ATTEMPT_ENDS, type Delivery, type Problem, type RunInput, type StartRun, type Usage } from "../input.ts";
import type {
  Ask,
  AskKind,
  Blocker,
  LedgerChange,
  LedgerIssue,
  LoopRecord,
  Next,
  StepReason,
  Timer,
} from "../state.ts";
import { REMARK_KINDS } from "../state.ts";
import { type FieldsOf, stored } from "./describe.ts";
import type { ACCEPTED, KeptInput, NOTED } from "./kept-input.ts";

const {
  boolean,
  either,
  inferred,
  isTrue,
  list,
  map,
  number,
  oneOf,
  optional,
  orNull,
  partialTable,
  record,
  table,
  tagged,
  text,
  words,
} = stored;

const texts = list(text);

const dialect = field.required(shape.oneOf(DIALECT_NAMES), { rule: "canonical", about: "" });
const handoff = inferred<Handoff>({ kind: "record", fields: { ...handoffShape.fields, dialect } });

export const taskDefinition = record<TaskDefinition>({
  id: text,
  name: text,
  priority: words({ critical: true, high: true, medium: true, low: true }),
  dependsOn: texts,
  start: orNull(text),
  brief: text,
  source: optional(
    record({
      format: words({ "task-file": true, "task-master": true, "spec-kit": true, beads: true }),
      path: text,
      id: text,
      tag: orNull(text),
    }),
  ),
});

const problem = record<Problem>({ message: text, hint: orNull(text), where: orNull(text), rule: orNull(text) });

const stepReason = record<StepReason>({
  kind: words({
    first: true,
    forward: true,
    loop: true,
    retry: true,
    repair: true,
    failure: true,
    unblock: true,
    return: true,
    gate: true,
    person: true,
  }),
  from: orNull(text),
  note: orNull(text),
  issues: texts,
  problems: list(problem),
});

const next = record<Next>({ agent: text, reason: stepReason, approved: boolean });

const blocker = record<Blocker>({ description: text, by: text });

const usage = record<Usage>({ milliseconds: number, tokens: orNull(number), money: orNull(number) });

const held = record<{ readonly tokens: number | null; readonly money: number | null; readonly milliseconds: number }>({
  tokens: orNull(number),
  money: orNull(number),
  milliseconds: number,
});

const givenFact = record<GivenFact>({ id: text, said: text });

const keptText: FieldsOf<KeptText> = { text, bytes: number, isCut: boolean };

const attemptRecord = record<AttemptRecord>({
  prompt: record<GivenPrompt>({ nonce: text, sha256: text, bytes: number, rest: optional(text) }),
  packet: orNull(record<GivenPacket>({ ...keptText, estimatedTokens: number, facts: list(givenFact) })),
  output: orNull(record<KeptText>(keptText)),
  takeover: record({
    firstInput: orNull(number),
    input: orNull(number),
    inputBeforeChange: orNull(number),
    changes: orNull(number),
    reads: orNull(record<FilesRead>({ named: texts, unnamed: texts, more: number, elsewhere: number })),
  }),
});

const judgement = record<Judgement>({
  kind: oneOf(CLAIM_KINDS),
  where: text,
  says: text,
  verdict: words<Verdict>({ confirmed: true, refuted: true, unverifiable: true }),
  procedure: text,
  evidence: text,
});

const figures = record<Figures>({
  tests: orNull(record({ passed: number, failed: number, skipped: number })),
  coverage: orNull(partialTable(["lines", "branches", "functions", "statements"], number)),
  sources: texts,
  problems: texts,
});

const delivery = record<Delivery>({
  handoff,
  text,
  source: words({ message: true, file: true }),
  repaired: boolean,
  warnings: number,
});

const attemptEnd = oneOf(ATTEMPT_ENDS);

const startRun: FieldsOf<Omit<StartRun, "kind">> = {
  run: text,
  workflow: text,
  file: optional(text),
  name: text,
  brief: text,
  tasks: list(taskDefinition),
  known: map(text),
  inRepository: optional(isTrue),
};

const ledgerIssue = record<LedgerIssue>({
  id: text,
  status: words({ open: true, fixed: true, wontfix: true }),
  severity: text,
  category: orNull(text),
  location: orNull(text),
  description: text,
  remediation: orNull(text),
  signature: orNull(text),
  openedBy: text,
  task: text,
  reopened: number,
  seenBy: optional(text),
  waivedBy: optional(text),
  history: list(
    record<LedgerChange>({
      status: words({ open: true, fixed: true, wontfix: true, reopened: true }),
      by: text,
      at: number,
    }),
  ),
});

const loop = record<LoopRecord>({
  iteration: number,
  task: text,
  asker: text,
  target: text,
  open: number,
  signatures: texts,
  distance: optional(number),
});

const ask = record<Ask>({
  id: text,
  kind: words<AskKind>({
    before: true,
    after: true,
    review: true,
    question: true,
    escalation: true,
    blocked: true,
    human: true,
    command: true,
  }),
  task: text,
  agent: text,
  title: text,
  details: texts,
  choices: texts,
  openedAt: number,
  dueAt: orNull(number),
  reminders: number,
  roundTo: optional(text),
});

const raisedBudget = partialTable(["wall", "agent", "tokens", "money", "steps"], number);

const timer = record<Timer>({
  id: text,
  dueAt: number,
  purpose: words({ retry: true, ask: true, wall: true }),
  subject: text,
});

const foreignChanges = { paths: texts, more: number, by: orNull(text) };

export const eventShape = tagged<Event>({
  "run-started": { ...startRun, at: number },
  "run-completed": { at: number, reason: text, remarks: optional(table(REMARK_KINDS, number)) },
  "run-failed": { at: number, reason: text },
  "run-cancelled": { at: number, by: text, reason: text },
  "run-reopened": { at: number, by: text },
  "task-added": { task: taskDefinition },
  "task-advanced": { task: text, next, callers: texts },
  "task-finished": { task: text, status: words({ done: true, failed: true, cancelled: true }), reason: text },
  "task-blocked": { task: text, blocker },
  "task-released": { task: text, by: text },
  "step-started": { task: text, step: text, agent: text, reason: stepReason, iteration: number, at: number },
  "attempt-started": { task: text, attempt: text, reason: stepReason, timeout: number, held },
  "attempt-ended": {
    task: text,
    attempt: text,
    end: attemptEnd,
    message: text,
    usage,
    session: orNull(text),
    isRepositoryGone: optional(isTrue),
    record: optional(attemptRecord),
    at: number,
  },
  "attempt-delayed": { task: text, until: number, reason: stepReason },
  "handoff-accepted": { task: text, step: text, agent: text, delivery },
  "handoff-refused": { task: text, step: text, agent: text, attempt: text, problems: list(problem) },
  "round-misstated": { task: text, agent: text, said: number, round: number },
  "dependencies-unmet": { task: text, agent: text, unknown: texts, unfinished: texts },
  "claims-verified": {
    task: text,
    step: text,
    agent: text,
    attempt: text,
    gate: orNull(text),
    judgements: list(judgement),
  },
  "command-approved": { task: text, command: text, by: text },
  "command-ended": { task: text, command: text, passed: boolean, message: text, output: text, milliseconds: number },
  "command-skipped": { task: text, command: text, why: text },
  "wish-overruled": { task: text, agent: text, wish: text, instead: text, why: text },
  "gate-passed": {
    task: text,
    gate: text,
    isLast: boolean,
    message: text,
    milliseconds: number,
    figures: orNull(figures),
  },
  "gate-failed": { task: text, gate: text, message: text, output: text, milliseconds: number },
  "gate-waived": { task: text, step: text, agent: text, gate: text, by: orNull(text) },
  "failure-waived": { task: text, step: text, agent: text, why: text },
  "condition-unknown": { task: text, step: text, agent: text, condition: text, names: texts, isAsked: boolean },
  "help-requested": { task: text, agent: text, reason: text, helper: text },
  "loop-began": { loop, issues: texts, why: text },
  "loop-ended": {
    task: text,
    asker: text,
    end: words<LoopVerdict>({ converged: true, recurring: true, "not-falling": true, capped: true }),
    goesOn: boolean,
    why: text,
  },
  "round-granted": { task: text, to: text, by: text },
  "issue-opened": { issue: ledgerIssue },
  "issue-seen": { id: text, by: text },
  "issues-waived": { task: text, issues: texts, by: text },
  "issue-changed": {
    id: text,
    status: words({ fixed: true, wontfix: true, reopened: true }),
    by: text,
    at: number,
    why: text,
  },
  "fact-learned": { name: text, value: text, by: text },
  "facts-helped": { task: text, step: text, facts: list(givenFact) },
  "failure-counted": {
    task: text,
    agent: text,
    class: words<FailureClass>({ BUGS_IN_CODE: true, INSUFFICIENT_TESTS: true, FLAKY_TESTS: true, UNKNOWN: true }),
    why: text,
  },
  "agent-notified": { agent: text, text, by: text },
  "ask-opened": { ask },
  "ask-answered": { ask: text, choice: text, text: orNull(text), by: text, at: number },
  "ask-reminded": { ask: text, dueAt: number },
  "ask-expired": { ask: text, consequence: text },
  "timer-set": { timer },
  "timer-cleared": { timer: text },
  "budget-refused": { task: text, agent: text, budget: text, why: text },
  "budget-raised": { at: number, by: text, budget: raisedBudget },
  "budget-overrun": { budget: text, why: text },
  "workspace-changed": foreignChanges,
  "input-ignored": { input: text, why: text },
});

const reportAttempt = {
  attempt: text,
  end: attemptEnd,
  message: text,
  isPermanent: optional(isTrue),
  isRepositoryGone: optional(isTrue),
  problems: list(problem),
  usage,
  session: orNull(text),
};

const reportGate = {
  gateRun: text,
  passed: boolean,
  message: text,
  output: text,
  milliseconds: number,
  figures: orNull(figures),
};

const answer = { ask: text, choice: text, text: orNull(text), by: text, givenAt: optional(number) };
const cancelRun = { by: text, reason: text };
const retryRun = { by: text, note: orNull(text) };
const raiseBudget = { by: text, budget: raisedBudget };

/** The content of an inbox message. */
export const runInputShape = tagged<RunInput>({
  "start-run": startRun,
  "report-attempt": {
    ...reportAttempt,
    delivery: orNull(delivery),
    judgements: list(judgement),
    record: optional(attemptRecord),
  },
  "report-gate": { ...reportGate, judgements: list(judgement) },
  "fire-timer": { timer: text },
  answer,
  "cancel-run": cancelRun,
  "retry-run": retryRun,
  "raise-budget": raiseBudget,
  "report-changes": foreignChanges,
});

const accepted = words<typeof ACCEPTED>({ accepted: true });
const noted = words<typeof NOTED>({ noted: true });
const rules = optional(number);

export const keptInputShape = tagged<KeptInput>({
  "start-run": { ...startRun, at: number, rules },
  "report-attempt": {
    ...reportAttempt,
    delivery: either(accepted, orNull(delivery)),
    judgements: either(noted, list(judgement)),
    record: optional(either(noted, attemptRecord)),
    at: number,
    rules,
  },
  "report-gate": { ...reportGate, judgements: either(noted, list(judgement)), at: number, rules },
  "fire-timer": { timer: text, at: number, rules },
  answer: { ...answer, at: number, rules },
  "cancel-run": { ...cancelRun, at: number, rules },
  "retry-run": { ...retryRun, at: number, rules },
  "raise-budget": { ...raiseBudget, at: number, rules },
  "report-changes": { ...foreignChanges, at: number, rules },
});

/** An effect that is stored until it is done. It has no reason, because the state contains it. */
export type OwedEffect =
  | Omit<Extract<Effect, { kind: "start-agent" }>, "reason">
  | Extract<Effect, { kind: "run-gate" }>;

export const owedEffectShape = tagged<OwedEffect>({
  "start-agent": {
    key: text,
    task: text,
    step: text,
    attempt: text,
    agent: text,
    timeout: number,
    session: orNull(text),
  },
  "run-gate": { key: text, task: text, step: text, gate: orNull(text), command: orNull(text), gateRun: text },
});
