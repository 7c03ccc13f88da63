import type { DialectName } from "../protocol/handoff-words.ts";
import { type Fact, type FactKind, type LearnedFact, type FactSeverity, printPlace } from "./fact.ts";
import { factStandingOf } from "./freshness.ts";
import { fitIntoBudget } from "./fit-budget.ts";
import { learnFacts, factLine } from "./learn-facts.ts";
import {
  type CheckedFact,
  type Complexity,
  type LeftOut,
  type LeftOutReason,
  type LineSource,
  type Packet,
  type PacketLine,
  type PacketSection,
  type Predecessor,
  type SectionTitle,
  type WeighedFact,
  CAPS,
  SECTION_TITLES,
  type Phase,
  PACKET_PHASES,
} from "./packet.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { type JsonRecord, shown } from "../shared/json-value.ts";
import { keywordsIn } from "./words.ts";

export interface PacketRequest {
  /** Handoffs of the tasks that this one depends on, and of the step before. */
  readonly predecessors: readonly Predecessor[];
  /** Issues the agent is to fix; they come first. */
  readonly issues: readonly PacketLine[];
  /** Fields that agents of the run have delivered so far, such as a pull request or a branch (001-R23). */
  readonly fields: readonly PacketLine[];
  /** Files that earlier agents changed for the same task, beside those that the last handoff names. */
  readonly changed?: readonly PacketLine[];
  /** Facts of the whole project, most relevant first. */
  readonly facts: readonly WeighedFact[];
  /** The current path of a file that a predecessor names; null when it was deleted. A missing key means: unchanged. */
  readonly places: ReadonlyMap<string, string | null>;
  readonly complexity: Complexity;
  /** The dialect whose layout the packet is printed in. */
  readonly layout: DialectName;
  /** In tokens. */
  readonly budget: number;
}

