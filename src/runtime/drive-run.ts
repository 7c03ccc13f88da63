import type { AgentUpdate } from "../ports/agent.ts";
import type { Told } from "../ports/driver.ts";
import { type Lease, StoreError } from "../ports/event-log.ts";
import type { Machine } from "../ports/machine.ts";
import type { Effect } from "../workflow/effect.ts";
import type { Event } from "../workflow/event.ts";
import type { RunState } from "../workflow/state.ts";
import { acceptedOutputs, keepManifests } from "./keep-manifest.ts";
import { learnLast, learnLessons } from "./learn-lessons.ts";
import { keepTasks } from "./keep-tasks.ts";
import { type Outcome, type Performance, performGate, performStart } from "./perform-effect.ts";
import { copyName } from "./run-gate.ts";
import { type Receipts, type RunSession, advanceRun, openSession } from "./run-session.ts";
import { isParked } from "./summarise-run.ts";
import { type TraceTeller, traceRun } from "./trace-run.ts";

export interface DriveOptions {
  /** Leave the run alone when only a person can move it on. */
  readonly leaveParked: boolean;
  readonly watch?: (news: News) => void;
  readonly signal?: AbortSignal;
  readonly pollTime?: number;
}

/** What happened, for whoever looks on. */
export type News =
  | { readonly kind: "decided"; readonly session: RunSession; readonly events: readonly Event[] }
  | { readonly kind: "agent"; readonly agent: string; readonly attempt: string; readonly update: AgentUpdate }
  | { readonly kind: "trouble"; readonly message: string };

export const LEASE_TIME = 15_000;
const POLL_TIME = 100;

/**
 * Drives one run for as long as this process holds its lease: takes in what agents, people and timers
 * tell, one thing after the other, and carries out what was decided.
 */
export async function driveRun(machine: Machine, lease: Lease, options: DriveOptions): Promise<RunState> {
  const session = await openSession(machine, lease).catch(async (error: unknown) => {
    await machine.log.release(lease);
    throw error;
  });
  const driver = new RunDriver(machine, session, options);
  try {
    return await driver.drive();
  } finally {
    const problem = await machine.telemetry.settle();
    if (problem !== null) options.watch?.({ kind: "trouble", message: `Telemetry was not delivered: ${problem}` });
  }
}

class RunDriver {
  readonly #machine: Machine;
  readonly #options: DriveOptions;
  #session: RunSession;
  readonly #performing = new Map<string, Performance>();
  readonly #inbox: Arrival[] = [];
  readonly #wakeUp = (): void => this.#wake?.();
  #wake: (() => void) | null = null;
  #renewAt = 0;
  #trace: TraceTeller | null = null;
  /** The state that the files of its tasks were last told of. */
  #told: RunState | null = null;

  constructor(machine: Machine, session: RunSession, options: DriveOptions) {
    this.#machine = machine;
    this.#session = session;
    this.#options = options;
  }

  async drive(): Promise<RunState> {
    this.#renewAt = this.#machine.clock.now() + LEASE_TIME / 3;
    this.#options.signal?.addEventListener("abort", this.#wakeUp);
    try {
      await this.#besides("Nothing is traced", async () => {
        this.#trace = await traceRun(this.#machine, this.#session);
      });
      await this.#recover();
      while (this.#options.signal?.aborted !== true) {
        // A run that waits may have been answered while nobody drove it: first take, then look whether it is over.
        if (!(await this.#takeNext())) {
          if (this.#isOver()) break;
          await this.#pause();
        }
        await this.#keepLease();
      }
    } finally {
      this.#options.signal?.removeEventListener("abort", this.#wakeUp);
      await this.#stopAll();
      await this.#putAway();
      await this.#machine.log.release(this.#session.lease);
    }
    return this.#session.state;
  }

