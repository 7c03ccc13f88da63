import { type ParseError, printParseErrorCode, visit } from "jsonc-parser";
import type { Limits } from "../limits.ts";
import { parseJson } from "./json.ts";
import { isComment, nextToken, tokenEnd } from "./json-tokens.ts";
import { type Span, type SpanEdit, type SyntaxProblem, applyEdits, beforeEdits } from "./syntax.ts";

/** Everything that keeps a text from being JSON, all at once; called only after JSON.parse refused it. */
export function jsonProblems(text: string, limits: Limits): SyntaxProblem[] {
  const { open, tooDeepAt, removable: leftovers, areClear, hasLongGaps, rootEnd } = scanTokens(text, limits);
  if (tooDeepAt !== null) return [tooDeep(tooDeepAt, limits)];
  if (areClear && open.length === 0 && isJsonWithout(text, leftovers)) return leftovers;
  const end = text.trimEnd().length;
  const found = firstErrors(text, hasLongGaps);
  const errors = found.filter(({ offset }) => offset < rootEnd);
  const after = found.find(({ offset }) => offset >= rootEnd);
  // Each word of "Hope this helps!" would be an error of its own: what follows the record is reported once.
  const trailing = after === undefined ? [] : [severalRoots(text, spanOf(text, after, end))];
  const inside = errors.filter((error) => error.offset + error.length < end);
  // A text that ends like a whole one but has errors inside lacks a bracket there, not its end.
  const cut = open.length > 0 && (inside.length === 0 || !/[}\]]/.test(text[end - 1] ?? ""));
  const rest = mergeAtSamePlace((cut ? inside : errors).map((error) => describeError(text, error, end)));
  return [...leftovers, ...rest, ...(cut ? [truncated(text, open.at(-1) ?? 0, end)] : trailing)];
}

/** Asked with a space in the place of each: with nothing there, what stands on both sides could grow together. */
function isJsonWithout(text: string, problems: readonly SyntaxProblem[]): boolean {
  const edits = problems.flatMap(({ fix }) => fix?.edits ?? []);
  const spaces = edits.map(({ start, end }) => ({ start, end, text: " " }));
  return parseJson(applyEdits(text, spaces)) !== null;
}

const MAX_PROBLEMS = 20;
const MAX_REMOVABLE = 1000;
/** White space inside a comment or string counts too: the token that holds it is at least as long. */
const LONG_GAP = 1000;
const ENOUGH = new Error("enough errors");

/** The first errors of the tolerant parser; a hostile text can have one at every character. */
function firstErrors(text: string, hasLongGaps: boolean): ParseError[] {
  const errors: ParseError[] = [];
  // The parser keeps a copy of white space, one character after the other: long stretches are left out.
  const gaps = hasLongGaps ? Array.from(text.matchAll(/[ \t\r\n]{1000,}/g), longGap) : [];
  const onError = (error: ParseError["error"], offset: number, length: number): void => {
    const start = beforeEdits(offset, gaps);
    errors.push({ error, offset: start, length: beforeEdits(offset + length, gaps) - start });
    if (errors.length === MAX_PROBLEMS) throw ENOUGH;
  };
  try {
    visit(applyEdits(text, gaps), { onError }, { allowTrailingComma: true, disallowComments: false });
  } catch (error) {
    if (error !== ENOUGH) throw error;
  }
  return errors;
}

function longGap(found: RegExpExecArray): SpanEdit {
  return { start: found.index + 1, end: found.index + found[0].length, text: "" };
}

function tooDeep(at: number, limits: Limits): SyntaxProblem {
  const message = `Values are nested more than ${limits.depth} levels deep.`;
  return {
    code: "too-deep",
    span: { start: at, end: at + 1 },
    message,
    hint: "Hand over what the next agent needs, flat.",
  };
}

function truncated(text: string, openedAt: number, end: number): SyntaxProblem {
  return {
    code: "truncated",
    span: { start: Math.max(0, end - 1), end },
    message: `The text ends before the ${text[openedAt] === "{" ? "record" : text[openedAt] === "[" ? "list" : "string"} that was opened is closed: it was cut off.`,
    hint: "Ask the agent to write the handoff again, whole. A cut-off handoff is never accepted.",
  };
}

/** Where a text is first nested deeper than the limit, or null. */
export function jsonTooDeepAt(text: string, limits: Limits): number | null {
  return scanTokens(text, limits).tooDeepAt;
}

