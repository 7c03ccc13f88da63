import { setTimeout as sleep } from "node:timers/promises";
import { JobDriver } from "../../src/drivers/pg-boss/drive-jobs.ts";
import { RunQueue } from "../../src/drivers/pg-boss/run-queue.ts";
import type { RunJobs, SharedLog, StoreTransaction } from "../../src/ports/shared-log.ts";
import { sendInput } from "../../src/runtime/operations/send-input.ts";
import { startRun } from "../../src/runtime/operations/start-run.ts";
import { PostgresConnections, type Queries, type Values } from "../../src/stores/postgres/connection.ts";
import { openPostgresLog } from "../../src/stores/postgres/open-postgres-log.ts";
import { machineWith, newRun } from "../contracts/driver.ts";
import type { Random } from "../simulation/random.ts";
import { newLogPlace } from "./postgres-log.ts";

export interface RaceOptions {
  readonly messages: number;
  readonly random: Random;
  /** A message and the job for its run are two transactions, and some senders die between them. */
  readonly sendsApart?: true;
  /** Workers look whether a run has something to do and complete its job then, as the return of a handler would. */
  readonly parksByReturn?: true;
}

export interface RaceResult {
  readonly sent: number;
  /** Messages that were stored and that nobody will ever take. */
  readonly lost: number;
  /** Messages that stand in the log of their run more than once. */
  readonly twice: number;
  /** How often a run was given a new job while it was driven. */
  readonly renewed: number;
}

const RUNS = 60;
const WORKERS = 2;
/** From the moment when a message was taken: the run is parked soon after, or late on a busy machine. */
const PAUSES = [10, 50, 300] as const;
/** One of so many senders dies in the middle. */
const DEATHS = 10;
/** A message without a job for its run for so long is lost: nobody sends another one meanwhile. */
const LOST_AFTER = 200;

/** Sends messages to runs that wait, at random moments around their being parked, driven on, and given a new job. */
export async function raceMessages(url: string, options: RaceOptions): Promise<RaceResult> {
  const place = await newLogPlace(url);
  const queuePlace = { url, schema: "jobs", prefix: place.schema, connections: 4, notify: () => undefined };
  await RunQueue.prepare(queuePlace);
  const connections = new PostgresConnections(place);
  const queue = new RunQueue(queuePlace);
  const log = openPostgresLog(place);
  log.useJobs(queue);
  const workers = Array.from({ length: WORKERS }, () => {
    const own = openPostgresLog(place);
    const naive = options.parksByReturn === true ? withoutLocks(own, connections) : own;
    return new RacingWorker(naive, new RunQueue(queuePlace));
  });
  const watch = new LetterWatch(connections);
  try {
    const runs = await startRuns(log);
    await until(async () => (await countJobs(connections)) === 0);
    const watching = watch.look();
    const race = { log, queue, connections, watch, left: options.messages, ...options };
    const lost = await Promise.all(runs.map((run) => sendOn(race, run)));
    watch.stop();
    await watching;
    const twice = await countTwice(connections);
    const renewed = await countRenewed(connections);
    return { sent: options.messages, lost: lost.reduce((sum, one) => sum + one, 0), twice, renewed };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    await Promise.all([log.close(), queue.close(), connections.close()]);
  }
}

/** Fetches jobs and drives their runs with the driver's own code; jobs are renewed all the time. */
class RacingWorker {
  readonly #queue: RunQueue;
  readonly #log: SharedLog;
  readonly #jobs: JobDriver;
  readonly #looking: Promise<void>;
  #isStopped = false;

  constructor(log: SharedLog, queue: RunQueue) {
    this.#queue = queue;
    this.#log = log;
    log.useJobs(queue);
    const ports = Object.assign(
      machineWith(log, () => ""),
      { log },
    );
    this.#jobs = new JobDriver(ports, queue, { pollTime: 10, beatTime: 200, renewAfter: 0 });
    this.#looking = this.#look();
  }

  async #look(): Promise<void> {
    while (!this.#isStopped) {
      const jobs = await this.#queue.fetch(RUNS).catch(() => []);
      for (const job of jobs) void this.#jobs.take(job);
      if (jobs.length === 0) await sleep(5);
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#looking;
    await this.#jobs.stop();
    await this.#queue.close();
    await this.#log.close();
  }
}

/** Each waits for a person: nothing but messages wakes it. */
async function startRuns(log: SharedLog): Promise<string[]> {
  const ports = machineWith(log, () => "");
  const run = { ...newRun, workflow: { ...newRun.workflow, mode: "supervised" as const } };
  return Promise.all(Array.from({ length: RUNS }, async () => (await startRun(ports, run)).run));
}

interface Race extends RaceOptions {
  readonly log: SharedLog;
  readonly queue: RunQueue;
  readonly connections: PostgresConnections;
  readonly watch: LetterWatch;
  left: number;
}

