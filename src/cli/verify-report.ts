import { type Diagnostic, compareDiagnostics } from "../protocol/diagnostic.ts";
import {
  CLAIM_TRAITS,
  type PlacedJudgement,
  type Verification,
  explainRefuted,
} from "../runtime/operations/verify-files.ts";
import type { GateRun } from "../runtime/operations/verify-gates.ts";
import { LineTable } from "../shared/line-table.ts";
import { describeClaim } from "./describe-rule.ts";
import {
  type FileFindings,
  type FileReport,
  type Report,
  type ReportedClaim,
  type ReportedGate,
  type ReportedHandoff,
  type RuleDescription,
  type VerifyDetails,
  type VerifySummary,
  reportFiles,
  describeReport,
  findingsOf,
  labelDiagnostic,
} from "./formats/report.ts";
import type { Page, Section, Words } from "../runtime/operations/report-runs.ts";
import { printDuration } from "./paint.ts";

/** What `baton verify` has found; files whose handoffs are not valid were not verified. */
export interface VerifyResult {
  readonly files: readonly FileReport[];
  /** Null when no file is valid. */
  readonly verification: Verification | null;
  /** Every refuted claim is refused, whatever the policy says. */
  readonly strict: boolean;
  /** Files that were left out because they are as they were at the base. */
  readonly unchanged: number;
  /** Paths from the root of the repository, by path as it is shown. */
  readonly paths: ReadonlyMap<string, string>;
}

interface VerifiedReport extends Report {
  readonly verified: VerifyDetails;
}

export function verifyReport(result: VerifyResult): VerifiedReport {
  const { files, verification, strict } = result;
  const gates = (verification?.gates ?? []).map(reportGate);
  const handoffs = (verification?.handoffs ?? []).map(({ path, from, claims }): ReportedHandoff => {
    const reported = claims.map((claim) => ({ ...claim, refused: isRefused(claim, strict) }));
    return { path, from, claims: reported };
  });
  const withoutClaims = files.map(({ path }) => path).filter((path) => isWithoutClaims(path, handoffs));
  const base = verification?.base ?? null;
  const isGuessed = base?.isGuessed === true;
  const claims = handoffs.flatMap((handoff) => handoff.claims);
  const verified: VerifyDetails = {
    base,
    gates,
    handoffs,
    findings: listFindings(result, gates, handoffs, withoutClaims),
    withoutClaims,
    baseAdvice: isGuessed && claims.some(isAboutBase) ? BASE_ADVICE : null,
    summary: summariseVerification(result, gates, handoffs),
  };
  return { ...reportFiles(files), verified };
}

function isRefused({ verdict, answer }: PlacedJudgement, strict: boolean): boolean {
  return verdict === "refuted" && (strict || answer === "refuse" || answer === "ask");
}

/** The handoffs of the file were read, and contain nothing that could be checked. */
function isWithoutClaims(path: string, handoffs: readonly ReportedHandoff[]): boolean {
  const own = handoffs.filter((handoff) => handoff.path === path);
  return own.length > 0 && own.every(({ claims }) => claims.every(({ isImplied }) => isImplied === true));
}

function summariseVerification(
  { files, unchanged }: VerifyResult,
  gates: readonly GateRun[],
  handoffs: readonly ReportedHandoff[],
): VerifySummary {
  const claims = handoffs.flatMap((handoff) => handoff.claims);
  const withVerdict = (verdict: string): number => claims.filter((claim) => claim.verdict === verdict).length;
  return {
    handoffs: handoffs.length,
    claims: claims.length,
    confirmed: withVerdict("confirmed"),
    refuted: withVerdict("refuted"),
    refused: claims.filter(({ refused }) => refused).length,
    unverifiable: withVerdict("unverifiable"),
    invalid: files.filter(({ valid, skipped }) => !valid && !skipped).length,
    gatesFailed: gates.filter(({ outcome }) => outcome === "failed").length,
    gatesUnusable: gates.filter(({ outcome }) => outcome === "unusable").length,
    unchanged,
  };
}

