import { StoreError } from "../../ports/event-log.ts";
import { closed } from "../refusals.ts";
import type { Connection } from "./connection.ts";
import { asStoreError, retryWhileLocked } from "./sqlite-error.ts";
import type { WriteJob } from "./write-job.ts";

interface Waiting {
  /** The same write for another thread; null when only this thread can do it. */
  readonly elsewhere: Elsewhere | null;
  /** A text is stored with the commit that refers to it: without a reference it would be pruned. */
  readonly staysWithNext: boolean;
  /** Runs inside a transaction, perhaps twice. Throws a StoreError only before its first write. */
  readonly write: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Settle = () => void;

/** How another thread does it, and how it is repeated here if that thread dies before it answers. */
interface Elsewhere {
  readonly job: WriteJob;
  readonly again: () => unknown;
}

/** Another thread that stores writes in the order in which it receives them. */
export interface Helper {
  /** Fewer simultaneous writes are stored faster without it. */
  readonly minBatch: number;
  /** True while it has the file open. */
  readonly isReady: boolean;
  start(): void;
  /** Null when it has died; some of the jobs may be stored. Never rejects. */
  store(jobs: readonly WriteJob[]): Promise<readonly WriteResult[] | null>;
  /** Resolves when all of its jobs are answered. */
  close(): Promise<void>;
}

export type WriteResult = { readonly value: unknown } | { readonly error: unknown };

/**
 * Writes of one turn of the event loop share one transaction and so one fsync. A text always shares the transaction of
 * the commit that follows it. No write is answered before its transaction is on the disk, and a refused write does not
 * affect the others. Large batches are stored by a helper thread while this thread goes on. Order is kept: a later
 * write is never on the disk without an earlier one, unless that was refused.
 */
export class WriteQueue {
  readonly #connection: Connection<unknown>;
  readonly #lockTimeout: number;
  readonly #helper: Helper | null;
  readonly #sent = new Set<Promise<void>>();
  /** Writes of a helper that has died; they come before all that are waiting. */
  #lost: Waiting[] = [];
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #isStoring = false;
  #closed = false;

  constructor(connection: Connection<unknown>, lockTimeout: number, helper: Helper | null = null) {
    this.#connection = connection;
    this.#lockTimeout = lockTimeout;
    this.#helper = helper;
  }

  write<T>(write: () => T, elsewhere: Elsewhere | null = null): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise<T>((resolve, reject) => {
      const staysWithNext = elsewhere?.job.kind === "text";
      this.#waiting.push({ write, elsewhere, staysWithNext, resolve: resolve as (value: unknown) => void, reject });
      this.#working ??= this.#work();
      // A commit ends a group of writes, so it can be sent at once.
      if (elsewhere?.job.kind === "commit") this.#sendEarly();
    });
  }

