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

const MOST_ROUNDS = 10;

/**
 * Makes every safe repair: those that write what the author plainly meant, and no other. A round of
 * fixes that does not leave fewer problems is undone.
 */
export function fixHandoffs(text: string, options: ReadOptions = {}): Fixed {
  let current = text;
  let reading = readHandoffs(text, options);
  const applied: Diagnostic[] = [];
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const chosen = fixesWithoutOverlap(reading.diagnostics);
    if (chosen.length === 0) break;
    const next = makeEdits(
      current,
      chosen.flatMap((diagnostic) => diagnostic.fix?.edits ?? []),
    );
    const after = readHandoffs(next, options);
    if (next === current || !isBetter(reading, after)) break;
    [current, reading] = [next, after];
    applied.push(...chosen);
  }
  return { text: current, applied, reading };
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