interface Scanned {
  /** Brackets still open at the end of the text. */
  readonly open: readonly number[];
  /** Where the text is first nested too deep. */
  readonly tooDeepAt: number | null;
  /** Comments and trailing commas: the author's meaning is plain, so those inside of the record come with a fix. */
  readonly removable: SyntaxProblem[];
  /** There are some, and each comma follows a value, each comment is closed. */
  readonly areClear: boolean;
  /** Somewhere there is much white space. */
  readonly hasLongGaps: boolean;
  /** Where the outermost bracket is closed: what follows is no part of the document. */
  readonly rootEnd: number;
}

/**
 * One pass over the tokens. A closing bracket of the wrong kind closes nothing: the tolerant parser, which
 * recurses, sees it the same way.
 */
// oxlint-disable-next-line complexity -- one branch for each kind of token
function scanTokens(text: string, limits: Limits): Scanned {
  const open: number[] = [];
  const slips = new Slips(text);
  let longestGap = 0;
  let end = 0;
  let rootEnd = Infinity;
  /** The last token that is no comment, by its first character. */
  let last = 0;
  let lastAt = 0;
  for (let at = nextToken(text, 0); at < text.length; at = nextToken(text, end)) {
    const before = end;
    end = tokenEnd(text, at);
    longestGap = Math.max(longestGap, at - before, end - at);
    const sign = text.charCodeAt(at);
    if (sign === SLASH && isComment(text, at)) {
      slips.comment({ start: at, end }, open.length > 0);
      continue;
    }
    if (rootEnd < end) {
      slips.areClear = false;
      continue;
    }
    if (sign === OPEN_BRACE || sign === OPEN_BRACKET) {
      open.push(at);
      if (open.length > limits.depth)
        return { open, tooDeepAt: at, removable: [], areClear: false, hasLongGaps: false, rootEnd };
    } else if (sign === CLOSE_BRACE || sign === CLOSE_BRACKET) {
      if (last === COMMA) slips.comma({ start: lastAt, end: lastAt + 1 });
      const opening = sign === CLOSE_BRACE ? OPEN_BRACE : OPEN_BRACKET;
      if (open.length > 0 && text.charCodeAt(open[open.length - 1] ?? 0) === opening) open.pop();
      if (open.length === 0) rootEnd = end;
    } else if (sign === COMMA && isBeforeValue(last)) slips.areClear = false;
    last = sign;
    lastAt = at;
  }
  const areClear = slips.areClear && slips.found.length > 0;
  const hasLongGaps = Math.max(longestGap, text.length - end) >= LONG_GAP;
  return { open, tooDeepAt: null, removable: slips.sorted(), areClear, hasLongGaps, rootEnd };
}

/** A comma behind one of these follows no value. */
function isBeforeValue(sign: number): boolean {
  return sign === COMMA || sign === COLON || sign === OPEN_BRACE || sign === OPEN_BRACKET;
}

/** Collects comments and trailing commas. */
class Slips {
  readonly found: SyntaxProblem[] = [];
  areClear = true;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  comma(span: Span): void {
    this.#add(removable(span, "JSON allows no comma after the last item.", "Remove the comma"));
  }

  /** Before or after the record it may be what somebody has to say, which no repair removes. */
  comment(span: Span, isInside: boolean): void {
    const isOpen = this.#text[span.start + 1] === "*" && !this.#text.startsWith("*/", span.end - 2);
    if (isOpen || span.end - span.start < 4) this.areClear = false;
    const message = "JSON has no comments.";
    const problem = removable(span, message, "Remove the comment", wholeLine(this.#text, span));
    this.#add(
      isInside ? problem : { ...problem, hint: "Remove it, or say it in a field of the handoff.", isLeft: true },
    );
  }

  sorted(): SyntaxProblem[] {
    return this.found.sort((left, right) => left.span.start - right.span.start);
  }

  #add(problem: SyntaxProblem): void {
    if (this.found.length < MAX_REMOVABLE) this.found.push(problem);
    else this.areClear = false;
  }
}

/** A comment alone on its line takes the line with it. */
function wholeLine(text: string, span: Span): Span {
  let { start, end } = span;
  while (text[start - 1] === " " || text[start - 1] === "\t") start--;
  while (text[end] === " " || text[end] === "\t" || text[end] === "\r") end++;
  const alone = (start === 0 || text[start - 1] === "\n") && text[end] === "\n";
  return alone ? { start, end: end + 1 } : span;
}

