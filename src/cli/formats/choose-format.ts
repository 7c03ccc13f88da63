import type { FormatOptions, Report } from "./report.ts";

export type FormatName = "pretty" | "json" | "github" | "sarif" | "junit";

export const FORMAT_NAMES: readonly FormatName[] = ["pretty", "json", "github", "sarif", "junit"];

/** The report as text that ends with a line end. Only the chosen format is loaded. */
export async function formatReport(name: FormatName, report: Report, options: FormatOptions): Promise<string> {
  switch (name) {
    case "pretty":
      return fitted((await import("./pretty.ts")).formatPretty(report, options), options.room ?? Infinity);
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

/** Loaded only for a screen: whoever else reads it gets whole lines. */
export async function fitted(text: string, room: number): Promise<string> {
  return room === Infinity ? text : (await import("../fit-lines.ts")).fitLines(text, room);
}
