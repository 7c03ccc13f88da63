import type { AgentUpdate } from "../ports/agent.ts";
import type { RunInput } from "../workflow/input.ts";
import { type Lease, StoreError } from "../ports/event-log.ts";
import type { Ports } from "../ports/ports.ts";
import type { Effect } from "../workflow/effect.ts";
import type { Event } from "../workflow/event.ts";
import type { RunState } from "../workflow/state.ts";
import type { OwedEffect } from "../workflow/stored/owed-effect.ts";
import { acceptedOutputs, keepManifests } from "./keep-manifest.ts";
import { learnFromLastHandoffs, learnFromEvents } from "./learn-from-events.ts";
import type { Halt } from "./halt.ts";
import { keepTasks } from "./keep-tasks.ts";
import { type EffectResult, type RunningEffect, performGate, performStart } from "./perform-effect.ts";
import { readInbox, readOutbox } from "./read-log.ts";
import { type Receipts, type RunSession, advanceRun, openSession, isParked } from "./run-session.ts";
import { type TraceReporter, traceRun } from "./trace-run.ts";
import { decide } from "../workflow/decide.ts";
import { endOrphans } from "./end-orphans.ts";
import { LEASE_TIME } from "./worker-name.ts";
import { WorkspaceTurn, workspaceBusy } from "./workspace-turn.ts";

export interface DriveOptions {
  /** Stop driving when only a person can continue the run. */
  readonly leaveParked: boolean;
  readonly watch?: (news: RunUpdate) => void;
  readonly signal?: AbortSignal;
  readonly pollTime?: number;
  /** False to throw instead of waiting while another run works in the same folder. */
  readonly waits?: boolean;
  readonly halt?: Halt;
  /** Waits also to read from a store that does not answer: agents outlast a restart of it. */
  readonly outlastsStore?: boolean;
}

/** What happened, for a live view. */
export type RunUpdate =
  | { readonly kind: "decided"; readonly session: RunSession; readonly events: readonly Event[] }
  | { readonly kind: "agent"; readonly agent: string; readonly attempt: string; readonly update: AgentUpdate }
  /** Another run is at work in the same folder. */
  | { readonly kind: "waiting"; readonly for: string }
  | { readonly kind: "trouble"; readonly message: string };

const POLL_TIME = 100;

/**
 * Drives one run for as long as this process holds its lease: processes inputs from agents, people and timers one by
 * one, and executes the effects of each decision.
 */
export async function driveRun(ports: Ports, lease: Lease, options: DriveOptions): Promise<RunState> {
  const session = await openSession(ports, lease).catch(async (error: unknown) => {
    await ports.log.release(lease);
    throw error;
  });
  const driver = new RunDriver(ports, session, options);
  try {
    return await driver.drive();
  } finally {
    const problem = await ports.telemetry.settle();
    if (problem !== null) options.watch?.({ kind: "trouble", message: `Telemetry was not delivered: ${problem}` });
  }
}

class RunDriver {
  readonly #ports: Ports;
  readonly #options: DriveOptions;
  #session: RunSession;
  readonly #performing = new Map<string, RunningEffect>();
  readonly #inbox: Arrival[] = [];
  readonly #wakeUp = (): void => this.#wake?.();
  readonly #stopNow = (): void => void this.#stopAll();
  #wake: (() => void) | null = null;
  #renewAt = 0;
  #trace: TraceReporter | null = null;
  /** The state that was last written back to the task files. */
  #written: RunState | null = null;
  readonly #turn: WorkspaceTurn;
  /** The run that this one waits for; null while it does not wait. */
  #waitsFor: string | null = null;
  /** Agents and gates that are decided and start when the run has the folder. */
  #postponed: Work[] = [];

  constructor(ports: Ports, session: RunSession, options: DriveOptions) {
    const signal = options.signal ?? new AbortController().signal;
    this.#turn = new WorkspaceTurn(ports, session.lease.run, signal, (message) => this.#tellTrouble(message));
    this.#ports = ports;
    this.#session = session;
    this.#options = options;
  }

