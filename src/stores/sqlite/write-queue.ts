import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";
import { closed } from "../refusals.ts";
import { patiently } from "./patience.ts";
import { asStoreError } from "./sqlite-error.ts";
import type { WriteJob } from "./write-job.ts";

interface Waiting {
  /** The same as a job, for another thread; null for what only this one can do. */
  readonly job: WriteJob | null;
  /** Runs inside a transaction, perhaps twice. Throws a StoreError only before its first write. */
  readonly write: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Settle = () => void;

/** Another thread that stores the same way, in the order in which it is asked. */
export interface Helper {
  /** How many writes at once are worth the way there. */
  readonly many: number;
  /** False until it has the file open, and once it is gone. */
  readonly isReady: boolean;
  start(): void;
  store(jobs: readonly WriteJob[]): Promise<readonly Answer[]>;
  close(): Promise<void>;
}

export type Answer = { readonly value: unknown } | { readonly error: unknown };

/**
 * Writes that are asked for in one turn of the event loop share one transaction and so one fsync.
 * None is answered before that transaction is on the disk, and a refused one leaves the others alone.
 * Where many are asked for at once a helper stores them, while this thread goes on. Nothing overtakes: what is asked
 * for later is never on the disk without what was asked for before it, unless that was refused.
 */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #patience: number;
  readonly #helper: Helper | null;
  readonly #sent = new Set<Promise<void>>();
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;
  #isStoring = false;
  #closed = false;

  constructor(database: DatabaseSync, patience: number, helper: Helper | null = null) {
    this.#database = database;
    this.#patience = patience;
    this.#helper = helper;
  }

  write<T>(write: () => T, job: WriteJob | null = null): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ write, job, resolve: resolve as (value: unknown) => void, reject });
      // Not at the end of the turn: the helper can begin while this thread still works out the others.
      const helper = this.#isStoring ? null : this.#readyHelper();
      if (helper !== null && this.#waiting.length >= helper.many) this.#send(helper);
      else this.#working ??= this.#work();
    });
  }

  /** Resolves when everything that was asked for is answered; nothing more is taken. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#working;
    await Promise.all(this.#sent);
    await this.#helper?.close();
  }

  async #work(): Promise<void> {
    await endOfTurn();
    while (this.#waiting.length > 0) {
      const isMany = this.#helper !== null && this.#waiting.length >= this.#helper.many;
      if (isMany) this.#helper?.start();
      const helper = isMany || this.#sent.size > 0 ? this.#readyHelper() : null;
      if (helper === null) await this.#storeHere();
      else this.#send(helper);
      await endOfTurn();
    }
    this.#working = null;
  }

  /** Null when it cannot do all that is waiting. */
  #readyHelper(): Helper | null {
    if (this.#helper === null || !this.#helper.isReady) return null;
    return this.#waiting.every(({ job }) => job !== null) ? this.#helper : null;
  }

  #send(helper: Helper): void {
    const group = this.#take();
    const jobs = group.flatMap(({ job }) => (job === null ? [] : [job]));
    const sent = helper.store(jobs).then((answers) => {
      this.#sent.delete(sent);
      for (const [index, { resolve, reject }] of group.entries()) {
        const given = answers[index] ?? { error: new Error("a write was not answered") };
        if ("error" in given) reject(given.error);
        else resolve(given.value);
      }
    });
    this.#sent.add(sent);
  }

  async #storeHere(): Promise<void> {
    this.#isStoring = true;
    await Promise.all(this.#sent);
    await this.#store(this.#take());
    this.#isStoring = false;
  }

  #take(): readonly Waiting[] {
    const group = this.#waiting;
    this.#waiting = [];
    return group;
  }

  async #store(group: readonly Waiting[]): Promise<void> {
    try {
      const settles = await patiently(() => this.#attempt(group), this.#patience);
      for (const settle of settles) settle();
    } catch (error) {
      // Nothing of the group is stored. One write may be to blame for all: each gets a transaction of its own.
      if (group.length > 1 && !isOutOfPatience(error)) for (const one of group) await this.#store([one]);
      else for (const { reject } of group) reject(asStoreError(error));
    }
  }

  #attempt(group: readonly Waiting[]): Settle[] {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const settles = group.map(answer);
      this.#database.exec("COMMIT");
      return settles;
    } finally {
      // SQLite has already rolled back by itself after some errors, a full disk among them.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
    }
  }
}

function answer({ write, resolve, reject }: Waiting): Settle {
  try {
    const value = write();
    return () => resolve(value);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return () => reject(error);
  }
}

function isOutOfPatience(error: unknown): boolean {
  return error instanceof StoreError && error.code === "busy";
}

/** Whatever else this turn of the event loop does has happened by then. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
