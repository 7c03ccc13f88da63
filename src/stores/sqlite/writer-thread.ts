import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { StoreError, type StoreErrorCode } from "../../ports/event-log.ts";
import type { WriteJob } from "./write-job.ts";
import type { Answer, Helper } from "./write-queue.ts";

/** What the thread is told, as JSON: a text goes from thread to thread faster than a value. */
export interface WriteOrder {
  readonly id: number;
  readonly jobs: readonly WriteJob[];
}

/** What the thread tells. The first report, without an id, says that the file is open. */
export interface WriteReport {
  readonly id: number | null;
  readonly answers: readonly WrittenAnswer[];
}

export type WrittenAnswer =
  | { readonly value: unknown }
  /** Without a code it is a mistake of ours. */
  | { readonly code: StoreErrorCode | null; readonly message: string };

/** Beside this file, among the sources as in the bundle. */
const PROGRAM = join(import.meta.dirname, `store-writes${extname(import.meta.filename)}`);

/** It takes about 20 MB, and about 50 ms to start. */
const IDLE_TIME = 1_000;
/** Many writes once are soon stored; it is worth a thread when more come so soon after. */
const SOON = 1_000;

/** What the thread needs to open the same file, and no other that has come in its place. */
export interface WriterData {
  readonly path: string;
  readonly patience: number;
  /** The id of the log (`ledger.log`). */
  readonly log: string;
}

/**
 * Started when it is worth it, ended when nothing has come for a while. One that has died is not replaced: its work is
 * done without it.
 */
export class WriterThread implements Helper {
  readonly many: number;
  readonly #data: () => WriterData;
  readonly #waiting = new Map<number, (answers: readonly Answer[] | null) => void>();
  #worker: Worker | null = null;
  #ending: Promise<void> | null = null;
  #rest: NodeJS.Timeout | undefined;
  #askedAt = -Infinity;
  #isReady = false;
  #hasDied = false;
  #last = 0;

  /** The data are asked for when it starts. */
  constructor(many: number, data: () => WriterData) {
    this.many = many;
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
      // No more threads may be started here, or the log cannot be read.
      this.#hasDied = true;
    }
  }

  store(jobs: readonly WriteJob[]): Promise<readonly Answer[] | null> {
    const worker = this.#worker;
    if (worker === null || !this.#isReady) return Promise.resolve(null);
    const id = ++this.#last;
    const order = orderOf({ id, jobs });
    if (order === null) return this.#storeInParts(jobs);
    clearTimeout(this.#rest);
    return new Promise((settle) => {
      this.#waiting.set(id, settle);
      worker.ref();
      worker.postMessage(order);
    });
  }

  /** Its connection is closed before the last one of this process is. */
  async close(): Promise<void> {
    if (this.#worker !== null) this.#end(this.#worker);
    await this.#ending;
  }

  #open(): Worker {
    const worker = new Worker(PROGRAM, { workerData: this.#data(), name: "baton store" });
    // A process ends while it has nothing to write.
    worker.unref();
    worker.on("message", (report: WriteReport) => this.#hear(worker, report));
    // It exits then, and before that its transaction may still be open.
    worker.on("error", () => undefined);
    worker.on("exit", () => this.#mourn(worker));
    return worker;
  }

  #hear(worker: Worker, { id, answers }: WriteReport): void {
    if (worker !== this.#worker) return;
    if (id === null) this.#isReady = true;
    else this.#waiting.get(id)?.(answers.map(answerOf));
    if (id !== null) this.#waiting.delete(id);
    if (this.#waiting.size > 0) return;
    worker.unref();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#end(worker), IDLE_TIME).unref();
  }

  #end(worker: Worker): void {
    if (worker !== this.#worker) return;
    clearTimeout(this.#rest);
    const before = this.#ending;
    const exited = new Promise((settle) => worker.once("exit", settle));
    this.#ending = exited.then(() => before).then(() => undefined);
    worker.ref();
    // One that is not ready yet holds nothing, and may wait for others before it can be.
    if (this.#isReady) worker.postMessage(null);
    else void worker.terminate();
    this.#worker = null;
    this.#isReady = false;
  }

  #mourn(worker: Worker): void {
    if (worker !== this.#worker) return;
    clearTimeout(this.#rest);
    this.#worker = null;
    this.#isReady = false;
    this.#hasDied = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const tell of waiting) tell(null);
  }

  /** No text can hold all of it; of one write that no text can hold nothing can be stored. */
  async #storeInParts(jobs: readonly WriteJob[]): Promise<readonly Answer[] | null> {
    if (jobs.length === 1) return [{ error: new Error("it is too large, or no JSON, and cannot be stored") }];
    const half = jobs.length >> 1;
    const [first, second] = await Promise.all([this.store(jobs.slice(0, half)), this.store(jobs.slice(half))]);
    return first === null || second === null ? null : [...first, ...second];
  }
}

/** Null when it cannot be written as one text. */
function orderOf(order: WriteOrder): string | null {
  try {
    return JSON.stringify(order);
  } catch {
    return null;
  }
}

function answerOf(answer: WrittenAnswer): Answer {
  if ("value" in answer) return answer;
  const { code, message } = answer;
  return { error: code === null ? new Error(message) : new StoreError(code, message) };
}
