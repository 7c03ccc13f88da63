import { claimedPath } from "../evidence/claimed-path.ts";
import { readPlace } from "../evidence/claims/read-range.ts";
import type { Handoff } from "../protocol/handoff.ts";
import { cutText, visibleLine } from "../shared/envelope.ts";
import type { FactKind, LearnedFact, Severity } from "./fact.ts";
import { tagsOf } from "./words.ts";

/** What one handoff teaches, whatever its dialect. Structured fields only: prose teaches nothing. */
export function learnFacts(handoff: Handoff): LearnedFact[] {
  return [
    ...patterns(handoff),
    ...gotchas(handoff),
    ...remarks(handoff),
    ...questions(handoff),
    ...blockers(handoff),
    ...issues(handoff),
    ...nextSteps(handoff),
  ].slice(0, MOST_FACTS);
}

/** More than these from one handoff is a flood, not knowledge. */
const MOST_FACTS = 200;
const LONGEST_TEXT = 500;

/** One statement, as a document has it. */
export interface Said {
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

function patterns({ knowledge }: Handoff): LearnedFact[] {
  return (knowledge?.patterns ?? []).flatMap(({ id, pattern, location, applies_to }, at) =>
    fact({ kind: "pattern", where: `knowledge.patterns.${at}`, text: pattern, id, location, tags: applies_to }),
  );
}

/** Without a severity it is medium (ruling 18). */
function gotchas({ knowledge }: Handoff): LearnedFact[] {
  return (knowledge?.gotchas ?? []).flatMap(({ id, issue, discovered_in, mitigation, severity = "medium" }, at) =>
    fact({
      kind: "gotcha",
      where: `knowledge.gotchas.${at}`,
      text: issue,
      detail: mitigation,
      severity,
      id,
      location: discovered_in,
    }),
  );
}

function remarks({ context }: Handoff): LearnedFact[] {
  const list = (kind: FactKind, name: string, texts: readonly string[] | undefined): LearnedFact[] =>
    (texts ?? []).flatMap((text, at) => fact({ kind, where: `context.${name}.${at}`, text }));
  return [
    ...list("decision", "decisions", context?.decisions),
    ...list("limitation", "limitations", context?.limitations),
    ...list("assumption", "assumptions", context?.assumptions),
  ];
}

function questions({ questions: open }: Handoff): LearnedFact[] {
  return (open ?? []).flatMap(({ question, recommendation, context, blocking }, at) =>
    fact({
      kind: "question",
      where: `questions.${at}`,
      text: question,
      detail: recommendation ?? context,
      isBlocking: blocking,
    }),
  );
}

function blockers({ blockers: found }: Handoff): LearnedFact[] {
  return (found ?? []).flatMap(({ description, resolution, impact }, at) =>
    fact({
      kind: "blocker",
      where: `blockers.${at}`,
      text: description,
      detail: resolution ?? impact,
      isBlocking: true,
    }),
  );
}

/** What is fixed teaches nothing any more. */
function issues({ findings }: Handoff): LearnedFact[] {
  return (findings?.issues ?? []).flatMap(({ id, description, remediation, severity, location, status }, at) =>
    status === "fixed" || status === "wontfix"
      ? []
      : fact({
          kind: "issue",
          where: `findings.issues.${at}`,
          text: description,
          detail: remediation,
          severity,
          id,
          location,
        }),
  );
}

function nextSteps({ next_steps }: Handoff): LearnedFact[] {
  return (next_steps ?? []).flatMap(({ step, priority }, at) =>
    fact({ kind: "next-step", where: `next_steps.${at}`, text: step, severity: priority }),
  );
}

/** None, when nothing is said. */
export function fact({ kind, where, text, detail, severity, isBlocking, tags, id, location }: Said): LearnedFact[] {
  const line = oneLine(text);
  if (line === null) return [];
  return [
    {
      kind,
      where,
      text: line,
      detail: oneLine(detail),
      severity: severityOf(severity),
      isBlocking: isBlocking === true,
      tags: tagsOf(tags, line),
      id: idOf(kind, id),
      place: placeOf(location),
    },
  ];
}

/** Nothing invisible, nothing that could pose as a line of its own, and no more than a line. */
export function oneLine(text: string | undefined, most = LONGEST_TEXT): string | null {
  const line = visibleLine(text ?? "");
  return line === "" ? null : cutText(line, most);
}

const SEVERITIES: readonly string[] = ["critical", "high", "medium", "low"];

export function severityOf(word: string | undefined): Severity | null {
  const plain = word?.toLowerCase() ?? "";
  return SEVERITIES.includes(plain) ? (plain as Severity) : null;
}

/** An id of 003 has the kind in it; others belong to their own ledgers. */
function idOf(kind: FactKind, id: string | undefined): string | null {
  return id !== undefined && new RegExp(`^${kind}-[\\w.-]{1,60}$`).test(id) ? id : null;
}

function placeOf(location: string | undefined): LearnedFact["place"] {
  if (location === undefined) return null;
  const { path, lines } = readPlace(location.trim());
  const claimed = claimedPath(path);
  return claimed.isSafe && !claimed.isFolder && looksLikeFile(claimed.path) ? { path: claimed.path, lines } : null;
}

/** `discovered_in: task-3` names no file. */
function looksLikeFile(path: string): boolean {
  return /[./]/.test(path) && !/\s/.test(path);
}
