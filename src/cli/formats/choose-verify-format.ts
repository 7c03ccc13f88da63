import { defuseLogCommands, printable } from "../../shared/printable.ts";
import { type FormatName, fitted } from "./choose-format.ts";
import { type RuleDescription, summarise } from "./report.ts";
import { shownOutput } from "./verify-gate.ts";
import {
  type VerifyReport,
  describeVerifyRule,
  describeVerifySummary,
  findingsOf,
  summariseVerification,
  troubleOf,
} from "./verify-report.ts";

export interface VerifyFormatOptions {
  readonly colour: boolean;
  readonly width: number;
  /** Where sentences are broken; nowhere when it is not given. */
  readonly room?: number;
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
      const words = { lister: "baton verify --all", summary };
      return printedByGates(report) + (await import("./github.ts")).formatGithub(findingsOf(report), words);
    }
    case "sarif": {
      const describeRule = (id: string): RuleDescription | null => describeVerifyRule(id) ?? options.describeRule(id);
      return (await import("./sarif.ts")).formatSarif(findingsOf(report), {
        ...options,
        describeRule,
        trouble: troubleOf(report),
      });
    }
  }
}

/** An annotation has no room for it, so it stands in the log. */
function printedByGates({ verification }: VerifyReport): string {
  const failed = (verification?.gates ?? []).filter(({ passed, output }) => !passed && output.trim() !== "");
  const lines = failed.flatMap(({ gate, output }) => [`gate ${gate} printed:`, ...shownOutput(output).map(indent)]);
  return lines.map((line) => `${defuseLogCommands(printable(line))}\n`).join("");
}

function indent(line: string): string {
  return `    ${line}`;
}

/** What is wrong with files that could not be verified, as `baton validate` shows it. */
async function showInvalid({ files }: VerifyReport, options: VerifyFormatOptions): Promise<string> {
  const invalid = files.filter(({ valid, skipped }) => !valid && !skipped);
  if (invalid.length === 0) return "";
  const { formatPretty } = await import("./pretty.ts");
  const shown = formatPretty({ files: invalid, summary: summarise(invalid) }, options);
  return `${await fitted(shown, options.room ?? Infinity)}\n`;
}
