import { defuseLines, printable } from "../../shared/printable.ts";
import type { ReportPage, Section, Table, Words } from "./page.ts";

/**
 * Markdown for GitHub: files, job summaries and comments. Quoted text is written as code, so it cannot become a link,
 * an image, HTML, a table or a mention.
 */
export function pageMarkdown({ title, status, tone, facts, sections, footer }: ReportPage): string {
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

/** The same for a comment on a pull request: limited in length, and marked so that it can be found and replaced. */
export function pageComment(page: ReportPage): string {
  const whole = `${COMMENT_MARK}\n${pageMarkdown(page)}`;
  if (whole.length <= MAX_COMMENT) return whole;
  const rest = { ...page, sections: page.sections.slice(0, -1) };
  if (page.sections.length > 0) return pageComment(rest);
  return `${COMMENT_MARK}\n${pageMarkdown({ ...page, facts: page.facts.slice(0, MAX_FACTS).map(shortened) })}`;
}

const COMMENT_MARK = "<!-- baton report -->";
/** GitHub accepts 65,536 characters; the rest is left for lines that others add. */
const MAX_COMMENT = 60_000;
const MAX_FACTS = 20;

function shortened(fact: ReportPage["facts"][number]): ReportPage["facts"][number] {
  return words(fact.value).length > 500 ? { ...fact, value: ["too long to show"] } : fact;
}

const MARKS: Readonly<Record<ReportPage["tone"], string>> = { good: "✅", bad: "❌", warning: "⚠️", plain: "▶️" };

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

/** A bar ends a table cell even within code, and escaping it fails if a backslash precedes it. */
function cell(content: Words): string {
  return words(content).replaceAll("|", "¦");
}

function words(content: Words): string {
  return content.map((part) => (typeof part === "string" ? part : code(part.said))).join("");
}

/** A code span that its content cannot end. Markdown has no empty code spans. */
function code(text: string): string {
  const shown = printable(text.replaceAll(/\s+/g, " ").trim());
  if (shown === "") return "";
  const longest = Math.max(0, ...Array.from(shown.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${fence}${space}${shown}${space}${fence}`;
}
