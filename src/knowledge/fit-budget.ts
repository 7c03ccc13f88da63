import { utf8Length } from "../shared/utf8-length.ts";
import type { LeftOut, Packet, PacketLine, PacketSection, SectionTitle } from "./packet.ts";
import { SECTION_TITLES } from "./packet.ts";
import { lineText } from "./render-packet.ts";

/** Who must not miss it: the smaller, the sooner it gets its room. */
const URGENCY: Readonly<Record<SectionTitle, number>> = {
  "Issues to Fix": 0,
  "Blocking Questions": 1,
  Warnings: 2,
  "Files to Review": 3,
  "Patterns to Follow": 4,
  Decisions: 5,
  "Test Requirements": 6,
  "Files Changed": 7,
  Limitations: 8,
  "Next Steps": 9,
};

/** Room is given line by line, the most urgent first, what the work stands on before what is known at large. */
export function fitIntoBudget(sections: readonly PacketSection[], leftOut: readonly LeftOut[], budget: number): Packet {
  const wanted = sections.flatMap((section, at) => section.lines.map((line, row) => ({ section, at, line, row })));
  const order = wanted.toSorted(
    (left, right) =>
      severeFirst(left.line) - severeFirst(right.line) ||
      URGENCY[left.section.title] - URGENCY[right.section.title] ||
      left.at - right.at ||
      left.row - right.row,
  );
  const kept = new Set<PacketLine>();
  const headed = new Set<PacketSection>();
  const cut: LeftOut[] = [];
  let used = 0;
  for (const { section, line } of order) {
    const price = tokensOf(lineText(section.title, line)) + (headed.has(section) ? 0 : HEADING);
    if (used + price > budget) cut.push({ title: section.title, text: line.text, source: line.source, why: "budget" });
    else {
      used += price;
      kept.add(line);
      headed.add(section);
    }
  }
  return { sections: inOrder(sections, kept), leftOut: [...leftOut, ...cut], estimatedTokens: used, budget };
}

/** A heading with its blank lines. */
const HEADING = 12;

function severeFirst({ severity }: PacketLine): number {
  return severity === "critical" || severity === "high" ? 0 : 1;
}

/** No client was asked: about four bytes are a token. */
export function tokensOf(text: string): number {
  return Math.ceil(utf8Length(text) / 4);
}

function inOrder(sections: readonly PacketSection[], kept: ReadonlySet<PacketLine>): PacketSection[] {
  return sections
    .map((section) => ({ ...section, lines: section.lines.filter((line) => kept.has(line)) }))
    .filter(({ lines }) => lines.length > 0)
    .map((section, at) => ({ section, at }))
    .toSorted((left, right) => groupOf(left.section) - groupOf(right.section) || left.at - right.at)
    .map(({ section }) => section);
}

/** What is to be fixed stands first, then what each task gave, then the rest. */
function groupOf({ from, title }: PacketSection): number {
  if (title === SECTION_TITLES[0]) return 0;
  return from === null ? 2 : 1;
}
