import type { Interval } from "../../shared/line-table.ts";
import { HYPHEN, LineCursor, SPACE, TAB, isBullet } from "./line-cursor.ts";
import type { FencedBlock, Heading, MarkdownOutline, ThematicBreak } from "./markdown-outline.ts";

/**
 * Finds the fenced blocks, headings and separators of a Markdown text in one pass over its lines.
 *
 * 1. Time is linear in the text: a line is looked at once, or twice when it ends an indented block.
 * 2. Ordinary lines cost one search for the line end and one look at the first character.
 * 3. Fences indented by 0-3 columns follow CommonMark 0.31 as if at document level. Deeper ones, and
 *    those on the line of a list marker, end as they would in a list item: with their indentation.
 *    They can therefore never hide or move a fence of document level.
 * 4. Block quotes and HTML blocks are not containers here: what is in a quote is not reported, what
 *    is in HTML is, but for comments, which go to the end of the text when they are not closed.
 */

const HASH = 0x23;
const CLOSING_PARENTHESIS = 0x29;
const ASTERISK = 0x2a;
const PLUS = 0x2b;
const FULL_STOP = 0x2e;
const DIGIT_ZERO = 0x30;
const DIGIT_NINE = 0x39;
const CAPITAL_H = 0x48;
const UNDERSCORE = 0x5f;
const BACKTICK = 0x60;
const LESS_THAN = 0x3c;
const SMALL_H = 0x68;
const TILDE = 0x7e;
const BYTE_ORDER_MARK = 0xfeff;

const MINIMUM_FENCE_LENGTH = 3;
const MINIMUM_BREAK_LENGTH = 3;
const MAXIMUM_HEADING_LEVEL = 6;
const MAXIMUM_MARKER_DIGITS = 9;
/** From this column on, a line at document level is indented code. */
const CODE_INDENT = 4;

const HANDOFF_SPELLINGS = ["handoff", "Handoff", "HANDOFF"];

// oxlint-disable-next-line complexity -- grammar: one branch for each kind of line
export function scanMarkdown(text: string, most = Number.POSITIVE_INFINITY): MarkdownOutline {
  const fences: FencedBlock[] = [];
  const headings: Heading[] = [];
  const breaks: ThematicBreak[] = [];
  const handoffs: number[] = [];
  const comments: Interval[] = [];
  const lines = new LineCursor(text, text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0);
  while (lines.advanceToMark()) {
    if (fences.length + headings.length + breaks.length + comments.length > most)
      return { fences, headings, breaks, handoffs, comments, whole: false };
    lines.measureIndent();
    const mark = text.charCodeAt(lines.first);
    if (mark === HASH) {
      const heading = readHeading(lines);
      if (heading !== null) headings.push(heading);
    } else if (mark === SMALL_H || mark === CAPITAL_H) {
      if (HANDOFF_SPELLINGS.some((word) => text.startsWith(word, lines.first))) handoffs.push(lines.first);
    } else if (mark === LESS_THAN) {
      if (lines.indent < CODE_INDENT && text.startsWith("<!--", lines.first)) comments.push(readComment(lines));
    } else if (isBullet(mark) && isOrdinaryItem(lines, mark)) {
      continue;
    } else if (isBreak(lines, mark)) {
      breaks.push({ start: lines.start, end: lines.end });
    } else {
      const opening = readOpeningFence(lines);
      const block = opening === null ? null : readFencedBlock(lines, opening);
      if (block !== null) fences.push(block);
    }
  }
  return { fences, headings, breaks, handoffs, comments, whole: true };
}

/** Reads on to the line that closes the comment. */
function readComment(lines: LineCursor): Interval {
  const start = lines.first + "<!--".length;
  const closing = lines.text.indexOf("-->", start);
  const end = closing === -1 ? lines.text.length : closing;
  while (lines.end < end && lines.advance());
  return { start, end };
}

/**
 * The blocks inside a block that quotes Markdown. Authors nest fences of equal length; by CommonMark
 * the inner opening line is then plain content and the inner closing line ends the outer block.
 * Here every fence with an info word opens an inner block, up to the next bare fence or the end of
 * the outer content. An outer closing line that answers the inner fence is given to the inner block.
 * Only the first level is returned.
 */
