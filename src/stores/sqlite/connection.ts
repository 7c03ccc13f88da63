import type { DatabaseSync } from "node:sqlite";
import { closed } from "../refusals.ts";

interface Opened<S> {
  readonly database: DatabaseSync;
  readonly statements: S;
}

/**
 * One connection with its statements, which can be let go and is opened anew when it is next needed. A lock that the
 * file system did not take back is held until then: by a connection that waits for itself, while everybody else waits
 * for it.
 */
export class Connection<S> {
  readonly #reopen: () => DatabaseSync;
  readonly #prepare: (database: DatabaseSync) => S;
  #opened: Opened<S> | null;
  #isClosed = false;

  constructor(database: DatabaseSync, prepare: (database: DatabaseSync) => S, reopen: () => DatabaseSync) {
    this.#reopen = reopen;
    this.#prepare = prepare;
    this.#opened = { database, statements: prepare(database) };
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get database(): DatabaseSync {
    return this.#current().database;
  }

  get statements(): S {
    return this.#current().statements;
  }

  /** Between two calls, never within a transaction. */
  letGo(): void {
    const opened = this.#opened;
    this.#opened = null;
    opened?.database.close();
  }

  close(): void {
    this.#isClosed = true;
    this.letGo();
  }

  #current(): Opened<S> {
    if (this.#isClosed) throw closed();
    return (this.#opened ??= this.#openAgain());
  }

  #openAgain(): Opened<S> {
    const database = this.#reopen();
    try {
      return { database, statements: this.#prepare(database) };
    } catch (error) {
      database.close();
      throw error;
    }
  }
}
