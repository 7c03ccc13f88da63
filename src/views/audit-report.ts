import { type Infer, data } from "../protocol/shape.ts";
import { entryPlaceShape } from "./event-line.ts";

/**
 * - `intact`: no problem was found, and a signature that is trusted here covers all of the log but its tail.
 * - `unproven`: no problem was found, but no trusted key has signed the log.
 * - `broken`: something was changed, removed or inserted.
 * - `empty`: no problem was found, and the log has nothing to verify.
 */
const AUDIT_VERDICTS = ["intact", "unproven", "broken", "empty"] as const;
export type AuditVerdict = (typeof AUDIT_VERDICTS)[number];

const auditCountsShape = data.record({
  entries: data.count(),
  runs: data.count(),
  checkpoints: data.count(),
  signed: data.count(),
  /** These three are null when they were not checked: an export does not contain them. */
  texts: data.nullable(data.count()),
  workflows: data.nullable(data.count()),
  letters: data.nullable(data.count()),
});
export type AuditCounts = Infer<typeof auditCountsShape>;

const auditProofShape = data.record({
  checkpoint: data.count(),
  position: data.count(),
  hash: data.text(),
  at: data.count(),
  keyId: data.text(),
  /** Why this key is trusted: it is this machine's own key, the operator keeps it, or it was given for this check. */
  whose: data.oneOf(["own", "kept", "given"]),
  /** The file of the key; null for the own one. */
  keyFile: data.nullable(data.text()),
});
export type AuditProof = Infer<typeof auditProofShape>;

export type AuditFindingCode =
  | "damaged-file"
  | "entry-changed"
  | "entry-missing"
  | "entry-emptied"
  | "register-changed"
  | "register-missing"
  | "checkpoint-changed"
  | "checkpoint-missing"
  | "checkpoint-unsigned"
  | "wrong-signature"
  | "unknown-key"
  | "cut-off"
  | "replaced"
  | "wrong-head"
  | "run-changed"
  | "run-added"
  | "run-missing"
  | "text-changed"
  | "text-missing"
  | "workflow-changed"
  | "workflow-missing"
  | "letter-changed"
  | "letter-missing"
  | "pruned-unsigned"
  | "knowledge-changed"
  | "export-changed"
  | "export-cut-off";

const auditFindingShape = data.record({
  code: data.word<AuditFindingCode>(),
  message: data.text(),
  /** Position of the first entry concerned; null when it is not known. */
  position: data.nullable(data.count()),
  run: data.nullable(data.text()),
  sequence: data.nullable(data.count()),
  /** Another row that the finding is about: `checkpoint 3` or `text 12`. */
  row: data.nullable(data.text()),
  meaning: data.text(),
  remedy: data.text(),
});
/** One problem and its place. */
export type AuditFinding = Infer<typeof auditFindingShape>;

export const auditReportShape = data.record({
  verdict: data.oneOf(AUDIT_VERDICTS),
  /** What was checked: the log of this repository, or an exported file. */
  source: data.oneOf(["log", "export"]),
  log: data.nullable(data.text()),
  counts: auditCountsShape,
  /** What `--head` takes: how far the log reaches, and the hash of the last checkpoint; of logs of older versions that of the last entry. */
  head: data.record({ position: data.count(), hash: data.text() }),
  /** The newest checkpoint with a signature that is trusted here. */
  proven: data.nullable(auditProofShape),
  /** Number of entries after it, which no signature covers. */
  tail: data.count(),
  /** The last head that this machine signed, remembered outside of the log. */
  lastSeen: data.nullable(data.record({ position: data.count(), hash: data.text(), at: data.count() })),
  /** `texts` is null when texts were not checked. */
  pruned: data.record({ runs: data.count(), entries: data.count(), texts: data.nullable(data.count()) }),
  /** Entries of an export whose contents were left out. */
  withheld: data.count(),
  /** Masked secrets by kind. Agents can write such marks as well. */
  masked: data.map(data.count()),
  /** The first findings; `moreFindings` counts the rest. */
  findings: data.list(auditFindingShape),
  moreFindings: data.count(),
  /** What this verdict does not cover, in sentences. */
  notCovered: data.list(data.text()),
});
export type AuditReport = Infer<typeof auditReportShape>;

export const auditListShape = data.record({
  entries: data.list(data.extend(entryPlaceShape, { hash: data.sha256(), is_pruned: data.boolean() })),
  /** The value of `after` for the next page; null on the last page. */
  next: data.nullable(data.count()),
});
/** The log as the audit page lists it. */
export type AuditList = Infer<typeof auditListShape>;
