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

interface Sent {
  readonly jobs: readonly WriteJob[];
  readonly resolve: (answers: readonly Answer[]) => void;
}

/** Beside this file, among the sources as in the bundle. */
const PROGRAM = join(import.meta.dirname, `store-writes${extname(import.meta.filename)}`);

/** It takes 20 MB and a tenth of a second to start. */
const IDLE_TIME = 1_000;

/**
 * Started when it is worth it, ended when nothing has come for a while. One that has died is not replaced: its work is
 * done without it.
 */
export class WriterThread implements Helper {
  readonly many: number;
  readonly #data: { readonly path: string; readonly patience: number };
  readonly #waiting = new Map<number, Sent>();
  #worker: Worker | null = null;
  #ending: Promise<unknown> | null = null;
  #rest: NodeJS.Timeout | undefined;
  #isReady = false;
  #hasDied = false;
  #last = 0;

  constructor(path: string, patience: number, many: number) {
    this.#data = { path, patience };
    this.many = many;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  start(): void {
    if (this.#worker !== null || this.#hasDied) return;
    const worker = new Worker(PROGRAM, { workerData: this.#data, name: "baton store" });
    this.#worker = worker;
    // A process ends while it has nothing to write.
    worker.unref();
    worker.on("message", (report: WriteReport) => this.#hear(worker, report));
    worker.on("error", (error: unknown) => this.#mourn(worker, String(error)));
    worker.on("exit", () => this.#mourn(worker, "it was ended"));
  }

  store(jobs: readonly WriteJob[]): Promise<readonly Answer[]> {
    const worker = this.#worker;
    if (worker === null || !this.#isReady) return Promise.resolve(jobs.map(() => goneAnswer("it is not there")));
    clearTimeout(this.#rest);
    const id = ++this.#last;
    return new Promise((resolve) => {
      this.#waiting.set(id, { jobs, resolve });
      worker.ref();
      worker.postMessage(JSON.stringify({ id, jobs } satisfies WriteOrder));
    });
  }

  /** Its connection is closed before the last one of this process is. */
  async close(): Promise<void> {
    clearTimeout(this.#rest);
    if (this.#worker !== null) this.#end(this.#worker);
    await this.#ending;
  }

  #hear(worker: Worker, { id, answers }: WriteReport): void {
    if (id === null) this.#isReady = worker === this.#worker;
    else this.#waiting.get(id)?.resolve(answers.map(answerOf));
    if (id !== null) this.#waiting.delete(id);
    if (this.#waiting.size > 0) return;
    worker.unref();
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => this.#end(worker), IDLE_TIME).unref();
  }

  #end(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    this.#isReady = false;
    const exited = new Promise((resolve) => worker.once("exit", resolve));
    this.#ending = Promise.all([this.#ending, exited]);
    worker.ref();
    worker.postMessage(null);
  }

  /** Whether it has stored what it was given last is not known; who asks again will see. */
  #mourn(worker: Worker, why: string): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    this.#isReady = false;
    this.#hasDied = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { jobs, resolve } of waiting) resolve(jobs.map(() => goneAnswer(why)));
  }
}

function answerOf(answer: WrittenAnswer): Answer {
  if ("value" in answer) return answer;
  const { code, message } = answer;
  return { error: code === null ? new Error(message) : new StoreError(code, message) };
}

function goneAnswer(why: string): Answer {
  return { error: new StoreError("unavailable", `the thread that writes is gone (${why})`) };
}