/** Claims about changes depend on the commit from which changes are counted. */
function isAboutBase({ verdict, kind }: PlacedJudgement): boolean {
  return verdict === "refuted" && CLAIM_TRAITS[kind].judgedBy === "changes";
}

const BASE_ADVICE = "The base is a guess: if the work began elsewhere, name the commit, --base REV.";

/** Annotations and results need a place: a gate is reported at the beginning of the first file. */
function listFindings(
  { files, verification, paths }: VerifyResult,
  gates: readonly ReportedGate[],
  handoffs: readonly ReportedHandoff[],
  withoutClaims: readonly string[],
): FileFindings[] {
  const isGuessed = verification?.base.isGuessed === true;
  const failed = gates.filter(({ outcome }) => outcome !== "passed").map(gateFinding);
  const checked = files.filter(({ skipped }) => !skipped);
  return checked.map((file, at) => {
    const claims = handoffs.flatMap((handoff) => (handoff.path === file.path ? handoff.claims : []));
    const refuted = claims.filter(({ verdict }) => verdict === "refuted");
    const diagnostics = [
      ...(at === 0 ? failed : []),
      ...file.diagnostics,
      ...refuted.map((claim) => claimFinding(claim, isGuessed)),
      ...(withoutClaims.includes(file.path) ? [NO_CLAIMS] : []),
    ];
    return { path: paths.get(file.path) ?? file.path, diagnostics };
  });
}

function claimFinding(claim: ReportedClaim, isGuessed: boolean): Diagnostic {
  const { message, hint } = explainRefuted(claim);
  return {
    code: "refuted-claim",
    rule: `claim/${claim.kind}`,
    severity: claim.refused ? "error" : claim.answer === "record" ? "info" : "warning",
    message,
    hint: [
      hint,
      ...(claim.answer === "ask" ? [PERSON] : []),
      ...(isGuessed && isAboutBase(claim) ? [BASE_ADVICE] : []),
    ].join(" "),
    range: claim.range,
    fix: null,
  };
}

/** Without a run there is nobody to ask. */
const PERSON = "A person must decide on this; until then it counts as refused.";

const BEGINNING = new LineTable("").range(0, 0);

function gateFinding({ gate, sentence, advice }: ReportedGate): Diagnostic {
  return {
    code: "failed-gate",
    rule: `gate/${gate}`,
    severity: "error",
    message: sentence,
    hint: advice,
    range: BEGINNING,
    fix: null,
  };
}

const NO_CLAIMS: Diagnostic = {
  code: "no-claims",
  rule: null,
  severity: "warning",
  message: "Nothing was verified: the handoff claims nothing that could be checked.",
  hint: "Have its author list files, commits, tests or checks, in a block of one of the formats.",
  range: BEGINNING,
  fix: null,
};

/** For SARIF, which lists its rules: kinds of claims and gates are rules too. */
export function describeVerifyRule(id: string): RuleDescription | null {
  if (!id.startsWith("gate/")) return describeClaim(id);
  const help = "The operator has named it, and it was run on the files as they are.";
  return { title: `The gate ${id.slice("gate/".length)} did not pass, or could not be used`, help };
}

function reportGate(run: GateRun): ReportedGate {
  return { ...run, sentence: describeGate(run), advice: adviseGate(run), excerpt: excerptOf(run.output) };
}

function describeGate({ gate, outcome, passed, message, figures, output }: GateRun): string {
  const problems = (figures?.problems ?? []).join("; ");
  if (outcome === "passed") return `Gate ${gate} passed (${message}).`;
  if (passed) return `Gate ${gate} passed (${message}), but what it was to report cannot be used: ${problems}.`;
  if (outcome === "failed") return `Gate ${gate} did not pass: ${message}.`;
  const why = output.trim().split("\n", 1)[0] ?? "";
  return `Gate ${gate} has shown nothing: ${message}${why === "" ? "" : ` (${why})`}.`;
}

