import type { Diagnostic, TextEdit } from "./diagnostic.ts";
import { readHandoffs } from "./read-handoff.ts";
import type { ReadOptions, Reading } from "./reading.ts";

export interface Fixed {
  readonly text: string;
  /** The diagnostics whose fixes were made, in the order they were made. */
  readonly applied: readonly Diagnostic[];
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
  const applied: Diagnostic[] = [];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const done = makeRound(current, reading, reading.diagnostics, options) ?? withoutRenames(current, reading, options);
    if (done === null) break;
    ({ text: current, reading } = done);
    applied.push(...done.applied);
  }
  return { text: current, applied, reading };
}

/** One round of fixes, when it leaves the text better than it was. */
function makeRound(
  text: string,
  before: Reading,
  diagnostics: readonly Diagnostic[],
  options: ReadOptions,
): Fixed | null {
  const applied = fixesWithoutOverlap(diagnostics);
  if (applied.length === 0) return null;
  const next = makeEdits(
    text,
    applied.flatMap((diagnostic) => diagnostic.fix?.edits ?? []),
  );
  const reading = readHandoffs(next, options);
  return next === text || !isBetter(before, reading) ? null : { text: next, applied, reading };
}

/** A field that was not read before can contradict others: that must not keep the other repairs from being made. */
function withoutRenames(text: string, before: Reading, options: ReadOptions): Fixed | null {
  const others = before.diagnostics.filter(({ code }) => code !== "near-miss");
  return others.length === before.diagnostics.length ? null : makeRound(text, before, others, options);
}

function isBetter(before: Reading, after: Reading): boolean {
  const fixable = (reading: Reading): number =>
    reading.diagnostics.filter((diagnostic) => diagnostic.fix !== null).length;
  return (
    after.handoffs.length >= before.handoffs.length &&
    (after.valid || !before.valid) &&
    (fixable(after) < fixable(before) || after.diagnostics.length < before.diagnostics.length)
  );
}

function fixesWithoutOverlap(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const chosen: Diagnostic[] = [];
  const taken: TextEdit[] = [];
  for (const diagnostic of diagnostics) {
    const edits = diagnostic.fix?.edits ?? [];
    if (edits.length === 0 || edits.some((edit) => taken.some((other) => overlaps(edit, other)))) continue;
    chosen.push(diagnostic);
    taken.push(...edits);
  }
  return chosen;
}

/** Two insertions at one place overlap too: which comes first would be chance. */
function overlaps(left: TextEdit, right: TextEdit): boolean {
  return left.range.start.offset <= right.range.end.offset && right.range.start.offset <= left.range.end.offset;
}

function makeEdits(text: string, edits: readonly TextEdit[]): string {
  const ordered = [...edits].sort((left, right) => right.range.start.offset - left.range.start.offset);
  let result = text;
  for (const { range, text: written } of ordered)
    result = result.slice(0, range.start.offset) + written + result.slice(range.end.offset);
  return result;
}
