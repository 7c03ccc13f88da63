import { randomInt } from "node:crypto";
import type { ConstructorOptions, Job, PgBoss } from "pg-boss";
import { StoreError } from "../../ports/event-log.ts";
import type { RunJobs, StoreTransaction } from "../../ports/shared-log.ts";

/** The job of a run that has something to do. */
export interface RunJob {
  readonly run: string;
  readonly id: string;
  /** How often the engine has started it again. Settling is by it: an old attempt settles nothing. */
  readonly retryCount: number;
  /** How often a worker was lost with the run since it last moved on. */
  readonly losses: number;
  /** How often it was given back since then, because driving it failed. */
  readonly failures: number;
}

interface JobData {
  readonly run: string;
  /** Of the jobs before this one. */
  readonly losses?: number;
  readonly failures?: number;
}

export interface RunQueueOptions {
  /** `postgres://user@host/database`. */
  readonly url: string;
  /** The schema of the engine's own tables. */
  readonly schema: string;
  /** Part of the names of the queues: workers of different formats never take each other's runs. */
  readonly prefix: string;
  /** The most connections of the engine in this process. */
  readonly connections?: number;
  /** The longest pause before a run is given to the next worker after losses, in seconds. */
  readonly maxPause?: number;
  readonly notify: (message: string) => void;
}

/** A job without a sign of life for this long is given to another worker, in seconds. pg-boss takes no less. */
export const HEARTBEAT = 10;
/** A run with which so many workers were lost is kept apart for a person. */
const MAX_LOSSES = 5;
/** Before a run is given to another worker after its first loss, in seconds; up to twice as long, and longer after each. */
const FIRST_PAUSE = 1;
const MAX_PAUSE = 30;
/** Priorities of renewed jobs: no other job has one, and no two have the same, so that each can be fetched by it. */
const RENEWED = { from: 1_000, to: 2 ** 31 - 1 };
const A_DAY = 86_400;
const AN_HOUR = 3_600;
const QUERY_TIMEOUT = 5_000;

/**
 * The jobs of runs in pg-boss. A run with something to do has exactly one job in an exclusive queue, by the run's id; a
 * run that waits has none. Timers stand in a queue of their own: in the exclusive one, a timer would keep the run's next
 * job out. What is done under the lock of a run takes its transaction.
 */
export class RunQueue implements RunJobs {
  readonly #options: RunQueueOptions;
  #starting: Promise<PgBoss> | null = null;
  #isClosed = false;

  constructor(options: RunQueueOptions) {
    this.#options = options;
  }