function adviseGate({ outcome, passed, hasAnswered, missing, message, figures }: GateRun): string {
  if (passed) return "Name the file that the gate really writes, by its path from the root of the repository.";
  if (outcome === "unusable" && figures !== null && message.startsWith("exit code"))
    return "Name the test report that the gate really writes, by its path from the root of the repository.";
  if (outcome === "unusable")
    return "Check the command: a program and its arguments, as they are started without a shell.";
  return hasAnswered ? cleanCopy(missing) : "A gate of a workflow file can have limits of its own.";
}

/** Many gates fail only because something that git ignores is not in the copy. */
function cleanCopy(missing: readonly string[]): string {
  if (missing.length === 0) return "It ran in a clean copy of the files.";
  const more = missing.length > MAX_MISSING ? ` and ${missing.length - MAX_MISSING} more` : "";
  const names = missing.slice(0, MAX_MISSING).join(", ");
  return `It ran in a clean copy, without what git ignores: ${names}${more}. --bring PATH brings a folder along.`;
}

const MAX_MISSING = 8;

/** The end of the output, and before it, unless it is part of it, the first line that mentions an error. */
function excerptOf(output: string): string[] {
  const lines = output
    .trimEnd()
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}\u2026` : line));
  const end = lines.slice(-EXCERPT_LINES);
  const first = lines.slice(0, -EXCERPT_LINES).find((line) => ERROR.test(line));
  return first === undefined ? end : [first, "...", ...end];
}

const EXCERPT_LINES = 20;
const MAX_LINE = 300;
const ERROR = /\berror\b|\bfail(?:ed|ure)?\b|\bnot ok\b|Error:|[✖✗×]/i;

const MAX_FINDINGS = 100;
const MAX_WORDS = 500;

/** What verification has found, for the summary of a job: what is wrong first, then the gates. */
export function verifyPage(report: VerifiedReport): Page {
  const { base, baseAdvice, summary } = report.verified;
  const { refused, invalid, gatesFailed, gatesUnusable, refuted } = summary;
  const isBad = refused + invalid + gatesFailed + gatesUnusable > 0;
  return {
    title: ["Handoffs"],
    tone: isBad ? "bad" : refuted > 0 ? "warning" : "good",
    status: isBad ? "not accepted" : "accepted",
    facts: [
      { name: "verified", value: [describeReport(report)] },
      ...(base === null ? [] : [{ name: "changes since", value: [{ said: base.name }] }]),
    ],
    sections: [...findingSection(report), ...gateSection(report.verified)],
    footer: [baseAdvice ?? "By baton verify."],
  };
}

function findingSection(report: Report): Section[] {
  const findings = findingsOf(report).flatMap(findingRows);
  if (findings.length === 0) return [];
  const shown = findings.slice(0, MAX_FINDINGS);
  const more = findings.length - shown.length;
  const columns = ["where", "severity", "what", "rule"].map((name) => ({ name, isNumber: false }));
  const table = { columns, rows: shown };
  return [{ heading: "Findings", table: more === 0 ? table : { ...table, more: `and ${more} more, in the log` } }];
}

function findingRows({ path, diagnostics }: FileFindings): Words[][] {
  return diagnostics
    .toSorted(compareDiagnostics)
    .map((diagnostic) => [
      [{ said: `${path}:${diagnostic.range.start.line}` }],
      [diagnostic.severity],
      [{ said: shortened(diagnostic.message) }],
      [{ said: labelDiagnostic(diagnostic) }],
    ]);
}

function shortened(text: string): string {
  return text.length <= MAX_WORDS ? text : `${text.slice(0, MAX_WORDS)}…`;
}

function gateSection({ gates }: VerifyDetails): Section[] {
  if (gates.length === 0) return [];
  const columns = ["gate", "outcome", "took", "message"].map((name) => ({ name, isNumber: name === "took" }));
  const rows = gates.map(({ gate, outcome, milliseconds, message }) => [
    [{ said: gate }],
    [outcome],
    [printDuration(milliseconds)],
    [{ said: shortened(message) }],
  ]);
  return [{ heading: "Gates", table: { columns, rows } }];
}