export function recoverNestedFences(text: string, block: FencedBlock): readonly FencedBlock[] {
  if (!quotesMarkdown(block.info)) return [];
  const nested: FencedBlock[] = [];
  // A slice, so that no search for a line ending leaves the block.
  const content = text.slice(block.contentStart, block.contentEnd);
  const lines = new LineCursor(content, 0);
  while (lines.advanceToMark()) {
    lines.measureIndent();
    const opening = readOpeningFence(lines);
    if (opening === null || opening.info === "") continue;
    const inner = readFencedBlock(lines, opening);
    if (inner === null) continue;
    const takesClosingLine =
      !inner.terminated && inner.end === content.length && takesOuterClosing(text, block, opening);
    nested.push({
      ...inner,
      start: inner.start + block.contentStart,
      contentStart: inner.contentStart + block.contentStart,
      contentEnd: inner.contentEnd + block.contentStart,
      end: takesClosingLine ? block.end : inner.end + block.contentStart,
      terminated: takesClosingLine || inner.terminated,
    });
  }
  return nested;
}

interface OpeningFence {
  readonly start: number;
  readonly contentStart: number;
  readonly info: string;
  readonly mark: number;
  readonly length: number;
  readonly indent: number;
  /** In a list item the column that content must reach, or it ends the block; 0 at document level. */
  readonly requiredIndent: number;
}

function readOpeningFence(lines: LineCursor): OpeningFence | null {
  const inListItem = skipListMarker(lines) || lines.indent >= CODE_INDENT;
  const mark = lines.text.charCodeAt(lines.first);
  if (mark !== BACKTICK && mark !== TILDE) return null;
  const afterFence = skipRun(lines.text, mark, lines.first, lines.end);
  const length = afterFence - lines.first;
  if (length < MINIMUM_FENCE_LENGTH) return null;
  const info = lines.text.slice(afterFence, lines.end).trim();
  if (mark === BACKTICK && info.includes("`")) return null;
  const { start, next: contentStart, indent } = lines;
  return { start, contentStart, info, mark, length, indent, requiredIndent: inListItem ? indent : 0 };
}

/** Moves from a list marker to what follows it on the same line, if that is not indented code. */
function skipListMarker(lines: LineCursor): boolean {
  const markerStart = lines.first;
  const afterMarker = listMarkerEnd(lines);
  if (afterMarker === markerStart) return false;
  const column = lines.indent + afterMarker - markerStart;
  lines.skipBlanks(afterMarker, column);
  const padding = lines.indent - column;
  if (padding >= 1 && padding <= CODE_INDENT) return true;
  lines.measureIndent();
  return false;
}

function listMarkerEnd(lines: LineCursor): number {
  const { text, first, end } = lines;
  const code = text.charCodeAt(first);
  if (code === HYPHEN || code === ASTERISK || code === PLUS) return first + 1;
  let at = first;
  while (at < end && isDigit(text.charCodeAt(at))) at += 1;
  const digits = at - first;
  if (digits === 0 || digits > MAXIMUM_MARKER_DIGITS) return first;
  const delimiter = text.charCodeAt(at);
  return delimiter === FULL_STOP || delimiter === CLOSING_PARENTHESIS ? at + 1 : first;
}

/**
 * Reads on to the end of the block. Null when an indented fence has nothing indented below it:
 * then it was not the start of a block, and the lines after it are still to be read.
 */
function readFencedBlock(lines: LineCursor, opening: OpeningFence): FencedBlock | null {
  const { text } = lines;
  const { mark, requiredIndent } = opening;
  let isBlock = requiredIndent === 0;
  while (lines.advance()) {
    const code = text.charCodeAt(lines.start);
    if (requiredIndent === 0 && code !== mark && !isSpaceOrTab(code)) continue;
    lines.measureIndent();
    if (lines.first === lines.end) continue;
    if (text.charCodeAt(lines.first) === mark && closes(lines, opening)) {
      return fencedBlock(opening, lines.start, lines.end, true);
    }
    if (lines.indent < requiredIndent) {
      lines.holdLine();
      return isBlock ? fencedBlock(opening, lines.start, lines.start, false) : null;
    }
    isBlock = true;
  }
  return isBlock ? fencedBlock(opening, text.length, text.length, false) : null;
}

