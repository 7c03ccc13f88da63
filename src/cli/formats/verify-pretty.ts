import type { GateRun } from "../../runtime/operations/verify-gates.ts";
import type { PlacedJudgement, Verdict } from "../../runtime/operations/verify-files.ts";
import { defuseLines, defuseLogCommands, printable } from "../../shared/printable.ts";
import { MARKS, paint, printDuration } from "../paint.ts";
import { count } from "../../shared/count.ts";
import { wrapWords } from "../fit-text.ts";
import { adviseGate, shownOutput } from "./verify-gate.ts";
import {
  type VerifyReport,
  baseAdvice,
  describeVerifySummary,
  isRefused,
  isWithoutClaims,
  summariseVerification,
} from "./verify-report.ts";

export interface VerifyPrettyOptions {
  readonly colour: boolean;
  /** Columns of the terminal. */
  readonly width: number;
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
    const { base, gates } = verification;
    lines.push(...wrapWords(`compared with ${printable(base.name)}`, options.width));
    for (const gate of gates) lines.push(...gateLines(gate, options));
    // Why it is compared with this commit was said once.
    const [short = ""] = base.name.split(" (");
    const brief = (claim: PlacedJudgement): PlacedJudgement => ({
      ...claim,
      procedure: claim.procedure.replace(base.name, () => short),
    });
    const rows = verification.handoffs.flatMap(({ path, claims }) =>
      claims.map((claim) => ({ path, claim: brief(claim) })),
    );
    lines.push(...groupLines("refuted", rows, strict, options), ...adviceLines(report, options));
    lines.push(...groupLines("unverifiable", rows, strict, options), ...groupLines("confirmed", rows, strict, options));
    lines.push(...silentLines(report, options), "");
  }
  lines.push(...wrapWords(describeVerifySummary(summariseVerification(report)), options.width), "");
  return defuseLines(lines);
}

function adviceLines(report: VerifyReport, options: VerifyPrettyOptions): string[] {
  const advice = baseAdvice(report);
  return advice === null ? [] : indented(advice, 2, options);
}

/** Handoffs that claim nothing: no green check is a check of them. */
function silentLines(report: VerifyReport, { colour, width }: VerifyPrettyOptions): string[] {
  const silent = report.files.filter(({ path }) => isWithoutClaims(path, report));
  if (silent.length === 0) return [];
  const lines = silent.flatMap(({ path }) => {
    const words = `${printable(path)}  claims nothing that could be checked`;
    return markedLines(MARKS.warning, "warning", words, { colour, width });
  });
  return ["", ...lines];
}

/** A mark, and words beside it that go on below themselves. */
function markedLines(
  mark: string,
  tone: Tone,
  words: string,
  { colour, width }: Pick<VerifyPrettyOptions, "colour" | "width">,
): string[] {
  // Defused before it is painted: afterwards the line no longer begins with it.
  const [first = "", ...others] = wrapWords(words, width - 6).map(defuseLogCommands);
  return [`  ${paint(mark, tone, colour)} ${first}`, ...others.map((line) => `      ${line}`)];
}

/** Quiet words of several lines. */
function indented(
  words: string,
  by: number,
  { colour, width }: Pick<VerifyPrettyOptions, "colour" | "width">,
): string[] {
  const lines = wrapWords(printable(words), width - by).map(defuseLogCommands);
  return lines.map((line) => paint(`${" ".repeat(by)}${line}`, "quiet", colour));
}

const GATE_WORDS: Readonly<Record<GateRun["outcome"], string>> = {
  passed: "passed",
  failed: "did not pass",
  unusable: "has shown nothing",
};

function gateLines(gate: GateRun, options: VerifyPrettyOptions): string[] {
  const { outcome, passed, message, milliseconds, figures, output } = gate;
  const tone = outcome === "passed" ? "good" : "bad";
  const mark = paint(MARKS[tone], tone, options.colour);
  const how = passed && outcome === "unusable" ? "passed without its report" : GATE_WORDS[outcome];
  const remarks = [
    ...(figures?.sources ?? []).map((source) => `read ${source}`),
    ...(figures?.problems ?? []).map((problem) => `not usable: ${problem}`),
    ...(outcome === "failed" ? [adviseGate(gate)] : []),
  ];
  const printed = passed ? [] : shownOutput(output);
  return [
    `${mark} gate ${printable(gate.gate)} ${how} (${printable(message)}) ${paint(printDuration(milliseconds), "quiet", options.colour)}`,
    ...remarks.flatMap((remark) => indented(remark, 4, options)),
    // As the gate printed it: what it drew with spaces stays as it is.
    ...printed.map((line) => paint(defuseLogCommands(`    ${printable(line)}`), "quiet", options.colour)),
  ];
}

/** How many claims are listed one by one without --all. */
const MOST_LISTED: Readonly<Record<Verdict, number>> = { refuted: 50, unverifiable: 15, confirmed: 0 };

function groupLines(verdict: Verdict, rows: readonly Row[], strict: boolean, options: VerifyPrettyOptions): string[] {
  const { colour, all } = options;
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
    ...shown.flatMap((row) => claimLines(row, strict, options)),
    ...(rest === 0 ? [] : [paint(`  ${more}; --all lists ${rest === 1 ? "it" : "them"}`, "quiet", colour)]),
  ];
}

/** Refused ones first. */
function rank({ claim }: Row, strict: boolean): number {
  return isRefused(claim, strict) ? 0 : 1;
}

function claimLines({ path, claim }: Row, strict: boolean, options: VerifyPrettyOptions): string[] {
  const tone = toneOf(claim, strict);
  const { kind, says, procedure, evidence, range } = claim;
  const place = `${printable(path)}:${range.start.line}`;
  const first = markedLines(MARK_OF[tone], tone, `${place}  ${kind}: ${printable(says)}`, options);
  const [seen, how] = [printable(evidence), `[${printable(procedure)}]`];
  const [line, ...others] = wrapWords(`${seen}  ${how}`, options.width - 6);
  if (line !== undefined && others.length === 0 && line.startsWith(seen)) {
    const words = defuseLogCommands(seen);
    return [...first, `      ${words}  ${paint(how, "quiet", options.colour)}`];
  }
  const told = wrapWords(seen, options.width - 6).map((words) => `      ${defuseLogCommands(words)}`);
  return [...first, ...told, ...indented(how, 6, options)];
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