/** One message of a run after the other. Returns how many were lost; each of these is woken up then. */
async function sendOn(race: Race, run: string): Promise<number> {
  const { log, queue, connections, random, sendsApart = false } = race;
  const ports = machineWith(log, () => "");
  const nothing: RunJobs = { send: () => Promise.resolve() };
  log.useJobs(sendsApart ? nothing : queue);
  const wake = (): Promise<void> => connections.transact((queries) => queue.send([run], transactionOf(queries)));
  let lost = 0;
  while (race.left > 0) {
    const number = race.left--;
    await sleep(random.below(random.pick(PAUSES)));
    const answer = { kind: "answer", ask: "none", choice: "approve", text: `${number}`, by: "ada" } as const;
    await sendInput(ports, run, answer, `message-${number}`);
    if (sendsApart && random.below(DEATHS) > 0) await wake();
    if (await race.watch.isTaken(run)) continue;
    lost++;
    await wake();
    // Whatever happens to it then: it needed somebody who saw it.
    await race.watch.isTaken(run);
  }
  return lost;
}

/** Looks in one statement which runs have a message and no job. */
class LetterWatch {
  readonly #connections: PostgresConnections;
  readonly #waiting = new Map<string, { readonly since: number; readonly resolve: (isTaken: boolean) => void }>();
  readonly #jobless = new Map<string, number>();
  #isStopped = false;

  constructor(connections: PostgresConnections) {
    this.#connections = connections;
  }

  /** False when it waits and no job will see it. */
  isTaken(run: string): Promise<boolean> {
    return new Promise((resolve) => this.#waiting.set(run, { since: performance.now(), resolve }));
  }

  stop(): void {
    this.#isStopped = true;
  }

  async look(): Promise<void> {
    const { schema } = this.#connections;
    while (!this.#isStopped) {
      const asked = performance.now();
      const rows = await this.#connections.all(
        `SELECT DISTINCT r.run, EXISTS (SELECT 1 FROM jobs.job j
            WHERE j.name = $1 AND coalesce(j.singleton_key, '') = r.run AND j.policy = 'exclusive' AND j.state <= 'active') AS job
          FROM ${schema}.letters l JOIN ${schema}.runs r ON r.number = l.run WHERE l.input IS NOT NULL`,
        [`${schema}/runs`],
      );
      this.#judge(asked, new Map(rows.map((row) => [String(row["run"]), row["job"] === true])));
      await sleep(10);
    }
  }

  #judge(asked: number, left: ReadonlyMap<string, boolean>): void {
    for (const [run, { since, resolve }] of this.#waiting) {
      if (since > asked) continue;
      const hasJob = left.get(run);
      if (hasJob === false && !this.#jobless.has(run)) this.#jobless.set(run, asked);
      if (hasJob !== false) this.#jobless.delete(run);
      const isLost = asked - (this.#jobless.get(run) ?? asked) > LOST_AFTER;
      if (hasJob !== undefined && !isLost) continue;
      this.#jobless.delete(run);
      this.#waiting.delete(run);
      resolve(!isLost);
    }
  }
}

function transactionOf(queries: Queries): StoreTransaction {
  return { executeSql: async (text, values = []) => ({ rows: await queries.all(text, values as Values) }) };
}

/** The same doors without a lock and without a transaction. */
function withoutLocks(log: SharedLog, connections: PostgresConnections): SharedLog {
  const { schema } = connections;
  const lockRun: SharedLog["lockRun"] = async (run, work) => {
    const [row = {}] = await connections.all(
      `SELECT fence, finished, due_at, wake_at, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
        FROM ${schema}.runs WHERE run = $1`,
      [run],
    );
    const claimed: Values[] = [];
    const fence = Number(row["fence"]);
    const seen = {
      run,
      fence,
      finished: row["finished"] === true,
      hasWork: row["due_at"] === 0,
      wakeAt: typeof row["wake_at"] === "number" ? row["wake_at"] : null,
      now: Number(row["now"]),
      claim(worker: string, time: number) {
        claimed.push([run, fence + 1, worker, time]);
        return { run, worker, fence: fence + 1, until: time };
      },
      release: () => undefined,
    };
    const done = await work(seen, transactionOf(connections));
    for (const values of claimed)
      await connections.change(
        `UPDATE ${schema}.runs SET fence = $2, worker = $3, leased_until = $4 WHERE run = $1`,
        values,
      );
    return done;
  };
  return new Proxy(log, {
    get(target, key) {
      if (key === "lockRun") return lockRun;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

async function countJobs(connections: PostgresConnections): Promise<number> {
  const sql = "SELECT count(*) AS jobs FROM jobs.job WHERE name = $1 AND policy = 'exclusive' AND state <= 'active'";
  const [row = {}] = await connections.all(sql, [`${connections.schema}/runs`]);
  return Number(row["jobs"]);
}

/** Each message has a text of its own. */
async function countTwice(connections: PostgresConnections): Promise<number> {
  const [row = {}] = await connections.all(
    `SELECT count(*) AS twice FROM (SELECT 1 FROM ${connections.schema}.entries WHERE kind = 'input' AND data LIKE '%"kind":"answer"%'
      GROUP BY data::jsonb ->> 'text' HAVING count(*) > 1) AS found`,
  );
  return Number(row["twice"]);
}

/** Only a renewed job has a priority. */
async function countRenewed(connections: PostgresConnections): Promise<number> {
  const sql = "SELECT count(*) AS renewed FROM jobs.job WHERE name = $1 AND priority > 0";
  const [row = {}] = await connections.all(sql, [`${connections.schema}/runs`]);
  return Number(row["renewed"]);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error("the race does not end");
    await sleep(50);
  }
}