function removable(span: Span, message: string, title: string, removed: Span = span): SyntaxProblem {
  const fix = { title, edits: [{ start: removed.start, end: removed.end, text: "" }] };
  return { code: "syntax-error", span: { start: span.start, end: span.end }, message, hint: `${title}.`, fix };
}

function describeError(text: string, error: ParseError, end: number): SyntaxProblem {
  const span = spanOf(text, error, end);
  const around = text.slice(Math.max(0, error.offset - 40), error.offset + 40);
  if (/\||\.\.\./.test(around) && /\[\s*\.\.\.|\.\.\.\s*\]|(?:true|"|\w)\s*\|\s*(?:false|"|\w)/.test(around)) {
    const message = "The template was never filled in: a value still lists its choices or is left as `...`.";
    return { code: "unfilled-template", span, message, hint: "Replace it by the real value." };
  }
  if (printParseErrorCode(error.error) === "EndOfFileExpected") return severalRoots(text, span);
  if (error.offset >= end) {
    const message = "The text ends too early: it was cut off.";
    return {
      code: "truncated",
      span: { start: Math.max(0, end - 1), end },
      message,
      hint: "Write the handoff again, whole.",
    };
  }
  const [message, hint] = ERROR_TEXTS[printParseErrorCode(error.error)] ?? [
    "This is not JSON.",
    "Check the quotes, commas and brackets here.",
  ];
  return { code: "syntax-error", span, message, hint };
}

function spanOf(text: string, { offset, length }: ParseError, end: number): Span {
  const start = Math.min(offset, Math.max(0, end - 1));
  return { start, end: Math.min(Math.max(offset + length, start + 1), text.length) };
}

function severalRoots(text: string, span: { start: number; end: number }): SyntaxProblem {
  const second = /[{[]/.test(text[span.start] ?? "");
  return {
    code: second ? "several-roots" : "syntax-error",
    span,
    message: second
      ? "A second JSON value follows the first; a handoff is one record."
      : "Text follows the JSON value.",
    hint: second ? "Write one handoff per file." : "Remove what follows the closing bracket.",
  };
}

/** One slip makes the tolerant parser complain several times at the same place; once is enough. */
function mergeAtSamePlace(problems: readonly SyntaxProblem[]): SyntaxProblem[] {
  const kept: SyntaxProblem[] = [];
  for (const problem of problems) {
    const before = kept.at(-1);
    if (before === undefined || problem.span.start > before.span.end || problem.code !== before.code)
      kept.push(problem);
  }
  return kept;
}

const ERROR_TEXTS: Readonly<Record<string, readonly [string, string]>> = {
  InvalidSymbol: [
    "This is not a JSON value.",
    "Text needs double quotes; besides it there are numbers, true, false and null.",
  ],
  InvalidNumberFormat: [
    "This is not a JSON number.",
    "Numbers have no leading zeros; write identifiers in double quotes.",
  ],
  PropertyNameExpected: ["A field name in double quotes is expected here.", 'Write "name": value.'],
  ValueExpected: [
    "A value is expected here.",
    "Write a text in double quotes, a number, true, false, null, a list or a record.",
  ],
  ColonExpected: ["A colon is expected between a field's name and its value.", 'Write "name": value.'],
  CommaExpected: ["A comma is expected between two items.", "Put a comma after the item before."],
  CloseBraceExpected: ["The record is not closed here.", "Add the missing }."],
  CloseBracketExpected: ["The list is not closed here.", "Add the missing ]."],
  UnexpectedEndOfString: [
    "The text is not closed before the end of its line.",
    "Close it with a double quote; write a line break as \\n.",
  ],
  InvalidUnicode: ["This \\u escape is not four hexadecimal digits.", "Write \\u00e9 or the character itself."],
  InvalidEscapeCharacter: ["This is not an escape that JSON knows.", "Write a backslash as \\\\."],
  InvalidCharacter: ["A control character may not stand in a JSON text.", "Write it as an escape such as \\n or \\t."],
  UnexpectedEndOfComment: ["This comment is not closed.", "Remove it: JSON has no comments."],
  UnexpectedEndOfNumber: ["This number is not complete.", "Finish it, or write it in quotes."],
};

const COMMA = 44;
const SLASH = 47;
const COLON = 58;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
