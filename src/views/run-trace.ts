import { type VerdictCounts, countVerdicts } from "../evidence/policy.ts";
import type { Runner, Workflow } from "../workflow/definition.ts";
import type { Event } from "../workflow/event.ts";
import type { AttemptEnd, Delivery, Usage } from "../workflow/input.ts";
import type { RunStatus, StepReason } from "../workflow/state.ts";

/** A run in a trace: the ids of all its parts are derived from this and from their names. */
export interface TracedRun {
  readonly run: string;
  readonly startedAt: number;
}

/** A part of a run that has ended. */
interface Span {
  /** Its name, unique in the run. */
  readonly part: string;
  /** The part that it belongs to; null for the run itself. */
  readonly parent: string | null;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface RunSpan extends Span {
  readonly kind: "run";
  readonly workflow: string;
  readonly status: Exclude<RunStatus, "running">;
  readonly steps: number;
  readonly iteration: number;
}

export interface AttemptSpan extends Span {
  readonly kind: "attempt";
  readonly attempt: string;
  readonly task: string;
  readonly step: string;
  readonly agent: string;
  readonly runner: Runner["kind"];
  /** The model that the workflow names; null when the client chooses it. */
  readonly model: string | null;
  readonly iteration: number;
  readonly reason: StepReason["kind"];
  readonly end: AttemptEnd;
  /** The client's id of its session. */
  readonly session: string | null;
  /** Null when the attempt was stopped with its run, and so reported no usage. */
  readonly usage: Usage | null;
  readonly handoff: TracedHandoff | null;
  readonly claims: VerdictCounts | null;
  /** The part whose handoff it received. */
  readonly follows: string | null;
}

interface TracedHandoff {
  readonly isAccepted: boolean;
  /** Null for a handoff that is missing or could not be read. */
  readonly delivery: (Pick<Delivery, "source" | "repaired"> & Pick<Delivery["handoff"], "dialect" | "outcome">) | null;
}

export interface GateSpan extends Span {
  readonly kind: "gate";
  /** Null for a command from a handoff. */
  readonly gate: string | null;
  readonly task: string;
  readonly agent: string;
  readonly passed: boolean;
  readonly claims: VerdictCounts | null;
  /** The part whose handoff it checked. */
  readonly follows: string | null;
}

export type TracedSpan = RunSpan | AttemptSpan | GateSpan;

/** The decision on one input. */
export interface Decided {
  readonly events: readonly Event[];
  readonly at: number;
  /** The gate run that the input reports; null for other inputs. */
  readonly gateRun: string | null;
}

export function attemptPart(attempt: string): string {
  return `attempt/${attempt}`;
}

export function gatePart(gateRun: string): string {
  return `gate/${gateRun}`;
}

type Started = Omit<AttemptSpan, "endedAt" | keyof Ended | keyof Findings>;
type Ended = Pick<AttemptSpan, "end" | "session" | "usage">;
type Findings = Pick<AttemptSpan, "handoff" | "claims">;
type OfKind<K extends Event["kind"]> = Extract<Event, { kind: K }>;
type Handlers = { readonly [K in Event["kind"]]?: (event: OfKind<K>) => void };

interface Step {
  readonly step: string;
  readonly agent: string;
  readonly iteration: number;
}

/** The effects of one input. Parts that end with it are returned when all its events were processed. */
interface Batch extends Decided {
  /** At most one attempt and one gate are reported at a time. */
  reported: (Started & Ended) | null;
  gate: Omit<GateSpan, "claims"> | null;
  handoff: TracedHandoff | null;
  looked: VerdictCounts | null;
  settled: VerdictCounts | null;
  readonly stopped: AttemptSpan[];
  readonly runs: RunSpan[];
}

/**
 * Folds the decisions of a run into the parts of its trace. The same decisions give the same parts in every process: a
 * process that resumes a run folds the stored decisions and reports only the parts that follow.
 */
export class RunTrace {
  readonly #workflow: Workflow;
  readonly #steps = new Map<string, Step>();
  readonly #atWork = new Map<string, Started>();
  /** For each task: the part whose handoff was accepted last, and the earliest time at which its gates can have run. */
  readonly #accepted = new Map<string, string>();
  readonly #gatesSince = new Map<string, number>();
  #round = 1;
  #startedAt = 0;
  #begun = 0;
  #iteration = 1;
  #batch: Batch = newBatch({ events: [], at: 0, gateRun: null });

  constructor(workflow: Workflow) {
    this.#workflow = workflow;
  }

