import type { JsonRecord } from "../shared/json-value.ts";
import type { KeptCheckpoint, LogSnapshot } from "./log-snapshot.ts";

/**
 * Where runs live: an append-only log with what belongs to it (mailbox, outbox, leases, texts).
 *
 * 1. `commit` stores all of it or nothing, and has resolved only when it is on the disk.
 * 2. `commit` is refused (`lease-lost`, `conflict`) unless the fence is that of the run's present lease
 *    and `after` is the run's last sequence number: two writers can never both be believed.
 * 3. Sequence numbers of a run are 1, 2, 3, ... without a gap; positions only grow.
 * 4. Each entry carries the hash of the entry before it, whichever run that belonged to. The last one of a commit
 *    also carries a seal of what the commit left of its run; a commit without entries leaves the run unsealed.
 * 5. A letter with an id that was posted before is not posted again.
 * 6. A run has at most one live lease, and each new lease of a run has a greater fence.
 * 7. Writes that are asked for one right after the other, without waiting in between, are on the disk in that order, and
 *    up to a commit all at once, unless one of them is refused.
 */
export interface EventLog {
  /** Makes a run known, leased to its maker. */
  create(run: NewRun, worker: string, until: number): Promise<Lease>;
  commit(commit: Commit): Promise<void>;
  /** From after this sequence number on; all of them unless there is a limit. */
  entries(run: string, after?: number, limit?: number): Promise<StoredEntry[]>;
  /** All entries of all runs, or of one, by position, at most `limit`. */
  history(after: number, limit: number, run?: string): Promise<StoredEntry[]>;
  /** The last position; 0 while there is none. */
  lastPosition(): Promise<number>;

  run(id: string): Promise<RunRow | null>;
  /** Whose ids begin so; by their ids. */
  runsFrom(beginning: string, limit: number): Promise<RunRow[]>;
  /** Newest first. */
  runs(filter: RunFilter): Promise<RunRow[]>;
  /** A page of them, the youngest first; what it costs does not grow with runs that are not on it. */
  findRuns(search: RunSearch): Promise<RunRow[]>;
  countRuns(search: Omit<RunSearch, "standings" | "before" | "limit">, stalledBefore: number): Promise<RunCounts>;
  /** Names of all workflows that were run, in order. */
  runNames(): Promise<string[]>;

  /** Any process may post; whoever holds the lease takes. False when the id was posted before. */
  post(letter: Letter): Promise<boolean>;
  letters(run: string): Promise<Letter[]>;
  /** Effects that were stored and not settled yet, in order. */
  outbox(run: string): Promise<StoredEffect[]>;

  /** Leases this run if nobody else holds it. */
  claim(run: string, worker: string, now: number, until: number): Promise<Lease | null>;
  /** Leases up to `limit` unfinished runs that nobody holds and that have something to do: letters, effects or a due timer. */
  claimIdle(worker: string, now: number, until: number, limit: number): Promise<Lease[]>;
  /** The same runs without leasing them, the longest waiting first. */
  idleRuns(now: number, limit: number): Promise<string[]>;
  /** Those of the leases that nobody else has taken since, even if they had run out. */
  renew(leases: readonly Lease[], until: number): Promise<Lease[]>;
  release(lease: Lease): Promise<void>;

  /**
   * Kept by content: the name is the SHA-256 of the text. It stays while something names it, so it is asked for right
   * before the commit that does, without waiting in between.
   */
  putText(text: string): Promise<string>;
  text(hash: string): Promise<string | null>;
  /** The definition a run is pinned to, as JSON, by the hash of its file. */
  putWorkflow(hash: string, definition: JsonRecord): Promise<void>;
  workflow(hash: string): Promise<JsonRecord | null>;

