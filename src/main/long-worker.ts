import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { LongWork } from "../http/open-server.ts";
import type { MeasureFilter, Metrics } from "../runtime/operations/measure-runs.ts";
import type { AuditReport } from "../runtime/operations/verify-audit.ts";

export type LongQuestion = { readonly id: number } & (
  | { readonly kind: "measure"; readonly filter: MeasureFilter }
  | { readonly kind: "verify" }
);

type Question = LongQuestion extends infer Q ? (Q extends LongQuestion ? Omit<Q, "id"> : never) : never;

interface Waiting {
  readonly resolve: (answer: object) => void;
  readonly reject: (error: unknown) => void;
}

/** Beside this file, among the sources as in the bundle. */
const PROGRAM = join(import.meta.dirname, `long-work${extname(import.meta.filename)}`);

/** Started when it is first needed; one that has died is replaced. */
export class LongWorker implements LongWork {
  readonly #data: { readonly root: string; readonly configFolder: string };
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | null = null;
  #last = 0;

  constructor(root: string, configFolder: string) {
    this.#data = { root, configFolder };
  }

  measure(filter: MeasureFilter): Promise<Metrics> {
    return this.#ask<Metrics>({ kind: "measure", filter });
  }

  verify(): Promise<AuditReport> {
    return this.#ask<AuditReport>({ kind: "verify" });
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  #ask<Answer extends object>(question: Question): Promise<Answer> {
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: (answer) => resolve(answer as Answer), reject });
      worker.postMessage({ ...question, id });
    });
  }

  #start(): Worker {
    const worker = new Worker(PROGRAM, { workerData: this.#data, name: "baton long work" });
    // It must not keep a server alive that is being stopped.
    worker.unref();
    worker.on("message", ({ id, answer, problem }: { id: number; answer?: object; problem?: string }) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (answer === undefined) waiting?.reject(new Error(problem ?? "no answer"));
      else waiting?.resolve(answer);
    });
    const fail = (error: unknown): void => {
      if (this.#worker === worker) this.#worker = null;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    worker.on("error", fail);
    worker.on("exit", (code) => fail(new Error(`the thread for long work ended with ${code}`)));
    return worker;
  }
}
