import type { AuditCounts, AuditReport, AuditVerdict } from "../views/audit-report.ts";
import { type FindingCollector, entriesIn } from "./findings.ts";
import type { CheckpointWalk } from "./walk-checkpoints.ts";
import type { ChainWalk } from "./walk-log.ts";
import type { RegisterWalk } from "./walk-register.ts";
import type { KnowledgeCheck } from "../ports/knowledge-store.ts";
import type { KnownKey, SeenHead } from "../ports/log-signer.ts";
import type { ChainHead } from "./hash-chain.ts";

/** What the verifier trusts: keys, and heads that were kept outside of the log. */
export interface Trust {
  readonly keys: readonly KnownKey[];
  readonly seen: readonly SeenHead[];
  /** A head given with --head. */
  readonly head?: ChainHead;
}

interface AuditObservations {
  readonly source: AuditReport["source"];
  readonly log: string | null;
  readonly findings: FindingCollector;
  readonly chain: ChainWalk;
  readonly register: RegisterWalk;
  readonly checkpoints: CheckpointWalk;
  readonly rows: Pick<AuditCounts, "runs" | "letters" | "texts" | "workflows">;
  /** Null for an export, which holds no texts. */
  readonly prunedTexts: number | null;
  readonly trust: Trust;
  /** Null when there is no knowledge; absent for an export. */
  readonly knowledge?: KnowledgeCheck | null;
}

export function composeReport(observations: AuditObservations): AuditReport {
  const { source, log, findings, chain, register, checkpoints, rows, prunedTexts, trust } = observations;
  const { proven } = checkpoints;
  const covered = Math.max(proven?.position ?? 0, findings.isEmpty ? (trust.head?.position ?? 0) : 0);
  const tail = Math.max(0, chain.position - covered);
  const [seen] = trust.seen;
  const isProven = proven !== null || trust.head !== undefined;
  const report = {
    verdict: verdictOf(findings, chain.entries + register.entries, isProven),
    source,
    log,
    counts: {
      entries: chain.entries,
      checkpoints: checkpoints.checkpoints,
      signed: checkpoints.signed,
      runs: rows.runs,
      letters: rows.letters,
      texts: rows.texts,
      workflows: rows.workflows,
    },
    head: checkpoints.lastHead ?? headWithout(chain, register),
    proven,
    tail,
    lastSeen: seen === undefined ? null : { position: seen.position, hash: seen.hash, at: seen.at },
    pruned: { runs: chain.prunedRuns.size, entries: chain.emptied, texts: prunedTexts },
    withheld: chain.withheld,
    masked: chain.masked,
    findings: findings.list,
    moreFindings: findings.more,
  };
  const beside = [...registerTail(register, checkpoints), ...unsignedKnowledge(observations.knowledge ?? null)];
  return { ...report, notCovered: notCovered(report, checkpoints, covered, beside) };
}

function verdictOf(findings: FindingCollector, entries: number, isProven: boolean): AuditVerdict {
  if (!findings.isEmpty) return "broken";
  if (entries === 0) return "empty";
  return isProven ? "intact" : "unproven";
}

/** A log without a checkpoint. */
function headWithout({ old, position }: ChainWalk, { head, entries }: RegisterWalk): ChainHead {
  return entries === 0 ? old : { position, hash: head.hash };
}

/** Part of every report, also of an intact log: a reader has to know the limits of the verdict. */
function notCovered(
  report: Omit<AuditReport, "notCovered">,
  checkpoints: CheckpointWalk,
  covered: number,
  beside: readonly string[],
): string[] {
  return [...unsignedParts(report, checkpoints, covered), ...beside, ...missingContents(report), ...outsideOf(report)];
}

function unsignedKnowledge(knowledge: KnowledgeCheck | null): string[] {
  if (knowledge === null || knowledge.isSigned) return [];
  return ["No change of the knowledge is signed yet: one that was made before the first signature is not noticed."];
}

/** What the register tells after the last trusted signature. */
function registerTail({ head }: RegisterWalk, { provenBody }: CheckpointWalk): string[] {
  if (provenBody === null) return [];
  const tail = head.number - (provenBody.version === 2 ? provenBody.register.number : 0);
  if (tail <= 0) return [];
  const what = tail === 1 ? "1 entry of the register is" : `${tail} entries of the register are`;
  return [`${what} not signed yet: that runs were created, have ended or were pruned. \`baton audit head\` signs it.`];
}

function unsignedParts(
  { tail, verdict, pruned }: Omit<AuditReport, "notCovered">,
  { unsigned, unknownKeys, checkpoints }: CheckpointWalk,
  covered: number,
): string[] {
  const unknown = [...unknownKeys].join(", ");
  return [
    ...(verdict === "unproven" && checkpoints === 0 ? [NOTHING_SIGNED] : []),
    ...(unknown === "" ? [] : [unknownSigner(unknown)]),
    ...[...unsigned].map((why) => `Some checkpoints are unsigned: ${why}.`),
    ...(tail > 0 && covered > 0 ? [tailOf(tail, covered)] : []),
    ...(verdict === "unproven" && pruned.entries > 0 ? [PRUNED_UNSIGNED] : []),
  ];
}

const NOTHING_SIGNED = "Nothing is signed: anyone with write access to the log could have rewritten all of it.";

const PRUNED_UNSIGNED = "No signature confirms that what is empty was pruned.";

function unknownSigner(keys: string): string {
  return `It is signed by ${keys}, which is not known here: get the public key from its owner (baton audit key), and give it with --key FILE.`;
}

function tailOf(tail: number, covered: number): string {
  return `After position ${covered}, ${entriesIn(tail)} ${tail === 1 ? "is" : "are"} covered by the hash chains only; \`baton audit head\` signs them.`;
}

function missingContents({ pruned, withheld }: Omit<AuditReport, "notCovered">): string[] {
  const hashes = "only their hashes are proven";
  return [
    ...(pruned.entries > 0 ? [`The data of ${entriesIn(pruned.entries)} were pruned: ${hashes}.`] : []),
    ...((pruned.texts ?? 0) > 0
      ? [`Texts that only pruned entries used were pruned (${pruned.texts}): nothing is left of them.`]
      : []),
    ...(withheld > 0 ? [`The data of ${entriesIn(withheld)} were left out of the export: ${hashes}.`] : []),
  ];
}

function outsideOf({ source, lastSeen }: Omit<AuditReport, "notCovered">): string[] {
  if (source === "export")
    return [
      "Entries that were removed before the export was made: compare with a head that was kept elsewhere (--head).",
      "Texts of handoffs, workflows and inbox messages: an export does not hold them.",
    ];
  return [
    ...(lastSeen === null
      ? ["Nothing was signed on this machine yet: a log whose end was removed would not be noticed."]
      : []),
    "Not covered by the chain: leases of runs, and inbox messages that a run has not taken yet.",
  ];
}
