import { cell } from "../inert.ts";
import type { SectionTitle } from "../packet.ts";
import type { PacketLayout } from "./layout.ts";
import { type InertLine, inertLine, orderWith, type PagePart, pageOf, spoken } from "./page.ts";

/** What 003 names comes first, in its order (003-R27); questions and next steps follow the warnings (ruling 19). */
const ORDER = orderWith([
  "Files to Review",
  "Patterns to Follow",
  "Warnings",
  "Blocking Questions",
  "Answered Questions",
  "Next Steps",
]);

/** Markdown, as 003 lays it out. Headings are ours alone. */
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

/** Sections that are tables of files, and what their second column says. */
const COLUMNS: Readonly<Partial<Record<SectionTitle, string>>> = {
  "Files to Review": "Reason",
  "Files Changed": "Purpose",
};

function lineText(title: SectionTitle, line: InertLine): string {
  const { text, detail, place, severity, source } = line;
  if (title in COLUMNS) return `| ${cell(text)} | ${cell(detail === "" ? source : `${detail} ${source}`)} |`;
  if (title === "Patterns to Follow") return `- **${text}**${place === "" ? "" : ` (see: ${place})`} ${source}`;
  if (title === "Warnings") return `- ⚠️ ${spoken(title, line)} ${source}`;
  const where = place === "" ? "" : ` (${place})`;
  return `- ${severity === "" ? "" : `[${severity}] `}${spoken(title, line)}${where} ${source}`;
}
