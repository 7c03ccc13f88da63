import { VERDICTS, type Verdict } from "../evidence/claim.ts";
import { type Infer, data } from "../protocol/shape.ts";
import type { Event } from "../workflow/event.ts";
import type { TimedEvent } from "./event-line.ts";

const attemptItemShape = data.record({
  attempt: data.text(),
  started_at: data.count(),
  ended_at: data.nullable(data.count()),
  end: data.nullable(data.text()),
  message: data.nullable(data.text()),
  tokens: data.nullable(data.number()),
  /** In a session, where `tokens` is not known: what was read of its transcript, of which there is more. */
  tokens_at_least: data.nullable(data.number()),
  money: data.nullable(data.number()),
  /** False in a session where its stop is the first that was heard of it: its time is not known. */
  is_begin_known: data.boolean(),
  /** True when it has a handoff, accepted or refused. */
  has_handoff: data.boolean(),
  was_refused: data.boolean(),
});
export type AttemptItem = Infer<typeof attemptItemShape>;

const gateItemShape = data.record({
  /** Name of the gate, or the command. */
  gate: data.text(),
  passed: data.boolean(),
  /** Who let the work continue although it failed: a person, or `the workflow`; null when nobody did. */
  waived_by: data.nullable(data.text()),
  message: data.text(),
  output: data.text(),
  milliseconds: data.number(),
  at: data.count(),
});
/** A gate of the workflow, or the validation command of a handoff, which runs as a gate. */
export type GateItem = Infer<typeof gateItemShape>;

export const stepItemShape = data.record({
  step: data.text(),
  task: data.text(),
  agent: data.text(),
  iteration: data.count(),
  /** `first`, `forward`, `loop`, `retry`, ... */
  reason: data.text(),
  started_at: data.count(),
  /** When its handoff was accepted, or else its last attempt or its task ended; null while it is working. */
  ended_at: data.nullable(data.count()),
  outcome: data.nullable(data.text()),
  /** The status word of the dialect. */
  status_word: data.nullable(data.text()),
  summary: data.nullable(data.text()),
  attempts: data.list(attemptItemShape),
  gates: data.list(gateItemShape),
  claims: data.table(VERDICTS, data.count()),
});
/** One step of a run: one start of an agent, with all its attempts. */
export type StepItem = Infer<typeof stepItemShape>;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface OpenStep extends Mutable<Omit<StepItem, "attempts" | "gates" | "claims">> {
  readonly attempts: Mutable<AttemptItem>[];
  readonly gates: Mutable<GateItem>[];
  /** Verdicts by kind, place and statement of the claim. */
  readonly verdicts: Map<string, Verdict>;
  /** Tokens that its agent has used so far, in a session. */
  counted: number;
}

/** All steps in the order of their start. */
export function stepItems(events: readonly TimedEvent[]): StepItem[] {
  const fold = new StepFold();
  for (const { at, event } of events) fold.take(event, at);
  return fold.items();
}

class StepFold {
  readonly #steps: OpenStep[] = [];
  /** The current or last step of each task. */
  readonly #ofTask = new Map<string, OpenStep>();

  items(): StepItem[] {
    return this.#steps.map(({ verdicts, counted: _counted, ...step }) => ({
      ...step,
      claims: countOf(verdicts.values()),
    }));
  }

  take(event: Event, at: number): void {
    if (event.kind === "step-started") return this.#begin(event, at);
    const step = "task" in event && typeof event.task === "string" ? this.#ofTask.get(event.task) : undefined;
    if (step === undefined) return;
    if (event.kind === "attempt-started") {
      step.attempts.push(newAttempt(event.attempt, at));
      step.ended_at = null;
    } else if (event.kind === "attempt-ended") endAttempt(step, event, at);
    else if (event.kind === "task-finished") stopStep(step, at);
    else if (event.kind === "claims-verified") noteClaims(step, event);
    else takeHandoff(step, event, at);
  }

  #begin({ step, task, agent, iteration, reason }: Extract<Event, { kind: "step-started" }>, at: number): void {
    const unknown = { ended_at: null, outcome: null, status_word: null, summary: null };
    const begun = { step, task, agent, iteration, reason: reason.kind, started_at: at, ...unknown };
    const counted = this.#ofTask.get(task)?.counted ?? 0;
    const item: OpenStep = { ...begun, attempts: [], gates: [], verdicts: new Map(), counted };
    this.#steps.push(item);
    this.#ofTask.set(task, item);
  }
}

