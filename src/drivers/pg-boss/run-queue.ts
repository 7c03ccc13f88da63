import type { ConstructorOptions, Job, PgBoss } from "pg-boss";
import { StoreError } from "../../ports/event-log.ts";
import type { RunJobs, StoreTransaction } from "../../ports/shared-log.ts";

/** The job of a run that has something to do. */
export interface RunJob {
  readonly run: string;
  readonly id: string;
  /** How often a worker was lost with it since it last moved on. Settling is by it, too: an old attempt settles nothing. */
  readonly retryCount: number;
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
  readonly notify: (message: string) => void;
}

/** A job without a sign of life for this long is given to another worker, in seconds. pg-boss takes no less. */
const HEARTBEAT = 10;
/** How often a run is given to another worker after one was lost with it. Then it is kept apart for a person. */
const MAX_LOSSES = 5;
/** No other job has a priority. */
const FIRST_OF_ALL = 1_000;
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
  readonly #boss: Promise<PgBoss>;

  constructor(options: RunQueueOptions) {
    this.#options = options;
    this.#boss = startBoss(options);
    // Whoever uses it gets the error.
    this.#boss.catch(() => undefined);
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
    await boss.insert(this.#runs, jobs, { db: databaseOf(transaction) });
  }

  /** A job that no worker takes before so many seconds. */
  async sendLater(run: string, seconds: number, transaction: StoreTransaction): Promise<void> {
    const boss = await this.#boss;
    const db = databaseOf(transaction);
    await boss.insert(this.#runs, [{ data: { run }, singletonKey: run, startAfter: seconds }], { db });
  }

  async fetch(count: number): Promise<RunJob[]> {
    const boss = await this.#boss;
    return (await boss.fetch<{ run: string }>(this.#runs, { batchSize: count })).map(runJobOf);
  }

  /** Says that these are at work. Returns how many of them are still this process's own. */
  async touch(jobs: readonly RunJob[]): Promise<number> {
    const boss = await this.#boss;
    return affectedBy(await boss.touch(this.#runs, jobs.map(attemptOf)));
  }

  async complete(job: RunJob, transaction: StoreTransaction): Promise<void> {
    const boss = await this.#boss;
    await boss.complete(this.#runs, [attemptOf(job)], undefined, { db: databaseOf(transaction) });
  }

  /**
   * A new job in place of this one, and at work at once: what was lost before the run moved on counts no more, and the
   * engine's longest time begins again.
   */
  async renew(job: RunJob, transaction: StoreTransaction): Promise<RunJob> {
    const boss = await this.#boss;
    const db = databaseOf(transaction);
    await boss.complete(this.#runs, [attemptOf(job)], undefined, { db });
    await boss.insert(this.#runs, [{ data: { run: job.run }, singletonKey: job.run, priority: FIRST_OF_ALL }], { db });
    const [next] = await boss.fetch<{ run: string }>(this.#runs, { batchSize: 1, db });
    if (next === undefined || next.data.run !== job.run)
      throw new StoreError("conflict", `the job of run ${job.run} could not be renewed`);
    return runJobOf(next);
  }

  /** With a count that grows, and a pause that does, too. */
  async fail(job: RunJob, why: string): Promise<void> {
    const boss = await this.#boss;
    await boss.fail(this.#runs, [attemptOf(job)], { why });
  }

  async sendTimer(run: string, at: number, transaction: StoreTransaction): Promise<void> {
    const boss = await this.#boss;
    await boss.insert(
      this.#timers,
      [{ data: { run }, singletonKey: `${run} ${at}`, startAfter: new Date(at).toISOString() }],
      {
        db: databaseOf(transaction),
      },
    );
  }

  /** Runs whose timers are due, each until it is settled. */
  async fetchTimers(count: number): Promise<RunJob[]> {
    const boss = await this.#boss;
    return (await boss.fetch<{ run: string }>(this.#timers, { batchSize: count })).map(runJobOf);
  }

  async completeTimer(job: RunJob, transaction: StoreTransaction): Promise<void> {
    const boss = await this.#boss;
    await boss.complete(this.#timers, [attemptOf(job)], undefined, { db: databaseOf(transaction) });
  }

  /** Runs that were given up, because a worker was lost with them again and again. */
  async lostRuns(): Promise<string[]> {
    const boss = await this.#boss;
    const jobs = await boss.findJobs<{ run: string }>(this.#lost);
    return jobs.filter(({ state }) => state === "created").map(({ data }) => data.run);
  }

  async close(): Promise<void> {
    const boss = await this.#boss.catch(() => null);
    await boss?.stop({ graceful: false, close: true });
  }

  /** Makes the queues; any number of processes may do it at once. */
  static async prepare(options: RunQueueOptions): Promise<void> {
    const boss = await startBoss({ ...options }, true);
    const { prefix } = options;
    try {
      await boss.createQueue(`${prefix}/lost`, { retentionSeconds: 365 * A_DAY });
      await boss.createQueue(`${prefix}/timers`, {
        policy: "short",
        retryLimit: 1_000_000,
        retryDelay: 1,
        retryDelayMax: 30,
        retryBackoff: true,
        expireInSeconds: 60,
        retentionSeconds: 10 * 365 * A_DAY,
        deleteAfterSeconds: AN_HOUR,
      });
      await boss.createQueue(`${prefix}/runs`, {
        policy: "exclusive",
        heartbeatSeconds: HEARTBEAT,
        // The most that pg-boss takes: jobs whose heart beats are not ended by a clock. Progress renews them.
        expireInSeconds: A_DAY,
        retryLimit: MAX_LOSSES,
        retryDelay: 2,
        retryBackoff: true,
        retryDelayMax: 30,
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
  const { PgBoss: Boss } = await import("pg-boss");
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
    supervise: !migrates,
    superviseIntervalSeconds: 1,
    monitorIntervalSeconds: 1,
    warningSlowQuerySeconds: 30,
  };
  const boss = new Boss(options);
  boss.on("error", (error: Error) => notify(`The engine of the runs: ${error.message}`));
  await boss.start();
  return boss;
}

function runJobOf({ id, retryCount, data }: Job<{ run: string }>): RunJob {
  return { run: data.run, id, retryCount };
}

function attemptOf({ id, retryCount }: RunJob): { id: string; retryCount: number } {
  return { id, retryCount };
}

function databaseOf(transaction: StoreTransaction): {
  executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
} {
  return {
    async executeSql(text, values) {
      const { rows } = await transaction.executeSql(text, values);
      return { rows: [...rows] };
    },
  };
}
