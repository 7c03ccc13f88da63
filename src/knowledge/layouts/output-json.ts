import type { SectionTitle } from "../packet.ts";
import { type InertLine, inertLine, orderWith, type PagePart, pageOf, joinedText, type PacketLayout } from "./page.ts";

/** The prompt of 004 for each earlier phase (004-R26): its context, then the files it modified. */
export const outputJsonLayout: PacketLayout = {
  render(packet) {
    const { parts, leftOut } = pageOf(packet, ORDER);
    const blocks = parts.map(partText);
    if (leftOut.length > 0) blocks.push(`LEFT OUT:\n${leftOut.map((line) => `- ${line}`).join("\n")}`);
    return blocks.join("\n\n");
  },
  line: (title, line) => lineText(title, inertLine(line)),
};

/** Summary and context come first, as 004 asks for; files come last. */
const ORDER = orderWith(["Delivered", "Context"], ["Files Changed"]);

function partText({ about, from, sections }: PagePart): string {
  const files = sections.filter(({ title }) => title === "Files Changed");
  const context = sections.filter(({ title }) => title !== "Files Changed");
  const blocks = [
    [contextHeading(about, from), context],
    ["FILES MODIFIED:", files],
  ] as const;
  const texts = blocks
    .filter(([, within]) => within.length > 0)
    .map(([heading, within]) =>
      [heading, ...within.flatMap(({ title, lines }) => lines.map((line) => lineText(title, line)))].join("\n"),
    );
  return from === null ? texts.join("\n\n") : [`TASK ${from.task}: ${from.name}`, ...texts].join("\n\n");
}

function contextHeading(about: PagePart["about"], from: PagePart["from"]): string {
  if (from === null) return HEADINGS[about];
  return from.phase === null ? `CONTEXT FROM TASK ${from.task}:` : `CONTEXT FROM ${from.phase.toUpperCase()} PHASE:`;
}

const HEADINGS: Readonly<Record<PagePart["about"], string>> = {
  issues: "ISSUES TO FIX:",
  fields: "KNOWN OF THIS RUN:",
  task: "CONTEXT:",
  project: "KNOWN IN THIS PROJECT:",
};

function lineText(title: SectionTitle, line: InertLine): string {
  const marks = [LABELS[title], line.severity].filter((mark) => mark !== "").join(", ");
  const place = line.place === "" ? "" : ` (${line.place})`;
  return `- ${marks === "" ? "" : `${marks}: `}${joinedText(title, line)}${place} ${line.source}`;
}

/** 004 has one heading for all of its context, so each line carries a label. */
const LABELS: Readonly<Record<SectionTitle, string>> = {
  "Issues to Fix": "",
  "Fields of the Run": "",
  "Blocking Questions": "open question",
  "Answered Questions": "answered question",
  "Files to Review": "read",
  "Patterns to Follow": "pattern",
  Warnings: "warning",
  Decisions: "decision",
  Limitations: "limitation",
  Assumptions: "assumption",
  Delivered: "",
  Context: "",
  "Files Changed": "",
  "Test Requirements": "to be tested",
  "Reported Figures": "reported",
  "Next Steps": "next step",
};
