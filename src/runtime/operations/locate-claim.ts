import type { Lines, Statement } from "../../evidence/claim.ts";

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the text of a handoff says something; its first character where that cannot be found. */
export type ClaimPlaces = (about: Statement) => Span;

/**
 * Claims come from the canonical handoff, which knows no places, so the words of a claim are looked for in the text
 * again. One pass notes where every word of the text first stands: a handoff may make thousands of claims.
 */
export function claimPlaces(text: string, start: number, end: number): ClaimPlaces {
  const words = new Map<string, number>();
  for (const found of text.slice(start, end).matchAll(WORD))
    if (!words.has(found[0])) words.set(found[0], start + found.index);
  let searches = MOST_SEARCHES;
  return (about) => {
    for (const literal of literalsOf(about)) {
      const known = words.get(literal);
      if (known !== undefined) return { start: known, end: known + literal.length };
      if (!/[^\w]/.test(literal) || searches-- <= 0) continue;
      const found = text.slice(0, end).indexOf(literal, start);
      if (found !== -1) return { start: found, end: found + literal.length };
    }
    return { start, end: endOfLine(text, start, end) };
  };
}

/** What stands between quotes, tags, commas and spaces. */
const WORD = /[^\s"'`<>,;()[\]{}]+/g;

/** For texts with spaces in them, which are no words; each goes through the whole text. */
const MOST_SEARCHES = 200;

function endOfLine(text: string, start: number, end: number): number {
  const found = text.slice(start, end).search(/[\r\n]/);
  return found === -1 ? end : start + found;
}

/** How a claim's value may be written, the most telling first. */
function literalsOf(about: Statement): string[] {
  switch (about.of) {
    case "file":
    case "place":
    case "source":
      return [...withLines(about.path, about.lines), about.path];
    case "artifact":
      return [about.pattern];
    case "commit":
    case "merge":
      return about.sha === null ? [] : [about.sha];
    case "branch":
    case "skill":
    case "phase":
      return [about.name];
    case "workspace":
      return [about.path, about.port, about.type].filter((word) => word !== null);
    case "resolved":
      return [about.id];
    case "fix":
      return [about.location];
    case "command":
      return [about.command, JSON.stringify(about.command).slice(1, -1)];
    case "time":
      return [about.at];
    case "check":
      return [about.check];
    default:
      return numbersOf(about).map(String);
  }
}

function withLines(path: string, lines: Lines | null): string[] {
  if (lines === null) return [];
  return [`${path}:${lines.first}-${lines.last}`, `${path}:${lines.first}`];
}

function numbersOf(about: Statement): number[] {
  switch (about.of) {
    case "tests":
      return [about.stated.passed, about.stated.total, about.stated.failed].filter((count) => count !== null);
    case "coverage":
      return [about.percent];
    case "count":
      return [about.stated];
    case "commits-added":
    case "files-changed":
    case "tests-added":
    case "files-counted":
      return [about.count];
    default:
      return [];
  }
}
