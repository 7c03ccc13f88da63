import { formatPretty } from "./pretty.ts";
import { type FormatOptions, type Report, reportFiles } from "./report.ts";

export const FORMAT_NAMES = ["pretty", "json", "github", "sarif", "junit"] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];

/** The report as text that ends with a line end. The other formats are loaded when they are chosen. */
export async function formatReport(name: FormatName, report: Report, options: FormatOptions): Promise<string> {
  switch (name) {
    case "pretty":
      return formatForPeople(report, options);
    case "json":
      return (await import("./json.ts")).formatJson(report);
    case "github":
      return (await import("./github.ts")).formatGithub(report);
    case "sarif":
      return (await import("./sarif.ts")).formatSarif(report, options);
    case "junit":
      return (await import("./junit.ts")).formatJunit(report);
  }
}

/** Of a verification, files that are not valid are shown with their source, then the claims of the others. */
async function formatForPeople(report: Report, options: FormatOptions): Promise<string> {
  if (report.verified === null) return fitted(formatPretty(report, options), options);
  const { formatClaims } = await import("./pretty-claims.ts");
  const claims = formatClaims(report, report.verified, options);
  const invalid = report.files.filter(({ valid, skipped }) => !valid && !skipped);
  if (invalid.length === 0) return claims;
  return `${await fitted(formatPretty(reportFiles(invalid), options), options)}\n${claims}`;
}

/** Loaded only for a screen: files and pipes get whole lines. */
async function fitted(text: string, { room = Infinity }: FormatOptions): Promise<string> {
  return room === Infinity ? text : (await import("../fit-lines.ts")).fitLines(text, room);
}
