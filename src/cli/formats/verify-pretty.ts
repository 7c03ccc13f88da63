import type { GateRun } from "../../runtime/operations/verify-gates.ts";
import type { PlacedJudgement, Verdict } from "../../runtime/operations/verify-files.ts";
import { defuseLines, defuseLogCommands, printable } from "../../shared/printable.ts";
import { MARKS, paint, printDuration } from "../paint.ts";
import { count } from "./report.ts";
import { type VerifyReport, describeVerifySummary, isRefused, summariseVerification } from "./verify-report.ts";

export interface VerifyPrettyOptions {
  readonly colour: boolean;
  /** List every claim, also those that were confirmed. */
  readonly all: boolean;
}

type Tone = "good" | "bad" | "warning" | "quiet";

interface Row {
  readonly path: string;
  readonly claim: PlacedJudgement;
}

/** For people: what is not true first, with what was seen instead, then what nobody could see, then a sum. */
export function formatVerifyPretty(report: VerifyReport, options: VerifyPrettyOptions): string {
  const { verification, strict } = report;
  const lines: string[] = [];
  if (verification !== null) {
    lines.push(`compared with ${printable(verification.base)}`);
    for (const gate of verification.gates) lines.push(...gateLines(gate, options));
    // Why it is compared with this commit was said once.
    const [base = ""] = verification.base.split(" (");
    const brief = (claim: PlacedJudgement): PlacedJudgement => ({
      ...claim,
      procedure: claim.procedure.replace(verification.base, () => base),
    });
    const rows = verification.handoffs.flatMap(({ path, claims }) =>
      claims.map((claim) => ({ path, claim: brief(claim) })),
    );
    lines.push(...groupLines("refuted", rows, strict, options), ...groupLines("unverifiable", rows, strict, options));
    lines.push(...groupLines("confirmed", rows, strict, options), "");
  }
  lines.push(describeVerifySummary(summariseVerification(report)), "");
  return defuseLines(lines);
}

function gateLines(gate: GateRun, { colour }: VerifyPrettyOptions): string[] {
  const { passed, message, milliseconds, figures, output } = gate;
  const mark = paint(passed ? MARKS.good : MARKS.bad, passed ? "good" : "bad", colour);
  const verdict = `gate ${printable(gate.gate)} ${passed ? "passed" : "failed"} (${printable(message)})`;
  const remarks = [
    ...(figures?.sources ?? []).map((source) => `read ${source}`),
    ...(figures?.problems ?? []).map((problem) => `not usable: ${problem}`),
    ...(passed ? [] : output.trimEnd().split("\n").slice(-SHOWN_OUTPUT)),
  ];
  return [
    `${mark} ${verdict} ${paint(printDuration(milliseconds), "quiet", colour)}`,
    ...remarks.map((remark) => paint(`    ${printable(remark)}`, "quiet", colour)),
  ];
}

/** Lines of the output of a gate that failed. */
const SHOWN_OUTPUT = 10;

/** How many claims are listed one by one without --all. */
const MOST_LISTED: Readonly<Record<Verdict, number>> = { refuted: 50, unverifiable: 15, confirmed: 0 };

function groupLines(
  verdict: Verdict,
  rows: readonly Row[],
  strict: boolean,
  { colour, all }: VerifyPrettyOptions,
): string[] {
  const group = rows
    .filter(({ claim }) => claim.verdict === verdict)
    .sort((left, right) => rank(left, strict) - rank(right, strict));
  if (group.length === 0) return [];
  const shown = all ? group : group.slice(0, MOST_LISTED[verdict]);
  const rest = group.length - shown.length;
  const more = shown.length === 0 ? count(rest, "claim") : `and ${rest} more`;
  return [
    "",
    paint(`${verdict} (${group.length})`, "plain", colour),
    ...shown.flatMap((row) => claimLines(row, strict, colour)),
    ...(rest === 0 ? [] : [paint(`  ${more}; --all lists them`, "quiet", colour)]),
  ];
}

/** Refused ones first. */
function rank({ claim }: Row, strict: boolean): number {
  return isRefused(claim, strict) ? 0 : 1;
}

function claimLines({ path, claim }: Row, strict: boolean, colour: boolean): string[] {
  const tone = toneOf(claim, strict);
  const { kind, says, procedure, evidence, range, verdict } = claim;
  // Defused before it is painted: afterwards the line no longer begins with the path.
  const place = defuseLogCommands(`${printable(path)}:${range.start.line}`);
  const first = `  ${paint(MARK_OF[tone], tone, colour)} ${place}  ${kind}: ${printable(says)}`;
  const second = `      ${printable(evidence)}  ${paint(`[${printable(procedure)}]`, "quiet", colour)}`;
  return verdict === "confirmed" ? [first, paint(`      ${printable(procedure)}`, "quiet", colour)] : [first, second];
}

const MARK_OF: Readonly<Record<Tone, string>> = {
  good: MARKS.good,
  bad: MARKS.bad,
  warning: MARKS.warning,
  quiet: "?",
};

function toneOf(claim: PlacedJudgement, strict: boolean): Tone {
  if (claim.verdict === "confirmed") return "good";
  if (claim.verdict === "unverifiable") return "quiet";
  return isRefused(claim, strict) ? "bad" : "warning";
}
