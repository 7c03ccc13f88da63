import type * as junit from "./junit.ts";
import type { PlacedJudgement, VerifiedHandoff } from "../../runtime/operations/verify-files.ts";
import { type FileReport, checkedFiles, summarise } from "./report.ts";
import { type VerifyReport, isRefused } from "./verify-report.ts";

/** How other reports write the same things. */
type XmlParts = Pick<typeof junit, "attributes" | "escapeXml" | "printCase">;

interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}

interface Case {
  readonly lines: readonly string[];
  readonly result: "passed" | "failed" | "skipped";
}

/**
 * JUnit XML: a suite for each file and a case for each claim. Refused ones have failed; what nobody could verify was
 * skipped, and so was, with its evidence, what is refuted and not refused.
 */
export function formatVerifyJunit({ files, verification, strict }: VerifyReport, parts: XmlParts): string {
  const suites = checkedFiles({ files, summary: summarise(files) }).map((file) => {
    const handoffs = verification?.handoffs.filter(({ path }) => path === file.path) ?? [];
    return { name: file.path, cases: file.valid ? claimCases(handoffs, strict, parts) : [invalidCase(file, parts)] };
  });
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${totals(
      "baton verify",
      suites.flatMap(({ cases }) => cases),
      parts,
    )}>`,
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
  return attributes({ name, tests: String(cases.length), failures: counted("failed"), errors: "0", skipped });
}

function invalidCase(file: FileReport, { printCase }: XmlParts): Case {
  return { lines: printCase(file), result: "failed" };
}

function claimCases(handoffs: readonly VerifiedHandoff[], strict: boolean, parts: XmlParts): Case[] {
  return handoffs.flatMap(({ path, claims }) => claims.map((claim) => claimCase(path, claim, strict, parts)));
}

function claimCase(file: string, claim: PlacedJudgement, strict: boolean, parts: XmlParts): Case {
  const { attributes, escapeXml } = parts;
  const { kind, where, says, verdict, procedure, evidence, range } = claim;
  const line = String(range.start.line);
  const open = `testcase${attributes({ name: `${where}: ${says}`, classname: `claim.${kind}`, file, line })}`;
  const seen = `${evidence} (${procedure})`;
  if (verdict === "confirmed") return { lines: [`    <${open}/>`], result: "passed" };
  if (isRefused(claim, strict)) {
    const failure = `<failure${attributes({ message: evidence, type: "refuted" })}>${escapeXml(seen)}</failure>`;
    return { lines: [`    <${open}>`, `      ${failure}`, "    </testcase>"], result: "failed" };
  }
  const skipped = `<skipped${attributes({ message: `${verdict}: ${seen}` })}/>`;
  return { lines: [`    <${open}>`, `      ${skipped}`, "    </testcase>"], result: "skipped" };
}
