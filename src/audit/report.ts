/**
 * - `intact`: nothing is wrong, and a signature that is believed here covers the log but for its tail.
 * - `unproven`: nothing is wrong in itself, but nobody whose key is known vouches for it.
 * - `broken`: something was changed, taken away or put in.
 * - `empty`: nothing is wrong, and there is no entry that could be verified.
 */
export type AuditVerdict = "intact" | "unproven" | "broken" | "empty";

export interface AuditReport {
  readonly verdict: AuditVerdict;
  /** What was looked at: the log of this repository, or an exported file. */
  readonly source: "log" | "export";
  readonly log: string | null;
  readonly counts: AuditCounts;
  /** The last entry of the chain; position 0 when there is none. */
  readonly head: { readonly position: number; readonly hash: string };
  /** The newest checkpoint with a signature that is believed here. */
  readonly proven: AuditProof | null;
  /** Entries after it: a forger could have changed or cut them off. */
  readonly tail: number;
  /** What was signed last on this machine, outside of the log. */
  readonly lastSeen: { readonly position: number; readonly hash: string; readonly at: number } | null;
  /** Texts are null where they are not looked at. */
  readonly pruned: { readonly runs: number; readonly entries: number; readonly texts: number | null };
  /** Entries of an export whose contents were left out. */
  readonly withheld: number;
  /** Masked secrets by kind. Agents can write such marks, too. */
  readonly masked: Readonly<Record<string, number>>;
  /** At most `MOST_FINDINGS`. */
  readonly findings: readonly AuditFinding[];
  readonly moreFindings: number;
  /** What this verdict does not cover, in sentences. */
  readonly notCovered: readonly string[];
}

export const MOST_FINDINGS = 50;

export interface AuditCounts {
  readonly entries: number;
  readonly runs: number;
  readonly checkpoints: number;
  readonly signed: number;
  /** These three are null where they are not looked at: an export does not hold them. */
  readonly texts: number | null;
  readonly workflows: number | null;
  readonly letters: number | null;
}

export interface AuditProof {
  readonly checkpoint: number;
  readonly position: number;
  readonly hash: string;
  readonly at: number;
  readonly keyId: string;
  /** Why this key is believed: this machine signs with it, its operator keeps it, or it was given for this time. */
  readonly whose: "own" | "kept" | "given";
  /** The file of the key; null for the own one. */
  readonly keyFile: string | null;
}

/** One thing that is wrong, and where. */
export interface AuditFinding {
  readonly code: AuditFindingCode;
  /** What is wrong. */
  readonly message: string;
  /** Where: of the first entry concerned, as far as it is known. */
  readonly position: number | null;
  readonly run: string | null;
  readonly sequence: number | null;
  /** Which other row it is about, `checkpoint 3` or `text 12`. */
  readonly row: string | null;
  readonly meaning: string;
  readonly remedy: string;
}

export type AuditFindingCode =
  | "damaged-file"
  | "entry-changed"
  | "entry-missing"
  | "entry-emptied"
  | "checkpoint-changed"
  | "checkpoint-missing"
  | "wrong-signature"
  | "unknown-key"
  | "cut-off"
  | "replaced"
  | "wrong-head"
  | "run-changed"
  | "run-missing"
  | "text-changed"
  | "text-missing"
  | "workflow-changed"
  | "workflow-missing"
  | "letter-changed"
  | "letter-missing"
  | "pruned-unsigned"
  | "export-changed"
  | "export-cut-off";
