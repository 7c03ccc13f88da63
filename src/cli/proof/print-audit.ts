import type { AuditHead } from "../../runtime/operations/audit-head.ts";
import type { AuditFinding, AuditReport } from "../../runtime/operations/verify-audit.ts";
import { printable } from "../../shared/printable.ts";
import { count } from "../formats/report.ts";
import { paint } from "../paint.ts";

/** The verdict first, then what is wrong and where, then what nobody can tell. */
export function printAudit(report: AuditReport, colour: boolean): string {
  const { verdict, findings, moreFindings, notCovered } = report;
  const tone = verdict === "intact" ? "good" : verdict === "broken" ? "bad" : "warning";
  return [
    `${paint(verdict, tone, colour)}: ${VERDICTS[verdict]}`,
    "",
    ...figuresOf(report).map(([name, value]) => `  ${name.padEnd(10)} ${printable(value)}`),
    "",
    ...findings.flatMap((finding) => printFinding(finding, colour)),
    ...(moreFindings > 0 ? [`and ${moreFindings} more`, ""] : []),
    ...(notCovered.length > 0 ? ["Not covered:", ...notCovered.map((line) => `  - ${printable(line)}`)] : []),
  ]
    .join("\n")
    .trimEnd()
    .concat("\n");
}

const VERDICTS: Readonly<Record<AuditReport["verdict"], string>> = {
  intact: "everything is as it was written.",
  unproven: "nothing is wrong in itself, but nobody whose key is known here vouches for it.",
  broken: "this is not what was written.",
};

function figuresOf({ counts, head, proven, lastSeen, masked, log, source }: AuditReport): [string, string][] {
  const { entries, runs, checkpoints, signed, texts } = counts;
  // An export has none: that says nothing about the log.
  const kept = source === "export" ? "" : `; ${count(texts, "text")}`;
  const kinds = Object.entries(masked).map(([kind, times]) => `${times} x ${kind}`);
  return [
    ["log", log ?? "unknown"],
    ["entries", `${entries} of ${count(runs, "run")}${kept}`],
    ["head", `${head.hash}@${head.position}`],
    ["signed", `${signed} of ${checkpoints} checkpoints`],
    ["proven to", proven === null ? "nowhere" : `${proven.position}, signed ${timeOf(proven.at)} by ${proven.keyId}`],
    ...(lastSeen === null ? [] : [["last seen", `${lastSeen.position}, ${timeOf(lastSeen.at)}`] as [string, string]]),
    ...(kinds.length === 0 ? [] : [["masked", kinds.join(", ")] as [string, string]]),
  ];
}

function printFinding({ code, message, meaning, remedy, ...where }: AuditFinding, colour: boolean): string[] {
  return [
    `${paint(code, "bad", colour)} ${printable(placeOf(where))}: ${printable(message)}`,
    `    means  ${meaning}`,
    `    do     ${remedy}`,
    "",
  ];
}

function placeOf({
  position,
  run,
  sequence,
  row,
}: Pick<AuditFinding, "position" | "run" | "sequence" | "row">): string {
  const parts = [
    ...(position === null ? [] : [`position ${position}`]),
    ...(run === null ? [] : [`run ${run}${sequence === null ? "" : `, entry ${sequence}`}`]),
    ...(row === null ? [] : [row]),
  ];
  return parts.length === 0 ? "in the file" : `at ${parts.join(", ")}`;
}

/** One line, for an artefact of CI: what `--head` takes comes first. */
export function printHead({ position, hash, at, keyId, signature, unsigned }: AuditHead): string {
  const signed = signature === null ? `unsigned (${printable(unsigned ?? "")})` : `${keyId ?? ""} ${signature}`;
  return `${hash}@${position} ${timeOf(at)} ${signed}\n`;
}

function timeOf(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}
