/**
 * The whole content of a log at one moment, for audits and exports.
 *
 * 1. All pages show the same moment, even while other processes write.
 * 2. Rows are returned as they are stored, even invalid ones: the reader judges them.
 * 3. Rows that cannot be read are reported by `damages`, or thrown as `damaged`.
 * 4. Pages are sorted by the number of their rows; `after` is the last number of the previous page, 0 for the first
 *    page.
 * 5. The numbers of runs have no gaps; those of letters, texts and workflows have none beyond `gapsThrough`.
 */
export interface LogSnapshot {
  /** Id of the log, created with it and never changed. */
  readonly log: string;
  /** Number of entries emptied by pruning, as counted by the log. */
  readonly pruned: number;
  /** Number of texts emptied by pruning, as counted by the log. */
  readonly prunedTexts: number;
  readonly counts: LogCounts;
  /**
   * Up to this number, numbers may be missing: a store for many hosts numbers without waiting for others, and a log that
   * was there keeps its numbers. There, a missing number is no sign that a row was removed. 0 where none may be missing,
   * infinite where any may.
   */
  readonly gapsThrough: Readonly<Record<NumberedTable, number>>;
  entries(after: number, limit: number): Promise<readonly AuditedEntry[]>;
  register(after: number, limit: number): Promise<readonly RegisterRow[]>;
  checkpoints(after: number, limit: number): Promise<readonly KeptCheckpoint[]>;
  runs(after: number, limit: number): Promise<readonly AuditedRun[]>;
  letters(after: number, limit: number): Promise<readonly AuditedMessage[]>;
  texts(after: number, limit: number): Promise<readonly AuditedText[]>;
  workflows(after: number, limit: number): Promise<readonly AuditedWorkflow[]>;
  /** Those of the hashes that no text has. */
  missingTexts(hashes: readonly string[]): Promise<ReadonlySet<string>>;
  hasWorkflow(hash: string): Promise<boolean>;
  /** Problems that the store finds in its file: damaged pages, a changed schema, orphaned rows. */
  damages(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Tables whose numbers can have gaps. */
export type NumberedTable = "letters" | "texts" | "workflows";

/** Number of rows of each kind. Where numbers have no gaps, this is also the last number. */
export interface LogCounts {
  readonly entries: number;
  readonly register: number;
  readonly checkpoints: number;
  readonly runs: number;
  readonly letters: number;
  readonly texts: number;
  readonly workflows: number;
}

export interface AuditedEntry {
  readonly position: number;
  /** Null when its run is missing. */
  readonly run: string | null;
  readonly sequence: number;
  readonly at: number;
  readonly kind: string;
  /** Canonical JSON; null once it was pruned. */
  readonly data: string | null;
  readonly dataHash: string;
  /** Digest of the run after the commit, on the last entry of each commit. Null on entries from before seals existed. */
  readonly seal: string | null;
  readonly hash: string;
  /** The last pruned sequence number of its run. */
  readonly emptied: number;
}

/** An entry of the register, the chain over all runs: the exact text that its hash covers. */
export interface RegisterRow {
  readonly number: number;
  readonly body: string;
  readonly hash: string;
}

/** A stored checkpoint: the exact bytes that were signed, and the signature in hex. */
export interface KeptCheckpoint {
  readonly number: number;
  readonly body: string;
  readonly signature: string | null;
}

export interface AuditedRun {
  readonly number: number;
  readonly run: string;
  readonly name: string;
  readonly workflow: string;
  readonly brief: string;
  readonly status: string;
  readonly finished: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly sequence: number;
  readonly emptied: number;
  readonly wakeAt: number | null;
  readonly dueAt: number | null;
  /** Canonical JSON. */
  readonly summary: string;
  /** Checksum of the data that the run was created with; null for runs from before it existed. */
  readonly mark: string | null;
  /** Where the chain of the run stands; null while it has no entry in a chain of its own (`audit/register.ts`). */
  readonly head: string | null;
  readonly effects: readonly AuditedEffect[];
  readonly hasLetters: boolean;
  /** Its last entry; null when it has none. */
  readonly last: { readonly position: number; readonly sequence: number; readonly seal: string | null } | null;
}

export interface AuditedEffect {
  readonly number: number;
  readonly key: string;
  readonly kind: string;
  /** Canonical JSON. */
  readonly data: string;
}

export interface AuditedMessage {
  readonly number: number;
  /** Null when its run is missing. */
  readonly run: string | null;
  readonly id: string;
  /** Canonical JSON; null once it was taken. */
  readonly input: string | null;
  readonly mark: string | null;
}

export interface AuditedText {
  readonly number: number;
  readonly hash: string;
  /** Null when it cannot be decompressed. */
  readonly text: string | null;
  /** The text and its hash were removed. It was pruned if the row is exactly what pruning leaves. */
  readonly isEmptied: boolean;
}

export interface AuditedWorkflow {
  readonly number: number;
  readonly hash: string;
  /** JSON, exactly as it was hashed. */
  readonly definition: string;
}
