import type { Driver, NewRunOptions } from "../../ports/driver.ts";
import { type Lease, StoreError } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import type { SharedLog } from "../../ports/shared-log.ts";
import { type DriveOptions, driveRun, type RunUpdate } from "../../runtime/drive-run.ts";
import { readState, sendInput } from "../../runtime/operations/send-input.ts";
import { startRun } from "../../runtime/operations/start-run.ts";
import { hasMessages } from "../../runtime/read-log.ts";
import { isParked } from "../../runtime/run-session.ts";
import { LEASE_TIME, workerName } from "../../runtime/worker-name.ts";
import type { RunInput } from "../../workflow/input.ts";
import type { RunState } from "../../workflow/state.ts";
import { type RunJob, RunQueue, type RunQueueOptions } from "./run-queue.ts";

interface PgBossOptions extends Pick<DriveOptions, "watch"> {
  readonly queue: Omit<RunQueueOptions, "notify">;
  /** How many runs this process drives at once; 0 for one that only starts runs and sends to them. */
  readonly capacity?: number;
  /** Whether a run may be driven here; one that may not is left to other workers. All may by default. */
  readonly mayDrive?: (run: string) => Promise<boolean>;
  /** How often it looks for work and for messages, in milliseconds. */
  readonly pollTime?: number;
  /**
   * Drives a run that was lost with two workers in a process of its own, so that no other run is lost with it; resolves
   * when that process has parked it, and rejects when the process has died.
   */
  readonly driveApart?: (job: RunJob, signal: AbortSignal) => Promise<void>;
}

const CAPACITY = 20;
const POLL_TIME = 500;
const BEAT_TIME = 3_000;
/** Without an answer for this long, another worker may have the runs: their agents are ended. */
const MAX_SILENCE = 10_000;
const LOSSES_BEFORE_APART = 2;

/** Drives runs of a log that hosts share, each as a job of pg-boss. */
export function pgBossDriver(ports: Ports & { readonly log: SharedLog }, options: PgBossOptions): PgBossDriver {
  return new PgBossDriver(ports, options);
}

interface Driven {
  job: RunJob;
  /** When its job was fetched or renewed, by a clock that nobody sets. */
  renewedAt: number;
  /** It has moved on since. */
  hasProgress: boolean;
  /** Ends its agents: the run is another worker's, or nobody knows. */
  readonly lose: AbortController;
  done: Promise<void>;
}

class PgBossDriver implements Driver {
  readonly #ports: Ports & { readonly log: SharedLog };
  readonly #options: PgBossOptions;
  readonly #queue: RunQueue;
  readonly #stopping = new AbortController();
  readonly #driven = new Map<string, Driven>();
  readonly #working: Promise<unknown>;
  #lastBeat = performance.now();

