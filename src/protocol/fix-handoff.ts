import type { Diagnostic, DiagnosticCode, TextEdit } from "./diagnostic.ts";
import { isPrompt, isSchema } from "./document-kind.ts";
import { readHandoffs } from "./read-handoff.ts";
import type { ReadHandoff, ReadOptions, Reading } from "./reading.ts";

export interface Fixed {
  readonly text: string;
  /** The diagnostics whose fixes were made, in the order they were made. */
  readonly applied: readonly Diagnostic[];
  /** The same, round by round: the places of a round are those of the text that the round before left. */
  readonly rounds: readonly (readonly Diagnostic[])[];
  /** What the text says after the fixes. */
  readonly reading: Reading;
}

const MAX_ROUNDS = 10;

/**
 * Makes every safe repair: those that write what the author plainly meant, and no other. A round of
 * fixes that does not leave fewer problems is undone.
 */
export function fixHandoffs(text: string, options: ReadOptions = {}): Fixed {
  let current = text;
  let reading = readHandoffs(text, options);
  const rounds: (readonly Diagnostic[])[] = [];
  while (rounds.length < MAX_ROUNDS) {
    const repairs = safeRepairs(current, reading);
    const done = makeRound(current, reading, repairs, options) ?? withoutRenames(current, reading, repairs, options);
    if (done === null) break;
    ({ text: current, reading } = done);
    rounds.push(done.applied);
  }
  return { text: current, applied: rounds.flat(), rounds, reading };
}

/** Why a file is left as it is although repairs are known for it. */
export type LeftAlone = "prompt" | "schema" | "stays-invalid";

export interface RepairedFile {
  /** What may be written: the text as it was when the file is left alone. */
  readonly text: string;
  readonly left: LeftAlone | null;
  /** The repairs that are known, made or not. */
  readonly fixed: Fixed;
}

/**
 * What may be written into a file: a text that is valid, or, if a person asks for it, one that is only better. A
 * prompt or a schema is never changed: it says what handoffs look like, and is none.
 */
export function repairFile(text: string, options: ReadOptions, { partial }: { partial: boolean }): RepairedFile {
  const fixed = fixHandoffs(text, options);
  if (fixed.applied.length === 0) return { text, left: null, fixed };
  if (isPrompt(text)) return { text, left: "prompt", fixed };
  if (isSchema(text)) return { text, left: "schema", fixed };
  if (!fixed.reading.valid && !partial) return { text, left: "stays-invalid", fixed };
  return { text: fixed.text, left: null, fixed };
}

/** The repairs inside handoffs that are whole. A template is there to be filled in, and one that was cut off to be written again. */
function safeRepairs(text: string, { handoffs, diagnostics }: Reading): Diagnostic[] {
  const fixable = diagnostics.filter(({ fix }) => fix !== null);
  if (fixable.length === 0) return [];
  const unsafe = diagnostics.filter(({ code }) => NOT_WHOLE.has(code));
  const whole = handoffs.filter((block) => !unsafe.some(({ range }) => isWithin(range, block)));
  return fixable.filter(({ fix }) =>
    fix?.edits.every(({ range }) => whole.some((block) => isWithin(range, block)) && !touchesFence(text, range)),
  );
}

const NOT_WHOLE: ReadonlySet<DiagnosticCode> = new Set(["unfilled-template", "truncated"]);

function isWithin({ start, end }: TextEdit["range"], block: ReadHandoff): boolean {
  return start.offset >= block.start && end.offset <= block.end;
}

/** A line that opens or closes code: what stands on it is no part of any handoff. */
function touchesFence(text: string, { start, end }: TextEdit["range"]): boolean {
  const from = text.lastIndexOf("\n", start.offset - 1) + 1;
  const found = text.indexOf("\n", end.offset);
  return /^[ \t>]*(?:```|~~~)/m.test(text.slice(from, found === -1 ? text.length : found));
}

/** One round of fixes, when it leaves the text better than it was. */
function makeRound(
  text: string,
  before: Reading,
  repairs: readonly Diagnostic[],
  options: ReadOptions,
): Omit<Fixed, "rounds"> | null {
  const applied = fixesWithoutOverlap(repairs, text.length);
  if (applied.length === 0) return null;
  const next = makeEdits(
    text,
    applied.flatMap((diagnostic) => diagnostic.fix?.edits ?? []),
  );
  const reading = readHandoffs(next, options);
  return next === text || !isBetter(before, reading) ? null : { text: next, applied, reading };
}

/** A field that was not read before can contradict others: that must not keep the other repairs from being made. */
function withoutRenames(
  text: string,
  before: Reading,
  repairs: readonly Diagnostic[],
  options: ReadOptions,
): Omit<Fixed, "rounds"> | null {
  const others = repairs.filter(({ code }) => code !== "near-miss");
  return others.length === repairs.length ? null : makeRound(text, before, others, options);
}

function isBetter(before: Reading, after: Reading): boolean {
  const fixable = (reading: Reading): number =>
    reading.diagnostics.filter((diagnostic) => diagnostic.fix !== null).length;
  return (
    after.dialect === before.dialect &&
    after.handoffs.length >= before.handoffs.length &&
    (after.valid || !before.valid) &&
    (fixable(after) < fixable(before) || after.diagnostics.length < before.diagnostics.length)
  );
}

/** Two insertions at one place overlap too: which comes first would be chance. */
function fixesWithoutOverlap(diagnostics: readonly Diagnostic[], length: number): Diagnostic[] {
  const taken = new Uint8Array(length + 1);
  return diagnostics.filter(({ fix }) => {
    const spans = (fix?.edits ?? []).map(({ range }) => [range.start.offset, range.end.offset + 1] as const);
    if (spans.length === 0 || spans.some(([start, end]) => taken.subarray(start, end).includes(1))) return false;
    for (const [start, end] of spans) taken.fill(1, start, end);
    return true;
  });
}

function makeEdits(text: string, edits: readonly TextEdit[]): string {
  const ordered = [...edits].sort((left, right) => left.range.start.offset - right.range.start.offset);
  const parts: string[] = [];
  let at = 0;
  for (const { range, text: written } of ordered) {
    parts.push(text.slice(at, range.start.offset), written);
    at = range.end.offset;
  }
  return `${parts.join("")}${text.slice(at)}`;
}