  /** Resolves when every write is answered. Later writes are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#working !== null || this.#sent.size > 0) await Promise.all([this.#working, ...this.#sent]);
    await this.#helper?.close();
  }

  async read<T>(read: () => T): Promise<T> {
    try {
      return await retryWhileLocked(read, this.#lockTimeout);
    } catch (error) {
      if (isLockTimeout(error)) await this.#closeConnections();
      throw error;
    }
  }

  /** The operating system releases locks only when this process has closed the file everywhere. Nothing is sent meanwhile. */
  #closeConnections(): Promise<void> {
    this.#closing ??= this.#closeAll().finally(() => {
      this.#closing = null;
    });
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    await Promise.all(this.#sent);
    await this.#helper?.close();
    await this.#connection.closeEverywhere();
  }

  async #work(): Promise<void> {
    await endOfTurn();
    while (this.#lost.length + this.#waiting.length > 0) {
      const isLarge = this.#helper !== null && this.#waiting.length >= this.#helper.minBatch;
      if (isLarge) this.#startHelper();
      const helper = isLarge || this.#sent.size > 0 ? this.#readyHelper() : null;
      const own = helper === null ? this.#waiting.length : this.#waiting.findIndex(canGoElsewhere);
      if (helper === null || own !== 0) await this.#storeHere(own === -1 ? this.#waiting.length : own);
      else this.#send(helper);
      await endOfTurn();
    }
    this.#working = null;
  }

  /** The helper can begin while this thread still prepares other writes. */
  #sendEarly(): void {
    if (this.#isStoring || this.#helper === null || this.#waiting.length < this.#helper.minBatch) return;
    const helper = this.#readyHelper();
    if (helper !== null && this.#waiting.every(canGoElsewhere)) this.#send(helper);
  }

  #startHelper(): void {
    if (!this.#closed && this.#closing === null) this.#helper?.start();
  }

  #readyHelper(): Helper | null {
    if (this.#closing !== null || this.#lost.length > 0) return null;
    return this.#helper !== null && this.#helper.isReady ? this.#helper : null;
  }

  /** Sends all writes up to the first one that only this thread can do. */
  #send(helper: Helper): void {
    const own = this.#waiting.findIndex((waiting) => !canGoElsewhere(waiting));
    const group = this.#take(own === -1 ? this.#waiting.length : own);
    const jobs = group.flatMap(({ elsewhere }) => (elsewhere === null ? [] : [elsewhere.job]));
    const sent = helper.store(jobs).then((answers) => {
      this.#sent.delete(sent);
      if (answers === null) this.#takeBack(group);
      else
        for (const [index, { resolve, reject }] of group.entries())
          giveAnswer(answers[index], resolve, (error) => reject(this.#whyGone(error)));
      if (answers?.some((answer) => "error" in answer && isLockTimeout(answer.error))) void this.#closeConnections();
    });
    this.#sent.add(sent);
  }

  /** Only the connection of this thread saves what it holds. */
  #whyGone(error: unknown): unknown {
    if (!isGone(error)) return error;
    try {
      this.#connection.refuseGone();
      return error;
    } catch (saved) {
      return saved;
    }
  }

  #takeBack(group: readonly Waiting[]): void {
    for (const waiting of group)
      this.#lost.push({ ...waiting, write: waiting.elsewhere?.again ?? waiting.write, elsewhere: null });
    this.#working ??= this.#work();
  }

  async #storeHere(count: number): Promise<void> {
    this.#isStoring = true;
    try {
      await Promise.all(this.#sent);
      await this.#store(this.#take(count));
    } finally {
      this.#isStoring = false;
    }
  }

  /** The writes of a dead helper, then so many of the waiting ones. */
  #take(count: number): readonly Waiting[] {
    const group = [...this.#lost, ...this.#waiting.slice(0, count)];
    this.#lost = [];
    this.#waiting = this.#waiting.slice(count);
    return group;
  }

  async #store(group: readonly Waiting[]): Promise<void> {
    try {
      const settles = await retryWhileLocked(() => this.#transact(group), this.#lockTimeout);
      for (const settle of settles) settle();
    } catch (error) {
      if (isLockTimeout(error)) await this.#closeConnections();
      // Nothing of the group is stored. One write may have failed for all, so each gets its own transaction.
      const parts = partsOf(group);
      if (parts.length > 1 && !isLockTimeout(error) && !isGone(error))
        for (const part of parts) await this.#store(part);
      else for (const { reject } of group) reject(asStoreError(error));
    }
  }

  /** A write is answered only when the file that it was written to is still the one at its path. */
  #transact(group: readonly Waiting[]): Settle[] {
    const { database } = this.#connection;
    this.#connection.refuseGone();
    database.exec("BEGIN IMMEDIATE");
    let settles: Settle[];
    try {
      settles = group.map(attempt);
      database.exec("COMMIT");
    } finally {
      // SQLite has already rolled back by itself after some errors, a full disk among them.
      if (database.isTransaction) database.exec("ROLLBACK");
    }
    this.#connection.refuseGone();
    return settles;
  }
}

/** The smallest groups that can be stored separately: a text stays with the write after it. */
function partsOf(group: readonly Waiting[]): readonly (readonly Waiting[])[] {
  const parts: Waiting[][] = [[]];
  for (const waiting of group) {
    parts.at(-1)?.push(waiting);
    if (!waiting.staysWithNext) parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
}

function canGoElsewhere({ elsewhere }: Waiting): boolean {
  return elsewhere !== null;
}

function giveAnswer(answer: WriteResult | undefined, resolve: Waiting["resolve"], reject: Waiting["reject"]): void {
  if (answer === undefined) reject(new Error("a write was not answered"));
  else if ("error" in answer) reject(answer.error);
  else resolve(answer.value);
}

function attempt({ write, resolve, reject }: Waiting): Settle {
  try {
    const value = write();
    return () => resolve(value);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return () => reject(error);
  }
}

/** Another process kept the file locked, or a lock of this process was not released. */
function isLockTimeout(error: unknown): boolean {
  return error instanceof StoreError && error.code === "busy";
}

function isGone(error: unknown): boolean {
  return error instanceof StoreError && error.code === "gone";
}

/** Resolves after the current turn of the event loop. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
