import type { Fact, FactKind } from "./fact.ts";
import { fitIntoBudget } from "./fit-budget.ts";
import type {
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

export interface PacketRequest {
  /** What the work stands on: handoffs of tasks it depends on, and of the step before. */
  readonly predecessors: readonly Predecessor[];
  /** Issues the agent is to fix; they come first. */
  readonly issues: readonly PacketLine[];
  /** Of the whole project, nearest first. */
  readonly facts: readonly WeighedFact[];
  /** Where a file that a predecessor names is now; null when it is gone. What is not here is where it was. */
  readonly places: ReadonlyMap<string, string | null>;
  readonly complexity: Complexity;
  /** In tokens. */
  readonly budget: number;
}

/** The same request gives the same packet, byte for byte. */
export function buildPacket(request: PacketRequest): Packet {
  const leftOut: LeftOut[] = [];
  const given = request.predecessors.flatMap(predecessorSections);
  const said = new Set(given.flatMap(({ lines }) => lines.map(({ text }) => text)));
  const direct = given.map((section) => asOfNow(section, request, leftOut));
  const known = knownSections(
    request.facts.filter(({ fact }) => !said.has(fact.text)),
    request.complexity,
    leftOut,
  );
  const issues: PacketSection[] =
    request.issues.length === 0 ? [] : [{ from: null, title: "Issues to Fix", lines: request.issues }];
  return fitIntoBudget([...issues, ...direct, ...known], leftOut, request.budget);
}

/** What a predecessor said is weighed like everything else: its lines are facts, and its files may have moved. */
function asOfNow(section: PacketSection, { facts, places }: PacketRequest, leftOut: LeftOut[]): PacketSection {
  const { title } = section;
  const known = new Map(
    facts.filter(({ fact }) => titleOf(fact) === title).map((weighed) => [weighed.fact.text, weighed]),
  );
  const lines = section.lines.flatMap((line): PacketLine[] => {
    const weighed = known.get(line.text) ?? null;
    const place = FILE_SECTIONS.has(title) ? places.get(line.text) : undefined;
    const why = place === null ? "gone" : weighed && doubtAbout(weighed);
    if (why === null) return weighed?.fact.status === "retired" ? [] : [lineNow(line, weighed, place ?? null)];
    leftOut.push({ title, text: line.text, source: line.source, why });
    return [];
  });
  return { ...section, lines };
}

/** With the place it names itself, unless that is known to have moved. */
function lineNow(line: PacketLine, weighed: WeighedFact | null, place: string | null): PacketLine {
  if (place !== null) return { ...line, text: place };
  const moved = weighed?.freshness?.is === "moved" ? placeOf(weighed.fact, weighed.freshness) : null;
  return { ...line, place: moved ?? line.place };
}

const FILE_SECTIONS: ReadonlySet<SectionTitle> = new Set(["Files to Review", "Files Changed"]);

function titleOf({ kind }: Fact): SectionTitle | undefined {
  if (kind === "assumption") return "Limitations";
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
    const title = TITLES[fact.kind];
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
function doubtAbout({ fact, freshness }: WeighedFact): LeftOutReason | null {
  if (fact.status === "quarantined") return "quarantined";
  if (fact.opposes.length > 0) return "contradicted";
  return freshness?.is === "changed" || freshness?.is === "gone" ? freshness.is : null;
}

function lineOf({ fact, freshness }: WeighedFact): PacketLine {
  return {
    text: fact.text,
    detail: fact.detail,
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
