import { cell, inert } from "./inert.ts";
import type { LeftOut, LineSource, Packet, PacketLine, PacketSection, SectionTitle } from "./packet.ts";

/** As 003 lays it out (003-R27), each line with where it comes from. Headings are ours alone. */
export function renderPacket({ sections, leftOut }: Packet): string {
  const blocks: string[] = [];
  let group: string | null = null;
  for (const section of sections) {
    const title = groupTitle(section);
    if (title !== group) blocks.push(`## ${title}`);
    group = title;
    blocks.push(`### ${section.title}\n\n${sectionBody(section)}`);
  }
  if (leftOut.length > 0) blocks.push(leftOutBlock(leftOut));
  return blocks.join("\n\n");
}

function groupTitle({ from, title }: PacketSection): string {
  if (title === "Issues to Fix") return "To Be Fixed";
  if (from === null) return "Known in This Project";
  return `From Task ${inert(from.task)}: ${inert(from.name)}`;
}

function sectionBody({ title, lines }: PacketSection): string {
  const head = TABLES.has(title)
    ? [`| File | ${title === "Files to Review" ? "Reason" : "Purpose"} |`, "|------|--------|"]
    : [];
  return [...head, ...lines.map((line) => lineText(title, line))].join("\n");
}

const TABLES: ReadonlySet<SectionTitle> = new Set(["Files to Review", "Files Changed"]);

/** One line of a packet, as it is read. */
export function lineText(title: SectionTitle, line: PacketLine): string {
  const source = sourceText(line.source);
  const text = inert(line.text);
  const detail = line.detail === null ? "" : inert(line.detail);
  if (TABLES.has(title)) return `| ${cell(text)} | ${cell(detail)} ${source} |`;
  switch (title) {
    case "Patterns to Follow":
      return `- **${text}**${line.place === null ? "" : ` (see: ${inert(line.place)})`} ${source}`;
    case "Warnings":
      return `- ⚠️ ${text}${detail === "" ? "" : `: ${detail}`} ${source}`;
    default: {
      const mark = line.severity === null ? "" : `[${line.severity}] `;
      const place = line.place === null ? "" : ` (${inert(line.place)})`;
      return `- ${mark}${text}${place}${detail === "" ? "" : `: ${detail}`} ${source}`;
    }
  }
}

/** `[task-3, builder, 1a2b3c4d, pattern-001]`. */
function sourceText({ task, agent, handoff, fact }: LineSource): string {
  const parts = [task, agent, handoff.slice(0, 8), ...(fact === null ? [] : [fact])];
  return `[${parts
    .filter((part) => part !== "")
    .map(inert)
    .join(", ")}]`;
}

function leftOutBlock(leftOut: readonly LeftOut[]): string {
  const counts = new Map<string, number>();
  for (const { title, why } of leftOut) {
    const key = `${title}: ${REASONS[why]}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return `### Left Out\n\n${[...counts].map(([what, count]) => `- ${count} of ${what}`).join("\n")}`;
}

/** In words. */
export function leftOutReason(why: LeftOut["why"]): string {
  return REASONS[why];
}

const REASONS: Readonly<Record<LeftOut["why"], string>> = {
  cap: "others are nearer to this work",
  budget: "there was no room",
  changed: "what it cites has changed since",
  gone: "what it cites is gone",
  quarantined: "nobody has proven it",
  contradicted: "something else says the opposite",
};
