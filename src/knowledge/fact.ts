/** Something that was learned in a handoff and may help whoever comes later. Plain JSON. */
export interface Fact {
  /** `pattern-001`. */
  readonly id: string;
  readonly kind: FactKind;
  /** One line. */
  readonly text: string;
  /** What to do about it: a mitigation, a remediation, a recommendation. */
  readonly detail: string | null;
  readonly severity: Severity | null;
  /** An open question, or a blocker, that stops work. */
  readonly isBlocking: boolean;
  /** What a person has answered: then the question is not open any more. */
  readonly answer: string | null;
  readonly tags: readonly string[];
  /** Files that it names, from the project root. */
  readonly files: readonly string[];
  readonly citation: Citation | null;
  readonly status: FactStatus;
  /** Who said it, the first one first. */
  readonly witnesses: readonly Witness[];
  /** Facts that say the opposite. */
  readonly opposes: readonly string[];
  /** How often work that was given it went well. */
  readonly helped: number;
}

export const FACT_KINDS = [
  "pattern",
  "gotcha",
  "decision",
  "limitation",
  "assumption",
  "question",
  "blocker",
  "issue",
  "next-step",
] as const;
export type FactKind = (typeof FACT_KINDS)[number];

export type Severity = "critical" | "high" | "medium" | "low";

/** Quarantined is what nobody has proven: it is kept, shown and not passed on. */
export type FactStatus = "trusted" | "quarantined" | "retired";

/** Where a fact was said. */
export interface Witness {
  readonly run: string;
  readonly task: string;
  readonly step: string;
  readonly agent: string;
  /** SHA-256 of the text of the handoff. */
  readonly handoff: string;
  /** Where in the canonical handoff: `knowledge.patterns.0`. */
  readonly where: string;
  readonly at: number;
}

/** A place in the repository, and what stood there. */
export interface Citation {
  readonly path: string;
  /** First and last line, from 1; null is the whole file. */
  readonly lines: { readonly first: number; readonly last: number } | null;
  /** The lines themselves, cut where they are many; what they are known again by. */
  readonly text: readonly string[];
  /** HEAD when it was cited: since then git can tell where a file went. */
  readonly commit: string | null;
}

/** A fact as it stands in one handoff, before it is known whether it is new. */
export interface LearnedFact extends Pick<Fact, "kind" | "text" | "detail" | "severity" | "isBlocking" | "tags"> {
  readonly where: string;
  /** The id that the handoff gives it, if it gives one. */
  readonly id: string | null;
  /** The place it names, not yet looked at. */
  readonly place: { readonly path: string; readonly lines: Citation["lines"] } | null;
}