  /**
   * What an earlier process began and nobody watches any more. Survivors are ended first; then the mailbox is
   * looked into, because the run may have been cancelled meanwhile; then agents count as lost and gates run again.
   */
  async #recover(): Promise<void> {
    const { log } = this.#machine;
    const { run } = this.#session.lease;
    const last = Object.values(this.#session.state.tasks).flatMap((task) => (task.last === null ? [] : [task.last]));
    await this.#keepManifests(last);
    await this.#learn(() => learnLast(this.#machine, this.#session));
    const left = (await log.outbox(run)).map(({ key, kind, data }) => ({ ...data, key, kind }) as unknown as Effect);
    for (const effect of left) await this.#endSurvivors(run, effect);
    await this.#keepTasks();
    if (left.length > 0) while (await this.#take(await this.#nextLetter()));
    for (const effect of left) {
      const settled = [effect.key];
      if (effect.kind === "start-agent")
        this.#inbox.push({ told: lost(effect.attempt), texts: [], receipts: { settled } });
      else if (effect.kind === "run-gate" && this.#session.state.status === "running") this.#perform(effect);
      else if (effect.kind === "run-gate")
        this.#inbox.push({ told: unfinished(effect.gateRun), texts: [], receipts: { settled } });
    }
  }

  async #endSurvivors(run: string, effect: Effect): Promise<void> {
    const { workspace } = this.#machine;
    if (effect.kind === "start-agent")
      await this.#machine.endSurvivors(`${run}.${effect.attempt}`, await workspace.scratch(run, effect.attempt));
    if (effect.kind === "run-gate") {
      // It ran in its copy, or where there was none in the workspace.
      const copy = await workspace.scratch(run, copyName(effect.gateRun));
      // Somebody may have taken the workspace away: then there is nobody in it.
      const directory = await workspace.prepare(run, this.#session.workflow.workspace).catch(() => copy);
      for (const folder of new Set([copy, directory]))
        await this.#machine.endSurvivors(`${run}.${effect.gateRun}`, folder);
    }
  }

  #keepManifests(outputs: Parameters<typeof keepManifests>[2]): Promise<void> {
    return this.#besides("The manifest was not kept", () => keepManifests(this.#machine, this.#session, outputs));
  }

  /** What is not learned now can be learned from the log. */
  async #learn(work: () => Promise<void>): Promise<void> {
    if (this.#session.workflow.learns) await this.#besides("Nothing was learned", work);
  }

  /** A worktree that stays is in nobody's way. */
  async #putAway(): Promise<void> {
    const { state, workflow, lease } = this.#session;
    if (state.status !== "completed" || workflow.workspace !== "worktree") return;
    await this.#besides("The worktree was not put away", () => this.#machine.workspace.release(lease.run));
  }

