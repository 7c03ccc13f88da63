import type { Driver, NewRunOptions } from "../../ports/driver.ts";
import type { Ports } from "../../ports/ports.ts";
import type { SharedLog } from "../../ports/shared-log.ts";
import { readState, sendInput } from "../../runtime/operations/send-input.ts";
import { startRun } from "../../runtime/operations/start-run.ts";
import { hasMessages } from "../../runtime/read-log.ts";
import { isParked } from "../../runtime/run-session.ts";
import type { RunInput } from "../../workflow/input.ts";
import type { RunState } from "../../workflow/state.ts";
import { JobDriver, type JobOptions, POLL_TIME } from "./drive-jobs.ts";
import { rest } from "./rest.ts";
import { type RunJob, RunQueue, type RunQueueOptions } from "./run-queue.ts";

export interface PgBossOptions extends JobOptions {
  readonly queue: Omit<RunQueueOptions, "notify">;
  /** How many runs this process drives at once; 0 for one that only starts runs and sends to them. */
  readonly capacity?: number;
  /**
   * Drives a run that was lost with two workers in a process of its own, so that no other run is lost with it
   * (`driveRunApart` there); resolves when that process has parked it, and rejects when the process has died.
   */
  readonly driveApart?: (job: RunJob, signal: AbortSignal) => Promise<void>;
}

const CAPACITY = 20;
const SUPERVISE_TIME = 1_000;
const MAX_TIMERS = 50;
const LOSSES_BEFORE_APART = 2;
/** How many processes for one run each are at work at once: two crashes may have brought twenty runs here. */
const MAX_APART = 3;
/** After this long a process of its own tells the engine itself that it is at work, in milliseconds. */
const START_TIME = 60_000;

/** Drives runs of a log that hosts share, each as a job of pg-boss. */
export function pgBossDriver(ports: Ports & { readonly log: SharedLog }, options: PgBossOptions): PgBossDriver {
  return new PgBossDriver(ports, options);
}

/** In a process of its own: drives one run of a job that another process has fetched, and tells the engine that. */
export async function driveRunApart(
  ports: Ports & { readonly log: SharedLog },
  { queue: place, ...options }: Omit<PgBossOptions, "capacity" | "driveApart">,
  job: RunJob,
  signal: AbortSignal,
): Promise<void> {
  const notify = (message: string): void => options.watch?.({ kind: "trouble", message });
  const queue = new RunQueue({ ...place, notify });
  ports.log.useJobs(queue);
  const driver = new JobDriver(ports, queue, options);
  signal.addEventListener("abort", () => void driver.stop());
  const done = driver.take(job);
  if (signal.aborted) await driver.stop();
  await done;
  await driver.stop();
  await queue.close();
}

class PgBossDriver implements Driver {
  readonly #ports: Ports & { readonly log: SharedLog };
  readonly #options: PgBossOptions;
  readonly #queue: RunQueue;
  readonly #jobs: JobDriver;
  readonly #stopping = new AbortController();
  /** Runs that have a process of their own, or wait for one. */
  readonly #apart = new Set<Promise<void>>();
  #apartAtWork = 0;
  readonly #working: Promise<unknown>;

  constructor(ports: Ports & { readonly log: SharedLog }, options: PgBossOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#queue = new RunQueue({ ...options.queue, notify: (message) => this.#tellTrouble(message) });
    ports.log.useJobs(this.#queue);
    this.#jobs = new JobDriver(ports, this.#queue, options);
    const works = (options.capacity ?? CAPACITY) > 0;
    this.#working = works
      ? Promise.all([this.#lookForWork(), this.#fireTimers(), this.#supervise()])
      : Promise.resolve();
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
    await Promise.all([this.#jobs.stop(), ...this.#apart]);
    await this.#queue.close();
  }

  async #lookForWork(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const room = (this.#options.capacity ?? CAPACITY) - this.#jobs.count - this.#apart.size;
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

  /** Jobs that have lost their worker are given to another one. */
  async #supervise(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (this.#jobs.isSteady) await this.#attempt("Lost runs could not be looked for", () => this.#queue.supervise());
      await this.#rest(SUPERVISE_TIME);
    }
  }

  #take(job: RunJob): void {
    const { driveApart } = this.#options;
    if (job.losses < LOSSES_BEFORE_APART || driveApart === undefined) return void this.#jobs.take(job);
    const driving = this.#driveApart(job, driveApart).finally(() => this.#apart.delete(driving));
    this.#apart.add(driving);
  }

  /** The engine is told that the run is at work until its process is there to do so. */
  async #driveApart(job: RunJob, drive: NonNullable<PgBossOptions["driveApart"]>): Promise<void> {
    const { signal } = this.#stopping;
    this.#jobs.keep(job);
    while (this.#apartAtWork >= MAX_APART && !signal.aborted) await this.#rest();
    this.#apartAtWork++;
    try {
      if (signal.aborted) return await this.#giveBack(job);
      this.#jobs.keep(job, START_TIME);
      await drive(job, signal);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#tellTrouble(`The process of run ${job.run} has died: ${message}`);
      await this.#attempt(`The loss of run ${job.run} was not told`, () => this.#queue.lose(job, message));
    } finally {
      this.#apartAtWork--;
      this.#jobs.letGo(job);
    }
  }

  async #giveBack(job: RunJob): Promise<void> {
    await this.#attempt(`Run ${job.run} could not be given back`, () =>
      this.#ports.log.lockRun(job.run, (_, transaction) => this.#queue.giveBack(job, transaction, false)),
    );
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
    return rest(time, this.#stopping.signal);
  }
}
