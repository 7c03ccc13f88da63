import type { DialectName } from "../protocol/handoff-words.ts";
import type { Fact, FactKind } from "./fact.ts";
import { fitIntoBudget } from "./fit-budget.ts";
import { learnFacts } from "./learn-facts.ts";
import type {
  CheckedFact,
  Complexity,
  LeftOut,
  LeftOutReason,
  LineSource,
  Packet,
  PacketLine,
  PacketSection,
  Predecessor,
  SectionTitle,
  WeighedFact,
} from "./packet.ts";
import { CAPS, SECTION_TITLES } from "./packet.ts";
import { predecessorSections } from "./predecessor-sections.ts";
import { standingOf } from "./standing.ts";

export interface PacketRequest {
  /** What the work stands on: handoffs of tasks it depends on, and of the step before. */
  readonly predecessors: readonly Predecessor[];
  /** Issues the agent is to fix; they come first. */
  readonly issues: readonly PacketLine[];
  /** Fields that agents of the run have delivered so far: a pull request, a branch (001-R23). */
  readonly fields: readonly PacketLine[];
  /** Files that agents before have changed for the same task, beside those that the last handoff names. */
  readonly changed?: readonly PacketLine[];
  /** Of the whole project, nearest first. */
  readonly facts: readonly WeighedFact[];
  /** Where a file that a predecessor names is now; null when it is gone. What is not here is where it was. */
  readonly places: ReadonlyMap<string, string | null>;
  readonly complexity: Complexity;
  /** The dialect in whose layout it is printed. */
  readonly layout: DialectName;
  /** In tokens. */
  readonly budget: number;
}

/** The same request gives the same packet, byte for byte. */
export function buildPacket(request: PacketRequest): Packet {
  const leftOut: LeftOut[] = [];
  const told = request.predecessors.map((one) => ({ sections: predecessorSections(one), taught: taughtBy(one) }));
  const said = saidIn(told);
  const changed: PacketSection = { from: null, title: "Files Changed", lines: request.changed ?? [] };
  const direct = [...told, { sections: [changed], taught: [] }].flatMap(({ sections, taught }) =>
    sections.map((section) => asOfNow(section, taught, request, leftOut)),
  );
  const known = knownSections(
    request.facts.filter(({ fact }) => !said.has(fact.text) && !said.has(fact.id)),
    request.complexity,
    leftOut,
  );
  const own: PacketSection[] = [
    { from: null, title: "Issues to Fix", lines: request.issues },
    { from: null, title: "Fields of the Run", lines: request.fields },
  ];
  const { layout, budget } = request;
  return fitIntoBudget({ sections: [...own, ...direct, ...known], leftOut, layout, budget });
}

/** A statement of a handoff, and the fact that it is now: edited, merged, retired or as it was said. */
interface Taught extends CheckedFact {
  readonly title: SectionTitle | undefined;
  readonly text: string;
}

function taughtBy({ handoff, taught = new Map() }: Predecessor): Taught[] {
  return learnFacts(handoff).flatMap(({ kind, text, where }) => {
    const known = taught.get(where);
    return known === undefined ? [] : [{ ...known, title: titleOf(kind), text }];
  });
}

/** Texts that predecessors say, and the facts that these are: they are not told once more. */
function saidIn(told: readonly { readonly sections: readonly PacketSection[]; readonly taught: readonly Taught[] }[]) {
  const texts = new Set(told.flatMap(({ sections }) => sections.flatMap(({ lines }) => lines.map(({ text }) => text))));
  const ids = told.flatMap(({ taught }) => taught.flatMap(({ text, fact }) => (texts.has(text) ? [fact.id] : [])));
  return new Set([...texts, ...ids]);
}

/** What a predecessor said is weighed like everything else: its lines are facts, and its files may have moved. */
function asOfNow(
  section: PacketSection,
  taught: readonly Taught[],
  { facts, places }: PacketRequest,
  leftOut: LeftOut[],
): PacketSection {
  const { title } = section;
  // The same question, open or not.
  const kind = title === "Answered Questions" ? "Blocking Questions" : title;
  const known = new Map<string, CheckedFact>([
    ...facts.filter(({ fact }) => titleOf(fact.kind) === kind).map((one) => [one.fact.text, one] as const),
    ...taught.filter((one) => one.title === kind).map((one) => [one.text, one] as const),
  ]);
  const unproven = PROSE_SECTIONS.has(title) ? unprovenHandoffs([...facts, ...taught]) : NOTHING;
  const lines = section.lines.flatMap((line, at): PacketLine[] => {
    const checked = known.get(line.text) ?? null;
    const place = FILE_SECTIONS.has(title) ? places.get(line.text) : undefined;
    const doubt = unproven.has(line.source.handoff) ? "quarantined" : checked && doubtAbout(checked);
    const why = place === null ? "gone" : (doubt ?? (at < MOST_LINES ? null : "cap"));
    if (why === null)
      return checked !== null && isMinor(checked.fact) ? [] : [lineNow(line, title, checked, place ?? null)];
    leftOut.push({ title, text: line.text, source: line.source, why });
    return [];
  });
  return { ...section, lines: onceEach(lines) };
}