  /** Started when it is first needed. A failure is not remembered, because the database may be there later. */
  get #boss(): Promise<PgBoss> {
    // Closed, it still takes what comes with a transaction of the store.
    if (this.#isClosed && this.#starting === null)
      return Promise.reject(new StoreError("unavailable", "the queue of runs was closed"));
    this.#starting ??= startBoss(this.#options).catch((error: unknown) => {
      this.#starting = null;
      throw error;
    });
    return this.#starting;
  }

  get #runs(): string {
    return `${this.#options.prefix}/runs`;
  }

  get #timers(): string {
    return `${this.#options.prefix}/timers`;
  }

  get #lost(): string {
    return `${this.#options.prefix}/lost`;
  }

  /** A run that has a job already, waiting or at work, gets no second one. */
  async send(runs: readonly string[], transaction: StoreTransaction): Promise<void> {
    const boss = await this.#boss;
    const jobs = runs.map((run) => ({ name: this.#runs, data: { run }, singletonKey: run }));
    await boss.insert(this.#runs, jobs, inside(transaction)).catch((error: unknown) => {
      throw isWithoutQueue(error) ? notPrepared(error) : error;
    });
  }

  /** A job that no worker takes before so many seconds. */
  async sendLater(run: string, seconds: number, transaction: StoreTransaction): Promise<void> {
    const boss = await this.#boss;
    await boss.insert(this.#runs, [{ data: { run }, singletonKey: run, startAfter: seconds }], inside(transaction));
  }

  async fetch(count: number): Promise<RunJob[]> {
    const boss = await this.#boss;
    return (await boss.fetch<JobData>(this.#runs, { batchSize: count })).map(runJobOf);
  }

  /** Says that these are at work. Returns how many of them are still this process's own. */
  async touch(jobs: readonly RunJob[], transaction?: StoreTransaction): Promise<number> {
    const boss = await this.#boss;
    // With nothing at work, too, the engine is asked: this is how a worker knows that it is heard.
    const attempts = jobs.length === 0 ? [{ id: NO_JOB, retryCount: 0 }] : jobs.map(attemptOf);
    return affectedBy(await boss.touch(this.#runs, attempts, inside(transaction)));
  }

  /** False when it is another worker's by now, or waits for one. */
  async complete(job: RunJob, transaction: StoreTransaction): Promise<boolean> {
    const boss = await this.#boss;
    return affectedBy(await boss.complete(this.#runs, [attemptOf(job)], undefined, inside(transaction))) > 0;
  }

  /**
   * A new job in place of this one, and at work at once: what was lost before the run moved on counts no more, and the
   * engine's longest time begins again. Null when this one is not ours any more.
   */
  async renew(job: RunJob, transaction: StoreTransaction): Promise<RunJob | null> {
    const boss = await this.#boss;
    if (!(await this.complete(job, transaction))) return null;
    const db = inside(transaction);
    const priority = randomInt(RENEWED.from, RENEWED.to);
    await boss.insert(this.#runs, [{ data: { run: job.run }, singletonKey: job.run, priority }], db);
    const only = { batchSize: 1, minPriority: priority, maxPriority: priority, ...db };
    const [next] = await boss.fetch<JobData>(this.#runs, only);
    if (next === undefined || next.data.run !== job.run)
      throw new StoreError("conflict", `the job of run ${job.run} could not be renewed`);
    return runJobOf(next);
  }

  /**
   * A new job for another worker, at once, or after a pause that grows with failures to drive the run. Workers that were
   * lost with it still count, and this one does not.
   */
  async giveBack(job: RunJob, transaction: StoreTransaction, hasFailed: boolean): Promise<void> {
    const boss = await this.#boss;
    if (!(await this.complete(job, transaction))) return;
    const { run, losses } = job;
    const failures = job.failures + (hasFailed ? 1 : 0);
    const data: JobData = { run, losses, failures };
    const pause = Math.min(this.#maxPause, FIRST_PAUSE * 2 ** Math.min(failures - 1, 16));
    const startAfter = hasFailed ? pause : 0;
    const retryLimit = Math.max(0, MAX_LOSSES - 1 - losses);
    await boss.insert(this.#runs, [{ data, singletonKey: run, startAfter, retryLimit }], inside(transaction));
  }

  /** The process that drove it has died. */
  async lose(job: RunJob, why: string): Promise<void> {
    const boss = await this.#boss;
    await boss.fail(this.#runs, [attemptOf(job)], { why });
  }

  /** Gives jobs without a sign of life to other workers, and gives up those that were lost too often. */
  async supervise(): Promise<void> {
    const boss = await this.#boss;
    await boss.supervise();
  }

  async sendTimer(run: string, at: number, transaction: StoreTransaction): Promise<void> {
    const boss = await this.#boss;
    const timer = { data: { run }, singletonKey: `${run} ${at}`, startAfter: new Date(at).toISOString() };
    await boss.insert(this.#timers, [timer], inside(transaction));
  }

  /** Runs whose timers are due, each until it is settled. */
  async fetchTimers(count: number): Promise<RunJob[]> {
    const boss = await this.#boss;
    return (await boss.fetch<JobData>(this.#timers, { batchSize: count })).map(runJobOf);
  }

  async completeTimer(job: RunJob, transaction: StoreTransaction): Promise<void> {
    const boss = await this.#boss;
    await boss.complete(this.#timers, [attemptOf(job)], undefined, inside(transaction));
  }

  /** Runs that were given up, because a worker was lost with them again and again. */
  async lostRuns(): Promise<string[]> {
    const boss = await this.#boss;
    const jobs = await boss.findJobs<JobData>(this.#lost);
    return [...new Set(jobs.filter(({ state }) => state === "created").map(({ data }) => data.run))];
  }

  /** A run that a person gives to a worker again is not given up any more. */
  async forgetLost(run: string): Promise<void> {
    const boss = await this.#boss;
    const jobs = await boss.findJobs<JobData>(this.#lost);
    const ids = jobs.flatMap(({ id, data }) => (data.run === run ? [id] : []));
    if (ids.length > 0) await boss.deleteJob(this.#lost, ids);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const boss = await this.#starting?.catch(() => null);
    await boss?.stop({ graceful: false, close: true });
  }

  get #maxPause(): number {
    return this.#options.maxPause ?? MAX_PAUSE;
  }

  /** Makes the queues; any number of processes may do it at once. */
  static async prepare(options: RunQueueOptions): Promise<void> {
    const boss = await startBoss({ ...options }, true);
    const { prefix, maxPause: retryDelayMax = MAX_PAUSE } = options;
    const pauses = { retryDelay: FIRST_PAUSE, retryBackoff: true, retryDelayMax };
    try {
      await boss.createQueue(`${prefix}/lost`, { retentionSeconds: 365 * A_DAY });
      await boss.createQueue(`${prefix}/timers`, {
        policy: "short",
        ...pauses,
        retryLimit: 1_000_000,
        // One that a lost worker has fetched is fired by another. Firing takes no time, so no heart beats for it.
        heartbeatSeconds: HEARTBEAT,
        expireInSeconds: 60,
        retentionSeconds: 10 * 365 * A_DAY,
        deleteAfterSeconds: AN_HOUR,
      });
      await boss.createQueue(`${prefix}/runs`, {
        policy: "exclusive",
        heartbeatSeconds: HEARTBEAT,
        // The most that pg-boss takes: jobs whose heart beats are not ended by a clock. Progress renews them.
        expireInSeconds: A_DAY,
        ...pauses,
        // The engine starts it again so often: the last loss is one more.
        retryLimit: MAX_LOSSES - 1,
        deadLetter: `${prefix}/lost`,
        retentionSeconds: 365 * A_DAY,
        deleteAfterSeconds: AN_HOUR,
      });
    } finally {
      await boss.stop({ graceful: false, close: true });
    }
  }
}

/** The engine's types do not tell that it counts. */
function affectedBy(response: object): number {
  return "affected" in response && typeof response.affected === "number" ? response.affected : 0;
}

/** The package is an optional one: only who uses many hosts has it. */
async function startBoss({ url, schema, connections = 3, notify }: RunQueueOptions, migrates = false): Promise<PgBoss> {
  const { PgBoss: Boss } = await import("pg-boss").catch((error: unknown) => {
    const hint = "Install it beside Baton: npm install pg-boss@12.35.0";
    throw new StoreError("unavailable", "the package pg-boss is missing", { cause: error, hint });
  });
  // Given to the pool of connections as it is: a server that does not answer is told within seconds.
  const pool = { query_timeout: QUERY_TIMEOUT, keepAlive: true };
  const options: ConstructorOptions = {
    ...pool,
    connectionString: url,
    schema,
    max: connections,
    connectionTimeoutMillis: QUERY_TIMEOUT,
    application_name: "baton jobs",
    migrate: migrates,
    createSchema: migrates,
    schedule: false,
    // Who drives jobs calls for it, and only when it was heard for a while.
    supervise: false,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    warningSlowQuerySeconds: 30,
  };
  const boss = new Boss(options);
  boss.on("error", (error: Error) => notify(`The engine of the runs: ${error.message}`));
  try {
    await boss.start();
    return boss;
  } catch (error) {
    await boss.stop({ graceful: false, close: true }).catch(() => undefined);
    throw error instanceof Error && /not installed|does not exist|migrat/i.test(error.message)
      ? notPrepared(error)
      : error;
  }
}

function isWithoutQueue(error: unknown): boolean {
  return error instanceof Error && /^Queue .* (?:does not exist|not found)/i.test(error.message);
}

function notPrepared(cause: unknown): StoreError {
  const hint = "Make its tables, or bring them to this version: baton state prepare";
  return new StoreError("unavailable", "the store has no queues for its runs", { cause, hint });
}

function runJobOf({ id, retryCount, data: { run, losses = 0, failures = 0 } }: Job<JobData>): RunJob {
  return { run, id, retryCount, losses: losses + retryCount, failures };
}

const NO_JOB = "00000000-0000-0000-0000-000000000000";

function attemptOf({ id, retryCount }: RunJob): { id: string; retryCount: number } {
  return { id, retryCount };
}

interface Inside {
  readonly db?: { executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }> };
}

function inside(transaction: StoreTransaction | undefined): Inside {
  if (transaction === undefined) return {};
  return {
    db: {
      async executeSql(text, values) {
        const { rows } = await transaction.executeSql(text, values);
        return { rows: [...rows] };
      },
    },
  };
}
