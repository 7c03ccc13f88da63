import { existsSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { StoreError } from "../../ports/event-log.ts";
import { Connection } from "./connection.ts";
import { LOG_SCHEMA } from "./migrations.ts";
import { openConnection } from "./open-connection.ts";
import { logIdOf, reopenLog } from "./reopen-log.ts";
import { prepareStatements } from "./statements.ts";
import { carryOut, type WriteJob } from "./write-job.ts";
import { WriteQueue } from "./write-queue.ts";
import type { WriteOrder, WriterData, WriteReport, WrittenAnswer } from "./writer-thread.ts";

/** In a thread of its own, with a connection of its own: stores what it is told, in that order. */
const { path, patience, log } = workerData as WriterData;
// Opening would make a new file where somebody has moved the old one away.
if (!existsSync(path)) throw new Error("the file of the log is not there");
const connection = new Connection(openConnection(path, { patience, schema: LOG_SCHEMA }), prepareStatements, () =>
  reopenLog(path, log),
);
if (logIdOf(connection.statements) !== log) throw new Error("this is another log");
const queue = new WriteQueue(connection, patience);

parentPort?.on("message", (order: string | null) => {
  if (order === null) void close();
  else void store(JSON.parse(order) as WriteOrder);
});
report({ id: null, answers: [] });

async function store({ id, jobs }: WriteOrder): Promise<void> {
  const answers = await Promise.all(jobs.map((job) => write(job).then((value) => ({ value }), refusalOf)));
  report({ id, answers });
}

/** The queue is told what it is, and so keeps a text with its commit here, too. */
function write(job: WriteJob): Promise<unknown> {
  const carry = (): unknown => carryOut(connection.statements, job);
  return queue.write(carry, { job, again: carry });
}

function report(told: WriteReport): void {
  parentPort?.postMessage(told);
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
