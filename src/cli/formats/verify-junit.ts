import type * as junit from "./junit.ts";
import type { GateRun } from "../../runtime/operations/verify-gates.ts";
import type { PlacedJudgement, VerifiedHandoff } from "../../runtime/operations/verify-files.ts";
import { type FileReport, checkedFiles, summarise } from "./report.ts";
import { adviseGate, describeGate, shownOutput } from "./verify-gate.ts";
import { type VerifyReport, baseAdvice, isRefused } from "./verify-report.ts";

/** How other reports write the same things. */
type XmlParts = Pick<typeof junit, "attributes" | "escapeXml" | "printCase">;

interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

interface Case {
  readonly lines: readonly string[];
  readonly result: "passed" | "failed" | "error" | "skipped";
}

/**
 * JUnit XML: a suite for each file with a case for each claim, and one for the gates. Refused claims have failed. What
 * nobody could verify was skipped. What is refuted and only warned of fails nothing, and says so in its output.
 */
export function formatVerifyJunit(report: VerifyReport, parts: XmlParts): string {
  const { files, verification, strict } = report;
  const advice = baseAdvice(report);
  const suites: Suite[] = checkedFiles({ files, summary: summarise(files) }).map((file) => {
    const handoffs = verification?.handoffs.filter(({ path }) => path === file.path) ?? [];
    const cases = file.valid ? claimCases(handoffs, { strict, advice, parts }) : [invalidCase(file, parts)];
    return { name: file.path, cases };
  });
  const gates = (verification?.gates ?? []).map((gate) => gateCase(gate, parts));
  if (gates.length > 0) suites.unshift({ name: "gates", cases: gates });
  const all = suites.flatMap(({ cases }) => cases);
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${totals("baton verify", all, parts)}>`,
    ...suites.flatMap((suite) => printSuite(suite, parts)),
    "</testsuites>",
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function printSuite({ name, cases }: Suite, parts: XmlParts): string[] {
  return [`  <testsuite${totals(name, cases, parts)}>`, ...cases.flatMap(({ lines }) => lines), "  </testsuite>"];
}

function totals(name: string, cases: readonly Case[], { attributes }: XmlParts): string {
  const counted = (result: Case["result"]): string => String(cases.filter((each) => each.result === result).length);
  const skipped = counted("skipped");
  const errors = counted("error");
  return attributes({ name, tests: String(cases.length), failures: counted("failed"), errors, skipped });
}

function invalidCase(file: FileReport, { printCase }: XmlParts): Case {
  return { lines: printCase(file), result: "failed" };
}

function gateCase(run: GateRun, { attributes, escapeXml }: XmlParts): Case {
  const open = `testcase${attributes({ name: run.gate, classname: "gate", time: String(run.milliseconds / 1000) })}`;
  if (run.outcome === "passed") return { lines: [`    <${open}/>`], result: "passed" };
  const tag = run.outcome === "failed" ? "failure" : "error";
  const message = describeGate(run);
  // Behind a stroke a line of a gate is no command for a log that shows this file.
  const printed = shownOutput(run.output).map((line) => `| ${line}`);
  const words = [`${message} ${adviseGate(run)}`, ...printed].map(escapeXml).join("\n");
  const inner = `<${tag}${attributes({ message, type: "failed-gate" })}>${words}</${tag}>`;
  const result = run.outcome === "failed" ? "failed" : "error";
  return { lines: [`    <${open}>`, `      ${inner}`, "    </testcase>"], result };
}

interface Manner {
  readonly strict: boolean;
  /** About the base, for whoever reads that something is refuted. */
  readonly advice: string | null;
  readonly parts: XmlParts;
}

function claimCases(handoffs: readonly VerifiedHandoff[], manner: Manner): Case[] {
  return handoffs.flatMap(({ path, claims }) => claims.map((claim) => claimCase(path, claim, manner)));
}

function claimCase(file: string, claim: PlacedJudgement, { strict, advice, parts }: Manner): Case {
  const { attributes, escapeXml } = parts;
  const { kind, where, says, verdict, procedure, evidence, range } = claim;
  const line = String(range.start.line);
  const open = `testcase${attributes({ name: `${where}: ${says}`, classname: `claim.${kind}`, file, line })}`;
  const around = (inner: string, result: Case["result"]): Case => ({
    lines: [`    <${open}>`, `      ${inner}`, "    </testcase>"],
    result,
  });
  if (verdict === "confirmed") return { lines: [`    <${open}/>`], result: "passed" };
  const seen = `${evidence} (${procedure})`;
  if (verdict === "unverifiable")
    return around(`<skipped${attributes({ message: `unverifiable: ${seen}` })}/>`, "skipped");
  const words = advice === null ? seen : `${seen} ${advice}`;
  if (!isRefused(claim, strict))
    return around(`<system-out>${escapeXml(`refuted, and not refused: ${words}`)}</system-out>`, "passed");
  return around(
    `<failure${attributes({ message: evidence, type: "refuted" })}>${escapeXml(words)}</failure>`,
    "failed",
  );
}
