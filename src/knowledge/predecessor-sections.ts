import type { Handoff } from "../protocol/handoff.ts";
import type { Severity } from "./fact.ts";
import { learnFacts, oneLine } from "./learn-facts.ts";
import type { PacketLine, PacketSection, Predecessor, SectionTitle } from "./packet.ts";

type LineParts = Pick<PacketLine, "text" | "detail" | "place" | "severity">;

/**
 * What a handoff gives to whoever stands on it (003-R26): files to read, all its patterns, its gotchas of high and
 * medium severity, questions that block; then its decisions, what it changed, what is to be tested, its next steps
 * (ruling 19).
 */
export function predecessorSections({ task, name, handoff, source }: Predecessor): PacketSection[] {
  const sections: readonly (readonly [SectionTitle, readonly LineParts[]])[] = [
    ["Blocking Questions", ofKind(handoff, "question").filter(({ isBlocking }) => isBlocking)],
    ["Files to Review", filesToReview(handoff)],
    ["Patterns to Follow", ofKind(handoff, "pattern")],
    ["Warnings", ofKind(handoff, "gotcha").filter(({ severity }) => severity !== "low")],
    ["Decisions", ofKind(handoff, "decision")],
    ["Limitations", [...ofKind(handoff, "limitation"), ...ofKind(handoff, "assumption")]],
    ["Files Changed", filesChanged(handoff)],
    ["Test Requirements", testRequirements(handoff)],
    ["Next Steps", ofKind(handoff, "next-step")],
  ];
  return sections.flatMap(([title, parts]) => {
    const lines = parts
      .slice(0, MOST_LINES)
      .map(({ text, detail, place, severity }) => ({ text, detail, place, severity, source }));
    return lines.length === 0 ? [] : [{ from: { task, name }, title, lines }];
  });
}

/** Of one kind from one handoff; the budget decides about the rest. */
const MOST_LINES = 50;

function ofKind(handoff: Handoff, kind: string): (LineParts & { readonly isBlocking: boolean })[] {
  return learnFacts(handoff)
    .filter((fact) => fact.kind === kind)
    .map(({ text, detail, severity, isBlocking, place }) => ({
      text,
      detail,
      severity,
      isBlocking,
      place: place === null ? null : printPlace(place),
    }));
}

function printPlace({ path, lines }: { path: string; lines: { first: number; last: number } | null }): string {
  if (lines === null) return path;
  return `${path}:${lines.first}${lines.last === lines.first ? "" : `-${lines.last}`}`;
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

function part(text: string | undefined, detail: string | undefined): LineParts[] {
  const line = oneLine(text);
  return line === null ? [] : [{ text: line, detail: oneLine(detail), place: null, severity: NO_SEVERITY }];
}

const NO_SEVERITY: Severity | null = null;
