import type { Diagnostic } from "../../protocol/diagnostic.ts";
import {
  type ClaimKind,
  type PlacedJudgement,
  type Verification,
  explainRefuted,
} from "../../runtime/operations/verify-files.ts";
import type { GateRun } from "../../runtime/operations/verify-gates.ts";
import { LineTable } from "../../shared/line-table.ts";
import { describeClaim } from "../describe-claim.ts";
import { count } from "../../shared/count.ts";
import { type FileReport, type Report, type RuleDescription, summarise } from "./report.ts";
import { adviseGate, describeGate } from "./verify-gate.ts";

/** What verification has found; files whose handoffs are not valid were not verified. */
export interface VerifyReport {
  readonly files: readonly FileReport[];
  /** Null when no file is valid. */
  readonly verification: Verification | null;
  /** Every refuted claim is refused, whatever the policy says. */
  readonly strict: boolean;
  /** Files that were left out because they are as they were at the base. */
  readonly unchanged: number;
  /** From the root of the repository, by path as it is shown. */
  readonly paths: ReadonlyMap<string, string>;
}

export interface VerifySummary {
  readonly handoffs: number;
  readonly claims: number;
  readonly confirmed: number;
  readonly refuted: number;
  /** Of the refuted ones, those that fail the check. */
  readonly refused: number;
  readonly unverifiable: number;
  /** Files that are not valid. */
  readonly invalid: number;
  /** Gates that did not pass. */
  readonly gatesFailed: number;
  /** Gates that could not start, or whose report cannot be used. */
  readonly gatesUnusable: number;
  /** Files that were left out because they have not changed. */
  readonly unchanged: number;
}

export function claimsOf({ verification }: VerifyReport): readonly PlacedJudgement[] {
  return verification?.handoffs.flatMap(({ claims }) => claims) ?? [];
}

export function isRefused({ verdict, answer }: PlacedJudgement, strict: boolean): boolean {
  return verdict === "refuted" && (strict || answer === "refuse");
}

export function summariseVerification(report: VerifyReport): VerifySummary {
  const claims = claimsOf(report);
  const gates = report.verification?.gates ?? [];
  const withVerdict = (verdict: string): number => claims.filter((claim) => claim.verdict === verdict).length;
  return {
    handoffs: report.verification?.handoffs.length ?? 0,
    claims: claims.length,
    confirmed: withVerdict("confirmed"),
    refuted: withVerdict("refuted"),
    refused: claims.filter((claim) => isRefused(claim, report.strict)).length,
    unverifiable: withVerdict("unverifiable"),
    invalid: report.files.filter(({ valid, skipped }) => !valid && !skipped).length,
    gatesFailed: gates.filter(({ outcome }) => outcome === "failed").length,
    gatesUnusable: gates.filter(({ outcome }) => outcome === "unusable").length,
    unchanged: report.unchanged,
  };
}

/** `12 claims of 1 handoff: 1 refuted (1 refused), 3 unverifiable, 8 confirmed; 1 gate not passed` */
export function describeVerifySummary(summary: VerifySummary): string {
  const { refuted, refused, unverifiable, confirmed } = summary;
  const verdicts = [
    ...(refuted === 0 ? [] : [`${refuted} refuted (${refused} refused)`]),
    ...(unverifiable === 0 ? [] : [`${unverifiable} unverifiable`]),
    `${confirmed} confirmed`,
  ];
  const { handoffs, claims, unchanged } = summary;
  const nothing = handoffs === 0 && unchanged > 0;
  const judged = `${count(claims, "claim")} of ${count(handoffs, "handoff")}: ${verdicts.join(", ")}`;
  return [nothing ? "No changed handoff" : judged, ...besides(summary)].join("; ");
}

function besides({ invalid, gatesFailed, gatesUnusable, unchanged }: VerifySummary): string[] {
  return [
    ...(invalid === 0 ? [] : [`${count(invalid, "file")} not valid, so not verified`]),
    ...(gatesFailed === 0 ? [] : [`${count(gatesFailed, "gate")} not passed`]),
    ...(gatesUnusable === 0 ? [] : [`${count(gatesUnusable, "gate")} without a usable result`]),
    ...(unchanged === 0 ? [] : [`${count(unchanged, "file")} unchanged, so left out`]),
  ];
}

