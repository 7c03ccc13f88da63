import { StoreError } from "../../ports/event-log.ts";
import { closed } from "../refusals.ts";
import type { Connection } from "./connection.ts";
import { patiently } from "./patience.ts";
import { asStoreError } from "./sqlite-error.ts";
import type { WriteJob } from "./write-job.ts";

interface Waiting {
  /** The same for another thread; null for what only this one can do. */
  readonly elsewhere: Elsewhere | null;
  /** A text without the commit that names it would be one that nothing names, and pruned. */
  readonly staysWithNext: boolean;
  /** Runs inside a transaction, perhaps twice. Throws a StoreError only before its first write. */
  readonly write: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Settle = () => void;

/** How another thread does it, and how it is done here when nobody knows whether that thread has done it. */
export interface Elsewhere {
  readonly job: WriteJob;
  readonly again: () => unknown;
}

/** Another thread that stores the same way, in the order in which it is asked. */
export interface Helper {
  /** How many writes at once are worth the way there. */
  readonly many: number;
  /** False until it has the file open, and once it is gone. */
  readonly isReady: boolean;
  start(): void;
  /** Null when it has died, and nobody knows what of it is stored. Never rejects. */
  store(jobs: readonly WriteJob[]): Promise<readonly Answer[] | null>;
  /** Once all that it was given is answered. */
  close(): Promise<void>;
}

export type Answer = { readonly value: unknown } | { readonly error: unknown };

/**
 * Writes that are asked for in one turn of the event loop share one transaction and so one fsync, those that are asked
 * for without waiting in between always up to a commit. None is answered before that transaction is on the disk, and a
 * refused one leaves the others alone.
 * Where many are asked for at once a helper stores them, while this thread goes on. Nothing overtakes: what is asked
 * for later is never on the disk without what was asked for before it, unless that was refused.
 */
export class WriteQueue {
  readonly #connection: Connection<unknown>;
  readonly #patience: number;
  readonly #helper: Helper | null;
  readonly #sent = new Set<Promise<void>>();
  /** What a helper that has died was given: first of all that is waiting. */
  #lost: Waiting[] = [];
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;
  #lettingGo: Promise<void> | null = null;
  #isStoring = false;
  #closed = false;

  constructor(connection: Connection<unknown>, patience: number, helper: Helper | null = null) {
    this.#connection = connection;
    this.#patience = patience;
    this.#helper = helper;
  }

  write<T>(write: () => T, elsewhere: Elsewhere | null = null): Promise<T> {
    if (this.#closed) return Promise.reject(closed());
    return new Promise<T>((resolve, reject) => {
      const staysWithNext = elsewhere?.job.kind === "text";
      this.#waiting.push({ write, elsewhere, staysWithNext, resolve: resolve as (value: unknown) => void, reject });
      this.#working ??= this.#work();
      // Whatever belongs to a commit was asked for before it; what is no commit may have more to come.
      if (elsewhere?.job.kind === "commit") this.#sendEarly();
    });
  }

  /** Resolves when everything that was asked for is answered; nothing more is taken. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#working !== null || this.#sent.size > 0) await Promise.all([this.#working, ...this.#sent]);
    await this.#helper?.close();
  }

  /** Waits for nothing but locks. */
  async read<T>(read: () => T): Promise<T> {
    try {
      return await patiently(read, this.#patience);
    } catch (error) {
      if (isOutOfPatience(error)) await this.#letGo();
      throw error;
    }
  }

  /** Only when nothing of this process has the file open are its locks given back. Nothing more is sent meanwhile. */
  #letGo(): Promise<void> {
    this.#lettingGo ??= this.#letAllGo().finally(() => {
      this.#lettingGo = null;
    });
    return this.#lettingGo;
  }

  async #letAllGo(): Promise<void> {
    await Promise.all(this.#sent);
    await this.#helper?.close();
    this.#connection.letGo();
  }

  async #work(): Promise<void> {
    await endOfTurn();
    while (this.#lost.length + this.#waiting.length > 0) {
      const isMany = this.#helper !== null && this.#waiting.length >= this.#helper.many;
      if (isMany) this.#startHelper();
      const helper = isMany || this.#sent.size > 0 ? this.#readyHelper() : null;
      const own = helper === null ? this.#waiting.length : this.#waiting.findIndex(canGoElsewhere);
      if (helper === null || own !== 0) await this.#storeHere(own === -1 ? this.#waiting.length : own);
      else this.#send(helper);
      await endOfTurn();
    }
    this.#working = null;
  }

  /** The helper can begin while this thread still works out what others ask for. */
  #sendEarly(): void {
    if (this.#isStoring || this.#helper === null || this.#waiting.length < this.#helper.many) return;
    const helper = this.#readyHelper();
    if (helper !== null && this.#waiting.every(canGoElsewhere)) this.#send(helper);
  }

  #startHelper(): void {
    if (!this.#closed && this.#lettingGo === null) this.#helper?.start();
  }

  #readyHelper(): Helper | null {
    if (this.#lettingGo !== null || this.#lost.length > 0) return null;
    return this.#helper !== null && this.#helper.isReady ? this.#helper : null;
  }

  /** All that comes before something that only this thread can do. */
  #send(helper: Helper): void {
    const own = this.#waiting.findIndex((waiting) => !canGoElsewhere(waiting));
    const group = this.#take(own === -1 ? this.#waiting.length : own);
    const jobs = group.flatMap(({ elsewhere }) => (elsewhere === null ? [] : [elsewhere.job]));
    const sent = helper.store(jobs).then((answers) => {
      this.#sent.delete(sent);
      if (answers === null) this.#takeBack(group);
      else for (const [index, { resolve, reject }] of group.entries()) giveAnswer(answers[index], resolve, reject);
      if (answers?.some((answer) => "error" in answer && isOutOfPatience(answer.error))) void this.#letGo();
    });
    this.#sent.add(sent);
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

  /** So many of those that wait, after all that came back. */
  #take(count: number): readonly Waiting[] {
    const group = [...this.#lost, ...this.#waiting.slice(0, count)];
    this.#lost = [];
    this.#waiting = this.#waiting.slice(count);
    return group;
  }

  async #store(group: readonly Waiting[]): Promise<void> {
    try {
      const settles = await patiently(() => this.#transact(group), this.#patience);
      for (const settle of settles) settle();
    } catch (error) {
      if (isOutOfPatience(error)) await this.#letGo();
      // Nothing of the group is stored. One write may be to blame for all: each gets a transaction of its own.
      const parts = partsOf(group);
      if (parts.length > 1 && !isOutOfPatience(error)) for (const part of parts) await this.#store(part);
      else for (const { reject } of group) reject(asStoreError(error));
    }
  }

  #transact(group: readonly Waiting[]): Settle[] {
    const { database } = this.#connection;
    database.exec("BEGIN IMMEDIATE");
    try {
      const settles = group.map(attempt);
      database.exec("COMMIT");
      return settles;
    } finally {
      // SQLite has already rolled back by itself after some errors, a full disk among them.
      if (database.isTransaction) database.exec("ROLLBACK");
    }
  }
}

/** What can be stored by itself: texts go with what comes after them. */
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

function giveAnswer(answer: Answer | undefined, resolve: Waiting["resolve"], reject: Waiting["reject"]): void {
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

/** Others have kept the file locked for so long, or it is ourselves without knowing. */
function isOutOfPatience(error: unknown): boolean {
  return error instanceof StoreError && error.code === "busy";
}

/** Whatever else this turn of the event loop does has happened by then. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