  constructor(ports: Ports & { readonly log: SharedLog }, options: PgBossOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#queue = new RunQueue({ ...options.queue, notify: (message) => this.#tellTrouble(message) });
    ports.log.useJobs(this.#queue);
    const works = (options.capacity ?? CAPACITY) > 0;
    this.#working = works ? Promise.all([this.#lookForWork(), this.#fireTimers(), this.#beat()]) : Promise.resolve();
  }

  /** The run, its start and its job are one transaction. */
  async start(run: NewRunOptions): Promise<string> {
    return (await startRun(this.#ports, run)).run;
  }

  send(run: string, input: RunInput, id?: string): Promise<boolean> {
    return sendInput(this.#ports, run, input, id);
  }

  async settled(run: string): Promise<RunState> {
    for (;;) {
      const row = await this.#ports.log.run(run);
      const mayBeSettled = row !== null && (row.finished || row.status === "waiting");
      if (mayBeSettled && !(await hasMessages(this.#ports, run))) {
        const state = await readState(this.#ports, run);
        if (state.status !== "running" || isParked(state)) return state;
      }
      await this.#rest();
    }
  }

  /** Runs that were given up, because a worker was lost with them again and again. */
  lostRuns(): Promise<string[]> {
    return this.#queue.lostRuns();
  }

  /** Gives its runs back at once: another worker need not wait for the end of their heartbeats. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
    await Promise.all([...this.#driven.values()].map(({ done }) => done));
    await this.#queue.close();
  }

  async #lookForWork(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const room = (this.#options.capacity ?? CAPACITY) - this.#driven.size;
      const jobs = room > 0 ? await this.#attempt("No work could be looked for", () => this.#queue.fetch(room)) : [];
      for (const job of jobs ?? []) this.#take(job);
      if ((jobs ?? []).length === 0) await this.#rest();
    }
  }

  /** A timer that is due gives its run a job. One that is being driven sees the timer by itself. */
  async #fireTimers(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const due =
        (await this.#attempt("No timers could be looked for", () => this.#queue.fetchTimers(MAX_TIMERS))) ?? [];
      for (const timer of due)
        await this.#attempt("A timer could not be fired", () =>
          this.#ports.log.lockRun(timer.run, async (_run, transaction) => {
            await this.#queue.send([timer.run], transaction);
            await this.#queue.completeTimer(timer, transaction);
          }),
        );
      if (due.length < MAX_TIMERS) await this.#rest();
    }
  }

  /**
   * Tells the engine that the runs are at work, and compares the clocks. A job that is no longer this process's own is
   * another worker's: its agents are ended. So are all when nothing was heard for as long as others wait.
   */
  async #beat(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      await this.#attempt("The database does not hear this worker", async () => {
        await this.#touchAll();
        await this.#ports.log.setClock();
        this.#lastBeat = performance.now();
      });
      if (performance.now() - this.#lastBeat > MAX_SILENCE) for (const { lose } of this.#driven.values()) lose.abort();
      await this.#rest(BEAT_TIME);
    }
  }

