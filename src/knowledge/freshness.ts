import type { Citation } from "./fact.ts";

/** Whether what a fact was learned from still stands. */
export type Freshness =
  | { readonly is: "unchanged" }
  /** The same lines stand elsewhere. */
  | { readonly is: "moved"; readonly path: string; readonly first: number }
  | { readonly is: "changed" }
  | { readonly is: "gone" };

/** Cited lines are kept up to here; a longer passage is known again by its beginning. */
const MOST_CITED_LINES = 40;
/** Of a whole file so many of its lines must still stand. */
const ENOUGH = 0.7;

/** The cited lines of a text; null when they are not there. */
export function cite(
  path: string,
  lines: Citation["lines"],
  text: string,
  commit: string | null = null,
): Citation | null {
  const all = splitLines(text);
  if (lines === null) return { path, lines: null, text: meaningful(all).slice(0, MOST_CITED_LINES), commit };
  const { first, last } = lines;
  if (first < 1 || last < first || last > all.length) return null;
  return { path, lines, text: all.slice(first - 1, Math.min(last, first - 1 + MOST_CITED_LINES)), commit };
}

/** `text` is the file as it is now, null when it is gone; `renamed` is where git says that it went. */
export function freshnessOf(
  citation: Citation,
  text: string | null,
  renamed: { readonly path: string; readonly text: string } | null = null,
): Freshness {
  const here = text === null ? null : findIn(citation, text);
  if (here !== null) return here.at === hereOf(citation) ? { is: "unchanged" } : moved(citation.path, here.at);
  const there = renamed === null ? null : findIn(citation, renamed.text);
  if (there !== null && renamed !== null) return moved(renamed.path, there.at);
  return text === null && renamed === null ? { is: "gone" } : { is: "changed" };
}

function moved(path: string, first: number): Freshness {
  return { is: "moved", path, first };
}

function hereOf({ lines }: Citation): number {
  return lines?.first ?? 1;
}

/** Where the cited lines stand, the nearest place to where they stood first; null when nowhere. */
function findIn(citation: Citation, text: string): { readonly at: number } | null {
  const lines = splitLines(text);
  if (citation.lines === null) return stillStands(citation, lines) ? { at: 1 } : null;
  const wanted = citation.text.map(trimmed);
  const first = wanted[0];
  if (first === undefined) return null;
  const places = lines.flatMap((line, at) => (trimmed(line) === first && matchesAt(lines, at, wanted) ? [at + 1] : []));
  const was = citation.lines.first;
  const [nearest] = places.sort((left, right) => Math.abs(left - was) - Math.abs(right - was));
  return nearest === undefined ? null : { at: nearest };
}

function matchesAt(lines: readonly string[], at: number, wanted: readonly string[]): boolean {
  return wanted.every((line, offset) => trimmed(lines[at + offset] ?? "\0") === line);
}

/** A file is edited all the time: it is another one when most of what it was known by is gone. */
function stillStands({ text }: Citation, lines: readonly string[]): boolean {
  const present = new Set(lines.map(trimmed));
  const left = text.filter((line) => present.has(trimmed(line))).length;
  return text.length === 0 ? meaningful(lines).length === 0 : left / text.length >= ENOUGH;
}

/** How a line is indented does not change what it says. */
function trimmed(line: string): string {
  return line.trim();
}

function meaningful(lines: readonly string[]): string[] {
  return lines.filter((line) => /[\p{L}\p{N}]/u.test(line));
}

function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
