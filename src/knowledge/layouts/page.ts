import {
  type LeftOutReason,
  type LineSource,
  type Packet,
  type PacketLine,
  type PacketOrigin,
  type PacketSection,
  SECTION_TITLES,
  type SectionTitle,
} from "../packet.ts";
import { inert, sourcePart } from "../../shared/envelope.ts";

/** A packet prepared for a layout: its text is inert (see `inert`), and its sections are in the layout's order. */
export interface PacketPage {
  readonly parts: readonly PagePart[];
  /** `2 of Warnings: there was no room`. */
  readonly leftOut: readonly string[];
}

export interface PagePart {
  readonly about: "issues" | "fields" | "task" | "project";
  /** The task that the part is about, if any. */
  readonly from: PacketOrigin | null;
  readonly sections: readonly { readonly title: SectionTitle; readonly lines: readonly InertLine[] }[];
}

/** A line of inert text; absent parts are empty. */
export interface InertLine {
  readonly text: string;
  readonly detail: string;
  readonly place: string;
  readonly severity: string;
  /** `[task-3, builder, 1a2b3c4d, pattern-001]`. */
  readonly source: string;
  /** The id of the issue or the fact. */
  readonly id: string;
}

export function pageOf(packet: Packet, order: readonly SectionTitle[]): PacketPage {
  const parts: { about: PagePart["about"]; from: PacketOrigin | null; of: PacketSection[] }[] = [];
  for (const section of packet.sections) {
    const about = aboutOf(section);
    const last = parts.at(-1);
    if (last?.about === about && last.from?.task === section.from?.task) last.of.push(section);
    else parts.push({ about, from: section.from, of: [section] });
  }
  return {
    parts: parts.map(({ about, from, of }) => ({
      about,
      from: from && { ...from, task: inert(from.task), name: inert(from.name) },
      sections: of
        .map(({ title, lines }) => ({ title, lines: lines.map(inertLine) }))
        .sort((left, right) => order.indexOf(left.title) - order.indexOf(right.title)),
    })),
    leftOut: leftOutLines(packet),
  };
}

/** The standard order, with these sections first and last. */
export function orderWith(first: readonly SectionTitle[], last: readonly SectionTitle[] = []): SectionTitle[] {
  const between = SECTION_TITLES.filter((title) => !first.includes(title) && !last.includes(title));
  return [...first, ...between, ...last];
}

function aboutOf({ from, title }: PacketSection): PagePart["about"] {
  if (title === "Issues to Fix") return "issues";
  if (title === "Fields of the Run") return "fields";
  return from === null ? "project" : "task";
}

export function inertLine({ text, detail, place, severity, source }: PacketLine): InertLine {
  return {
    text: inert(text),
    detail: inert(detail ?? ""),
    place: inert(place ?? ""),
    severity: severity ?? "",
    source: sourceText(source),
    id: inert(source.fact ?? ""),
  };
}

/** Text and detail in one; the detail of a test requirement is its kind and comes first. */
export function joinedText(title: SectionTitle, { text, detail }: InertLine): string {
  const parts = title === "Test Requirements" ? [detail, text] : [text, detail];
  return parts.filter((part) => part !== "").join(": ");
}

function sourceText({ task, agent, handoff, fact }: LineSource): string {
  const parts = [task, agent, handoff.slice(0, 8), ...(fact === null ? [] : [fact])];
  return `[${parts
    .map(sourcePart)
    .filter((part) => part !== "")
    .join(", ")}]`;
}

function leftOutLines({ leftOut, tells }: Packet): string[] {
  if (tells === "nothing" || leftOut.length === 0) return [];
  if (tells === "count") return [`${leftOut.length} in all`];
  return SECTION_TITLES.flatMap((title) => {
    const reasons = leftOut.filter((one) => one.title === title).map(({ why }) => why);
    return [...new Set(reasons)].map((reason) => {
      const count = reasons.filter((why) => why === reason).length;
      return `${count} of ${title}: ${leftOutReason(reason)}`;
    });
  });
}

export function leftOutReason(why: LeftOutReason): string {
  return REASONS[why];
}

const REASONS: Readonly<Record<LeftOutReason, string>> = {
  cap: "others are nearer to this work",
  budget: "there was no room",
  changed: "what it cites has changed since",
  gone: "what it is about is gone",
  quarantined: "nobody has proven it",
  contradicted: "something else says the opposite",
};

/** How a dialect prints a packet. Every line with an agent's text names its source. */
export interface PacketLayout {
  /** The whole packet as text for a prompt; empty when it has no lines. */
  render(packet: Packet): string;
  /** One line, for estimating its tokens. */
  line(title: SectionTitle, line: PacketLine): string;
}
