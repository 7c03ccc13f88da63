import { type Infer, data } from "../protocol/shape.ts";

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

export const FACT_SEVERITIES = ["critical", "high", "medium", "low"] as const;
export type FactSeverity = (typeof FACT_SEVERITIES)[number];

export const FACT_STATUSES = ["trusted", "quarantined", "retired"] as const;
/** A quarantined fact is not proven yet: it is stored and shown, but not passed on. */
export type FactStatus = (typeof FACT_STATUSES)[number];

const factSourceShape = data.record({
  run: data.text(),
  task: data.text(),
  step: data.text(),
  agent: data.text(),
  /** SHA-256 of the text of the handoff. */
  handoff: data.text(),
  /** Where in the canonical handoff: `knowledge.patterns.0`. */
  where: data.text(),
  at: data.count(),
});
/** The handoff that states a fact. */
export type FactSource = Infer<typeof factSourceShape>;

const citationShape = data.record({
  path: data.text(),
  /** First and last line, from 1; null is the whole file. */
  lines: data.nullable(data.record({ first: data.integer(), last: data.integer() })),
  /** The lines themselves, up to a limit. They are used to find the place again. */
  text: data.list(data.text()),
  /** Of a whole file: the identifiers that the fact names and the file had. */
  names: data.optional(data.list(data.text())),
  /** HEAD when it was cited; git finds renames since then. */
  commit: data.nullable(data.text()),
});
/** A place in the repository, and its text when it was cited. */
export type Citation = Infer<typeof citationShape>;

export const factShape = data.record({
  /** `pattern-001`. */
  id: data.text(),
  kind: data.oneOf(FACT_KINDS),
  /** One line. */
  text: data.text(),
  /** What to do about it: a mitigation, a remediation, a recommendation. */
  detail: data.nullable(data.text()),
  severity: data.nullable(data.oneOf(FACT_SEVERITIES)),
  /** True of an open question or a blocker that stops work. */
  isBlocking: data.boolean(),
  /** A person's answer, which closes the question. */
  answer: data.nullable(data.text()),
  tags: data.list(data.text()),
  /** Files that it names, from the project root. */
  files: data.list(data.text()),
  citation: data.nullable(citationShape),
  /** The place that it names, if that was not found when the fact was stated. Only a person makes it trusted. */
  unconfirmedPlace: data.optional(data.text()),
  status: data.oneOf(FACT_STATUSES),
  /** The handoffs that state it, oldest first. */
  witnesses: data.list(factSourceShape),
  /** Facts that say the opposite. */
  opposes: data.list(data.text()),
  /** How often work that was given it succeeded. */
  helped: data.count(),
});
/** Something that was learned from a handoff and may help later work. Plain JSON. */
export type Fact = Infer<typeof factShape>;

/** A fact as one handoff states it, before it is compared with the known facts. */
export interface LearnedFact extends Pick<Fact, "kind" | "text" | "detail" | "severity" | "isBlocking" | "tags"> {
  readonly where: string;
  /** The id that the handoff gives it, if it gives one. */
  readonly id: string | null;
  /** The place it names, not yet read. */
  readonly place: { readonly path: string; readonly lines: Citation["lines"] } | null;
}

/** `src/cart.ts:3-9` for people; one line is one number. */
export function printPlace({ path, lines }: Pick<Citation, "path" | "lines">): string {
  if (lines === null) return path;
  return `${path}:${lines.first}${lines.last === lines.first ? "" : `-${lines.last}`}`;
}
