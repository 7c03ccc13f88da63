import { claimedPath } from "../evidence/claimed-path.ts";
import { readPlace } from "../evidence/wording.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { cutText, visibleLine } from "../shared/envelope.ts";
import { FACT_KINDS, FACT_SEVERITIES, type FactKind, type FactSeverity, type LearnedFact } from "./fact.ts";
import { tagsOf } from "./words.ts";

/** The facts in one handoff of any dialect, from its structured fields only; prose is never read as a fact. */
export function learnFacts(handoff: Handoff): LearnedFact[] {
  const facts = FACT_KINDS.flatMap((kind) =>
    STATEMENTS[kind](handoff).flatMap((statement) => learnStatement({ kind, ...statement })),
  );
  return facts.slice(0, MAX_FACTS);
}

/** A handoff with more facts than this is a flood, not knowledge. */
const MAX_FACTS = 200;

/** One statement as a document has it. */
interface FactStatement {
  readonly kind: FactKind;
  readonly where: string;
  readonly text: string | undefined;
  readonly detail?: string | undefined;
  readonly severity?: string | undefined;
  readonly isBlocking?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly id?: string | undefined;
  readonly location?: string | undefined;
}

/** Where a handoff states each kind of fact. */
const STATEMENTS: Readonly<Record<FactKind, (handoff: Handoff) => Omit<FactStatement, "kind">[]>> = {
  pattern: ({ knowledge }) =>
    (knowledge?.patterns ?? []).map(({ id, pattern, location, applies_to }, at) => ({
      where: `knowledge.patterns.${at}`,
      text: pattern,
      id,
      location,
      tags: applies_to,
    })),
  // A gotcha without a severity is of medium severity (ruling 18).
  gotcha: ({ knowledge }) =>
    (knowledge?.gotchas ?? []).map(({ id, issue, discovered_in, mitigation, severity = "medium" }, at) => ({
      where: `knowledge.gotchas.${at}`,
      text: issue,
      detail: mitigation,
      severity,
      id,
      location: discovered_in,
    })),
  decision: ({ context }) => plainTexts("context.decisions", context?.decisions),
  limitation: ({ context }) => plainTexts("context.limitations", context?.limitations),
  assumption: ({ context }) => plainTexts("context.assumptions", context?.assumptions),
  question: ({ questions }) =>
    (questions ?? []).map(({ question, recommendation, context, blocking }, at) => ({
      where: `questions.${at}`,
      text: question,
      detail: recommendation ?? context,
      isBlocking: blocking,
    })),
  blocker: ({ blockers }) =>
    (blockers ?? []).map(({ description, resolution, impact }, at) => ({
      where: `blockers.${at}`,
      text: description,
      detail: resolution ?? impact,
      isBlocking: true,
    })),
  // An issue that is fixed or will not be fixed is no longer of use.
  issue: ({ findings }) =>
    (findings?.issues ?? []).flatMap(({ id, description, remediation, severity, location, status }, at) => {
      if (status === "fixed" || status === "wontfix") return [];
      const where = `findings.issues.${at}`;
      return [{ where, text: description, detail: remediation, severity, id, location }];
    }),
  "next-step": ({ next_steps }) =>
    (next_steps ?? []).map(({ step, priority }, at) => ({
      where: `next_steps.${at}`,
      text: step,
      severity: priority,
    })),
};

function plainTexts(name: string, texts: readonly string[] | undefined): Omit<FactStatement, "kind">[] {
  return (texts ?? []).map((text, at) => ({ where: `${name}.${at}`, text }));
}

/** The statement as a fact; none when its text is empty. */
export function learnStatement(statement: FactStatement): LearnedFact[] {
  const { kind, where, text, detail, severity, isBlocking, tags, id, location } = statement;
  const line = factLine(text);
  if (line === null) return [];
  return [
    {
      kind,
      where,
      text: line,
      detail: factLine(detail),
      severity: severityOf(severity),
      isBlocking: isBlocking === true,
      tags: tagsOf(tags, line),
      id: idOf(kind, id),
      place: placeOf(location),
    },
  ];
}

/** One visible line of bounded length: no hidden characters, and no line break that could begin a forged line. */
export function factLine(text: string | undefined, max = MAX_TEXT): string | null {
  const line = visibleLine(text ?? "");
  return line === "" ? null : cutText(line, max);
}

const MAX_TEXT = 500;

export function severityOf(word: string | undefined): FactSeverity | null {
  const plain = word?.toLowerCase() ?? "";
  return FACT_SEVERITIES.find((severity) => severity === plain) ?? null;
}

/** An id of 003 begins with the kind; any other id belongs to another list and is dropped. */
function idOf(kind: FactKind, id: string | undefined): string | null {
  return id !== undefined && new RegExp(`^${kind}-[\\w.-]{1,60}$`).test(id) ? id : null;
}

function placeOf(location: string | undefined): LearnedFact["place"] {
  if (location === undefined) return null;
  const { path, lines } = readPlace(location.trim());
  const claimed = claimedPath(path);
  return claimed.isSafe && !claimed.isFolder && looksLikeFile(claimed.path) ? { path: claimed.path, lines } : null;
}

/** False for `task-3`, which a `discovered_in` may hold instead of a file. */
function looksLikeFile(path: string): boolean {
  return /[./]/.test(path) && !/\s/.test(path);
}
