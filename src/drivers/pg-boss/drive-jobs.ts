import { type Lease, StoreError } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import type { SharedLog } from "../../ports/shared-log.ts";
import { type DriveOptions, driveRun, type RunUpdate } from "../../runtime/drive-run.ts";
import { Halt } from "../../runtime/halt.ts";
import { LEASE_TIME, workerName } from "../../runtime/worker-name.ts";
import { HEARTBEAT, type RunJob, type RunQueue } from "./run-queue.ts";
import { rest } from "./rest.ts";

export interface JobOptions extends Pick<DriveOptions, "watch"> {
  /** Whether a run may be driven here; one that may not is left to other workers. All may by default. */
  readonly mayDrive?: (run: string) => Promise<boolean>;
  /** How often it looks for messages, in milliseconds. */
  readonly pollTime?: number;
  /** After this long without an answer of the database all agents are ended, in milliseconds. */
  readonly maxSilence?: number;
  /** How often it tells that its runs are at work, in milliseconds. */
  readonly beatTime?: number;
  /** When a job is renewed although its run has not moved on, in milliseconds. */
  readonly renewAfter?: number;
}

export const POLL_TIME = 500;
const BEAT_TIME = 3_000;
/** When the database has not answered. */
const NEXT_TRY = 500;
const LOOK_TIME = 500;
/** Without an answer for this long, another worker may have the runs: their agents are held. */
const HOLD_AFTER = HEARTBEAT * 1_000;
const MAX_SILENCE = 600_000;
/** A living worker is heard again by then when the database is back: a statement that hangs is given up after 5 s. */
const STEADY_AFTER = 6_000;
const RENEW_AFTER = 6 * 3_600_000;
const MOMENT = 20;
/** In seconds; at random, or the worker that left a run would look for work just when it comes again, each time. */
const LEAVE_TIME = { from: 1, to: 6 };
const isAllowed = (): Promise<boolean> => Promise.resolve(true);

interface Driven {
  job: RunJob;
  /** When its job was fetched or renewed, by a clock that nobody sets. */
  renewedAt: number;
  /** It has moved on since. */
  hasProgress: boolean;
  /** Resolves when no renewal is under way. */
  renewing: Promise<void> | null;
  /** It is at work, and so may be renewed: a job that is being settled may not. */
  isAtWork: boolean;
  fence: number;
  /** Ends its agents: the run is another worker's, or that is not known. */
  readonly lose: AbortController;
  done: Promise<void>;
}

/**
 * Drives the runs of jobs, and tells the engine that they are at work. A job that is no longer this process's own is
 * another worker's: its agents are ended. While the database does not answer, nobody knows whose they are: agents are
 * held, and those that are still this process's own go on when it answers again.
 */
export class JobDriver {
  readonly #ports: Ports & { readonly log: SharedLog };
  readonly #queue: RunQueue;
  readonly #options: JobOptions;
  readonly #driven = new Map<string, Driven>();
  /** Jobs of runs that wait for a process of their own, until the time when that tells the engine itself. */
  readonly #kept = new Map<string, { readonly job: RunJob; readonly until: number }>();
  readonly #halt = new Halt();
  /** Runs are given back. */
  readonly #stopping = new AbortController();
  /** All were given back. */
  readonly #ended = new AbortController();
  readonly #beating: Promise<void>;
  readonly #silenceTimer: NodeJS.Timeout;
  /** When the last beat was sent that was answered. */
  #heardAt = performance.now();
  /** Since when every beat was answered in time; null while that is not so. */
  #steadySince: number | null = null;

  constructor(ports: Ports & { readonly log: SharedLog }, queue: RunQueue, options: JobOptions) {
    this.#ports = ports;
    this.#queue = queue;
    this.#options = options;
    this.#beating = this.#beat();
    this.#silenceTimer = setInterval(() => this.#endSilent(), LOOK_TIME).unref();
  }

  get count(): number {
    return this.#driven.size;
  }

  /**
   * The database was heard for a while, so that a job without a sign of life has no worker. After an outage every job is
   * without: living workers need a moment to be heard again.
   */
  get isSteady(): boolean {
    return this.#steadySince !== null && performance.now() - this.#steadySince > STEADY_AFTER && !this.#halt.isOn;
  }

