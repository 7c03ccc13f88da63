import type { Claim, Lines, Statement } from "../../evidence/claim.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the text of a handoff says something; its first line where that cannot be found. */
export type ClaimPlaces = (claim: Omit<Claim, "kind">) => Span;

/**
 * Claims come from the canonical handoff, which knows no places, so the words of a claim are looked for in the text
 * again: behind its key, where the dialect has the same key, or anywhere, rather as a value of its own than within a
 * sentence. What is said several times is found at each of its places in turn. One pass notes where every word of the
 * text stands: a handoff may make thousands of claims.
 */
export function claimPlaces(text: string, start: number, end: number): ClaimPlaces {
  const index = indexWords(text, start, end);
  const search = searcher(text, start, end);
  const turns = new Turns();
  const keyTurns = new Turns();
  const known = new Map<string, Span>();
  const find = ({ says, about }: Omit<Claim, "kind">, key: string | undefined): Span => {
    const literals = literalsOf(about, says);
    if (key !== undefined) return behindKey(text, index.keys.get(key) ?? [], key, literals, keyTurns);
    for (const literal of literals) {
      const found = turns.next(literal, index.places(literal)) ?? search(literal);
      if (found !== undefined) return typeof found === "number" ? { start: found, end: found + literal.length } : found;
    }
    return { start, end: Math.min(end, start + lineAt(text, start).length) };
  };
  return (claim) => {
    const key = keysOf(claim.where, claim.about).find((name) => index.keys.has(name));
    // Two claims may be made of the same words: they have the same place.
    const name = key === undefined ? `${claim.where} ${literalsOf(claim.about, claim.says)[0] ?? ""}` : claim.where;
    const span = known.get(name) ?? find(claim, key);
    known.set(name, span);
    return span;
  };
}

/** Takes places one after the other; the last one stays. */
class Turns {
  readonly #taken = new Map<string, number>();

  next(name: string, places: readonly number[]): number | undefined {
    const turn = this.at(name);
    this.pass(name, turn + 1);
    return places[Math.min(turn, places.length - 1)];
  }

  at(name: string): number {
    return this.#taken.get(name) ?? 0;
  }

  pass(name: string, turn: number): void {
    this.#taken.set(name, turn);
  }
}

/** The key that the dialect may have too; a list that is said to be complete has one of a few names. */
function keysOf(where: string, about: Statement): readonly string[] {
  if (about.of === "all-changes") return LISTS;
  const key = where.slice(where.lastIndexOf(".") + 1);
  return /^\d+$/.test(key) ? [] : [key];
}

const LISTS = ["files_modified", "files_created", "files_changed", "modified_files", "files", "artifacts"];

interface WordIndex {
  readonly keys: ReadonlyMap<string, readonly number[]>;
  /** Where the word is a value of its own; else where it stands at all. */
  places(word: string): readonly number[];
}

function indexWords(text: string, start: number, end: number): WordIndex {
  const keys = new Map<string, number[]>();
  const values = new Map<string, number[]>();
  const others = new Map<string, number[]>();
  for (const { 0: found, index } of text.slice(start, end).matchAll(WORD)) {
    const word = found.replace(/[:=]$/, "");
    const at = start + index;
    note(isValue(text, at, at + word.length) ? values : others, word, at);
    if (/^["']?\s?[:=>]/.test(text.slice(at + word.length, at + word.length + 3))) note(keys, word, at);
  }
  return { keys, places: (word) => values.get(word) ?? others.get(word) ?? [] };
}

function note(places: Map<string, number[]>, word: string, at: number): void {
  const known = places.get(word);
  if (known === undefined) places.set(word, [at]);
  else if (known.length < MOST_PLACES) known.push(at);
}

const MOST_PLACES = 1000;

/** Not within a sentence: behind a quote, a dash, a colon or a tag, and the end of what stands there. */
function isValue(text: string, start: number, end: number): boolean {
  return (
    /(?:^|[\n"'`>[,{=]|[-:*] )\s*$/.test(text.slice(Math.max(0, start - 12), start)) &&
    /^\s*(?:$|["'`<,\]}\r\n])/.test(text.slice(end, end + 3))
  );
}

/** The value behind a key, or the key; of a key that stands in several places the next one that has this value. */
function behindKey(
  text: string,
  places: readonly number[],
  key: string,
  literals: readonly string[],
  turns: Turns,
): Span {
  const from = turns.at(key);
  const near = [...places.slice(from, from + MOST_KEYS), ...places.slice(0, Math.min(from, MOST_KEYS))];
  const found = near.findIndex((at) => valueBehind(text, at, key, literals) !== null);
  const at = near[Math.max(found, 0)] ?? places.at(-1) ?? 0;
  if (found !== -1) turns.pass(key, places.indexOf(at) + 1);
  return valueBehind(text, at, key, literals) ?? { start: at, end: at + key.length };
}

const MOST_KEYS = 20;

function valueBehind(text: string, keyAt: number, key: string, literals: readonly string[]): Span | null {
  const line = lineAt(text, keyAt, LONGEST_ENTRY);
  for (const literal of literals) {
    const found = line.indexOf(literal, key.length);
    if (found !== -1) return { start: keyAt + found, end: keyAt + found + literal.length };
  }
  return null;
}

const LONGEST_ENTRY = 200;

/**
 * For what is no single word: with spaces, brackets or quotes in it, as each syntax would write it. A search goes
 * through the text, so there is a limit to what all of them together may read.
 */
function searcher(text: string, start: number, end: number): (literal: string) => Span | undefined {
  let left = MOST_READ;
  const last = new Map<string, Span>();
  return (literal) => {
    if (!NO_WORD.test(literal)) return undefined;
    const before = last.get(literal);
    for (const written of writings(literal)) {
      if ((left -= end - start) < 0) return before;
      const found = text.indexOf(written, before === undefined ? start : before.end);
      if (found === -1 || found >= end) continue;
      const span = { start: found, end: found + written.length };
      last.set(literal, span);
      return span;
    }
    return before;
  };
}

const MOST_READ = 200_000_000;
const NO_WORD = /[\s"'`<>,;()[\]{}\\&]|[^\x20-\x7e]/;

/** In plain text, in JSON, in quotes of YAML, in XML. */
function writings(literal: string): Set<string> {
  const json = JSON.stringify(literal).slice(1, -1);
  const xml = literal.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const ascii = json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return new Set([literal, json, ascii, literal.replaceAll("'", "''"), xml, xml.replaceAll('"', "&quot;")]);
}

/** The rest of a line; of one that goes on for ever only the beginning. */
function lineAt(text: string, at: number, longest = LONGEST_LINE): string {
  return /^[^\r\n]*/.exec(text.slice(at, at + longest))?.[0] ?? "";
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
  "all-changes": ({ declared }) => declared.slice(0, 1),
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

/** Of words that nobody can judge only the sentence is left: `Done: the item as it is written`. */
function literalsOf(about: Statement, says: string): string[] {
  if (about.of === "words")
    return [(says.split(/: (.*)/s)[1] ?? "").replace(/\u2026$/, "")].filter((text) => text !== "");
  const list = LITERALS[about.of] as (about: Statement) => readonly (string | number | null)[];
  return list(about).flatMap((value) => (value === null || value === "" ? [] : [String(value)]));
}

function withLines(path: string, lines: Lines | null): string[] {
  if (lines === null) return [];
  return [`${path}:${lines.first}-${lines.last}`, `${path}:${lines.first}`];
}
