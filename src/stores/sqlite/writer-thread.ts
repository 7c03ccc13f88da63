import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { StoreError, type StoreErrorCode } from "../../ports/event-log.ts";
import type { WriteJob } from "./write-job.ts";
import type { WriteResult, Helper } from "./write-queue.ts";

/** A message to the thread, sent as JSON text, which is passed faster than a value. */
export interface WriteOrder {
  readonly id: number;
  readonly jobs: readonly WriteJob[];
}

/** A message from the thread. The first one has no id and means that the file is open. */
export interface WriteReport {
  readonly id: number | null;
  readonly answers: readonly WrittenAnswer[];
}

export type WrittenAnswer =
  | { readonly value: unknown }
  /** An error without a code is a bug. */
  | { readonly code: StoreErrorCode | null; readonly message: string };

/** Beside this file, among the sources as in the bundle. */
const PROGRAM = join(import.meta.dirname, `store-writes${extname(import.meta.filename)}`);

/** It takes about 20 MB, and about 50 ms to start. */
const IDLE_TIME = 1_000;
/** One large batch is stored without a thread; a second one within this time starts it. */
const SOON = 1_000;

/** What the thread needs to open the same file, and to refuse another log in its place. */
export interface WriterData {
  readonly path: string;
  readonly lockTimeout: number;
  /** The id of the log (`ledger.log`). */
  readonly log: string;
}

/**
 * Starts with the second large batch and ends after some idle time. A thread that has died is not started again; its
 * writes are stored without it.
 */
export class WriterThread implements Helper {
  readonly minBatch: number;
  readonly #data: () => WriterData;
  readonly #waiting = new Map<number, (answers: readonly WriteResult[] | null) => void>();
  #worker: Worker | null = null;
  #ending: Promise<void> | null = null;
  #idleTimer: NodeJS.Timeout | undefined;
  #askedAt = -Infinity;
  #isReady = false;
  #hasDied = false;
  #last = 0;

  /** `data` is called when the thread starts. */
  constructor(minBatch: number, data: () => WriterData) {
    this.minBatch = minBatch;
    this.#data = data;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  start(): void {
    if (this.#worker !== null || this.#hasDied) return;
    const before = this.#askedAt;
    this.#askedAt = performance.now();
    if (this.#askedAt - before > SOON) return;
    try {
      this.#worker = this.#open();
    } catch {
      // The thread could not be started, or the log cannot be read.
      this.#hasDied = true;
    }
  }

  store(jobs: readonly WriteJob[]): Promise<readonly WriteResult[] | null> {
    const worker = this.#worker;
    if (worker === null || !this.#isReady) return Promise.resolve(null);
    const id = ++this.#last;
    const order = orderOf({ id, jobs });
    if (order === null) return this.#storeInParts(jobs);
    clearTimeout(this.#idleTimer);
    return new Promise((settle) => {
      this.#waiting.set(id, settle);
      worker.ref();
      worker.postMessage(order);
    });
  }

  /** Resolves when the thread has closed its connection. */
  async close(): Promise<void> {
    if (this.#worker !== null) this.#end(this.#worker);
    await this.#ending;
  }

  #open(): Worker {
    const worker = new Worker(PROGRAM, { workerData: this.#data(), name: "baton store" });
    // An idle thread must not keep the process alive.
    worker.unref();
    worker.on("message", (report: WriteReport) => this.#handleReport(worker, report));
    // The thread exits after an error; until then its transaction may be open.
    worker.on("error", () => undefined);
    worker.on("exit", () => this.#handleExit(worker));
    return worker;
  }

  #handleReport(worker: Worker, { id, answers }: WriteReport): void {
    if (worker !== this.#worker) return;
    if (id === null) this.#isReady = true;
    else this.#waiting.get(id)?.(answers.map(answerOf));
    if (id !== null) this.#waiting.delete(id);
    if (this.#waiting.size > 0) return;
    worker.unref();
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => this.#end(worker), IDLE_TIME).unref();
  }

  #end(worker: Worker): void {
    if (worker !== this.#worker) return;
    clearTimeout(this.#idleTimer);
    const before = this.#ending;
    const exited = new Promise((settle) => worker.once("exit", settle));
    this.#ending = exited.then(() => before).then(() => undefined);
    worker.ref();
    // A thread that is not ready yet has nothing to store, and may be waiting for a lock.
    if (this.#isReady) worker.postMessage(null);
    else void worker.terminate();
    this.#worker = null;
    this.#isReady = false;
  }

  #handleExit(worker: Worker): void {
    if (worker !== this.#worker) return;
    clearTimeout(this.#idleTimer);
    this.#worker = null;
    this.#isReady = false;
    this.#hasDied = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const settle of waiting) settle(null);
  }

  /** For jobs that are too large for one message; a single job that is too large is refused. */
  async #storeInParts(jobs: readonly WriteJob[]): Promise<readonly WriteResult[] | null> {
    if (jobs.length === 1) return [{ error: new Error("the write is too large, or not JSON, and cannot be stored") }];
    const half = jobs.length >> 1;
    const [first, second] = await Promise.all([this.store(jobs.slice(0, half)), this.store(jobs.slice(half))]);
    return first === null || second === null ? null : [...first, ...second];
  }
}

/** Null when the jobs cannot be written as one JSON text. */
function orderOf(order: WriteOrder): string | null {
  try {
    return JSON.stringify(order);
  } catch {
    return null;
  }
}

function answerOf(answer: WrittenAnswer): WriteResult {
  if ("value" in answer) return answer;
  const { code, message } = answer;
  return { error: code === null ? new Error(message) : new StoreError(code, message) };
}
