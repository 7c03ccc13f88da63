import type { DialectName, Handoff, Outcome } from "../protocol/handoff.ts";
import type { Freshness } from "./freshness.ts";
import type { Fact, FactSeverity } from "./fact.ts";
import { readPlace } from "../evidence/wording.ts";

/** The context that the next agent is given: a bounded choice of lines, each with its source. Plain JSON. */
export interface Packet {
  readonly sections: readonly PacketSection[];
  readonly leftOut: readonly LeftOut[];
  /** What is printed about the lines that were left out; with little room, only their number. */
  readonly tells: "reasons" | "count" | "nothing";
  /** The dialect whose layout it is printed and measured in. */
  readonly layout: DialectName;
  /** An estimate without any client's tokenizer: a quarter of the printed bytes. */
  readonly estimatedTokens: number;
  readonly budget: number;
}

export interface PacketSection {
  /** The task that it is from; null for facts of the whole project. */
  readonly from: PacketOrigin | null;
  readonly title: SectionTitle;
  readonly lines: readonly PacketLine[];
}

/** The task of a predecessor. Its phase is one of the formats' words, never an agent's own text. */
export interface PacketOrigin {
  readonly task: string;
  readonly name: string;
  readonly phase: Phase | null;
  readonly outcome: Outcome;
}

export const PACKET_PHASES = [
  "research",
  "planning",
  "architecture",
  "infrastructure",
  "implementation",
  "testing",
  "integration",
  "qa",
  "complete",
] as const;
export type Phase = (typeof PACKET_PHASES)[number];

export const SECTION_TITLES = [
  "Issues to Fix",
  "Fields of the Run",
  "Blocking Questions",
  "Answered Questions",
  "Files to Review",
  "Patterns to Follow",
  "Warnings",
  "Decisions",
  "Limitations",
  "Assumptions",
  "Delivered",
  "Context",
  "Files Changed",
  "Test Requirements",
  "Reported Figures",
  "Next Steps",
] as const;
export type SectionTitle = (typeof SECTION_TITLES)[number];

export interface PacketLine {
  readonly text: string;
  /** What to do about it, a reason, or a purpose. */
  readonly detail: string | null;
  /** `src/a.ts:10-20`. */
  readonly place: string | null;
  readonly severity: FactSeverity | null;
  readonly source: LineSource;
  /** The id of the fact that was learned from this line of a predecessor; its source names the handoff. */
  readonly knownAs?: string;
}

/** The handoff that a line comes from. */
export interface LineSource {
  readonly run: string;
  readonly task: string;
  readonly agent: string;
  /** SHA-256 of its text. */
  readonly handoff: string;
  /** The id of the fact, when it is one. */
  readonly fact: string | null;
}

export interface LeftOut {
  readonly title: SectionTitle;
  readonly text: string;
  readonly source: LineSource;
  readonly why: LeftOutReason;
}

export type LeftOutReason =
  /** The section has reached its limit. */
  | "cap"
  | "budget"
  /** The text that it cites has changed, or is gone. */
  | "changed"
  | "gone"
  | "quarantined"
  /** Another fact says the opposite, and no person has decided yet. */
  | "contradicted";

export type Complexity = "easy" | "normal" | "complex";

/** How many facts of the whole project a task is given beside those of its predecessors (003). */
export const CAPS: Readonly<Record<Complexity, Readonly<Partial<Record<SectionTitle, number>>>>> = {
  easy: { "Patterns to Follow": 3, Warnings: 2, Decisions: 2, "Files to Review": 5 },
  normal: { "Patterns to Follow": 5, Warnings: 3, Decisions: 3, "Files to Review": 10 },
  complex: { "Patterns to Follow": 10, Warnings: 5, Decisions: 5, "Files to Review": 20 },
};

/** A fact and whether the text that it cites is still there; null when it cites nothing. */
export interface CheckedFact {
  readonly fact: Fact;
  readonly freshness: Freshness | null;
}

export interface WeighedFact extends CheckedFact {
  readonly score: number;
}

/** A handoff that the work depends on. */
export interface Predecessor {
  readonly task: string;
  readonly name: string;
  readonly handoff: Handoff;
  readonly source: LineSource;
  /** A person's answer to its blocking questions; null when there is none. */
  readonly answer?: string | null;
  /** The facts learned from its handoff as they are now, by their place in the handoff. */
  readonly learnedFacts?: ReadonlyMap<string, CheckedFact>;
}

/** The facts in a packet, each once. Issues to fix are no facts; they have ids of their own. */
export function factsIn({ sections }: Pick<Packet, "sections">): { readonly id: string; readonly text: string }[] {
  const facts = new Map<string, string>();
  for (const { title, lines } of sections) {
    if (title === "Issues to Fix") continue;
    for (const { source, knownAs, text } of lines) {
      const id = source.fact ?? knownAs ?? null;
      if (id !== null) facts.set(id, text);
    }
  }
  return [...facts].map(([id, text]) => ({ id, text }));
}

/** Splits files that an agent read into those that its packet names anywhere and the others. */
export function splitReads(
  packet: Pick<Packet, "sections"> | null,
  reads: readonly string[],
): { readonly named: readonly string[]; readonly unnamed: readonly string[] } {
  const names = packet === null ? new Set<string>() : namesIn(packet);
  return { named: reads.filter((path) => names.has(path)), unnamed: reads.filter((path) => !names.has(path)) };
}

function namesIn({ sections }: Pick<Packet, "sections">): Set<string> {
  const texts = sections.flatMap(({ lines }) => lines.flatMap(({ text, detail, place }) => [text, detail, place]));
  const names = new Set<string>();
  for (const text of texts) {
    if (text === null) continue;
    // As a whole, because a file name may have spaces, and word by word, because a sentence may name a file.
    for (const name of [text, ...text.split(/[\s"'`(),;|<>[\]{}]+/)]) names.add(pathOf(name));
  }
  return names;
}

/** Without line numbers and the punctuation at the end of a sentence. */
function pathOf(name: string): string {
  return readPlace(name.trim().replace(/[.:!?]{1,3}$/, "")).path.replace(/^\.\//, "");
}
