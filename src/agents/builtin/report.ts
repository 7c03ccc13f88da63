import type { Issue, PullRequest } from "../../ports/forge.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import { printable } from "../../shared/printable.ts";

/** What an agent has to say besides who it is and when that was. */
export type Report = Omit<Handoff, "dialect" | "from" | "at">;

export function references(issue: Issue, pull: PullRequest | null): Pick<Report, "issue" | "pull_request"> {
  return {
    issue: { number: String(issue.number), url: issue.url },
    ...(pull !== null && { pull_request: { number: String(pull.number), url: pull.url } }),
  };
}

/** One line, for a summary or the title of a commit. */
export function oneLine(text: string, most = 200): string {
  const line = text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
  return line.length > most ? `${line.slice(0, most - 3)}...` : line;
}

/** The end of an output as one line. */
export function lastWords(output: string, most: number): string {
  const lines = output.split("\n").map((line) => printable(line.trim()));
  return lines
    .filter((line) => line !== "")
    .join(" | ")
    .slice(-most);
}

export function commandLine(command: readonly string[]): string {
  return printable(command.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(" "));
}
