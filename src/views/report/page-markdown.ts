import { defuseLines, printable } from "../../shared/printable.ts";
import type { Page, Section, Table, Words } from "./page.ts";

/**
 * Markdown as GitHub shows it, in files, job summaries and comments. What others have said stands in code: nothing in
 * it is a link, an image, HTML or a table, and it calls nobody.
 */
export function pageMarkdown({ title, status, tone, facts, sections, footer }: Page): string {
  const lines = [
    `## ${MARKS[tone]} ${words(title)}: ${status}`,
    "",
    ...facts.map(({ name, value }) => `- **${name}:** ${words(value)}`),
    ...sections.flatMap(sectionLines),
    "",
    `<sub>${words(footer)}</sub>`,
  ];
  return `${defuseLines(lines)}\n`;
}

/** For a comment under a pull request: the same, but only what fits, and marked so that it can be found and replaced. */
export function pageComment(page: Page): string {
  const whole = `${COMMENT_MARK}\n${pageMarkdown(page)}`;
  if (whole.length <= LONGEST_COMMENT) return whole;
  const rest = { ...page, sections: page.sections.slice(0, -1) };
  if (page.sections.length > 0) return pageComment(rest);
  return `${COMMENT_MARK}\n${pageMarkdown({ ...page, facts: page.facts.slice(0, MOST_FACTS).map(shortened) })}`;
}

const COMMENT_MARK = "<!-- baton report -->";
/** GitHub takes 65,536 characters; some room is left for whoever adds a line. */
const LONGEST_COMMENT = 60_000;
const MOST_FACTS = 20;

function shortened(fact: Page["facts"][number]): Page["facts"][number] {
  return words(fact.value).length > 500 ? { ...fact, value: ["too long to show"] } : fact;
}

const MARKS: Readonly<Record<Page["tone"], string>> = { good: "✅", bad: "❌", warning: "⚠️", plain: "▶️" };

function sectionLines({ heading, about, table, items }: Section): string[] {
  return [
    "",
    `### ${heading}`,
    "",
    ...(about === undefined ? [] : [words(about), ""]),
    ...(table === undefined ? [] : tableLines(table)),
    ...(items ?? []).map((item) => `- ${words(item)}`),
  ];
}

function tableLines({ columns, rows, more }: Table): string[] {
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    row(columns.map(({ name }) => name)),
    row(columns.map(({ isNumber }) => (isNumber ? "---:" : "---"))),
    ...rows.map((cells) => row(cells.map(cell))),
    ...(more === undefined ? [] : ["", more]),
  ];
}

/** Even in code a stroke would end the cell, and before it a backslash does not help. */
function cell(content: Words): string {
  return words(content).replaceAll("|", "¦");
}

function words(content: Words): string {
  return content.map((part) => (typeof part === "string" ? part : code(part.said))).join("");
}

/** A span of code that nothing inside can end. Empty ones cannot be written. */
function code(text: string): string {
  const shown = printable(text.replaceAll(/\s+/g, " ").trim());
  if (shown === "") return "";
  const longest = Math.max(0, ...Array.from(shown.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${fence}${space}${shown}${space}${fence}`;
}
