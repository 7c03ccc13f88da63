import type { FormatName } from "./choose-format.ts";
import { type RuleDescription, summarise } from "./report.ts";
import {
  type VerifyReport,
  describeClaimRule,
  describeVerifySummary,
  findingsOf,
  summariseVerification,
} from "./verify-report.ts";

export interface VerifyFormatOptions {
  readonly colour: boolean;
  readonly width: number;
  readonly all: boolean;
  readonly version: string;
  readonly describeRule: (id: string) => RuleDescription | null;
}

/** What verification has found as text that ends with a line end. Only the chosen format is loaded. */
export async function formatVerification(
  name: FormatName,
  report: VerifyReport,
  options: VerifyFormatOptions,
): Promise<string> {
  switch (name) {
    case "pretty":
      return (
        (await showInvalid(report, options)) + (await import("./verify-pretty.ts")).formatVerifyPretty(report, options)
      );
    case "json":
      return (await import("./verify-json.ts")).formatVerifyJson(report, await import("./json.ts"));
    case "junit":
      return (await import("./verify-junit.ts")).formatVerifyJunit(report, await import("./junit.ts"));
    case "github": {
      const summary = describeVerifySummary(summariseVerification(report));
      return (await import("./github.ts")).formatGithub(findingsOf(report), { lister: "baton verify", summary });
    }
    case "sarif": {
      const describeRule = (id: string): RuleDescription | null => describeClaimRule(id) ?? options.describeRule(id);
      return (await import("./sarif.ts")).formatSarif(findingsOf(report), { ...options, describeRule });
    }
  }
}

/** What is wrong with files that could not be verified, as `baton validate` shows it. */
async function showInvalid({ files }: VerifyReport, options: VerifyFormatOptions): Promise<string> {
  const invalid = files.filter(({ valid, skipped }) => !valid && !skipped);
  if (invalid.length === 0) return "";
  const { formatPretty } = await import("./pretty.ts");
  return `${formatPretty({ files: invalid, summary: summarise(invalid) }, options)}\n`;
}
