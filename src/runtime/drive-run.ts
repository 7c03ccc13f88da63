import type { AgentUpdate } from "../ports/agent.ts";
import type { Told } from "../ports/driver.ts";
import { type Lease, StoreError } from "../ports/event-log.ts";
import type { Machine } from "../ports/machine.ts";
import type { Effect } from "../workflow/effect.ts";
import type { Event } from "../workflow/event.ts";
import type { RunState } from "../workflow/state.ts";
import { acceptedOutputs, keepManifests } from "./keep-manifest.ts";
import { type Outcome, type Performance, performGate, performStart } from "./perform-effect.ts";
import { type Receipts, type RunSession, advanceRun, openSession } from "./run-session.ts";
import { isParked } from "./summarise-run.ts";

export interface DriveOptions {
  /** Leave the run alone when only a person can move it on. */
  readonly leaveParked: boolean;
  readonly watch?: (news: News) => void;
  readonly signal?: AbortSignal;
  readonly leaseTime?: number;
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
  const driver = new RunDriver(machine, await openSession(machine, lease), options);
  return driver.drive();
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

  constructor(machine: Machine, session: RunSession, options: DriveOptions) {
    this.#machine = machine;
    this.#session = session;
    this.#options = options;
  }

  async drive(): Promise<RunState> {
    this.#renewAt = this.#machine.clock.now() + this.#leaseTime / 3;
    this.#options.signal?.addEventListener("abort", this.#wakeUp);
    try {
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
      await this.#machine.log.release(this.#session.lease);
    }
    return this.#session.state;
  }

  get #leaseTime(): number {
    return this.#options.leaseTime ?? LEASE_TIME;
  }

  /** What an earlier process began and nobody watches any more: agents are ended and count as lost, gates run again. */
  async #recover(): Promise<void> {
    const { log, workspace } = this.#machine;
    const { run } = this.#session.lease;
    const last = Object.values(this.#session.state.tasks).flatMap((task) => (task.last === null ? [] : [task.last]));
    await keepManifests(this.#machine, this.#session, last);
    for (const { key, kind, data } of await log.outbox(run)) {
      const effect = { ...data, key, kind } as unknown as Effect;
      if (effect.kind === "run-gate") {
        const directory = await workspace.prepare(run, this.#session.workflow.workspace);
        await this.#machine.endSurvivors(`${run}.${effect.gateRun}`, directory);
        this.#perform(effect);
      }
      if (effect.kind !== "start-agent") continue;
      const scratch = await workspace.scratch(run, effect.attempt);
      await this.#machine.endSurvivors(`${run}.${effect.attempt}`, scratch);
      this.#inbox.push({ told: lost(effect.attempt), text: null, receipts: { settled: [key] } });
    }
  }

  #isOver(): boolean {
    const { state } = this.#session;
    if (this.#performing.size > 0 || this.#inbox.length > 0) return false;
    return state.status !== "running" || (this.#options.leaveParked && isParked(state));
  }

  /** False when there was nothing to take. */
  async #takeNext(): Promise<boolean> {
    const next = this.#inbox.shift() ?? (await this.#nextLetter()) ?? this.#dueTimer();
    if (next === null) return false;
    const at = this.#machine.clock.now();
    const keeping = this.#beginToKeep(next.text);
    const { session, events, effects } = await this.#patiently(() =>
      advanceRun(
        this.#machine,
        this.#session,
        { ...next.told, at },
        { ...next.receipts, isBusy: this.#performing.size > 0 },
      ),
    );
    this.#session = session;
    await keeping();
    this.#options.watch?.({ kind: "decided", session, events });
    await keepManifests(this.#machine, session, acceptedOutputs(events));
    for (const effect of effects) this.#perform(effect);
    return true;
  }

  /**
   * Asked for in the same turn as the commit that names it, and so on the disk at once with it. What is
   * given back waits for it, and asks again when only the commit was stored.
   */
  #beginToKeep(text: string | null): () => Promise<void> {
    if (text === null) return async () => undefined;
    const kept = this.#machine.log.putText(text).then(
      () => true,
      () => false,
    );
    return async () => {
      if (!(await kept)) await this.#patiently(() => this.#machine.log.putText(text));
    };
  }

  async #nextLetter(): Promise<Arrival | null> {
    const [letter] = await this.#machine.log.letters(this.#session.lease.run);
    if (letter === undefined) return null;
    return { told: letter.input as unknown as Told, text: null, receipts: { taken: [letter.id] } };
  }

  #dueTimer(): Arrival | null {
    const now = this.#machine.clock.now();
    const due = Object.values(this.#session.state.timers).find((timer) => timer.dueAt <= now);
    return due === undefined ? null : { told: { kind: "fire-timer", timer: due.id }, text: null, receipts: {} };
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
    const now = this.#machine.clock.now();
    if (now < this.#renewAt) return;
    const [kept] = await this.#patiently(() =>
      this.#machine.log.renew([this.#session.lease], now, now + this.#leaseTime),
    );
    if (kept === undefined)
      throw new StoreError("lease-lost", `Another process drives run ${this.#session.lease.run} now.`);
    this.#session = { ...this.#session, lease: kept };
    this.#renewAt = now + this.#leaseTime / 3;
  }

  /** A full disk or a busy store is waited for: nothing was stored, so nothing is lost by asking again. */
  async #patiently<T>(store: () => Promise<T>): Promise<T> {
    for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
      try {
        return await store();
      } catch (error) {
        if (!(error instanceof StoreError) || !PASSING.includes(error.code)) throw error;
        if (this.#options.signal?.aborted === true) throw error;
        this.#options.watch?.({ kind: "trouble", message: `${error.message} Trying again.` });
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

function lost(attempt: string): Told {
  const usage = { milliseconds: 0, tokens: null, money: null };
  const message = "whoever watched it has gone";
  return { kind: "report-attempt", attempt, end: "lost", message, delivery: null, problems: [], usage, session: null };
}