  /** Returns the parts that ended with this decision. */
  take(decided: Decided): TracedSpan[] {
    this.#batch = newBatch(decided);
    for (const event of decided.events) (this.#handlers[event.kind] as ((event: Event) => void) | undefined)?.(event);
    const { at, reported, gate, handoff, looked, settled, stopped, runs } = this.#batch;
    return [
      ...(reported === null ? [] : [{ ...reported, endedAt: at, handoff, claims: looked }]),
      ...(gate === null ? [] : [{ ...gate, claims: settled }]),
      ...stopped,
      ...runs,
    ];
  }

  readonly #handlers: Handlers = {
    "run-started": ({ at }) => {
      this.#startedAt = at;
    },
    "run-reopened": ({ at }) => {
      this.#startedAt = at;
      this.#round++;
    },
    "run-completed": () => this.#endRun("completed"),
    "run-failed": () => this.#endRun("failed"),
    "run-cancelled": () => this.#endRun("cancelled"),
    "step-started": ({ task, step, agent, iteration }) => {
      this.#steps.set(task, { step, agent, iteration });
      this.#begun++;
      this.#iteration = Math.max(this.#iteration, iteration);
    },
    "attempt-started": (event) => this.#begin(event),
    "attempt-ended": (event) => this.#report(event),
    "task-finished": ({ task }) => this.#stop(task),
    "handoff-accepted": ({ task, delivery }) => this.#accept(task, delivery),
    "handoff-refused": () => {
      this.#batch.handoff = { isAccepted: false, delivery: this.#batch.handoff?.delivery ?? null };
    },
    "claims-verified": ({ gate, judgements }) => {
      this.#batch[gate === null ? "looked" : "settled"] = countVerdicts(judgements);
    },
    "command-approved": ({ task }) => {
      this.#gatesSince.set(task, this.#batch.at);
    },
    "gate-passed": (event) => this.#endGate(event, event.gate, true),
    "gate-failed": (event) => this.#endGate(event, event.gate, false),
    "command-ended": (event) => this.#endGate(event, null, event.passed),
  };

  get #part(): string {
    return this.#round === 1 ? FIRST_ROUND : `${FIRST_ROUND}/${this.#round}`;
  }

  #begin({ task, attempt, reason }: OfKind<"attempt-started">): void {
    const { step, agent, iteration } = this.#steps.get(task) ?? { step: "", agent: "", iteration: 1 };
    const runner = this.#workflow.agents[agent]?.runner;
    this.#atWork.set(task, {
      kind: "attempt",
      part: attemptPart(attempt),
      parent: this.#part,
      startedAt: this.#batch.at,
      attempt,
      task,
      step,
      agent,
      runner: runner?.kind ?? "process",
      model: modelOf(runner),
      iteration,
      reason: reason.kind,
      follows: this.#accepted.get(task) ?? null,
    });
  }

  #report({ task, end, session, usage }: OfKind<"attempt-ended">): void {
    const started = this.#atWork.get(task);
    this.#atWork.delete(task);
    if (started !== undefined) this.#batch.reported = { ...started, end, session, usage };
  }

  /** An agent that is working when its task ends is stopped, and its usage stays unknown. */
  #stop(task: string): void {
    const started = this.#atWork.get(task);
    this.#atWork.delete(task);
    if (started === undefined) return;
    const nothing = { session: null, usage: null, handoff: null, claims: null };
    this.#batch.stopped.push({ ...started, endedAt: this.#batch.at, end: "stopped", ...nothing });
  }

  #accept(task: string, { handoff, source, repaired }: Delivery): void {
    const { dialect, outcome } = handoff;
    this.#batch.handoff = { isAccepted: true, delivery: { dialect, outcome, source, repaired } };
    const giver = this.#batch.reported?.part;
    if (giver !== undefined) this.#accepted.set(task, giver);
    this.#gatesSince.set(task, this.#batch.at);
  }

  #endGate(
    { task, milliseconds }: { readonly task: string; readonly milliseconds: number },
    gate: string | null,
    passed: boolean,
  ): void {
    const { gateRun, at } = this.#batch;
    const since = this.#gatesSince.get(task) ?? this.#startedAt;
    this.#gatesSince.set(task, at);
    // Only the first gate event belongs to the gate that was reported; later ones ran no command.
    if (gateRun === null || this.#batch.gate !== null) return;
    this.#batch.gate = {
      kind: "gate",
      part: gatePart(gateRun),
      parent: this.#part,
      // A cached result reports the duration of its original run.
      startedAt: Math.max(since, at - milliseconds),
      endedAt: at,
      gate,
      task,
      agent: this.#steps.get(task)?.agent ?? "",
      passed,
      follows: this.#accepted.get(task) ?? null,
    };
  }

  #endRun(status: RunSpan["status"]): void {
    this.#batch.runs.push({
      kind: "run",
      part: this.#part,
      parent: this.#round === 1 ? null : FIRST_ROUND,
      startedAt: this.#startedAt,
      endedAt: this.#batch.at,
      workflow: this.#workflow.name,
      status,
      steps: this.#begun,
      iteration: this.#iteration,
    });
  }
}

/** A run that is retried after its end has another round, as a child of the first. */
const FIRST_ROUND = "run";

function newBatch(decided: Decided): Batch {
  const nothing = { reported: null, gate: null, handoff: null, looked: null, settled: null };
  return { ...decided, ...nothing, stopped: [], runs: [] };
}

function modelOf(runner: Runner | undefined): string | null {
  const model = runner !== undefined && "options" in runner ? runner.options["model"] : null;
  return typeof model === "string" ? model : null;
}
