import type { JsonRecord } from "../shared/json-value.ts";
import type { KeptCheckpoint, LogSnapshot } from "./log-snapshot.ts";

/**
 * The store of runs: an append-only log with its inbox, outbox, leases and texts.
 *
 * 1. `commit` is atomic, and resolves only when everything is on disk.
 * 2. `commit` is refused (`lease-lost`, `conflict`) unless the fence is that of the run's present lease and `after` is
 *    the run's last sequence number: of two writers at most one can succeed.
 * 3. Sequence numbers of a run are 1, 2, 3, ... without a gap; positions only grow.
 * 4. Each run has a hash chain: an entry carries the hash of the entry of its run before it. One register, a chain over
 *    all runs, has an entry for the creation of each run, with which the chain of the run begins, for each end of a run
 *    with its head, and for what was pruned (`audit/register.ts`). An entry of the register and what it tells of are one
 *    transaction. The last entry of a commit also carries a seal, the digest of the run after the commit; a commit
 *    without entries leaves the run without a valid seal.
 * 5. An inbox message with an id that was posted before is not posted again.
 * 6. A run has at most one live lease, and each new lease of a run has a greater fence.
 * 7. Writes that are requested one right after the other, without waiting in between, reach the disk in that order, and
 *    up to a commit all at once, unless one of them is refused.
 */
export interface EventLog {
  /** Creates a run and leases it to its creator. */
  create(run: NewRun, worker: string, until: number): Promise<Lease>;
  commit(commit: Commit): Promise<void>;
  /** Entries after this sequence number; all of them unless there is a limit. */
  entries(run: string, after?: number, limit?: number): Promise<StoredEntry[]>;
  /** All entries of all runs, or of one, by position, at most `limit`. */
  history(after: number, limit: number, run?: string): Promise<StoredEntry[]>;
  /** The last position; 0 for an empty log. */
  lastPosition(): Promise<number>;
  /** How many entries were emptied so far. Pruning does not change the last position. */
  prunedEntries(): Promise<number>;

  run(id: string): Promise<RunRow | null>;
  /** Runs whose ids start with this text, sorted by id. */
  runsFrom(beginning: string, limit: number): Promise<RunRow[]>;
  /** Newest first. */
  runs(filter: RunFilter): Promise<RunRow[]>;
  /** A page of runs, newest first. Its cost does not grow with the runs that are not on the page. */
  findRuns(search: RunSearch): Promise<RunRow[]>;
  countRuns(search: Omit<RunSearch, "statusFilters" | "before" | "limit">, stalledBefore: number): Promise<RunCounts>;
  /** Names of all workflows with runs, sorted. */
  runNames(): Promise<string[]>;

  /** Any process may post; the process that holds the lease takes the messages. False when the id was posted before. */
  postMessage(message: InboxMessage): Promise<boolean>;
  messages(run: string): Promise<InboxMessage[]>;
  /** Effects that are stored and not settled, in order. */
  outbox(run: string): Promise<StoredEffect[]>;

  /** Leases this run unless another worker holds it. */
  acquire(run: string, worker: string, now: number, until: number): Promise<Lease | null>;
  /**
   * Leases up to `limit` unfinished runs without a lease that have something to do: inbox messages, effects or a due
   * timer.
   */
  acquireIdle(worker: string, now: number, until: number, limit: number): Promise<Lease[]>;
  /** The same runs without leasing them, the longest waiting first. */
  idleRuns(now: number, limit: number): Promise<string[]>;
  /** Returns the leases that no other worker has acquired since, even if they had expired. */
  renew(leases: readonly Lease[], until: number): Promise<Lease[]>;
  release(lease: Lease): Promise<void>;

  /**
   * Stores a text under its SHA-256. A text is kept while an entry, a message or an effect refers to it, so it must be
   * put right before the commit that refers to it, without waiting in between.
   */
  putText(text: string): Promise<string>;
  text(hash: string): Promise<string | null>;
  /** The definition that a run is pinned to, as JSON, by the hash of its file. */
  putWorkflow(hash: string, definition: JsonRecord): Promise<void>;
  workflow(hash: string): Promise<JsonRecord | null>;

  /** Writes a complete copy of the log. */
  backup(path: string): Promise<void>;
  /**
   * Empties entries of runs that ended before this time; their hashes stay, so that the chain can still be verified.
   * Then it empties texts to which no kept entry, inbox message or effect refers.
   */
  prune(before: number): Promise<Pruned>;
  /**
   * Signs the register and the heads of runs that have changed since, unless that was done already; null while the log
   * is empty. The log does this by itself when a run ends or waits for a person, every few hundred entries, after it has
   * pruned, and when it is closed. Pruning that no signature confirms is signed only where `accepts` says so.
   */
  checkpoint(options?: { readonly accepts?: boolean }): Promise<KeptCheckpoint | null>;
  /** A consistent view of everything in the log, for audits and exports. */
  snapshot(): Promise<LogSnapshot>;
  /** Recomputes all hash chains; null when they are intact. */
  findBreak(): Promise<{ readonly position: number; readonly message: string } | null>;
  close(): Promise<void>;
}

/** What pruning removed. */
export interface Pruned {
  readonly runs: number;
  readonly entries: number;
  readonly texts: number;
  /** By how many bytes the file shrank. */
  readonly freed: number;
  /** Why free space stays in the file for reuse; null when it was returned or is small. */
  readonly unfreed: string | null;
}

export interface NewRun {
  readonly run: string;
  readonly name: string;
  readonly workflow: string;
  readonly at: number;
  /** What the run is about, for lists. */
  readonly brief?: string;
}

export interface Commit {
  readonly run: string;
  readonly lease: Lease;
  /** The sequence number that the decision is based on. */
  readonly after: number;
  readonly at: number;
  readonly entries: readonly NewEntry[];
  readonly effects: readonly StoredEffect[];
  /** Keys of effects that are done. */
  readonly settled: readonly string[];
  /** Ids of inbox messages that were taken. */
  readonly taken: readonly string[];
  readonly status: string;
  readonly finished: boolean;
  readonly summary: JsonRecord;
  /** When the run has something to do by itself; null when it waits for an input. */
  readonly wakeAt: number | null;
}

export interface NewEntry {
  /** `input` for an input, else the kind of the event. */
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

export interface InboxMessage {
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
  /** True when some of its content was pruned. */
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

/** Selects runs for a list; an absent field selects all. */
export interface RunSearch {
  /** Matches runs with any of these; at least one is required. */
  readonly statusFilters: readonly RunStatusFilter[];
  readonly name?: string;
  /** Every word must occur in the id, the name or the brief; short words match only the start of an id. */
  readonly text?: string;
  /** Started at or after `since`, and before `until`. */
  readonly since?: number;
  readonly until?: number;
  /** The run after which the page starts. */
  readonly before?: string;
  readonly limit: number;
}

/** A status, and the time of the last event: from (inclusive) and before. */
export interface RunStatusFilter {
  readonly status: string;
  readonly updatedFrom?: number;
  readonly updatedBefore?: number;
}

export interface RunCounts {
  readonly byStatus: Readonly<Record<string, number>>;
  /** Running runs without an event since the given time. */
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
  | "gone"
  | "moved"
  | "unavailable"
  | "old-node";

/** The store failed to do it; nothing was stored. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** What helps, where this store knows better than what helps in general. */
  readonly hint: string | undefined;

  constructor(code: StoreErrorCode, message: string, options: ErrorOptions & { readonly hint?: string } = {}) {
    super(message, options);
    this.code = code;
    this.hint = options.hint;
  }
}