  async drive(): Promise<RunState> {
    this.#renewAt = this.#ports.clock.now() + LEASE_TIME / 3;
    this.#options.signal?.addEventListener("abort", this.#stopNow);
    try {
      await this.#bestEffort("Nothing is traced", async () => {
        this.#trace = await traceRun(this.#ports, this.#session);
      });
      await this.#noteFolder();
      await this.#recover();
      while (this.#options.signal?.aborted !== true) {
        // A waiting run may have been answered while no process drove it: take the inbox first, then see whether it is over.
        if (!(await this.#takeNext())) {
          if (this.#isOver()) break;
          if (this.#isIdle() && isParked(this.#session.state)) await this.#leaveWorkspace();
          await this.#pause();
        }
        await this.#keepLease();
      }
    } finally {
      this.#options.signal?.removeEventListener("abort", this.#stopNow);
      await this.#stopAll();
      await this.#putAway();
      await this.#leaveWorkspace();
      await this.#ports.log.release(this.#session.lease);
    }
    return this.#session.state;
  }

  /** The first process that drives the run was started where it is to work; later ones may be started elsewhere. */
  #noteFolder(): Promise<void> {
    return this.#bestEffort("Where the run works was not noted", async () => {
      await this.#ports.workspace.prepare(this.#session.lease.run, "in-place");
    });
  }

  /**
   * Takes over from an earlier process. It kills orphaned processes first, then reads the inbox, because the run may
   * have been cancelled meanwhile, then reports the agents as lost and runs the gates again.
   */
  async #recover(): Promise<void> {
    const { log } = this.#ports;
    const { run } = this.#session.lease;
    const last = Object.values(this.#session.state.tasks).flatMap((task) => (task.last === null ? [] : [task.last]));
    await this.#keepManifests(last);
    await this.#learn(() => learnFromLastHandoffs(this.#ports, this.#session));
    const left = await readOutbox(log, run);
    const workTimes = new Map<string, number>();
    for (const effect of left)
      workTimes.set(effect.key, await endOrphans(this.#ports, run, this.#session.workflow.workspace, effect));
    await this.#keepTasks();
    if (left.length > 0) while (await this.#take(await this.#nextMessage()));
    for (const effect of left)
      if (effect.kind === "run-gate" && this.#session.state.status === "running") this.#perform(effect);
      else this.#inbox.push(undone(effect, workTimes.get(effect.key)));
  }

  #keepManifests(outputs: Parameters<typeof keepManifests>[2]): Promise<void> {
    return this.#bestEffort("The manifest was not kept", () => keepManifests(this.#ports, this.#session, outputs));
  }

  /** A failure is not fatal: the same can be learned from the log later. */
  async #learn(work: () => Promise<void>): Promise<void> {
    if (this.#session.workflow.learns) await this.#bestEffort("Nothing was learned", work);
  }

  /** Removes the worktree. A worktree that cannot be removed does no harm. */
  async #putAway(): Promise<void> {
    const { state, workflow, lease } = this.#session;
    if (state.status !== "completed" || workflow.workspace !== "worktree") return;
    await this.#bestEffort("The worktree was not put away", () => this.#ports.workspace.release(lease.run));
  }

  #tellTrouble(message: string): void {
    this.#options.watch?.({ kind: "trouble", message });
  }

  /** A failure here is reported, and the run goes on. */
  async #bestEffort(trouble: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#tellTrouble(`${trouble}: ${message}`);
    }
  }

  async #keepTasks(): Promise<void> {
    const { messages, isTold } = await keepTasks(this.#ports, this.#session, this.#written);
    if (isTold) this.#written = this.#session.state;
    for (const message of messages) this.#tellTrouble(message);
  }

  #isIdle(): boolean {
    return this.#performing.size + this.#inbox.length + this.#postponed.length === 0 && this.#waitsFor === null;
  }

  #isOver(): boolean {
    const { state } = this.#session;
    if (!this.#isIdle()) return false;
    return state.status !== "running" || (this.#options.leaveParked && isParked(state));
  }

  /** False when there was no input, or none that may be processed now. */
  async #takeNext(): Promise<boolean> {
    const next = this.#inbox[0] ?? (await this.#nextMessage()) ?? this.#dueTimer();
    if (this.#needsWorkspace(next) && !(await this.#enterWorkspace())) return this.#take(await this.#cancelNow());
    this.#waitsFor = null;
    for (const work of this.#postponed.splice(0)) this.#work(work);
    if (next !== null && next === this.#inbox[0]) this.#inbox.shift();
    return this.#take(next);
  }

  /** Whether what follows from an input is an agent or a gate in a folder that other runs use too. */
  #needsWorkspace(next: Arrival | null): boolean {
    const { workflow, state } = this.#session;
    if (workflow.workspace !== "in-place" || this.#turn.isHeld || state.status !== "running") return false;
    if (this.#postponed.length > 0) return true;
    if (next === null) return false;
    const { effects } = decide(workflow, state, { ...next.input, at: this.#ports.clock.now() });
    return effects.some(({ kind }) => kind === "start-agent" || kind === "run-gate");
  }

  /** False while another run works there. Nothing is decided meanwhile: a decision could be wrong after the wait. */
  async #enterWorkspace(): Promise<boolean> {
    const entry = await this.#turn.take(this.#session.state);
    if ("busy" in entry) {
      if (this.#options.waits === false) throw workspaceBusy(entry.busy);
      if (this.#waitsFor !== entry.busy) this.#options.watch?.({ kind: "waiting", for: entry.busy });
      this.#waitsFor = entry.busy;
      return false;
    }
    const { changes } = entry;
    if (changes !== null) await this.#take({ input: { kind: "report-changes", ...changes }, texts: [], receipts: {} });
    return true;
  }

  async #leaveWorkspace(): Promise<void> {
    const { state, lease } = this.#session;
    await this.#bestEffort("What the run left in the folder was not noted", () => this.#turn.leave(state));
    await this.#ports.workspace.stopWaiting(lease.run);
  }

  /** A run that waits for the folder can still be cancelled. One that has not begun begins for it, with nothing at work. */
  async #cancelNow(): Promise<Arrival | null> {
    const messages = await readInbox(this.#ports.log, this.#session.lease.run);
    const cancel = messages.find(({ message }) => message.kind === "cancel-run");
    const next = cancel !== undefined && this.#session.state.run === "" ? messages[0] : cancel;
    return next === undefined ? null : { input: next.message, texts: [], receipts: { taken: [next.id] } };
  }

  async #take(next: Arrival | null): Promise<boolean> {
    if (next === null) return false;
    const at = this.#ports.clock.now();
    const { state: before } = this.#session;
    let keep = (): Promise<void> => Promise.resolve();
    const { session, events, effects } = await this.#retryWhileStoreBusy(() => {
      keep = this.#beginToKeep(next.texts);
      const receipts = { ...next.receipts, isBusy: this.#performing.size + this.#postponed.length > 0 };
      return advanceRun(this.#ports, this.#session, { ...next.input, at }, receipts);
    });
    this.#session = session;
    this.#trace?.report(session, { ...next.input, at }, events);
    await keep();
    this.#options.watch?.({ kind: "decided", session, events });
    await this.#keepManifests(acceptedOutputs(events));
    await this.#learn(() => learnFromEvents(this.#ports, session, events, before));
    await this.#keepTasks();
    for (const effect of effects) this.#perform(effect);
    // A gate has no stop effect of its own, so it is stopped here.
    if (session.state.status !== "running") {
      for (const performance of this.#performing.values()) performance.stop();
      this.#inbox.push(...this.#postponed.splice(0).map((work) => undone(work)));
    }
    return true;
  }

  /**
   * Requests the texts in the same turn as each attempt at the commit that refers to them, so that both reach the disk
   * together. The returned function waits for the texts, and stores them again if only the commit was stored.
   */
  #beginToKeep(texts: readonly string[]): () => Promise<void> {
    const { log } = this.#ports;
    const keeping = texts.map((text) => ({ text, kept: log.putText(text).then(isDone, isNotDone) }));
    return async () => {
      for (const { text, kept } of keeping) if (!(await kept)) await this.#retryWhileStoreBusy(() => log.putText(text));
    };
  }

  async #nextMessage(): Promise<Arrival | null> {
    const read = (): ReturnType<typeof readInbox> => readInbox(this.#ports.log, this.#session.lease.run);
    const messages = await (this.#options.outlastsStore === true ? this.#retryWhileStoreBusy(read) : read());
    // What a person trusts now counts for whatever else is to be started.
    const trust = messages.find(({ message }) => message.kind === "trust-files");
    const first = this.#session.state.run === "" ? messages[0] : (trust ?? messages[0]);
    return first === undefined ? null : { input: first.message, texts: [], receipts: { taken: [first.id] } };
  }

  #dueTimer(): Arrival | null {
    const now = this.#ports.clock.now();
    const due = Object.values(this.#session.state.timers).find((timer) => timer.dueAt <= now);
    return due === undefined ? null : { input: { kind: "fire-timer", timer: due.id }, texts: [], receipts: {} };
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case "start-agent":
      case "run-gate":
        return this.#work(effect);
      case "stop-agent":
        return this.#performing.get(effect.key.replace(/:stop-agent$/, ":start-agent"))?.stop();
      case "notify":
      // The notification is in the log, and live views have shown it.
    }
  }

  #work(work: Work): void {
    if (this.#session.workflow.workspace === "in-place" && !this.#turn.isHeld) return void this.#postponed.push(work);
    const notify = (message: string): void => this.#tellTrouble(message);
    if (work.kind === "run-gate") return this.#follow(performGate(this.#ports, this.#session, work, notify));
    const { agent, attempt } = work;
    const watch = (update: AgentUpdate): void => this.#options.watch?.({ kind: "agent", agent, attempt, update });
    this.#follow(performStart(this.#ports, this.#session, work, watch, this.#options.halt));
  }

  #follow(performance: RunningEffect): void {
    this.#performing.set(performance.key, performance);
    void performance.outcome.then((outcome) => {
      this.#performing.delete(performance.key);
      this.#inbox.push({ ...outcome, receipts: { settled: [performance.key] } });
      this.#wakeUp();
    });
  }

  async #pause(): Promise<void> {
    // An input may have arrived while the inbox was read.
    if (this.#inbox.length > 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.pollTime ?? POLL_TIME);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = null;
  }

  async #keepLease(): Promise<void> {
    const { clock, log } = this.#ports;
    if (clock.now() < this.#renewAt) return;
    const [kept] = await this.#retryWhileStoreBusy(() => log.renew([this.#session.lease], clock.now() + LEASE_TIME));
    if (kept === undefined)
      throw new StoreError("lease-lost", `Another process drives run ${this.#session.lease.run} now.`);
    this.#session = { ...this.#session, lease: kept };
    this.#renewAt = clock.now() + LEASE_TIME / 3;
  }

  /** Waits while the disk is full or the store is busy: nothing was stored, so retrying is safe. */
  async #retryWhileStoreBusy<T>(store: () => Promise<T>): Promise<T> {
    for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, MAX_WAIT)) {
      try {
        return await store();
      } catch (error) {
        if (!(error instanceof StoreError) || !PASSING.includes(error.code)) throw error;
        if (this.#options.signal?.aborted === true) throw error;
        this.#options.watch?.({ kind: "trouble", message: `${error.message.replace(/\.?$/, ".")} Trying again.` });
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }

  async #stopAll(): Promise<void> {
    this.#wakeUp();
    const performing = [...this.#performing.values()];
    for (const performance of performing) performance.stop();
    await Promise.all(performing.map((performance) => performance.outcome));
  }
}

interface Arrival extends EffectResult {
  readonly receipts: Receipts;
}

const PASSING: readonly string[] = ["disk-full", "busy", "unavailable"];
const FIRST_WAIT = 100;
const MAX_WAIT = 5_000;

const isDone = (): boolean => true;
const isNotDone = (): boolean => false;

type Work = Extract<Effect, { kind: "start-agent" | "run-gate" }>;

/** What follows from an effect that was stored and is not executed any more. */
function undone(effect: OwedEffect, workTime = 0): Arrival {
  const input =
    effect.kind === "start-agent"
      ? lost(effect.attempt, Math.min(workTime, effect.timeout))
      : unfinished(effect.gateRun);
  return { input, texts: [], receipts: { settled: [effect.key] } };
}

function lost(attempt: string, milliseconds: number): RunInput {
  const usage = { milliseconds, tokens: null, money: null };
  const message = "its baton process died";
  const nothing = { delivery: null, judgements: [], problems: [], session: null } as const;
  return { kind: "report-attempt", attempt, end: "lost", message, usage, ...nothing };
}

function unfinished(gateRun: string): RunInput {
  const nothing = { output: "", milliseconds: 0, figures: null, judgements: [] } as const;
  return { kind: "report-gate", gateRun, passed: false, message: "the run has ended", ...nothing };
}
