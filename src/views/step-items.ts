import type { Verdict } from "../evidence/claim.ts";
import type { Event } from "../workflow/event.ts";
import type { TimedEvent } from "./timed-event.ts";

/** One step of a run: an agent that was started, with all its attempts. */
export interface StepItem {
  readonly step: string;
  readonly task: string;
  readonly agent: string;
  readonly iteration: number;
  /** `first`, `forward`, `loop`, `retry`, ... */
  readonly reason: string;
  readonly started_at: number;
  /** When its handoff was accepted, its last attempt ended or its task did; null while it is at work. */
  readonly ended_at: number | null;
  readonly outcome: string | null;
  /** The dialect's own word. */
  readonly status_word: string | null;
  readonly summary: string | null;
  readonly attempts: readonly AttemptItem[];
  readonly gates: readonly GateItem[];
  readonly claims: { readonly confirmed: number; readonly refuted: number; readonly unverifiable: number };
}

export interface AttemptItem {
  readonly attempt: string;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly end: string | null;
  readonly message: string | null;
  readonly tokens: number | null;
  readonly money: number | null;
  /** It gave a handoff, accepted or refused. */
  readonly has_handoff: boolean;
  readonly was_refused: boolean;
}

/** A gate of the workflow, or the validation command of a handoff, which is run as one. */
export interface GateItem {
  /** Its name, or the command. */
  readonly gate: string;
  readonly passed: boolean;
  readonly message: string;
  readonly output: string;
  readonly milliseconds: number;
  readonly at: number;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

interface OpenStep extends Mutable<Omit<StepItem, "attempts" | "gates" | "claims">> {
  readonly attempts: Mutable<AttemptItem>[];
  readonly gates: GateItem[];
  /** By kind and place. */
  readonly verdicts: Map<string, Verdict>;
}

/** All steps in the order in which they began. */
export function stepItems(events: readonly TimedEvent[]): StepItem[] {
  const fold = new StepFold();
  for (const { at, event } of events) fold.take(event, at);
  return fold.items();
}

class StepFold {
  readonly #steps: OpenStep[] = [];
  /** The one under way, or the last one, of each task. */
  readonly #ofTask = new Map<string, OpenStep>();

  items(): StepItem[] {
    return this.#steps.map(({ verdicts, ...step }) => ({ ...step, claims: countOf(verdicts.values()) }));
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
    const item: OpenStep = { ...begun, attempts: [], gates: [], verdicts: new Map() };
    this.#steps.push(item);
    this.#ofTask.set(task, item);
  }
}

function newAttempt(attempt: string, at: number): AttemptItem {
  const unknown = { ended_at: null, end: null, message: null, tokens: null, money: null };
  return { attempt, started_at: at, ...unknown, has_handoff: false, was_refused: false };
}

function endAttempt(step: OpenStep, event: Extract<Event, { kind: "attempt-ended" }>, at: number): void {
  const attempt = step.attempts.find(({ attempt: id }) => id === event.attempt);
  step.ended_at = at;
  if (attempt === undefined) return;
  const { end, message, usage } = event;
  Object.assign(attempt, { ended_at: at, end, message, tokens: usage.tokens, money: usage.money });
}

/** Whoever is at work when the task ends is stopped, and not heard any more. */
function stopStep(step: OpenStep, at: number): void {
  for (const attempt of step.attempts)
    if (attempt.ended_at === null) Object.assign(attempt, { ended_at: at, end: "stopped" });
  step.ended_at ??= at;
}

/** By looking they are judged anew; a gate settles some of them. */
function noteClaims({ verdicts }: OpenStep, { gate, judgements }: Extract<Event, { kind: "claims-verified" }>): void {
  if (gate === null) verdicts.clear();
  for (const { kind, where, says, verdict } of judgements) verdicts.set(`${kind}\n${where}\n${says}`, verdict);
}

function takeHandoff(step: OpenStep, event: Event, at: number): void {
  const attempt = step.attempts.at(-1);
  switch (event.kind) {
    case "handoff-accepted": {
      const { outcome, status, summary } = event.delivery.handoff;
      Object.assign(step, { ended_at: at, outcome, status_word: status ?? null, summary: summary ?? null });
      if (attempt !== undefined) attempt.has_handoff = true;
      return;
    }
    case "handoff-refused":
      if (attempt !== undefined) Object.assign(attempt, { has_handoff: true, was_refused: true });
      return;
    case "gate-passed":
    case "gate-failed": {
      const { gate, message, milliseconds } = event;
      const output = event.kind === "gate-failed" ? event.output : "";
      step.gates.push({ gate, passed: event.kind === "gate-passed", message, output, milliseconds, at });
      return;
    }
    case "command-ended": {
      const { command, passed, message, output, milliseconds } = event;
      step.gates.push({ gate: command, passed, message, output, milliseconds, at });
      break;
    }
    default:
  }
}

function countOf(verdicts: Iterable<Verdict>): StepItem["claims"] {
  const counts = { confirmed: 0, refuted: 0, unverifiable: 0 };
  for (const verdict of verdicts) counts[verdict]++;
  return counts;
}
