import type { Handoff } from "../protocol/handoff.ts";
import { type JsonRecord, shown } from "../shared/json-value.ts";
import type { FactKind, LearnedFact, Severity } from "./fact.ts";
import { learnFacts, oneLine } from "./learn-facts.ts";
import { printPlace } from "./print-place.ts";
import {
  type PacketLine,
  type PacketSection,
  type Phase,
  PHASES,
  type Predecessor,
  type SectionTitle,
} from "./packet.ts";

type LineParts = Pick<PacketLine, "text" | "detail" | "place" | "severity">;

/**
 * What a handoff gives to whoever stands on it (003-R26): files to read, all its patterns, its gotchas of high and
 * medium severity, questions that block, with what was answered; its next steps (ruling 19); then its context as 000, 002 and 004 have it,
 * what it changed and what is to be tested.
 */
export function predecessorSections({ task, name, handoff, source, answer = null }: Predecessor): PacketSection[] {
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
  return PHASES.find((word) => word === phase?.toLowerCase()) ?? null;
}

/** The prose that 004 hands on, and the named values of 002. */
function contextLines({ context }: Handoff): LineParts[] {
  const text = oneLine(context?.text, LONGEST_CONTEXT);
  const prose = text === null ? [] : [{ text, detail: null, place: null, severity: NO_SEVERITY }];
  return [...prose, ...namedLines(context?.data)];
}

const LONGEST_CONTEXT = 2_000;

function namedLines(values: JsonRecord | undefined): LineParts[] {
  return Object.entries(values ?? {}).flatMap(([name, value]) => (value === undefined ? [] : part(name, shown(value))));
}

function part(text: string | undefined, detail: string | undefined): LineParts[] {
  const line = oneLine(text);
  return line === null ? [] : [{ text: line, detail: oneLine(detail), place: null, severity: NO_SEVERITY }];
}

const NO_SEVERITY: Severity | null = null;