  /** Resolves when the run waits, has ended, or is not this process's any more. Never rejects. */
  take(job: RunJob): Promise<void> {
    const before = this.#driven.get(job.run);
    const driven: Driven = {
      job,
      renewedAt: performance.now(),
      hasProgress: false,
      renewing: null,
      isAtWork: false,
      fence: 0,
      lose: new AbortController(),
      done: Promise.resolve(),
    };
    this.#driven.set(job.run, driven);
    // The engine has taken it from this process and given it back: what was at work before is ended first.
    before?.lose.abort();
    driven.done = (before?.done ?? Promise.resolve())
      .then(() => this.#drive(driven))
      .catch((error: unknown) => this.#letGo(driven, error))
      .finally(() => {
        if (this.#driven.get(job.run) === driven) this.#driven.delete(job.run);
      });
    return driven.done;
  }

  /** Tells the engine that the run of a job is at work elsewhere, for so many milliseconds, or until it is let go. */
  keep(job: RunJob, time = Infinity): void {
    this.#kept.set(job.id, { job, until: performance.now() + time });
  }

  letGo(job: RunJob): void {
    this.#kept.delete(job.id);
  }

  /** Gives its runs back at once: another worker need not wait for the end of their heartbeats. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    while (this.#driven.size > 0) await Promise.all([...this.#driven.values()].map(({ done }) => done));
    this.#ended.abort();
    clearInterval(this.#silenceTimer);
    await this.#beating;
  }

  /** Nothing else is waited for here: a beat that comes late loses all runs. */
  async #beat(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const asked = performance.now();
      try {
        await this.#touchAll();
        this.#hear(asked);
        void this.#setClock();
        await rest(this.#options.beatTime ?? BEAT_TIME, this.#ended.signal);
      } catch (error) {
        this.#steadySince = null;
        this.#tell("The database does not hear this worker", error);
        await rest(NEXT_TRY, this.#ended.signal);
      }
    }
  }

  #hear(asked: number): void {
    // Also a process that was stopped itself, together with the database for all that it knows.
    if (asked - this.#heardAt > HOLD_AFTER) this.#steadySince = null;
    this.#steadySince ??= asked;
    this.#heardAt = asked;
    this.#halt.set(false);
  }

  #endSilent(): void {
    if (this.#driven.size === 0) return;
    const silence = performance.now() - this.#heardAt;
    if (silence > HOLD_AFTER && !this.#halt.isOn) {
      this.#options.watch?.({ kind: "trouble", message: "The database is silent: agents are held." });
      this.#halt.set(true);
    }
    if (silence > (this.#options.maxSilence ?? MAX_SILENCE)) for (const { lose } of this.#driven.values()) lose.abort();
  }

  async #setClock(): Promise<void> {
    try {
      await this.#ports.log.setClock();
    } catch (error) {
      this.#tell("The clock could not be compared", error);
    }
  }

  async #touchAll(): Promise<void> {
    const all = [...this.#driven.values()];
    const kept = [...this.#kept.values()].filter(({ until }) => until > performance.now());
    const jobs = [...all, ...kept].map(({ job }) => job);
    if ((await this.#queue.touch(jobs)) < jobs.length) for (const driven of all) await this.#touchOne(driven);
    for (const driven of all) if (this.#needsRenewal(driven)) this.#renew(driven);
  }

  /** One that has just been parked is not at work any more, either. */
  async #touchOne(driven: Driven): Promise<void> {
    const { job, lose } = driven;
    if (driven.renewing !== null || (await this.#queue.touch([job])) > 0) return;
    if (this.#driven.get(job.run) === driven && driven.job === job && driven.renewing === null) lose.abort();
  }

  /** A job that was lost before is renewed when its run has moved on; any other one long before the engine ends it. */
  #needsRenewal({ job, hasProgress, renewedAt, renewing, isAtWork }: Driven): boolean {
    if (renewing !== null || !isAtWork) return false;
    const isOld = performance.now() - renewedAt > (this.#options.renewAfter ?? RENEW_AFTER);
    return isOld || (hasProgress && job.losses + job.failures > 0);
  }

  /** Under the lock of the run, so that it is not parked meanwhile. */
  #renew(driven: Driven): void {
    const { run } = driven.job;
    const renewing = this.#ports.log.lockRun(run, async ({ fence }, transaction) =>
      this.#driven.get(run) === driven && fence === driven.fence ? this.#queue.renew(driven.job, transaction) : null,
    );
    driven.renewing = renewing
      .then((job) => {
        if (job !== null) Object.assign(driven, { job, renewedAt: performance.now(), hasProgress: false });
      })
      .catch((error: unknown) => this.#tell(`The job of run ${run} was not renewed`, error))
      .finally(() => {
        driven.renewing = null;
      });
  }

  /** Until the run waits or has ended. Whether it does is decided under its lock. */
  async #drive(driven: Driven): Promise<void> {
    const lost = driven.lose.signal;
    const signal = AbortSignal.any([lost, this.#stopping.signal]);
    const { pollTime = POLL_TIME, mayDrive = isAllowed } = this.#options;
    if (!(await mayDrive(driven.job.run))) return this.#leave(driven.job);
    const watch = (news: RunUpdate): void => {
      if (news.kind === "decided") driven.hasProgress ||= news.events.some(({ kind }) => kind === "handoff-accepted");
      this.#options.watch?.(news);
    };
    while (!lost.aborted) {
      const lease = await this.#claim(driven);
      const driving = { watch, pollTime, signal, halt: this.#halt, leaveParked: true, outlastsStore: true };
      driven.isAtWork = true;
      await driveRun(this.#ports, lease, driving);
      driven.isAtWork = false;
      await driven.renewing;
      if (lost.aborted || (await this.#park(driven, lease))) return;
      await rest(MOMENT, this.#stopping.signal);
    }
  }

  /** Its job comes again after a while, so that other workers have it first. */
  async #leave(job: RunJob): Promise<void> {
    const message = `Run ${job.run} is left to other workers: it is not trusted here. \`baton trust\` shows how.`;
    this.#options.watch?.({ kind: "trouble", message });
    await this.#ports.log.lockRun(job.run, async (_run, transaction) => {
      await this.#queue.complete(job, transaction);
      await this.#queue.sendLater(job.run, leaveTime(), transaction);
    });
  }

  /** Only while the job is ours: a process that hung since it was fetched would take the run from its next worker. */
  #claim(driven: Driven): Promise<Lease> {
    return this.#ports.log.lockRun(driven.job.run, async (run, transaction) => {
      if ((await this.#queue.touch([driven.job], transaction)) === 0) throw notOurs(driven.job);
      const lease = run.claim(workerName(this.#ports), this.#ports.clock.now() + LEASE_TIME);
      driven.fence = lease.fence;
      return lease;
    });
  }

  /**
   * In one transaction under the lock of the run: it is parked and its job is completed, unless it has something to do.
   * When this process stops, the run is given back with a new job instead.
   */
  #park({ job }: Driven, lease: Lease): Promise<boolean> {
    return this.#ports.log.lockRun(job.run, async (run, transaction) => {
      if (run.fence !== lease.fence) throw notOurs(job);
      const isDue = !run.finished && run.wakeAt !== null && run.wakeAt <= run.now;
      const hasWork = run.hasWork || isDue;
      if (hasWork && !this.#stopping.signal.aborted) return false;
      if (hasWork) await this.#queue.giveBack(job, transaction, false);
      else await this.#queue.complete(job, transaction);
      if (!hasWork && !run.finished && run.wakeAt !== null)
        await this.#queue.sendTimer(job.run, run.wakeAt, transaction);
      return true;
    });
  }

  /** Another worker's run is not ours to settle; for any other reason it is tried again later. */
  async #letGo(driven: Driven, failure: unknown): Promise<void> {
    const { run } = driven.job;
    driven.isAtWork = false;
    this.#tell(`Run ${run} was let go`, failure);
    if (failure instanceof StoreError && failure.code === "lease-lost") return;
    // While it is tried, the job is ours: no worker is lost for it.
    while (!driven.lose.signal.aborted) {
      try {
        await driven.renewing;
        return await this.#ports.log.lockRun(run, (_, transaction) =>
          this.#queue.giveBack(driven.job, transaction, true),
        );
      } catch (error) {
        this.#tell(`Run ${run} could not be given back`, error);
        if (this.#stopping.signal.aborted || !(error instanceof StoreError) || error.code === "no-such-run") return;
        await rest(NEXT_TRY, this.#stopping.signal);
      }
    }
  }

  #tell(trouble: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#options.watch?.({ kind: "trouble", message: `${trouble}: ${message}` });
  }
}

function leaveTime(): number {
  return LEAVE_TIME.from + Math.random() * (LEAVE_TIME.to - LEAVE_TIME.from);
}

function notOurs({ run, id }: RunJob): StoreError {
  return new StoreError("lease-lost", `job ${id} of run ${run} is another worker's by now`);
}