/** What is said of changes depends on where they are counted from. */
const COUNTED_FROM_BASE: ReadonlySet<ClaimKind> = new Set([
  "file",
  "artifact",
  "undeclared",
  "commit",
  "branch",
  "merge",
]);

/** For whoever reads that something is not true which is: the base was a guess. Null where it cannot matter. */
export function baseAdvice(report: VerifyReport): string | null {
  const { verification } = report;
  if (verification?.base.isGuessed !== true) return null;
  const isMatter = claimsOf(report).some(({ verdict, kind }) => verdict === "refuted" && COUNTED_FROM_BASE.has(kind));
  return isMatter ? BASE_ADVICE : null;
}

const BASE_ADVICE = "The base is a guess: if the work began elsewhere, name the commit, --base REV.";

/** Refuted claims, gates that did not pass and handoffs without claims as findings, by paths from the root. */
export function findingsOf(report: VerifyReport): Report {
  const isGuessed = report.verification?.base.isGuessed === true;
  const gates = (report.verification?.gates ?? []).filter(({ outcome }) => outcome !== "passed").map(gateFinding);
  const owner = report.files.find(({ skipped }) => !skipped);
  const files = report.files.map((file) => {
    const handoffs = report.verification?.handoffs.filter(({ path }) => path === file.path) ?? [];
    const refuted = handoffs.flatMap(({ claims }) => claims).filter(({ verdict }) => verdict === "refuted");
    const diagnostics = [
      ...(file === owner ? gates : []),
      ...file.diagnostics,
      ...refuted.map((claim) => findingOf(claim, report.strict, isGuessed)),
      ...(isWithoutClaims(file.path, report) ? [NO_CLAIMS] : []),
    ];
    return { ...file, path: report.paths.get(file.path) ?? file.path, diagnostics };
  });
  return { files, summary: summarise(files) };
}

function findingOf(claim: PlacedJudgement, strict: boolean, isGuessed: boolean): Diagnostic {
  const { message, hint } = explainRefuted(claim);
  const isAdvised = isGuessed && COUNTED_FROM_BASE.has(claim.kind);
  return {
    code: "refuted-claim",
    rule: `claim/${claim.kind}`,
    severity: isRefused(claim, strict) ? "error" : claim.answer === "record" ? "info" : "warning",
    message,
    hint: isAdvised ? `${hint} ${BASE_ADVICE}` : hint,
    range: claim.range,
    fix: null,
  };
}

/** Annotations and results need a place: it is the beginning of the first handoff. */
const BEGINNING = new LineTable("").range(0, 0);

function gateFinding(gate: GateRun): Diagnostic {
  return {
    code: "failed-gate",
    rule: `gate/${gate.gate}`,
    severity: "error",
    message: describeGate(gate),
    hint: adviseGate(gate),
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

/** It was read, and says nothing that anybody could look at. */
export function isWithoutClaims(path: string, { verification }: VerifyReport): boolean {
  const handoffs = verification?.handoffs.filter((handoff) => handoff.path === path) ?? [];
  return handoffs.length > 0 && handoffs.every(({ claims }) => claims.length === 0);
}

/** Why a check is not whole, for formats that have a word for that. */
export function troubleOf({ verification }: VerifyReport): string[] {
  return (verification?.gates ?? []).filter(({ outcome }) => outcome === "unusable").map(describeGate);
}

/** For SARIF, which lists its rules: kinds of claims and gates are rules too. */
export function describeVerifyRule(id: string): RuleDescription | null {
  if (!id.startsWith("gate/")) return describeClaim(id);
  const help = "The operator has named it, and it was run on the files as they are.";
  return { title: `The gate ${id.slice("gate/".length)} did not pass, or could not be used`, help };
}
