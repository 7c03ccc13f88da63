import { existsSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { StoreError } from "../../ports/event-log.ts";
import { Connection, openConnection } from "./connection.ts";
import { LOG_SCHEMA } from "./migrations.ts";
import { prepareLogStatements, logIdOf, reopenLog } from "./statements.ts";
import { executeJob, type WriteJob } from "./write-job.ts";
import { WriteQueue } from "./write-queue.ts";
import type { WriteOrder, WriterData, WriteReport, WrittenAnswer } from "./writer-thread.ts";

/** The program of the writer thread: stores jobs in the order in which they arrive, over its own connection. */
const { path, lockTimeout, log } = workerData as WriterData;
// Opening would create a new file if the old one was moved away.
if (!existsSync(path)) throw new Error("the file of the log is missing");
const connection = new Connection(openConnection(path, { lockTimeout, schema: LOG_SCHEMA }), {
  path,
  prepare: prepareLogStatements,
  reopen: () => reopenLog(path, log),
});
if (logIdOf(connection.statements) !== log) throw new Error("this is another log");
const queue = new WriteQueue(connection, lockTimeout);

parentPort?.on("message", (order: string | null) => {
  if (order === null) void close();
  else void store(JSON.parse(order) as WriteOrder);
});
report({ id: null, answers: [] });

async function store({ id, jobs }: WriteOrder): Promise<void> {
  const answers = await Promise.all(jobs.map((job) => write(job).then((value) => ({ value }), refusalOf)));
  report({ id, answers });
}

/** The queue needs the job to keep a text with its commit. */
function write(job: WriteJob): Promise<unknown> {
  const execute = (): unknown => executeJob(connection.statements, job);
  return queue.write(execute, { job, again: execute });
}

function report(message: WriteReport): void {
  parentPort?.postMessage(message);
}

function refusalOf(error: unknown): WrittenAnswer {
  const code = error instanceof StoreError ? error.code : null;
  return { code, message: error instanceof Error ? error.message : String(error) };
}

async function close(): Promise<void> {
  await queue.close();
  connection.close();
  parentPort?.close();
}
