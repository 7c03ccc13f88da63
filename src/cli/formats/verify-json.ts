import type * as json from "./json.ts";
import type { GateRun } from "../../runtime/operations/verify-gates.ts";
import type { PlacedJudgement, VerifiedHandoff } from "../../runtime/operations/verify-files.ts";
import { printJson } from "../../shared/printable.ts";
import { type FileReport, checkedFiles, summarise } from "./report.ts";
import { type VerifyReport, isRefused, summariseVerification } from "./verify-report.ts";

/** How other reports write the same things. */
type JsonParts = Pick<typeof json, "diagnosticToJson" | "rangeToJson">;

/** The stable shape of `baton verify --json`: every field is named here. */
export function formatVerifyJson(report: VerifyReport, parts: JsonParts): string {
  const { verification, strict } = report;
  const files = checkedFiles({ files: report.files, summary: summarise(report.files) }).map((file) =>
    fileToJson(file, verification?.handoffs.filter(({ path }) => path === file.path) ?? [], strict, parts),
  );
  const gates = (verification?.gates ?? []).map(gateToJson);
  return `${printJson({ base: baseToJson(report), files, gates, summary: summaryToJson(report) })}\n`;
}

function baseToJson({ verification }: VerifyReport) {
  if (verification === null) return null;
  const { commit, name, isGuessed } = verification.base;
  return { commit, name, guessed: isGuessed };
}

function summaryToJson(report: VerifyReport) {
  const { handoffs, claims, confirmed, refuted, refused, unverifiable, ...others } = summariseVerification(report);
  const { invalid, gatesFailed, gatesUnusable, unchanged } = others;
  const gates = { gatesFailed, gatesUnusable };
  return { handoffs, claims, confirmed, refuted, refused, unverifiable, invalid, ...gates, unchanged };
}

function fileToJson(file: FileReport, handoffs: readonly VerifiedHandoff[], strict: boolean, parts: JsonParts) {
  const { path, dialect, valid, diagnostics } = file;
  return {
    path,
    dialect,
    valid,
    diagnostics: diagnostics.map(parts.diagnosticToJson),
    handoffs: handoffs.map(({ from, claims }) => ({
      from,
      claims: claims.map((claim) => claimToJson(claim, strict, parts)),
    })),
  };
}

function claimToJson(claim: PlacedJudgement, strict: boolean, { rangeToJson }: JsonParts) {
  const { kind, where, says, verdict, procedure, evidence, range } = claim;
  const refused = isRefused(claim, strict);
  return { kind, where, says, verdict, refused, procedure, evidence, range: rangeToJson(range) };
}

function gateToJson({ gate, command, outcome, passed, message, milliseconds, figures, missing }: GateRun) {
  return {
    name: gate,
    command,
    outcome,
    passed,
    message,
    milliseconds,
    tests: figures?.tests ?? null,
    coverage: figures?.coverage ?? null,
    reports: figures?.sources ?? [],
    problems: figures?.problems ?? [],
    missing,
  };
}