  /** What fails here is told, and holds nobody up. */
  async #besides(trouble: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#options.watch?.({ kind: "trouble", message: `${trouble}: ${message}` });
    }
  }

  async #keepTasks(): Promise<void> {
    const { messages, isTold } = await keepTasks(this.#machine, this.#session, this.#told);
    if (isTold) this.#told = this.#session.state;
    for (const message of messages) this.#options.watch?.({ kind: "trouble", message });
  }

  #isOver(): boolean {
    const { state } = this.#session;
    if (this.#performing.size > 0 || this.#inbox.length > 0) return false;
    return state.status !== "running" || (this.#options.leaveParked && isParked(state));
  }

  /** False when there was nothing to take. */
  async #takeNext(): Promise<boolean> {
    return this.#take(this.#inbox.shift() ?? (await this.#nextLetter()) ?? this.#dueTimer());
  }

  async #take(next: Arrival | null): Promise<boolean> {
    if (next === null) return false;
    const at = this.#machine.clock.now();
    const { state: before } = this.#session;
    let keep = (): Promise<void> => Promise.resolve();
    const { session, events, effects } = await this.#patiently(() => {
      keep = this.#beginToKeep(next.texts);
      const receipts = { ...next.receipts, isBusy: this.#performing.size > 0 };
      return advanceRun(this.#machine, this.#session, { ...next.told, at }, receipts);
    });
    this.#session = session;
    this.#trace?.tell(session, { ...next.told, at }, events);
    await keep();
    this.#options.watch?.({ kind: "decided", session, events });
    await this.#keepManifests(acceptedOutputs(events));
    await this.#learn(() => learnLessons(this.#machine, session, events, before));
    await this.#keepTasks();
    for (const effect of effects) this.#perform(effect);
    // A gate has nobody else who stops it.
    if (session.state.status !== "running") for (const performance of this.#performing.values()) performance.stop();
    return true;
  }

  /**
   * Asked for in the same turn as the commit that names them, each time that it is tried, and so on the disk at once
   * with it. What is given back waits for them, and asks again when only the commit was stored.
   */
  #beginToKeep(texts: readonly string[]): () => Promise<void> {
    const { log } = this.#machine;
    const keeping = texts.map((text) => ({ text, kept: log.putText(text).then(isDone, isNotDone) }));
    return async () => {
      for (const { text, kept } of keeping) if (!(await kept)) await this.#patiently(() => log.putText(text));
    };
  }

  async #nextLetter(): Promise<Arrival | null> {
    const [letter] = await this.#machine.log.letters(this.#session.lease.run);
    if (letter === undefined) return null;
    return { told: letter.input as unknown as Told, texts: [], receipts: { taken: [letter.id] } };
  }

  #dueTimer(): Arrival | null {
    const now = this.#machine.clock.now();
    const due = Object.values(this.#session.state.timers).find((timer) => timer.dueAt <= now);
    return due === undefined ? null : { told: { kind: "fire-timer", timer: due.id }, texts: [], receipts: {} };
  }

  #perform(effect: Effect): void {
    switch (effect.kind) {
      case "start-agent":
        return this.#follow(
          performStart(this.#machine, this.#session, effect, (update) =>
            this.#options.watch?.({ kind: "agent", agent: effect.agent, attempt: effect.attempt, update }),
          ),
        );
      case "run-gate":
        return this.#follow(performGate(this.#machine, this.#session, effect));
      case "stop-agent":
        return this.#performing.get(effect.key.replace(/:stop-agent$/, ":start-agent"))?.stop();
      case "notify":
      // It stands in the log, and whoever watches has seen it.
    }
  }

  #follow(performance: Performance): void {
    this.#performing.set(performance.key, performance);
    void performance.outcome.then((outcome) => {
      this.#performing.delete(performance.key);
      this.#inbox.push({ ...outcome, receipts: { settled: [performance.key] } });
      this.#wakeUp();
    });
  }

  async #pause(): Promise<void> {
    // Something may have arrived while the mailbox was looked into.
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
    const { clock, log } = this.#machine;
    if (clock.now() < this.#renewAt) return;
    const [kept] = await this.#patiently(() => log.renew([this.#session.lease], clock.now() + LEASE_TIME));
    if (kept === undefined)
      throw new StoreError("lease-lost", `Another process drives run ${this.#session.lease.run} now.`);
    this.#session = { ...this.#session, lease: kept };
    this.#renewAt = clock.now() + LEASE_TIME / 3;
  }

  /** A full disk or a busy store is waited for: nothing was stored, so nothing is lost by asking again. */
  async #patiently<T>(store: () => Promise<T>): Promise<T> {
    for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
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
    const performing = [...this.#performing.values()];
    for (const performance of performing) performance.stop();
    await Promise.all(performing.map((performance) => performance.outcome));
  }
}

interface Arrival extends Outcome {
  readonly receipts: Receipts;
}

const PASSING: readonly string[] = ["disk-full", "busy", "unavailable"];
const FIRST_WAIT = 100;
const LONGEST_WAIT = 5_000;

const isDone = (): boolean => true;
const isNotDone = (): boolean => false;

function lost(attempt: string): Told {
  const usage = { milliseconds: 0, tokens: null, money: null };
  const message = "whoever watched it has gone";
  const nothing = { delivery: null, judgements: [], problems: [], session: null } as const;
  return { kind: "report-attempt", attempt, end: "lost", message, usage, ...nothing };
}

function unfinished(gateRun: string): Told {
  const nothing = { output: "", milliseconds: 0, figures: null, judgements: [] } as const;
  return { kind: "report-gate", gateRun, passed: false, message: "the run has ended", ...nothing };
}
