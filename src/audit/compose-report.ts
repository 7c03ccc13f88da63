import type { Findings } from "./findings.ts";
import { entriesIn } from "./count-entries.ts";
import type { AuditCounts, AuditReport, AuditVerdict } from "./report.ts";
import type { Trust } from "./trust.ts";
import type { ChainWalk } from "./walk-chain.ts";
import type { CheckpointWalk } from "./walk-checkpoints.ts";

export interface Looked {
  readonly source: AuditReport["source"];
  readonly log: string | null;
  readonly findings: Findings;
  readonly chain: ChainWalk;
  readonly checkpoints: CheckpointWalk;
  readonly rows: Pick<AuditCounts, "runs" | "letters" | "texts" | "workflows">;
  /** Null where texts are not looked at. */
  readonly prunedTexts: number | null;
  readonly trust: Trust;
}

export function composeReport(looked: Looked): AuditReport {
  const { source, log, findings, chain, checkpoints, rows, prunedTexts, trust } = looked;
  const { proven } = checkpoints;
  const covered = Math.max(proven?.position ?? 0, findings.isEmpty ? (trust.head?.position ?? 0) : 0);
  const tail = Math.max(0, chain.head.position - covered);
  const [seen] = trust.seen;
  const report = {
    verdict: verdictOf(findings, chain, covered),
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
    head: chain.head,
    proven,
    tail,
    lastSeen: seen === undefined ? null : { position: seen.position, hash: seen.hash, at: seen.at },
    pruned: { runs: chain.prunedRuns.size, entries: chain.emptied, texts: prunedTexts },
    withheld: chain.withheld,
    masked: chain.masked,
    findings: findings.list,
    moreFindings: findings.more,
  };
  return { ...report, notCovered: notCovered(report, checkpoints, covered) };
}

function verdictOf(findings: Findings, { entries }: ChainWalk, covered: number): AuditVerdict {
  if (!findings.isEmpty) return "broken";
  if (entries === 0) return "empty";
  return covered > 0 ? "intact" : "unproven";
}

/** Said also when all is well: whoever relies on a verdict has to know where it ends. */
function notCovered(report: Omit<AuditReport, "notCovered">, checkpoints: CheckpointWalk, covered: number): string[] {
  return [...unsignedParts(report, checkpoints, covered), ...missingContents(report), ...outsideOf(report)];
}

function unsignedParts(
  { tail, verdict }: Omit<AuditReport, "notCovered">,
  { unsigned, unknownKeys, checkpoints }: CheckpointWalk,
  covered: number,
): string[] {
  const keys = [...unknownKeys].join(", ");
  return [
    ...(verdict === "unproven" && checkpoints === 0 ? [NOTHING_SIGNED] : []),
    ...(keys === "" ? [] : [unknownSigner(keys)]),
    ...[...unsigned].map((why) => `Some checkpoints are unsigned: ${why}.`),
    ...(tail > 0 && covered > 0 ? [tailOf(tail, covered)] : []),
  ];
}

const NOTHING_SIGNED = "Nothing is signed: whoever can write the log could have rewritten all of it.";

function unknownSigner(keys: string): string {
  return `The signatures are of ${keys}, which is not known here: get the public key from whoever signed (baton audit key), and give it with --key FILE.`;
}

function tailOf(tail: number, covered: number): string {
  return `What comes after position ${covered} (${entriesIn(tail)}) is held by the hash chain only; \`baton audit head\` signs it.`;
}

function missingContents({ pruned, withheld }: Omit<AuditReport, "notCovered">): string[] {
  const hashes = "only their hashes are proven";
  return [
    ...(pruned.entries > 0 ? [`The contents of ${entriesIn(pruned.entries)} were pruned: ${hashes}.`] : []),
    ...((pruned.texts ?? 0) > 0
      ? [`Texts that only they named were pruned (${pruned.texts}): nothing is left of them.`]
      : []),
    ...(withheld > 0 ? [`The contents of ${entriesIn(withheld)} were left out of the export: ${hashes}.`] : []),
  ];
}

function outsideOf({ source, lastSeen }: Omit<AuditReport, "notCovered">): string[] {
  if (source === "export")
    return [
      "What was cut off before the export was made: compare with a head that was kept elsewhere (--head).",
      "Texts of handoffs, workflows and letters: an export does not hold them.",
    ];
  return [
    ...(lastSeen === null
      ? ["Nothing was signed on this machine yet: an end that was cut off would not be seen."]
      : []),
    "Not part of the record: who works on a run now, and letters that a run has not taken in yet.",
    "Knowledge is kept in a file of its own, which is not covered: `baton knowledge rebuild` learns it again from the log.",
  ];
}
