import type { Verdict } from "../../runtime/operations/verify-files.ts";
import { count } from "../../shared/count.ts";
import { defuseLines, defuseLogCommands, printable } from "../../shared/printable.ts";
import { wrapWords } from "../fit-text.ts";
import { MARKS, paint, printDuration } from "../paint.ts";
import {
  describeReport,
  type FormatOptions,
  type Report,
  type ReportedClaim,
  type ReportedGate,
  type VerifyDetails,
} from "./report.ts";

type ClaimStyle = Pick<FormatOptions, "colour" | "width" | "all">;

type Tone = "good" | "bad" | "warning" | "quiet";

interface Row {
  readonly path: string;
  readonly claim: ReportedClaim;
}

/** For people: refuted claims first, with what was found instead, then unverifiable ones, then a summary. */
export function formatClaims(report: Report, verified: VerifyDetails, style: ClaimStyle): string {
  const lines: string[] = [];
  const { base, gates, handoffs } = verified;
  if (base !== null) {
    lines.push(...wrapWords(`compared with ${printable(base.name)}`, style.width));
    for (const gate of gates) lines.push(...gateLines(gate, style));
    // Why it is compared with this commit was said once.
    const [short = ""] = base.name.split(" (");
    const rows = handoffs.flatMap(({ path, claims }) =>
      claims.map((claim) => ({
        path,
        claim: { ...claim, procedure: claim.procedure.replace(base.name, () => short) },
      })),
    );
    lines.push(...groupLines("refuted", rows, style), ...adviceLines(verified, style));
    lines.push(...groupLines("unverifiable", rows, style), ...groupLines("confirmed", rows, style));
    lines.push(...withoutClaimsLines(verified, style), "");
  }
  lines.push(...wrapWords(describeReport(report), style.width), "");
  return defuseLines(lines);
}

function adviceLines({ baseAdvice }: VerifyDetails, style: ClaimStyle): string[] {
  return baseAdvice === null ? [] : indented(baseAdvice, 2, style);
}

/** Handoffs without claims: a run without findings is no check of them. */
function withoutClaimsLines({ withoutClaims }: VerifyDetails, style: ClaimStyle): string[] {
  if (withoutClaims.length === 0) return [];
  const lines = withoutClaims.flatMap((path) =>
    markedLines(MARKS.warning, "warning", `${printable(path)}  claims nothing that could be checked`, style),
  );
  return ["", ...lines];
}

/** A mark, and words beside it that go on below themselves. */
function markedLines(mark: string, tone: Tone, words: string, { colour, width }: ClaimStyle): string[] {
  // Defused before it is painted: afterwards the line no longer begins with it.
  const [first = "", ...others] = wrapWords(words, width - 6).map(defuseLogCommands);
  return [`  ${paint(mark, tone, colour)} ${first}`, ...others.map((line) => `      ${line}`)];
}

/** Quiet words of several lines. */
function indented(words: string, by: number, { colour, width }: ClaimStyle): string[] {
  const lines = wrapWords(printable(words), width - by).map(defuseLogCommands);
  return lines.map((line) => paint(`${" ".repeat(by)}${line}`, "quiet", colour));
}

const GATE_WORDS: Readonly<Record<ReportedGate["outcome"], string>> = {
  passed: "passed",
  failed: "did not pass",
  unusable: "has shown nothing",
};

function gateLines(gate: ReportedGate, options: ClaimStyle): string[] {
  const { outcome, passed, message, milliseconds, figures, advice, excerpt } = gate;
  const tone = outcome === "passed" ? "good" : "bad";
  const mark = paint(MARKS[tone], tone, options.colour);
  const how = passed && outcome === "unusable" ? "passed without its report" : GATE_WORDS[outcome];
  const remarks = [
    ...(figures?.sources ?? []).map((source) => `read ${source}`),
    ...(figures?.problems ?? []).map((problem) => `not usable: ${problem}`),
    ...(outcome === "failed" ? [advice] : []),
  ];
  const printed = passed ? [] : excerpt;
  return [
    `${mark} gate ${printable(gate.gate)} ${how} (${printable(message)}) ${paint(printDuration(milliseconds), "quiet", options.colour)}`,
    ...remarks.flatMap((remark) => indented(remark, 4, options)),
    // As the gate printed it: what it drew with spaces stays as it is.
    ...printed.map((line) => paint(defuseLogCommands(`    ${printable(line)}`), "quiet", options.colour)),
  ];
}

/** How many claims are listed one by one without --all. */
const MAX_LISTED: Readonly<Record<Verdict, number>> = { refuted: 50, unverifiable: 15, confirmed: 0 };

function groupLines(verdict: Verdict, rows: readonly Row[], options: ClaimStyle): string[] {
  const { colour, all = false } = options;
  const group = rows.filter(({ claim }) => claim.verdict === verdict).sort((left, right) => rank(left) - rank(right));
  if (group.length === 0) return [];
  const shown = all ? group : group.slice(0, MAX_LISTED[verdict]);
  const rest = group.length - shown.length;
  const more = shown.length === 0 ? count(rest, "claim") : `and ${rest} more`;
  return [
    "",
    paint(`${verdict} (${group.length})`, "plain", colour),
    ...shown.flatMap((row) => claimLines(row, options)),
    ...(rest === 0 ? [] : [paint(`  ${more}; --all lists ${rest === 1 ? "it" : "them"}`, "quiet", colour)]),
  ];
}

/** Refused ones first, and what is told although it is not refuted. */
function rank({ claim }: Row): number {
  return claim.refused || claim.isUnnamed === true || claim.isDoubtful === true ? 0 : 1;
}

function claimLines({ path, claim }: Row, options: ClaimStyle): string[] {
  const tone = toneOf(claim);
  const { kind, says, procedure, evidence, range } = claim;
  const place = `${printable(path)}:${range.start.line}`;
  const first = markedLines(MARK_OF[tone], tone, `${place}  ${kind}: ${printable(says)}`, options);
  const [seen, how] = [printable(evidence), `[${printable(procedure)}]`];
  const [line, ...others] = wrapWords(`${seen}  ${how}`, options.width - 6);
  if (line !== undefined && others.length === 0 && line.startsWith(seen)) {
    const words = defuseLogCommands(seen);
    return [...first, `      ${words}  ${paint(how, "quiet", options.colour)}`];
  }
  const evidenceLines = wrapWords(seen, options.width - 6).map((words) => `      ${defuseLogCommands(words)}`);
  return [...first, ...evidenceLines, ...indented(how, 6, options)];
}

const MARK_OF: Readonly<Record<Tone, string>> = {
  good: MARKS.good,
  bad: MARKS.bad,
  warning: MARKS.warning,
  quiet: "?",
};

function toneOf({ verdict, refused, isUnnamed, isDoubtful }: ReportedClaim): Tone {
  switch (verdict) {
    case "confirmed":
      return "good";
    case "unverifiable":
      return isUnnamed === true || isDoubtful === true ? "warning" : "quiet";
    case "refuted":
      return refused ? "bad" : "warning";
  }
}
