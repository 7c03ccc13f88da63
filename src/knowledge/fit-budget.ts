import { utf8Length } from "../shared/utf8-length.ts";
import type { LeftOut, Packet, PacketLine, PacketSection, SectionTitle } from "./packet.ts";
import { PACKET_LAYOUTS, renderPacket } from "./render-packet.ts";

/** Who must not miss it: the smaller, the sooner it gets its room. */
const URGENCY: Readonly<Record<SectionTitle, number>> = {
  "Issues to Fix": 0,
  "Fields of the Run": 1,
  "Blocking Questions": 2,
  "Answered Questions": 2,
  Warnings: 3,
  Delivered: 4,
  Context: 5,
  "Files to Review": 6,
  "Patterns to Follow": 7,
  Decisions: 8,
  "Test Requirements": 9,
  "Files Changed": 10,
  Limitations: 11,
  Assumptions: 12,
  "Reported Figures": 13,
  "Next Steps": 14,
};

type Wanted = Pick<Packet, "sections" | "leftOut" | "layout" | "budget">;

/**
 * Room is given line by line, the most urgent first, what the work stands on before what is known at large. What
 * counts is the text as it is printed, with its headings and with the list of what was left out.
 */
export function fitIntoBudget(wanted: Wanted): Packet {
  const lines = byUrgency(wanted);
  for (const tells of ["reasons", "count"] as const) {
    const packet = fill(wanted, lines, tells);
    if (packet !== null && listTokens(packet) <= wanted.budget * LARGEST_LIST) return packet;
  }
  return fill(wanted, lines, "nothing") ?? measured({ ...keep(wanted, lines, 0), tells: "nothing" });
}

/** Where the list of what was left out would take more of the room than this, only their number is told. */
const LARGEST_LIST = 0.25;

function listTokens(packet: Packet): number {
  return tokensOf(renderPacket({ ...packet, sections: [] }));
}

interface WantedLine {
  readonly section: PacketSection;
  readonly line: PacketLine;
  readonly price: number;
}

/** The same packet, without what the reader is told elsewhere. */
export function withoutTitles(packet: Packet, titles: ReadonlySet<SectionTitle>): Packet {
  const isKept = ({ title }: { readonly title: SectionTitle }): boolean => !titles.has(title);
  return measured({ ...packet, sections: packet.sections.filter(isKept), leftOut: packet.leftOut.filter(isKept) });
}

function byUrgency({ sections, layout }: Wanted): WantedLine[] {
  return sections
    .flatMap((section, at) => section.lines.map((line, row) => ({ section, at, line, row })))
    .sort(
      (left, right) =>
        severeFirst(left) - severeFirst(right) ||
        URGENCY[left.section.title] - URGENCY[right.section.title] ||
        left.at - right.at ||
        left.row - right.row,
    )
    .map(({ section, line }) => ({
      section,
      line,
      price: tokensOf(PACKET_LAYOUTS[layout].line(section.title, line)),
    }));
}

/** What is bad, and what the work is about however bad it is. */
function severeFirst({ section, line: { severity } }: Pick<WantedLine, "section" | "line">): number {
  return severity === "critical" || severity === "high" || section.title === "Issues to Fix" ? 0 : 1;
}

/** Null when not even the list of what was left out has room. */
function fill(wanted: Wanted, lines: readonly WantedLine[], tells: Packet["tells"]): Packet | null {
  const { budget } = wanted;
  let room = budget;
  let packet = measured({ ...keep(wanted, lines, room), tells });
  // Prices leave out what frames a line in its layout: as long as that is too much, there is less room.
  while (packet.estimatedTokens > budget && packet.sections.length > 0) {
    const step = Math.max(packet.estimatedTokens - budget, Math.ceil(budget * SMALLEST_STEP));
    room = Math.max(0, room - step);
    packet = measured({ ...keep(wanted, lines, room), tells });
  }
  return packet.estimatedTokens > budget ? null : packet;
}

const SMALLEST_STEP = 0.05;

type Kept = Omit<Packet, "tells" | "estimatedTokens">;

function keep({ sections, leftOut, layout, budget }: Wanted, lines: readonly WantedLine[], room: number): Kept {
  const kept = new Set<PacketLine>();
  const headed = new Set<PacketSection>();
  const cut: LeftOut[] = [];
  let used = 0;
  for (const { section, line, price } of lines) {
    const whole = price + (headed.has(section) ? 0 : HEADING);
    if (used + whole > room) cut.push({ title: section.title, text: line.text, source: line.source, why: "budget" });
    else {
      used += whole;
      kept.add(line);
      headed.add(section);
    }
  }
  return { sections: inOrder(sections, kept), leftOut: [...leftOut, ...cut], layout, budget };
}

/** A heading with its blank lines. */
const HEADING = 8;

function measured(packet: Omit<Packet, "estimatedTokens">): Packet {
  const whole = { ...packet, estimatedTokens: 0 };
  return { ...whole, estimatedTokens: tokensOf(renderPacket(whole)) };
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
  if (title === "Issues to Fix") return 0;
  if (title === "Fields of the Run") return 1;
  return from === null ? 3 : 2;
}
