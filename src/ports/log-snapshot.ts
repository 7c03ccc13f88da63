/**
 * Everything that a log keeps, as it stood at one moment, for whoever checks or exports it.
 *
 * 1. All pages are of the same moment, also while others write.
 * 2. Rows are given as they are kept, also wrong ones: to judge them is the reader's part.
 * 3. What is not even a row any more is told by `damages`, or thrown as `damaged`.
 * 4. Pages come in the order of what they are numbered by; `after` is the last one of the page before, 0 for the first.
 */
export interface LogSnapshot {
  /** Made with the log, the same for ever. */
  readonly log: string;
  /** How many entries were emptied by pruning, as the log has counted them. */
  readonly pruned: number;
  /** How many texts were emptied, as the log has counted them. */
  readonly prunedTexts: number;
  readonly counts: LogCounts;
  entries(after: number, limit: number): readonly AuditedEntry[];
  checkpoints(after: number, limit: number): readonly KeptCheckpoint[];
  runs(after: number, limit: number): readonly AuditedRun[];
  letters(after: number, limit: number): readonly AuditedLetter[];
  texts(after: number, limit: number): readonly AuditedText[];
  workflows(after: number, limit: number): readonly AuditedWorkflow[];
  hasText(hash: string): boolean;
  hasWorkflow(hash: string): boolean;
  /** What the store itself finds wrong with its file: broken pages, a changed schema, rows of nobody. */
  damages(): readonly string[];
  close(): void;
}

/** How many rows there are, and by what they are numbered without a gap. */
export interface LogCounts {
  readonly entries: number;
  readonly checkpoints: number;
  readonly runs: number;
  readonly letters: number;
  readonly texts: number;
  readonly workflows: number;
}

export interface AuditedEntry {
  readonly position: number;
  /** Null when its run is not there. */
  readonly run: string | null;
  readonly sequence: number;
  readonly at: number;
  readonly kind: string;
  /** Canonical JSON; null once it was emptied. */
  readonly data: string | null;
  readonly dataHash: string;
  /** Of the run as its commit left it; on the last entry of each commit. Null on entries from before there were seals. */
  readonly seal: string | null;
  readonly hash: string;
  /** The last sequence number of its run that was pruned. */
  readonly emptied: number;
}

/** A checkpoint as it is kept: what was signed, byte for byte, and the signature in hex. */
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
  /** What its maker wrote of it; null for runs from before that. */
  readonly mark: string | null;
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

export interface AuditedLetter {
  readonly number: number;
  /** Null when its run is not there. */
  readonly run: string | null;
  readonly id: string;
  /** Canonical JSON; null once it was taken. */
  readonly input: string | null;
  readonly mark: string | null;
}

export interface AuditedText {
  readonly number: number;
  readonly hash: string;
  /** Null when it cannot be unpacked. */
  readonly text: string | null;
  /** Nothing of it is there, not even its hash: it was pruned, if what stands there is what pruning leaves. */
  readonly isEmptied: boolean;
}

export interface AuditedWorkflow {
  readonly number: number;
  readonly hash: string;
  /** JSON, as it was hashed. */
  readonly definition: string;
}