  async #touchAll(): Promise<void> {
    const all = [...this.#driven.values()];
    if (all.length === 0) return;
    if ((await this.#queue.touch(all.map(({ job }) => job))) < all.length)
      for (const driven of all) await this.#touchOne(driven);
    for (const driven of all) if (needsRenewal(driven)) await this.#renew(driven);
  }

  /** One that has just been parked is not at work any more, either. */
  async #touchOne(driven: Driven): Promise<void> {
    const { job, lose } = driven;
    const isOurs = (await this.#queue.touch([job])) > 0;
    if (!isOurs && this.#driven.get(job.run) === driven && driven.job === job) lose.abort();
  }

  /** Under the lock of the run, so that it is not parked meanwhile. */
  async #renew(driven: Driven): Promise<void> {
    await this.#ports.log.lockRun(driven.job.run, async (_run, transaction) => {
      if (this.#driven.get(driven.job.run) !== driven) return;
      driven.job = await this.#queue.renew(driven.job, transaction);
      driven.renewedAt = performance.now();
      driven.hasProgress = false;
    });
  }

  #take(job: RunJob): void {
    const lose = new AbortController();
    const isApart = job.retryCount >= LOSSES_BEFORE_APART && this.#options.driveApart !== undefined;
    const driven: Driven = { job, lose, renewedAt: performance.now(), hasProgress: false, done: Promise.resolve() };
    this.#driven.set(job.run, driven);
    const driving = isApart ? this.#driveApart(driven) : this.#driveHere(driven);
    driven.done = driving
      .catch((error: unknown) => this.#letGo(driven.job, error))
      .finally(() => {
        if (this.#driven.get(job.run) === driven) this.#driven.delete(job.run);
      });
  }

  async #driveApart({ job, lose }: Driven): Promise<void> {
    await this.#options.driveApart?.(job, AbortSignal.any([lose.signal, this.#stopping.signal]));
  }

  /** Until the run waits or has ended. Whether it does is decided under its lock. */
  async #driveHere(driven: Driven): Promise<void> {
    const { log } = this.#ports;
    const { run: id } = driven.job;
    if (this.#options.mayDrive !== undefined && !(await this.#options.mayDrive(id))) return this.#leave(driven.job);
    const lost = driven.lose.signal;
    const signal = AbortSignal.any([lost, this.#stopping.signal]);
    const watch = (news: RunUpdate): void => {
      if (news.kind === "decided") driven.hasProgress ||= news.events.some(({ kind }) => kind === "handoff-accepted");
      this.#options.watch?.(news);
    };
    for (;;) {
      const lease = await log.lockRun(id, async (run) =>
        run.claim(workerName(this.#ports), this.#ports.clock.now() + LEASE_TIME),
      );
      await driveRun(this.#ports, lease, {
        watch,
        pollTime: this.#options.pollTime ?? POLL_TIME,
        leaveParked: true,
        signal,
      });
      if (lost.aborted) return;
      if (await this.#park(driven, lease)) return;
      await this.#rest(MOMENT);
    }
  }

  /**
   * In one transaction under the lock of the run: it is parked and its job is completed, unless it has something to do.
   * When this process stops, the run is given back with a new job instead.
   */
  #park({ job }: Driven, lease: Lease): Promise<boolean> {
    return this.#ports.log.lockRun(job.run, async (run, transaction) => {
      if (run.fence !== lease.fence) throw fenced(lease);
      const isDue = !run.finished && run.wakeAt !== null && run.wakeAt <= run.now;
      const hasWork = run.hasWork || isDue;
      if (hasWork && !this.#stopping.signal.aborted) return false;
      await this.#queue.complete(job, transaction);
      if (hasWork) await this.#queue.send([job.run], transaction);
      else if (!run.finished && run.wakeAt !== null) await this.#queue.sendTimer(job.run, run.wakeAt, transaction);
      return true;
    });
  }

  /** Its job comes again after a while, so that other workers have it first. */
  async #leave(job: RunJob): Promise<void> {
    this.#tellTrouble(`Run ${job.run} is left to other workers: it is not trusted here. \`baton trust\` shows how.`);
    await this.#ports.log.lockRun(job.run, async (_run, transaction) => {
      await this.#queue.complete(job, transaction);
      await this.#queue.sendLater(job.run, LEAVE_TIME, transaction);
    });
  }

  /** Another worker's run is not ours to settle; for any other reason it is tried again later. */
  async #letGo(job: RunJob, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    this.#tellTrouble(`Run ${job.run} was let go: ${message}`);
    if (error instanceof StoreError && error.code === "lease-lost") return;
    await this.#attempt(`Run ${job.run} could not be given back`, () => this.#queue.fail(job, message));
  }

  async #attempt<T>(trouble: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.#tellTrouble(`${trouble}: ${error instanceof Error ? error.message : String(error)}`);
      return null;
    }
  }

  #tellTrouble(message: string): void {
    this.#options.watch?.({ kind: "trouble", message });
  }

  #rest(time = this.#options.pollTime ?? POLL_TIME): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, time);
      const { signal } = this.#stopping;
      function end(): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      }
      signal.addEventListener("abort", end);
    });
  }
}

/** A job that was lost before is renewed when its run has moved on; any other one long before the engine ends it. */
function needsRenewal({ job, hasProgress, renewedAt }: Driven): boolean {
  return (hasProgress && job.retryCount > 0) || performance.now() - renewedAt > RENEW_AFTER;
}

const RENEW_AFTER = 6 * 3_600_000;
/** In seconds. */
const LEAVE_TIME = 5;
const MAX_TIMERS = 50;
const MOMENT = 20;

function fenced({ run, worker, fence }: Lease): StoreError {
  return new StoreError("lease-lost", `lease ${fence} of run ${run} is no longer held by ${worker}`);
}
