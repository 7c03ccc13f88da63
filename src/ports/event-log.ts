import type { JsonRecord } from "../shared/json-value.ts";

/**
 * Where runs live: an append-only log with what belongs to it (mailbox, outbox, leases, texts).
 *
 * 1. `commit` stores all of it or nothing, and has resolved only when it is on the disk.
 * 2. `commit` is refused (`lease-lost`, `conflict`) unless the fence is that of the run's present lease
 *    and `after` is the run's last sequence number: two writers can never both be believed.
 * 3. Sequence numbers of a run are 1, 2, 3, ... without a gap; positions only grow.
 * 4. Each entry carries the hash of the entry before it, whichever run that belonged to.
 * 5. A letter with an id that was posted before is not posted again.
 * 6. A run has at most one live lease, and each new lease of a run has a greater fence.
 */
export interface EventLog {
  /** Makes a run known, leased to its maker. */
  create(run: NewRun, worker: string, until: number): Promise<Lease>;
  commit(commit: Commit): Promise<void>;
  entries(run: string, after?: number): Promise<StoredEntry[]>;
  /** All entries of all runs, by position, at most `limit`. */
  history(after: number, limit: number): Promise<StoredEntry[]>;

  run(id: string): Promise<RunRow | null>;
  /** Newest first. */
  runs(filter: RunFilter): Promise<RunRow[]>;

  /** Any process may post; whoever holds the lease takes. False when the id was posted before. */
  post(letter: Letter): Promise<boolean>;
  letters(run: string): Promise<Letter[]>;
  /** Effects that were stored and not settled yet, in order. */
  outbox(run: string): Promise<StoredEffect[]>;

  /** Leases this run if nobody else holds it. */
  claim(run: string, worker: string, now: number, until: number): Promise<Lease | null>;
  /** Leases up to `limit` unfinished runs that nobody holds and that have something to do: letters, effects or a due timer. */
  claimIdle(worker: string, now: number, until: number, limit: number): Promise<Lease[]>;
  /** Those of the leases that nobody else has taken since, even if they had run out. */
  renew(leases: readonly Lease[], until: number): Promise<Lease[]>;
  release(lease: Lease): Promise<void>;

  /** Kept by content: the name is the SHA-256 of the text. */
  putText(text: string): Promise<string>;
  text(hash: string): Promise<string | null>;
  /** The definition a run is pinned to, as JSON, by the hash of its file. */
  putWorkflow(hash: string, definition: JsonRecord): Promise<void>;
  workflow(hash: string): Promise<JsonRecord | null>;

  /** A copy that opens by itself. */
  backup(path: string): Promise<void>;
  /** Empties entries of runs that ended before; their hashes stay, so that the chain can still be checked. */
  prune(before: number): Promise<{ readonly runs: number; readonly entries: number }>;
  /** Recomputes the chain; null when it is whole. */
  findBreak(): Promise<{ readonly position: number; readonly message: string } | null>;
  close(): Promise<void>;
}

export interface NewRun {
  readonly run: string;
  readonly name: string;
  readonly workflow: string;
  readonly at: number;
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
  readonly status: string;
  readonly finished: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly sequence: number;
  readonly wakeAt: number | null;
  readonly summary: JsonRecord;
  readonly lease: Lease | null;
}

export interface RunFilter {
  readonly status?: string;
  readonly unfinished?: boolean;
  readonly limit: number;
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
