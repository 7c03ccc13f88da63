import type { Lines } from "../claim.ts";
import type { ChangeSight, HunkSight } from "../sightings.ts";
import { counted } from "../wording.ts";
import { type Court, type Finding, confirmed, diffProcedure, refuted, unverifiable } from "./finding.ts";

/** Equal lines let a diff begin a little above or below the edit, and people count the empty end of a file as a line. */
const NEARBY = 3;
const EMPTY_END = 1;

/** Of a file that is new under its name every line is new. */
export function judgeNewLines(lines: Lines, path: string, court: Court): Finding {
  const procedure = diffProcedure(court);
  const length = lengthOf(path, court);
  const objection = objectionTo(lines, length);
  if (objection !== null) return refuted(procedure, objection);
  if (length === null) return unverifiable(procedure, "The file is new; its lines could not be counted.");
  return confirmed(procedure, `The file is new and has ${counted(length, "line")}.`);
}

/**
 * The lines of a file that is known to have changed, in the numbers that they have now or had before: an edit further
 * up moves the lines below it, and who wrote them down earlier is right too.
 */
export function judgeLines(lines: Lines, path: string, { change, hunks }: ChangeSight, court: Court): Finding {
  const procedure = diffProcedure(court);
  const now = lengthOf(path, court);
  const before = hunks === null ? now : lengthBefore(now, hunks);
  const objection = objectionTo(lines, now === null || before === null ? null : Math.max(now, before));
  if (objection !== null) return refuted(procedure, objection);
  if (hunks === null) return unverifiable(procedure, "The file changed; which lines could not be seen.");
  if (hasLines(now, lines) && hunks.some((hunk) => touches(hunk, lines))) return confirmed(procedure, CHANGED);
  const isBefore = hunks.some((hunk) => hunk.before !== undefined && touches(hunk.before, lines));
  if (isBefore && hasLines(before, lines))
    return confirmed(procedure, `${CHANGED} Their numbers are of the text before.`);
  if (hunks.length > 0) return refuted(procedure, `The file changed elsewhere: ${hunksInWords(hunks)}.`);
  if (change === "renamed") return unverifiable(procedure, "The file was renamed and not a line of it changed.");
  return refuted(procedure, "The file changed, but not a line of its text.");
}

const CHANGED = "These lines changed.";

function lengthBefore(now: number | null, hunks: readonly HunkSight[]): number | null {
  return now === null
    ? null
    : hunks.reduce((length, { count, before }) => length - count + (before?.count ?? count), now);
}

function hasLines(length: number | null, { last }: Lines): boolean {
  return length === null || last <= length + EMPTY_END;
}

function lengthOf(path: string, { sightings }: Court): number | null {
  return sightings.files.get(path)?.lines ?? null;
}

function objectionTo({ first, last }: Lines, length: number | null): string | null {
  if (first < 1 || last < first) return "That is no range of lines.";
  return length !== null && last > length + EMPTY_END
    ? `The file changed, but it has only ${counted(length, "line")}.`
    : null;
}

function touches({ first, count }: Pick<HunkSight, "first" | "count">, lines: Lines): boolean {
  const last = count === 0 ? first + 1 : first + count - 1;
  return first <= lines.last + NEARBY && last >= lines.first - NEARBY;
}

function hunksInWords(hunks: readonly HunkSight[]): string {
  const shown = hunks
    .slice(0, 5)
    .map(({ first, count }) => (count <= 1 ? `line ${first}` : `lines ${first}-${first + count - 1}`));
  return hunks.length > 5 ? `${shown.join(", ")} and ${hunks.length - 5} more places` : shown.join(", ");
}