/** The same request gives the same packet, byte for byte. */
export function buildPacket(request: PacketRequest): Packet {
  const leftOut: LeftOut[] = [];
  const predecessors = request.predecessors.map((one) => ({
    sections: predecessorSections(one),
    statements: currentStatements(one),
  }));
  const repeated = factsOfPredecessors(predecessors);
  const changed: PacketSection = { from: null, title: "Files Changed", lines: request.changed ?? [] };
  const direct = [...predecessors, { sections: [changed], statements: [] }].flatMap(({ sections, statements }) =>
    sections.map((section) => updateSection(section, statements, request, leftOut)),
  );
  const known = projectSections(
    request.facts.filter(({ fact }) => !repeated.has(fact.text) && !repeated.has(fact.id)),
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

/** A statement of a handoff, and the fact that was learned from it as the fact is now: edited, merged or retired. */
interface CurrentStatement extends CheckedFact {
  readonly title: SectionTitle | null;
  readonly text: string;
}

function currentStatements({ handoff, learnedFacts = new Map() }: Predecessor): CurrentStatement[] {
  return learnFacts(handoff).flatMap(({ kind, text, where }) => {
    const known = learnedFacts.get(where);
    return known === undefined ? [] : [{ ...known, title: SECTION_OF_KIND[kind].title, text }];
  });
}

/** Texts that predecessors state, and ids of the facts learned from them: the project's sections do not repeat these. */
function factsOfPredecessors(
  predecessors: readonly {
    readonly sections: readonly PacketSection[];
    readonly statements: readonly CurrentStatement[];
  }[],
): ReadonlySet<string> {
  const sections = predecessors.flatMap((one) => one.sections);
  const texts = new Set(sections.flatMap(({ lines }) => lines.map(({ text }) => text)));
  const statements = predecessors.flatMap((one) => one.statements);
  const ids = statements.flatMap(({ text, fact }) => (texts.has(text) ? [fact.id] : []));
  return new Set([...texts, ...ids]);
}

/** Replaces each statement of a predecessor by the fact as it is now, and each file by its current path. */
function updateSection(
  section: PacketSection,
  statements: readonly CurrentStatement[],
  { facts, places }: PacketRequest,
  leftOut: LeftOut[],
): PacketSection {
  const { title } = section;
  // An answered question is the same fact as the open one.
  const kindTitle = title === "Answered Questions" ? "Blocking Questions" : title;
  const known = new Map<string, CheckedFact>([
    ...facts
      .filter(({ fact }) => SECTION_OF_KIND[fact.kind].title === kindTitle)
      .map((one) => [one.fact.text, one] as const),
    ...statements.filter((one) => one.title === kindTitle).map((one) => [one.text, one] as const),
  ]);
  const unproven = PROSE_SECTIONS.has(title) ? unprovenHandoffs([...facts, ...statements]) : NONE;
  const lines = section.lines.flatMap((line, at): PacketLine[] => {
    const checked = known.get(line.text) ?? null;
    const place = FILE_SECTIONS.has(title) ? places.get(line.text) : undefined;
    const doubt = unproven.has(line.source.handoff) ? "quarantined" : checked && doubtAbout(checked);
    const why = place === null ? "gone" : (doubt ?? (at < MAX_LINES ? null : "cap"));
    if (why === null)
      return checked !== null && isMinor(checked.fact) ? [] : [updateLine(line, title, checked, place ?? null)];
    leftOut.push({ title, text: line.text, source: line.source, why });
    return [];
  });
  return { ...section, lines: onceEach(lines) };
}

/** Per section of one handoff; more than this is a flood. */
const MAX_LINES = 50;

/** Two statements that a person has merged are one fact and are printed once. */
function onceEach(lines: readonly PacketLine[]): PacketLine[] {
  const seen = new Set<string>();
  return lines.filter(({ knownAs }) => knownAs === undefined || (!seen.has(knownAs) && seen.add(knownAs)));
}

/**
 * Takes text, detail and severity from the fact, which people may have edited, not from the handoff that repeats it.
 * The place stays the one that the handoff names, unless the cited lines have moved.
 */
function updateLine(
  line: PacketLine,
  title: SectionTitle,
  checked: CheckedFact | null,
  place: string | null,
): PacketLine {
  if (place !== null) return { ...line, text: place };
  if (checked === null) return line;
  const { fact, freshness } = checked;
  const moved = freshness?.is === "moved" ? placeOf(fact, freshness) : null;
  const { text, severity } = fact;
  const detail = title === "Answered Questions" ? line.detail : fact.detail;
  return { ...line, text, detail, severity, place: moved ?? line.place, knownAs: fact.id };
}

const FILE_SECTIONS: ReadonlySet<SectionTitle> = new Set(["Files to Review", "Files Changed"]);

/** Sections of an agent's own prose, which cannot be checked against files. */
const PROSE_SECTIONS: ReadonlySet<SectionTitle> = new Set(["Delivered", "Context", "Reported Figures"]);
const NONE: ReadonlySet<string> = new Set();

/** A handoff with a quarantined fact has proven nothing yet, so its prose is not passed on either. */
function unprovenHandoffs(facts: readonly CheckedFact[]): ReadonlySet<string> {
  const doubtful = facts.filter(({ fact }) => fact.status === "quarantined");
  return new Set(doubtful.flatMap(({ fact }) => fact.witnesses.map(({ handoff }) => handoff)));
}

/** The section for facts of a kind, if there is one, and whether facts of other tasks are passed on too. */
const SECTION_OF_KIND: Readonly<Record<FactKind, { readonly title: SectionTitle | null; readonly isShared: boolean }>> =
  {
    pattern: { title: "Patterns to Follow", isShared: true },
    gotcha: { title: "Warnings", isShared: true },
    decision: { title: "Decisions", isShared: true },
    limitation: { title: "Limitations", isShared: true },
    assumption: { title: "Assumptions", isShared: false },
    question: { title: "Blocking Questions", isShared: true },
    blocker: { title: null, isShared: false },
    issue: { title: null, isShared: false },
    "next-step": { title: "Next Steps", isShared: false },
  };

/** Facts of the whole project up to the caps. Doubtful facts are left out, with the reason. */
function projectSections(facts: readonly WeighedFact[], complexity: Complexity, leftOut: LeftOut[]): PacketSection[] {
  const sections = new Map<SectionTitle, PacketLine[]>();
  for (const weighed of facts) {
    const { fact } = weighed;
    const { title: kindTitle, isShared } = SECTION_OF_KIND[fact.kind];
    const title = fact.answer === null ? (isShared ? kindTitle : null) : "Answered Questions";
    if (title === null || isMinor(fact)) continue;
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

/** Warnings of low severity and questions that do not block can be searched, but are not passed on. */
function isMinor({ kind, severity, isBlocking, status }: Fact): boolean {
  if (status === "retired") return true;
  return (kind === "gotcha" && severity === "low") || (kind === "question" && !isBlocking);
}

/** Null for a fact that can be passed on as true: stale knowledge is worse than none. */
function doubtAbout({ fact, freshness }: CheckedFact): LeftOutReason | null {
  const standing = factStandingOf(fact, freshness);
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

type LineParts = Pick<PacketLine, "text" | "detail" | "place" | "severity">;

/**
 * What a handoff gives to the tasks that depend on it (003-R26): files to read, all of its patterns, its gotchas of high
 * and medium severity, blocking questions with their answers, its next steps (ruling 19), its context as 000, 002 and
 * 004 have it, what it changed and what has to be tested.
 */
function predecessorSections({ task, name, handoff, source, answer = null }: Predecessor): PacketSection[] {
  const facts = learnFacts(handoff);
  const questions = ofKind(facts, "question").filter(({ isBlocking }) => isBlocking);
  const sections: readonly (readonly [SectionTitle, readonly LineParts[]])[] = [
    ["Blocking Questions", answer === null ? questions : []],
    ["Answered Questions", answer === null ? [] : questions.map((one) => ({ ...one, detail: answer }))],
    ["Files to Review", filesToReview(handoff)],
    ["Patterns to Follow", ofKind(facts, "pattern")],
    ["Warnings", ofKind(facts, "gotcha").filter(({ severity }) => severity !== "low")],
    ["Decisions", ofKind(facts, "decision")],
    ["Limitations", ofKind(facts, "limitation")],
    ["Assumptions", ofKind(facts, "assumption")],
    ["Delivered", part(handoff.summary, undefined)],
    ["Context", contextLines(handoff)],
    ["Files Changed", filesChanged(handoff)],
    ["Test Requirements", testRequirements(handoff)],
    ["Reported Figures", namedLines(handoff.metrics)],
    ["Next Steps", ofKind(facts, "next-step")],
  ];
  const from = { task, name, phase: phaseOf(handoff), outcome: handoff.outcome };
  return sections.flatMap(([title, parts]) => {
    const lines = parts.map(({ text, detail, place, severity }) => ({ text, detail, place, severity, source }));
    return lines.length === 0 ? [] : [{ from, title, lines }];
  });
}

function ofKind(facts: readonly LearnedFact[], kind: FactKind): (LineParts & Pick<LearnedFact, "isBlocking">)[] {
  return facts
    .filter((fact) => fact.kind === kind)
    .map(({ text, detail, severity, isBlocking, place }) => ({
      text,
      detail,
      severity,
      isBlocking,
      place: place === null ? null : printPlace(place),
    }));
}

function filesToReview({ files_to_read }: Handoff): LineParts[] {
  return (files_to_read ?? []).flatMap(({ file, reason }) => part(file, reason));
}

function filesChanged({ work }: Handoff): LineParts[] {
  const { created = [], modified = [], artifacts = [] } = work ?? {};
  return [
    ...created.flatMap(({ path, purpose, description }) => part(path, purpose ?? description)),
    ...modified.flatMap(({ path, purpose, description }) => part(path, purpose ?? description)),
    ...artifacts.flatMap(({ path, purpose }) => part(path, purpose)),
  ];
}

function testRequirements({ test_requirements: wanted }: Handoff): LineParts[] {
  if (wanted === undefined) return [];
  const { coverage, critical_paths = [], edge_cases_to_test = [] } = wanted;
  return [
    ...(coverage === undefined ? [] : part(`Coverage of ${coverage} %`, undefined)),
    ...critical_paths.flatMap((path) => part(path, "critical path")),
    ...edge_cases_to_test.flatMap((edge) => part(edge, "edge case")),
  ];
}

function phaseOf({ phase }: Handoff): Phase | null {
  return PACKET_PHASES.find((word) => word === phase?.toLowerCase()) ?? null;
}

/** The prose of 004 and the named values of 002. */
function contextLines({ context }: Handoff): LineParts[] {
  const text = factLine(context?.text, MAX_CONTEXT);
  const prose = text === null ? [] : [{ text, detail: null, place: null, severity: NO_SEVERITY }];
  return [...prose, ...namedLines(context?.data)];
}

const MAX_CONTEXT = 2_000;

function namedLines(values: JsonRecord | undefined): LineParts[] {
  return Object.entries(values ?? {}).flatMap(([name, value]) => (value === undefined ? [] : part(name, shown(value))));
}

function part(text: string | undefined, detail: string | undefined): LineParts[] {
  const line = factLine(text);
  return line === null ? [] : [{ text: line, detail: factLine(detail), place: null, severity: NO_SEVERITY }];
}

const NO_SEVERITY: FactSeverity | null = null;

/** What the work is about, for rating the relevance of facts. */
export interface WorkSignals {
  readonly run: string;
  /** Tasks that it depends on. */
  readonly tasks: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  readonly now: number;
}

/** Most relevant first; ties by id, so that the order is always the same. */
export function weighFacts(candidates: readonly CheckedFact[], signals: WorkSignals): WeighedFact[] {
  return candidates
    .map(({ fact, freshness }) => ({ fact, freshness, score: scoreOf(fact, signals) }))
    .sort((left, right) => right.score - left.score || (left.fact.id < right.fact.id ? -1 : 1));
}

const SEVERITY: Readonly<Record<FactSeverity, number>> = { critical: 4, high: 3, medium: 1, low: 0 };
const DAY = 86_400_000;

/**
 * Being from a task that this one depends on counts most; then shared files, tags and words, severity, age, and how
 * often work that was given the fact succeeded.
 */
function scoreOf(fact: Fact, { run, tasks, tags, words, files, now }: WorkSignals): number {
  const own = fact.witnesses.filter((source) => source.run === run);
  const lineage = own.some(({ task }) => tasks.has(task)) ? 8 : own.length > 0 ? 2 : 0;
  const shared = {
    files: fact.files.filter((path) => files.has(path)).length,
    tags: fact.tags.filter((tag) => tags.has(tag)).length,
    words: keywordsIn(fact.text).filter((word) => words.has(word)).length,
  };
  const age = Math.max(0, now - (fact.witnesses.at(-1)?.at ?? 0)) / DAY;
  return (
    lineage +
    3 * Math.min(3, shared.files) +
    2 * Math.min(4, shared.tags) +
    Math.min(5, shared.words) +
    (fact.severity === null ? 0 : SEVERITY[fact.severity]) +
    2 / (1 + age / 7) +
    Math.min(2, Math.log2(1 + fact.helped)) +
    Math.min(1, 0.5 * (fact.witnesses.length - 1))
  );
}
