import type { Claim, Lines, Statement } from "../../evidence/claim.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the text of a handoff says something; its first line where that cannot be found. */
export type ClaimPlaces = (claim: Pick<Claim, "where" | "about">) => Span;

/**
 * Claims come from the canonical handoff, which knows no places, so the words of a claim are looked for in the text
 * again: behind its key, where the dialect has the same key, or anywhere. One pass notes where every word of the text
 * first stands: a handoff may make thousands of claims.
 */
export function claimPlaces(text: string, start: number, end: number): ClaimPlaces {
  const { words, keys } = indexWords(text, start, end);
  const search = searcher(text, start, end);
  return ({ where, about }) => {
    const literals = literalsOf(about);
    const key = where.slice(where.lastIndexOf(".") + 1);
    const keyAt = /^\d+$/.test(key) ? undefined : keys.get(key);
    if (keyAt !== undefined) return behindKey(text, keyAt, key, literals);
    for (const literal of literals) {
      const found = words.get(literal) ?? search(literal);
      if (found !== undefined) return { start: found, end: found + literal.length };
    }
    return { start, end: Math.min(end, start + lineAt(text, start).length) };
  };
}

/** Where each word first stands, and where it first stands as a key. */
function indexWords(text: string, start: number, end: number): Record<"words" | "keys", Map<string, number>> {
  const words = new Map<string, number>();
  const keys = new Map<string, number>();
  for (const { 0: found, index } of text.slice(start, end).matchAll(WORD)) {
    const word = found.replace(/[:=]$/, "");
    const at = start + index;
    if (!words.has(word)) words.set(word, at);
    if (!keys.has(word) && /^["']?\s?[:=>]/.test(text.slice(at + word.length, at + word.length + 3)))
      keys.set(word, at);
  }
  return { words, keys };
}

/** The value on the line of the key, or the key. */
function behindKey(text: string, keyAt: number, key: string, literals: readonly string[]): Span {
  const line = lineAt(text, keyAt);
  for (const literal of literals) {
    const found = line.indexOf(literal, key.length);
    if (found !== -1) return { start: keyAt + found, end: keyAt + found + literal.length };
  }
  return { start: keyAt, end: keyAt + key.length };
}

/** For texts with spaces in them, which are no words. Each search goes through the whole text, so there are few. */
function searcher(text: string, start: number, end: number): (literal: string) => number | undefined {
  let left = MOST_SEARCHES;
  return (literal) => {
    if (!/\s/.test(literal) || left-- <= 0) return undefined;
    const found = text.indexOf(literal, start);
    return found === -1 || found >= end ? undefined : found;
  };
}

const MOST_SEARCHES = 200;

/** The rest of a line; of one that goes on for ever only the beginning. */
function lineAt(text: string, at: number): string {
  return /^[^\r\n]*/.exec(text.slice(at, at + LONGEST_LINE))?.[0] ?? "";
}

const LONGEST_LINE = 1000;

/** What stands between quotes, tags, commas and spaces. */
const WORD = /[^\s"'`<>,;()[\]{}]+/g;

type Literals = { readonly [Of in Statement["of"]]: (about: Extract<Statement, { of: Of }>) => readonly unknown[] };

/** How a claim's value may be written, the most telling first; null is not said. */
const LITERALS: Literals = {
  file: ({ path, lines }) => [...withLines(path, lines), path],
  place: ({ path, lines }) => [...withLines(path, lines), path],
  source: ({ path, lines }) => [...withLines(path, lines), path],
  artifact: ({ pattern }) => [pattern],
  "all-changes": () => [],
  commit: ({ sha }) => [sha],
  "commits-added": ({ count }) => [count],
  "files-changed": ({ count }) => [count],
  "files-counted": ({ count }) => [count],
  "tests-added": ({ count }) => [count],
  branch: ({ name }) => [name],
  workspace: ({ path, port, type }) => [path, port, type],
  merge: ({ sha, strategy }) => [sha, strategy],
  resolved: ({ id }) => [id],
  fix: ({ location }) => [location],
  count: ({ stated }) => [stated],
  tests: ({ stated: { passed, total, failed } }) => [passed, total, failed],
  coverage: ({ percent }) => [percent],
  check: ({ check }) => [check],
  command: ({ command }) => [command, JSON.stringify(command).slice(1, -1)],
  words: () => [],
  skill: ({ name }) => [name],
  phase: ({ name }) => [name],
  time: ({ at }) => [at],
};

function literalsOf(about: Statement): string[] {
  const list = LITERALS[about.of] as (about: Statement) => readonly (string | number | null)[];
  return list(about).flatMap((value) => (value === null || value === "" ? [] : [String(value)]));
}

function withLines(path: string, lines: Lines | null): string[] {
  if (lines === null) return [];
  return [`${path}:${lines.first}-${lines.last}`, `${path}:${lines.first}`];
}
