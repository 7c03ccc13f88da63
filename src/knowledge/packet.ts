import type { DialectName, Handoff, Outcome } from "../protocol/handoff.ts";
import type { Freshness } from "./freshness.ts";
import type { Fact, Severity } from "./fact.ts";

/** What the next agent is given to know: a bounded choice, each line with where it comes from. Plain JSON. */
export interface Packet {
  readonly sections: readonly PacketSection[];
  readonly leftOut: readonly LeftOut[];
  /** How much of what was left out is told: where there is little room, only how many they are. */
  readonly tells: "reasons" | "count" | "nothing";
  /** The dialect whose layout it is printed in, and its tokens are counted in. */
  readonly layout: DialectName;
  /** An estimate, a quarter of the bytes that are printed; no client was asked. */
  readonly estimatedTokens: number;
  readonly budget: number;
}

export interface PacketSection {
  /** The task that it is from; null for what is known from all over the project. */
  readonly from: PacketOrigin | null;
  readonly title: SectionTitle;
  readonly lines: readonly PacketLine[];
}

/** The task of a predecessor. Its phase is one of the words that the formats have for it, never an agent's own. */
export interface PacketOrigin {
  readonly task: string;
  readonly name: string;
  readonly phase: Phase | null;
  readonly outcome: Outcome;
}

export const PHASES = [
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
export type Phase = (typeof PHASES)[number];

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
  /** What to do about it, why, or what it is for. */
  readonly detail: string | null;
  /** `src/a.ts:10-20`. */
  readonly place: string | null;
  readonly severity: Severity | null;
  readonly source: LineSource;
  /** The id of the fact that a predecessor's line is; its source names the handoff. */
  readonly knownAs?: string;
}

/** Who said it; the handoff can be looked up by this. */
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
  /** More of these were near than are shown. */
  | "cap"
  | "budget"
  /** What it was learned from has changed, or is gone. */
  | "changed"
  | "gone"
  | "quarantined"
  /** Another fact says the opposite, and nobody has decided. */
  | "contradicted";

export type Complexity = "easy" | "normal" | "complex";

/** How much of the project's knowledge a task is given beside what it stands on (003). */
export const CAPS: Readonly<Record<Complexity, Readonly<Partial<Record<SectionTitle, number>>>>> = {
  easy: { "Patterns to Follow": 3, Warnings: 2, Decisions: 2, "Files to Review": 5 },
  normal: { "Patterns to Follow": 5, Warnings: 3, Decisions: 3, "Files to Review": 10 },
  complex: { "Patterns to Follow": 10, Warnings: 5, Decisions: 5, "Files to Review": 20 },
};

/** A fact and whether what it cites still stands; null when it cites nothing. */
export interface CheckedFact {
  readonly fact: Fact;
  readonly freshness: Freshness | null;
}

export interface WeighedFact extends CheckedFact {
  readonly score: number;
}

/** A handoff that the work stands on. */
export interface Predecessor {
  readonly task: string;
  readonly name: string;
  readonly handoff: Handoff;
  readonly source: LineSource;
  /** What a person has answered to its blocking questions; null when nobody was asked. */
  readonly answer?: string | null;
  /** What its handoff taught, as that stands now, by where the handoff says it. */
  readonly taught?: ReadonlyMap<string, CheckedFact>;
}
