import type { AuditCounts, AuditReport, AuditVerdict } from "../views/audit-report.ts";
import { type FindingCollector, entriesIn } from "./findings.ts";
import type { ChainWalk, CheckpointWalk } from "./walk-log.ts";
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
  readonly checkpoints: CheckpointWalk;
  readonly rows: Pick<AuditCounts, "runs" | "letters" | "texts" | "workflows">;
  /** Null for an export, which holds no texts. */
  readonly prunedTexts: number | null;
  readonly trust: Trust;
}

export function composeReport(observations: AuditObservations): AuditReport {
  const { source, log, findings, chain, checkpoints, rows, prunedTexts, trust } = observations;
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

function verdictOf(findings: FindingCollector, { entries }: ChainWalk, covered: number): AuditVerdict {
  if (!findings.isEmpty) return "broken";
  if (entries === 0) return "empty";
  return covered > 0 ? "intact" : "unproven";
}

/** Part of every report, also of an intact log: a reader has to know the limits of the verdict. */
function notCovered(report: Omit<AuditReport, "notCovered">, checkpoints: CheckpointWalk, covered: number): string[] {
  return [...unsignedParts(report, checkpoints, covered), ...missingContents(report), ...outsideOf(report)];
}

function unsignedParts(
  { tail, verdict }: Omit<AuditReport, "notCovered">,
  { unsigned, unknownKeys, checkpoints }: CheckpointWalk,
  covered: number,
): string[] {
  const unknown = [...unknownKeys].join(", ");
  return [
    ...(verdict === "unproven" && checkpoints === 0 ? [NOTHING_SIGNED] : []),
    ...(unknown === "" ? [] : [unknownSigner(unknown)]),
    ...[...unsigned].map((why) => `Some checkpoints are unsigned: ${why}.`),
    ...(tail > 0 && covered > 0 ? [tailOf(tail, covered)] : []),
  ];
}

const NOTHING_SIGNED = "Nothing is signed: anyone with write access to the log could have rewritten all of it.";

function unknownSigner(keys: string): string {
  return `It is signed by ${keys}, which is not known here: get the public key from its owner (baton audit key), and give it with --key FILE.`;
}

function tailOf(tail: number, covered: number): string {
  return `After position ${covered}, ${entriesIn(tail)} ${tail === 1 ? "is" : "are"} covered by the hash chain only; \`baton audit head\` signs them.`;
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
    "Knowledge is kept in a separate file, which is not covered: `baton knowledge rebuild` learns it again from the log.",
  ];
}
