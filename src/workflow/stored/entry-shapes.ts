import { type DialectName, type Handoff, handoffShape } from "../../protocol/handoff.ts";
import { field } from "../../protocol/shape.ts";
import type { TaskDefinition } from "../definition.ts";
import { type Event, type FailureClass, type LoopVerdict, SESSION_NOTES } from "../event.ts";
import {
  ATTEMPT_ENDS,
  type ContinuedHandoff,
  type Delivery,
  OBSERVED_RESULTS,
  type Observation,
  type ObservedSession,
  type Problem,
  type RunInput,
  type StartRun,
  type TrustedFile,
  type UntrustedFile,
  type Usage,
} from "../input.ts";
import type { Ask, AskKind, Blocker, LedgerIssue, LoopRecord, Next, StepReason, Timer } from "../state.ts";
import { REMARK_KINDS, ledgerIssueShape } from "../state.ts";
import { attemptHeads, attemptRecord, givenFact } from "./attempt-record-shape.ts";
import { type FieldsOf, stored } from "./describe.ts";
import { gateFigures, judgement, refutedClaim } from "./evidence-shapes.ts";
import { observedUsage, otherWork, sessionUsage } from "./usage-shapes.ts";
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
  tagged,
  text,
  words,
} = stored;

const texts = list(text);

/** One of the five, or the name of a format of the team's own. */
export const dialectName = inferred<DialectName>({
  kind: "text",
  verbatim: true,
  filled: true,
  maxLength: 40,
});
const dialect = field.required(dialectName, { rule: "canonical", about: "" });
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

const delivery = record<Delivery>({
  handoff,
  text,
  source: words({ message: true, file: true }),
  repaired: boolean,
  warnings: number,
});

const attemptEnd = oneOf(ATTEMPT_ENDS);

const trustedFiles = list(record<TrustedFile>({ path: text, hash: text }));
const untrusted = optional(list(record<UntrustedFile>({ path: text, hash: orNull(text), says: text })));

const startedRun: FieldsOf<Omit<StartRun, "kind" | "continues">> = {
  run: text,
  workflow: text,
  file: optional(text),
  name: text,
  brief: text,
  tasks: list(taskDefinition),
  known: map(text),
  inRepository: optional(isTrue),
  trusted: optional(trustedFiles),
  observed: optional(record<ObservedSession>({ client: text, session: text, follows: optional(text) })),
};

const startRun: FieldsOf<Omit<StartRun, "kind">> = {
  ...startedRun,
  continues: optional(record<ContinuedHandoff>({ run: text, agent: text, delivery })),
};

const ledgerIssue = inferred<LedgerIssue>(ledgerIssueShape);

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
    claims: true,
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
  commit: optional(text),
  files: optional(list(record({ path: text, hash: orNull(text) }))),
  gateRun: optional(text),
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
  "run-started": { ...startedRun, at: number },
  "run-completed": { at: number, reason: text, remarks: optional(partialTable(REMARK_KINDS, number)) },
  "run-failed": { at: number, reason: text },
  "run-cancelled": { at: number, by: text, reason: text },
  "run-reopened": { at: number, by: text },
  "task-added": { task: taskDefinition },
  "task-advanced": { task: text, next, callers: texts },
  "task-finished": { task: text, status: words({ done: true, failed: true, cancelled: true }), reason: text },
  "task-blocked": { task: text, blocker },
  "task-released": { task: text, by: text },
  "step-started": { task: text, step: text, agent: text, reason: stepReason, iteration: number, at: number },
  "attempt-started": { task: text, attempt: text, reason: stepReason, timeout: number, held, at: optional(number) },
  "attempt-ended": {
    task: text,
    attempt: text,
    end: attemptEnd,
    message: text,
    usage,
    session: orNull(text),
    isRepositoryGone: optional(isTrue),
    heads: optional(attemptHeads),
    record: optional(attemptRecord),
    counted: optional(observedUsage),
    isBeginUnknown: optional(isTrue),
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
  "claims-waived": { task: text, step: text, agent: text, claims: list(refutedClaim), by: text },
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
    figures: orNull(gateFigures),
  },
  "gate-failed": {
    task: text,
    gate: text,
    message: text,
    output: text,
    milliseconds: number,
    isUnusable: optional(isTrue),
  },
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
  "issue-seen": { id: text, by: text, tree: optional(text) },
  "fix-claimed": { id: text, status: words({ fixed: true, wontfix: true }), by: text, at: number, why: text },
  "issues-waived": { task: text, issues: texts, by: text },
  "issue-changed": {
    id: text,
    status: words({ fixed: true, wontfix: true, reopened: true }),
    by: text,
    at: number,
    why: text,
    tree: optional(text),
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
  "files-trusted": { files: trustedFiles, gone: texts, by: text, gatesOf: optional(text) },
  "handoff-continued": { task: text, run: text, agent: text, delivery },
  "session-noted": { what: oneOf(SESSION_NOTES), agent: orNull(text), says: text },
  "other-agent-seen": { id: text, agent: text, has: words({ started: true, ended: true }), ...otherWork },
  "session-measured": { usage: sessionUsage },
  "input-ignored": { input: text, why: text },
});

const reportAttempt = {
  attempt: text,
  end: attemptEnd,
  message: text,
  isPermanent: optional(isTrue),
  isRepositoryGone: optional(isTrue),
  tree: optional(text),
  heads: optional(attemptHeads),
  untrusted,
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
  isUnusable: optional(isTrue),
  figures: orNull(gateFigures),
  untrusted,
};

const observation = tagged<Observation>({
  prompt: { text, agent: optional(text) },
  "agent-started": { task: text, agent: text },
  "other-started": { id: text, agent: text },
  "other-ended": { id: text, agent: text, ...otherWork },
  "agent-stopped": {
    task: text,
    agent: text,
    result: oneOf(OBSERVED_RESULTS),
    delivery: orNull(delivery),
    text: optional(text),
    usage: optional(observedUsage),
    judgements: list(judgement),
    problems: list(problem),
    message: text,
    tree: optional(text),
  },
  "session-ended": { reason: text, usage: optional(sessionUsage) },
});

const answer = { ask: text, choice: text, text: orNull(text), by: text, givenAt: optional(number) };
const cancelRun = { by: text, reason: text };
const retryRun = { by: text, note: orNull(text) };
const raiseBudget = { by: text, budget: raisedBudget };
const trustFiles = { files: trustedFiles, by: text };

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
  "trust-files": trustFiles,
  observe: { seen: observation },
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
  "trust-files": { ...trustFiles, at: number, rules },
  observe: { seen: observation, at: number, rules },
});
