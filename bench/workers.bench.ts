import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import pg from "pg";
import { RunQueue } from "../src/drivers/pg-boss/run-queue.ts";
import type { SharedLog } from "../src/ports/shared-log.ts";
import { startRun } from "../src/runtime/operations/start-run.ts";
import { PostgresConnections } from "../src/stores/postgres/connection.ts";
import { LOG_TABLES } from "../src/stores/postgres/log-tables.ts";
import { migrate } from "../src/stores/postgres/migrate.ts";
import { openPostgresLog } from "../src/stores/postgres/open-postgres-log.ts";
import { startPostgres, whyNoPostgres } from "../test/postgres/start-postgres.ts";
import type { Bar } from "./bar.ts";
import { handoffOf, machineOn, newRun, workflowOf } from "./step-machine.ts";

const WORKERS = 2;
const RUNS = 100;
const STEPS = 20;
const BARE_COMMITS = 500;
const SCHEMA = "bench";

/** Two workers on a real Postgres, whose agents answer at once and whose claims are not checked. */
export async function run(report: (bar: Bar) => void): Promise<void> {
  if (whyNoPostgres !== null) return console.log(whyNoPostgres);
  const server = await startPostgres();
  try {
    const url = await server.database();
    const bare = await commitBare(url);
    const connections = new PostgresConnections({ url, schema: SCHEMA });
    await migrate(connections, LOG_TABLES);
    await connections.close();
    const queue = { url, schema: `${SCHEMA}_jobs`, prefix: `${SCHEMA}/1`, notify: (): void => undefined };
    await RunQueue.prepare(queue);
    const log = openPostgresLog({ url, schema: SCHEMA });
    const jobs = new RunQueue(queue);
    log.useJobs(jobs);
    const perSecond = await driveByWorkers(url, log);
    report({
      what: `${RUNS} runs of ${STEPS} steps, ${WORKERS} workers on Postgres`,
      ours: `${perSecond.toFixed(0)} handoffs/s`,
      baseline: `100 handoffs/s; one bare commit after the other: ${bare.toFixed(0)}/s`,
      figure: 1e3 / perSecond,
      max: 10,
      unit: "ms a handoff",
    });
    await jobs.close();
    await log.close();
  } finally {
    await server.stop();
  }
}

/** What Postgres itself needs for one row that is on the disk when the call returns. */
async function commitBare(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("CREATE TABLE bare (position bigserial PRIMARY KEY, data text NOT NULL)");
  const started = performance.now();
  for (let time = 0; time < BARE_COMMITS; time++)
    await client.query("INSERT INTO bare (data) VALUES ($1)", [handoffOf("Agent0", String(time))]);
  const seconds = (performance.now() - started) / 1_000;
  await client.end();
  return BARE_COMMITS / seconds;
}

async function driveByWorkers(url: string, log: SharedLog): Promise<number> {
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => startWorker(url)));
  try {
    const ports = machineOn(log);
    const workflow = workflowOf(STEPS);
    // Half a round, for the engine to be warm.
    await driveAll(log, ports, workflow, RUNS / 2);
    const started = performance.now();
    await driveAll(log, ports, workflow, RUNS);
    return (RUNS * STEPS) / ((performance.now() - started) / 1_000);
  } finally {
    for (const worker of workers) worker.disconnect();
  }
}

async function driveAll(
  log: SharedLog,
  ports: Parameters<typeof startRun>[0],
  workflow: ReturnType<typeof workflowOf>,
  runs: number,
): Promise<void> {
  const before = (await log.countRuns({}, 0)).byStatus["completed"] ?? 0;
  await Promise.all(Array.from({ length: runs }, () => startRun(ports, newRun(workflow))));
  while (((await log.countRuns({}, 0)).byStatus["completed"] ?? 0) < before + runs)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

function startWorker(url: string): Promise<ChildProcess> {
  const program = join(import.meta.dirname, "workers-program.ts");
  return new Promise((resolve, reject) => {
    const worker = fork(program, [url, SCHEMA, String(RUNS / WORKERS)]);
    worker.once("error", reject);
    worker.once("message", () => resolve(worker));
  });
}