function newAttempt(attempt: string, at: number): AttemptItem {
  const unknown = { ended_at: null, end: null, message: null, tokens: null, money: null };
  const nothing = { has_handoff: false, was_refused: false, tokens_at_least: null, is_begin_known: true };
  return { attempt, started_at: at, ...unknown, ...nothing };
}

function endAttempt(step: OpenStep, event: Extract<Event, { kind: "attempt-ended" }>, at: number): void {
  const attempt = step.attempts.find(({ attempt: id }) => id === event.attempt);
  step.ended_at = at;
  if (attempt === undefined) return;
  const { end, message, usage, counted, isBeginUnknown } = event;
  const before = step.counted;
  if (counted !== undefined) step.counted = counted.tokens;
  const isPart = usage.tokens === null && counted !== undefined && counted.tokens > before;
  const tokens = { tokens: usage.tokens, tokens_at_least: isPart ? counted.tokens - before : null };
  const is_begin_known = isBeginUnknown !== true;
  Object.assign(attempt, { ended_at: at, end, message, money: usage.money, ...tokens, is_begin_known });
}

/** An attempt that is running when its task ends is stopped. */
function stopStep(step: OpenStep, at: number): void {
  for (const attempt of step.attempts)
    if (attempt.ended_at === null) Object.assign(attempt, { ended_at: at, end: "stopped" });
  step.ended_at ??= at;
}

/** A new verification replaces all verdicts; a gate replaces only the verdicts of the claims that it settles. */
function noteClaims({ verdicts }: OpenStep, { gate, judgements }: Extract<Event, { kind: "claims-verified" }>): void {
  if (gate === null) verdicts.clear();
  for (const { kind, where, says, verdict } of judgements) verdicts.set(`${kind}\n${where}\n${says}`, verdict);
}

function takeHandoff(step: OpenStep, event: Event, at: number): void {
  const attempt = step.attempts.at(-1);
  if (event.kind === "handoff-accepted") {
    const { outcome, status, summary } = event.delivery.handoff;
    Object.assign(step, { ended_at: at, outcome, status_word: status ?? null, summary: summary ?? null });
    if (attempt !== undefined) attempt.has_handoff = true;
  } else if (event.kind === "handoff-refused") {
    if (attempt !== undefined) Object.assign(attempt, { has_handoff: true, was_refused: true });
  } else takeGate(step, event, at);
}

function takeGate(step: OpenStep, event: Event, at: number): void {
  if (event.kind === "gate-passed" || event.kind === "gate-failed") {
    const { gate, message, milliseconds } = event;
    const output = event.kind === "gate-failed" ? event.output : "";
    const passed = event.kind === "gate-passed";
    step.gates.push({ gate, passed, waived_by: null, message, output, milliseconds, at });
  } else if (event.kind === "command-ended") {
    const { command, passed, message, output, milliseconds } = event;
    step.gates.push({ gate: command, passed, waived_by: null, message, output, milliseconds, at });
  } else if (event.kind === "gate-waived") {
    const waived = step.gates.findLast(({ gate }) => gate === event.gate);
    if (waived !== undefined) waived.waived_by = event.by ?? "the workflow";
  }
}

function countOf(verdicts: Iterable<Verdict>): StepItem["claims"] {
  const counts = { confirmed: 0, refuted: 0, unverifiable: 0 };
  for (const verdict of verdicts) counts[verdict]++;
  return counts;
}