function closes(lines: LineCursor, opening: OpeningFence): boolean {
  // Authors place the closing fence of an indented block carelessly; it may stand left of the
  // opening one as long as no fence of document level could stand there.
  const leftmost = Math.min(opening.requiredIndent, CODE_INDENT);
  const rightmost = opening.requiredIndent + CODE_INDENT - 1;
  if (lines.indent < leftmost || lines.indent > rightmost) return false;
  const afterFence = skipRun(lines.text, opening.mark, lines.first, lines.end);
  if (afterFence - lines.first < opening.length) return false;
  return skipSpacesAndTabs(lines.text, afterFence, lines.end) === lines.end;
}

function fencedBlock(opening: OpeningFence, contentEnd: number, end: number, terminated: boolean): FencedBlock {
  const { start, contentStart, info, mark, indent } = opening;
  return { start, end, contentStart, contentEnd, info, fence: mark === BACKTICK ? "`" : "~", indent, terminated };
}

function readHeading(lines: LineCursor): Heading | null {
  const { text, start, first, end } = lines;
  if (lines.indent >= CODE_INDENT) return null;
  const afterMarks = skipRun(text, HASH, first, end);
  const level = afterMarks - first;
  if (level > MAXIMUM_HEADING_LEVEL) return null;
  const textStart = skipSpacesAndTabs(text, afterMarks, end);
  if (textStart === afterMarks && afterMarks < end) return null;
  return { start, end, level, text: text.slice(textStart, headingTextEnd(text, textStart, end)) };
}

/** Where a heading's text ends: before trailing blanks and before a closing run of `#`. */
function headingTextEnd(text: string, textStart: number, lineEnd: number): number {
  const end = trimmedEnd(text, textStart, lineEnd);
  let beforeMarks = end;
  while (beforeMarks > textStart && text.charCodeAt(beforeMarks - 1) === HASH) beforeMarks -= 1;
  if (beforeMarks === textStart) return textStart;
  const beforeBlanks = trimmedEnd(text, textStart, beforeMarks);
  return beforeBlanks < beforeMarks ? beforeBlanks : end;
}

/** Behind its marker stands neither a fence nor what would make the line a separator. */
function isOrdinaryItem({ text, first, end }: LineCursor, mark: number): boolean {
  const next = text.charCodeAt(skipSpacesAndTabs(text, first + 1, end));
  return next !== mark && next !== BACKTICK && next !== TILDE;
}

function isBreak(lines: LineCursor, mark: number): boolean {
  if (mark !== HYPHEN && mark !== ASTERISK && mark !== UNDERSCORE) return false;
  if (lines.indent >= CODE_INDENT) return false;
  let marks = 0;
  for (let at = lines.first; at < lines.end; at += 1) {
    const code = lines.text.charCodeAt(at);
    if (code === mark) marks += 1;
    else if (code !== SPACE && code !== TAB) return false;
  }
  return marks >= MINIMUM_BREAK_LENGTH;
}

function quotesMarkdown(info: string): boolean {
  const language = info.split(/[ \t]/, 1)[0] ?? "";
  return /^(?:markdown|md|text|)$/i.test(language);
}

/**
 * True when the line that ends the outer block by CommonMark answers the inner fence: it can close
 * it, and the inner fence is not shorter than the outer one, as it would be if nested on purpose.
 */
function takesOuterClosing(text: string, outer: FencedBlock, inner: OpeningFence): boolean {
  if (!outer.terminated || outer.fence.charCodeAt(0) !== inner.mark) return false;
  const openingLength = fenceLength(text, outer.fence, outer.start);
  const closingLength = fenceLength(text, outer.fence, outer.contentEnd);
  return inner.length >= openingLength && inner.length <= closingLength;
}

function fenceLength(text: string, fence: "`" | "~", lineStart: number): number {
  const first = text.indexOf(fence, lineStart);
  return skipRun(text, fence.charCodeAt(0), first, text.length) - first;
}

function skipRun(text: string, code: number, from: number, end: number): number {
  let at = from;
  while (at < end && text.charCodeAt(at) === code) at += 1;
  return at;
}

function skipSpacesAndTabs(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isSpaceOrTab(text.charCodeAt(at))) at += 1;
  return at;
}

function trimmedEnd(text: string, from: number, end: number): number {
  let at = end;
  while (at > from && isSpaceOrTab(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function isSpaceOrTab(code: number): boolean {
  return code === SPACE || code === TAB;
}

function isDigit(code: number): boolean {
  return code >= DIGIT_ZERO && code <= DIGIT_NINE;
}
