import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";
import { closed } from "../refusals.ts";
import { patiently } from "./patience.ts";
import { asStoreError } from "./sqlite-error.ts";

interface Waiting {
  /** Runs inside a transaction, perhaps twice. Throws a StoreError only before its first write. */
  readonly write: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Settle = () => void;

/**
 * Writes that are asked for in one turn of the event loop share one transaction and so one fsync.
 * None is answered before that transaction is on the disk, and a refused one leaves the others alone.
 */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #patience: number;
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;
  #closed = false;

  constructor(database: DatabaseSync, patience: number) {
    this.#database = database;
    this.#patience = patience;
  }

  write<T>(write: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ write, resolve: resolve as (value: unknown) => void, reject });
      this.#working ??= this.#work();
    });
  }

  /** Resolves when everything that was asked for is answered; nothing more is taken. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#working;
  }

  async #work(): Promise<void> {
    await endOfTurn();
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      await this.#store(group);
      await endOfTurn();
    }
    this.#working = null;
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
