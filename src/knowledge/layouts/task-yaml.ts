import type { SectionTitle } from "../packet.ts";
import { type InertLine, inertLine, orderWith, type PagePart, pageOf, joinedText, type PacketLayout } from "./page.ts";
import { cell } from "../../shared/envelope.ts";

/** The sections of 003 come first, in its order (003-R27); questions and next steps follow the warnings (ruling 19). */
const ORDER = orderWith([
  "Files to Review",
  "Patterns to Follow",
  "Warnings",
  "Blocking Questions",
  "Answered Questions",
  "Next Steps",
]);

/** Markdown as in 003. No heading contains an agent's text except the name of a task. */
export const taskYamlLayout: PacketLayout = {
  render(packet) {
    const { parts, leftOut } = pageOf(packet, ORDER);
    const blocks = parts.flatMap((part) => [
      `## ${headingOf(part)}`,
      ...part.sections.map(({ title, lines }) => `### ${title}\n\n${body(title, lines)}`),
    ]);
    if (leftOut.length > 0) blocks.push(`## Left Out\n\n${leftOut.map((line) => `- ${line}`).join("\n")}`);
    return blocks.join("\n\n");
  },
  line: (title, line) => lineText(title, inertLine(line)),
};

function headingOf({ about, from }: PagePart): string {
  if (from !== null) return `From Task ${from.task}: ${from.name}`;
  return HEADINGS[about];
}

const HEADINGS: Readonly<Record<PagePart["about"], string>> = {
  issues: "To Be Fixed",
  fields: "Known of This Run",
  task: "From Another Task",
  project: "Known in This Project",
};

function body(title: SectionTitle, lines: readonly InertLine[]): string {
  const column = COLUMNS[title];
  const head = column === undefined ? [] : [`| File | ${column} |`, "|------|--------|"];
  return [...head, ...lines.map((line) => lineText(title, line))].join("\n");
}

/** Sections that are printed as tables of files, with the title of the second column. */
const COLUMNS: Readonly<Partial<Record<SectionTitle, string>>> = {
  "Files to Review": "Reason",
  "Files Changed": "Purpose",
};

function lineText(title: SectionTitle, line: InertLine): string {
  const { text, detail, place, severity, source } = line;
  if (title in COLUMNS) return `| ${cell(text)} | ${cell(detail === "" ? source : `${detail} ${source}`)} |`;
  if (title === "Patterns to Follow") return `- **${text}**${place === "" ? "" : ` (see: ${place})`} ${source}`;
  if (title === "Warnings") return `- ⚠️ ${joinedText(title, line)} ${source}`;
  const where = place === "" ? "" : ` (${place})`;
  return `- ${severity === "" ? "" : `[${severity}] `}${joinedText(title, line)}${where} ${source}`;
}
