import { estimateTokens } from "./estimate-tokens.ts";
import type { LeftOut, Packet, PacketLine, PacketSection, SectionTitle } from "./packet.ts";
import { packetLayout, renderPacket } from "./render-packet.ts";

/** Lower numbers are placed first. */
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

type Draft = Pick<Packet, "sections" | "leftOut" | "layout" | "budget">;

/**
 * Adds lines until the budget is used, most urgent first, predecessors before the project's facts. The budget covers
 * the text as it is printed, with its headings and the list of what was left out.
 */
export function fitIntoBudget(draft: Draft): Packet {
  const lines = byUrgency(draft);
  for (const tells of ["reasons", "count"] as const) {
    const packet = fill(draft, lines, tells);
    if (packet !== null && listTokens(packet) <= draft.budget * MAX_LIST) return packet;
  }
  return fill(draft, lines, "nothing") ?? measured({ ...keep(draft, lines, 0), tells: "nothing" });
}

/** The largest share of the budget for the list of what was left out; beyond it, only the number is printed. */
const MAX_LIST = 0.25;

function listTokens(packet: Packet): number {
  return estimateTokens(renderPacket({ ...packet, sections: [] }));
}

interface RankedLine {
  readonly section: PacketSection;
  readonly line: PacketLine;
  readonly tokens: number;
}

/** The same packet without these sections. */
export function withoutTitles(packet: Packet, titles: ReadonlySet<SectionTitle>): Packet {
  const isKept = ({ title }: { readonly title: SectionTitle }): boolean => !titles.has(title);
  return measured({ ...packet, sections: packet.sections.filter(isKept), leftOut: packet.leftOut.filter(isKept) });
}

function byUrgency({ sections, layout }: Draft): RankedLine[] {
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
      tokens: estimateTokens(packetLayout(layout).line(section.title, line)),
    }));
}

/** Severe lines come first, and so do the issues to fix, however severe. */
function severeFirst({ section, line: { severity } }: Pick<RankedLine, "section" | "line">): number {
  return severity === "critical" || severity === "high" || section.title === "Issues to Fix" ? 0 : 1;
}

/** Null when not even the list of what was left out fits. */
function fill(draft: Draft, lines: readonly RankedLine[], tells: Packet["tells"]): Packet | null {
  const { budget } = draft;
  let room = budget;
  let packet = measured({ ...keep(draft, lines, room), tells });
  // The estimate per line leaves out what the layout prints around it, so the room shrinks until the whole fits.
  while (packet.estimatedTokens > budget && packet.sections.length > 0) {
    const step = Math.max(packet.estimatedTokens - budget, Math.ceil(budget * SMALLEST_STEP));
    room = Math.max(0, room - step);
    packet = measured({ ...keep(draft, lines, room), tells });
  }
  return packet.estimatedTokens > budget ? null : packet;
}

const SMALLEST_STEP = 0.05;

type Kept = Omit<Packet, "tells" | "estimatedTokens">;

function keep({ sections, leftOut, layout, budget }: Draft, lines: readonly RankedLine[], room: number): Kept {
  const kept = new Set<PacketLine>();
  const headed = new Set<PacketSection>();
  const cut: LeftOut[] = [];
  let used = 0;
  for (const { section, line, tokens } of lines) {
    const needed = tokens + (headed.has(section) ? 0 : HEADING);
    if (used + needed > room) cut.push({ title: section.title, text: line.text, source: line.source, why: "budget" });
    else {
      used += needed;
      kept.add(line);
      headed.add(section);
    }
  }
  return { sections: inOrder(sections, kept), leftOut: [...leftOut, ...cut], layout, budget };
}

/** Tokens of a heading with its blank lines. */
const HEADING = 8;

function measured(packet: Omit<Packet, "estimatedTokens">): Packet {
  const whole = { ...packet, estimatedTokens: 0 };
  return { ...whole, estimatedTokens: estimateTokens(renderPacket(whole)) };
}

function inOrder(sections: readonly PacketSection[], kept: ReadonlySet<PacketLine>): PacketSection[] {
  return sections
    .map((section) => ({ ...section, lines: section.lines.filter((line) => kept.has(line)) }))
    .filter(({ lines }) => lines.length > 0)
    .map((section, at) => ({ section, at }))
    .toSorted((left, right) => groupOf(left.section) - groupOf(right.section) || left.at - right.at)
    .map(({ section }) => section);
}

/** Issues to fix come first, then fields, then the predecessors' sections, then the project's. */
function groupOf({ from, title }: PacketSection): number {
  if (title === "Issues to Fix") return 0;
  if (title === "Fields of the Run") return 1;
  return from === null ? 3 : 2;
}
