import type { Diagnostic } from "../../protocol/diagnostic.ts";
import { type PlacedJudgement, type Verification, explainRefuted } from "../../runtime/operations/verify-files.ts";
import { type FileReport, type Report, type RuleDescription, count, summarise } from "./report.ts";

/** What verification has found; files whose handoffs are not valid were not verified. */
export interface VerifyReport {
  readonly files: readonly FileReport[];
  /** Null when no file is valid. */
  readonly verification: Verification | null;
  /** Every refuted claim is refused, whatever the policy says. */
  readonly strict: boolean;
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
}

export function claimsOf({ verification }: VerifyReport): readonly PlacedJudgement[] {
  return verification?.handoffs.flatMap(({ claims }) => claims) ?? [];
}

export function isRefused({ verdict, answer }: PlacedJudgement, strict: boolean): boolean {
  return verdict === "refuted" && (strict || answer === "refuse");
}

export function summariseVerification(report: VerifyReport): VerifySummary {
  const claims = claimsOf(report);
  const withVerdict = (verdict: string): number => claims.filter((claim) => claim.verdict === verdict).length;
  return {
    handoffs: report.verification?.handoffs.length ?? 0,
    claims: claims.length,
    confirmed: withVerdict("confirmed"),
    refuted: withVerdict("refuted"),
    refused: claims.filter((claim) => isRefused(claim, report.strict)).length,
    unverifiable: withVerdict("unverifiable"),
    invalid: report.files.filter(({ valid, skipped }) => !valid && !skipped).length,
  };
}

/** `12 claims of 1 handoff: 1 refuted (1 refused), 3 unverifiable, 8 confirmed` */
export function describeVerifySummary(summary: VerifySummary): string {
  const { refuted, refused, unverifiable, confirmed, invalid } = summary;
  const verdicts = [
    ...(refuted === 0 ? [] : [`${refuted} refuted (${refused} refused)`]),
    ...(unverifiable === 0 ? [] : [`${unverifiable} unverifiable`]),
    `${confirmed} confirmed`,
  ];
  const claims = `${count(summary.claims, "claim")} of ${count(summary.handoffs, "handoff")}: ${verdicts.join(", ")}`;
  return invalid === 0 ? claims : `${claims}; ${count(invalid, "file")} not valid, so not verified`;
}

/** Refuted claims as findings, for the formats that show findings. */
export function findingsOf(report: VerifyReport): Report {
  const files = report.files.map((file) => {
    const claims = report.verification?.handoffs.filter(({ path }) => path === file.path) ?? [];
    const refuted = claims.flatMap((handoff) => handoff.claims).filter(({ verdict }) => verdict === "refuted");
    return { ...file, diagnostics: [...file.diagnostics, ...refuted.map((claim) => findingOf(claim, report.strict))] };
  });
  return { files, summary: summarise(files) };
}

function findingOf(claim: PlacedJudgement, strict: boolean): Diagnostic {
  return {
    code: "refuted-claim",
    rule: `claim/${claim.kind}`,
    severity: isRefused(claim, strict) ? "error" : claim.answer === "record" ? "info" : "warning",
    ...explainRefuted(claim),
    range: claim.range,
    fix: null,
  };
}

/** For SARIF, which lists its rules: the kinds of claims are rules too. */
export function describeClaimRule(id: string): RuleDescription | null {
  if (!id.startsWith("claim/")) return null;
  const kind = id.slice("claim/".length);
  return { title: `A claim of the kind ${kind} is not true`, help: "baton verify shows what was seen instead." };
}
