import type { EventLog, Lease } from "./event-log.ts";

/** A transaction of the store, for an engine that keeps its jobs in the same database. */
export interface StoreTransaction {
  executeSql(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
}

/** The engine's side of a message: a run that is given something to do gets a job, in the same transaction. */
export interface RunJobs {
  send(runs: readonly string[], transaction: StoreTransaction): Promise<void>;
}

/** A run while its row is locked: nothing else of it is stored meanwhile. */
export interface LockedRun {
  readonly run: string;
  readonly fence: number;
  readonly finished: boolean;
  /** It has inbox messages or effects waiting. */
  readonly hasWork: boolean;
  /** When it has something to do by itself. */
  readonly wakeAt: number | null;
  /** The clock of the database. */
  readonly now: number;
  /** Leases it to this worker, whoever has it: the engine has said that nobody else drives it. */
  claim(worker: string, until: number): Lease;
  release(): void;
}

/**
 * A log that any number of hosts share.
 *
 * 1. A message, and the job for its run, are one transaction under the lock of the run; so is what `lockRun` does. So a
 *    message that arrives while a run is parked is either seen by who parks it, or gives it a new job.
 * 2. `now` is the clock of the database, counted on by a clock of this process that nobody sets: a host with a wrong
 *    time has the same as all others.
 */
export interface SharedLog extends EventLog {
  lockRun<T>(run: string, work: (locked: LockedRun, transaction: StoreTransaction) => Promise<T>): Promise<T>;
  /** Gives each run that has something to do a job; the engine is there from then on. */
  useJobs(jobs: RunJobs): void;
  now(): number;
  /**
   * Notes where the runs of the store work, by a mark of the repository, the first time; the name of the place where
   * they do work when that is another one.
   */
  claimPlace(mark: string, name: string): Promise<string | null>;
  /** Compares the clock with that of the database. */
  setClock(): Promise<void>;
}