/** Of one kind from one handoff: who writes more than these floods. */
const MOST_LINES = 50;

/** Two statements that a person has merged are one. */
function onceEach(lines: readonly PacketLine[]): PacketLine[] {
  const seen = new Set<string>();
  return lines.filter(({ knownAs }) => knownAs === undefined || (!seen.has(knownAs) && seen.add(knownAs)));
}

/**
 * What is passed on is the fact, as somebody has proven or edited it, and not how this handoff says it again. With the
 * place it names itself, unless that is known to have moved.
 */
function lineNow(line: PacketLine, title: SectionTitle, checked: CheckedFact | null, place: string | null): PacketLine {
  if (place !== null) return { ...line, text: place };
  if (checked === null) return line;
  const { fact, freshness } = checked;
  const moved = freshness?.is === "moved" ? placeOf(fact, freshness) : null;
  const { text, severity } = fact;
  const detail = title === "Answered Questions" ? line.detail : fact.detail;
  return { ...line, text, detail, severity, place: moved ?? line.place, knownAs: fact.id };
}

const FILE_SECTIONS: ReadonlySet<SectionTitle> = new Set(["Files to Review", "Files Changed"]);

/** What a handoff tells in its own words, of which nothing can be looked at. */
const PROSE_SECTIONS: ReadonlySet<SectionTitle> = new Set(["Delivered", "Context", "Reported Figures"]);
const NOTHING: ReadonlySet<string> = new Set();

/** Who said something that is still quarantined has proven nothing; then its prose is not passed on either. */
function unprovenHandoffs(facts: readonly CheckedFact[]): ReadonlySet<string> {
  const doubtful = facts.filter(({ fact }) => fact.status === "quarantined");
  return new Set(doubtful.flatMap(({ fact }) => fact.witnesses.map(({ handoff }) => handoff)));
}

function titleOf(kind: FactKind): SectionTitle | undefined {
  if (kind === "assumption") return "Assumptions";
  return kind === "next-step" ? "Next Steps" : TITLES[kind];
}

const TITLES: Readonly<Partial<Record<FactKind, SectionTitle>>> = {
  pattern: "Patterns to Follow",
  gotcha: "Warnings",
  decision: "Decisions",
  limitation: "Limitations",
  question: "Blocking Questions",
};

/** Facts from all over the project, as many as the caps allow; what is not sure is left out, and said to be. */
function knownSections(facts: readonly WeighedFact[], complexity: Complexity, leftOut: LeftOut[]): PacketSection[] {
  const sections = new Map<SectionTitle, PacketLine[]>();
  for (const weighed of facts) {
    const { fact } = weighed;
    const title = fact.answer === null ? TITLES[fact.kind] : "Answered Questions";
    if (title === undefined || isMinor(fact)) continue;
    const lines = sections.get(title) ?? [];
    const why = doubtAbout(weighed) ?? (lines.length >= (CAPS[complexity][title] ?? DEFAULT_CAP) ? "cap" : null);
    if (why !== null) leftOut.push({ title, text: fact.text, source: sourceOf(fact), why });
    else sections.set(title, [...lines, lineOf(weighed)]);
  }
  return SECTION_TITLES.flatMap((title) => {
    const lines = sections.get(title);
    return lines === undefined ? [] : [{ from: null, title, lines }];
  });
}

const DEFAULT_CAP = 3;

/** Warnings of low severity and questions that stop nobody are for whoever searches. */
function isMinor({ kind, severity, isBlocking, status }: Fact): boolean {
  if (status === "retired") return true;
  return (kind === "gotcha" && severity === "low") || (kind === "question" && !isBlocking);
}

/** Stale memory is worse than none: only what stands is passed on as true. */
function doubtAbout({ fact, freshness }: CheckedFact): LeftOutReason | null {
  const standing = standingOf(fact, freshness);
  return standing === "trusted" || standing === "retired" ? null : standing;
}

function lineOf({ fact, freshness }: WeighedFact): PacketLine {
  return {
    text: fact.text,
    detail: fact.answer ?? fact.detail,
    place: placeOf(fact, freshness),
    severity: fact.severity,
    source: sourceOf(fact),
  };
}

function placeOf({ citation }: Fact, freshness: WeighedFact["freshness"]): string | null {
  if (citation === null) return null;
  const { path, lines } = citation;
  if (lines === null) return freshness?.is === "moved" ? freshness.path : path;
  const [where, first] = freshness?.is === "moved" ? [freshness.path, freshness.first] : [path, lines.first];
  const last = first + lines.last - lines.first;
  return `${where}:${first}${last === first ? "" : `-${last}`}`;
}

function sourceOf({ id, witnesses }: Fact): LineSource {
  const [first] = witnesses;
  if (first === undefined) return { run: "", task: "", agent: "", handoff: "", fact: id };
  const { run, task, agent, handoff } = first;
  return { run, task, agent, handoff, fact: id };
}