  /** A copy that opens by itself. */
  backup(path: string): Promise<void>;
  /**
   * Empties entries of runs that ended before; their hashes stay, so that the chain can still be checked. Then texts
   * that nothing names any more: no entry that is kept, no letter and no effect.
   */
  prune(before: number): Promise<Pruned>;
  /**
   * Signs the present head, unless that was done already; null while the log is empty. By itself a log does so when a
   * run ends or waits for a person, every few hundred entries, and when it is closed.
   */
  checkpoint(): Promise<KeptCheckpoint | null>;
  /** Everything as it stands now, for whoever checks it. */
  snapshot(): Promise<LogSnapshot>;
  /** Recomputes the chain; null when it is whole. */
  findBreak(): Promise<{ readonly position: number; readonly message: string } | null>;
  close(): Promise<void>;
}

/** What pruning has taken away. */
export interface Pruned {
  readonly runs: number;
  readonly entries: number;
  readonly texts: number;
  /** By how many bytes the file has become smaller. */
  readonly freed: number;
  /** Why the room that is free now stays in the file, to be used again; null when it was given back or is little. */
  readonly unfreed: string | null;
}

export interface NewRun {
  readonly run: string;
  readonly name: string;
  readonly workflow: string;
  readonly at: number;
  /** What it is about, for lists; nothing unless given. */
  readonly brief?: string;
}

export interface Commit {
  readonly run: string;
  readonly lease: Lease;
  /** The sequence number the decision was made on. */
  readonly after: number;
  readonly at: number;
  readonly entries: readonly NewEntry[];
  readonly effects: readonly StoredEffect[];
  /** Keys of effects that are done. */
  readonly settled: readonly string[];
  /** Ids of letters that were taken. */
  readonly taken: readonly string[];
  readonly status: string;
  readonly finished: boolean;
  readonly summary: JsonRecord;
  /** When the run has something to do next by itself; null when only the world can move it. */
  readonly wakeAt: number | null;
}

export interface NewEntry {
  /** `input` for what the world told, else the kind of the event. */
  readonly kind: string;
  readonly data: JsonRecord;
}

export interface StoredEntry {
  readonly position: number;
  readonly run: string;
  readonly sequence: number;
  readonly at: number;
  readonly kind: string;
  /** Null once it was pruned. */
  readonly data: JsonRecord | null;
  readonly hash: string;
}

export interface StoredEffect {
  readonly key: string;
  readonly kind: string;
  readonly data: JsonRecord;
}

export interface Letter {
  readonly id: string;
  readonly run: string;
  readonly input: JsonRecord;
}

export interface Lease {
  readonly run: string;
  readonly worker: string;
  readonly fence: number;
  readonly until: number;
}

export interface RunRow {
  readonly run: string;
  readonly name: string;
  readonly workflow: string;
  readonly brief: string;
  readonly status: string;
  readonly finished: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly sequence: number;
  /** Something of its content was. */
  readonly isPruned: boolean;
  readonly wakeAt: number | null;
  readonly summary: JsonRecord;
  readonly lease: Lease | null;
}

export interface RunFilter {
  readonly status?: string;
  readonly unfinished?: boolean;
  readonly limit: number;
}

/** Which runs a list shows; what is absent lets everything through. */
export interface RunSearch {
  /** Where they stand, any of these; at least one. */
  readonly standings: readonly Standing[];
  readonly name?: string;
  /** Every word of it stands somewhere in the id, the name or the brief; short words only begin an id. */
  readonly text?: string;
  /** Begun then or later, and before. */
  readonly since?: number;
  readonly until?: number;
  /** The run after which the page begins. */
  readonly before?: string;
  readonly limit: number;
}

/** A status, and when something last happened: from (inclusive) and before. */
export interface Standing {
  readonly status: string;
  readonly updatedFrom?: number;
  readonly updatedBefore?: number;
}

export interface RunCounts {
  readonly byStatus: Readonly<Record<string, number>>;
  /** Of the running ones, those in which nothing happened since. */
  readonly stalled: number;
}

export type StoreErrorCode =
  | "lease-lost"
  | "conflict"
  | "no-such-run"
  | "no-such-fact"
  | "wrong-change"
  | "exists"
  | "disk-full"
  | "busy"
  | "damaged"
  | "unavailable";

/** The store could not do it; nothing was stored. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
