import type { Interval } from "../../shared/line-table.ts";

/** Offsets count UTF-16 units from the start of the whole text. */
export type NoteSpan = Interval;

/** What the text says there, as one line: the only way in which a note's words are changed. */
export function joinedLines(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Stands for a character that does not count; it is neither a letter nor a blank. */
const HIDDEN = "\u0001";

/** The same length as the text, with inline code and quoted words hidden: they are not the author's own words. */
export function hideQuoted(text: string): string {
  return hide(text, quotedSpans(text));
}

/** The same length as the text, without what stands in the spans, which are in order. */
export function hide(text: string, spans: readonly NoteSpan[]): string {
  let shown = "";
  let from = 0;
  for (const span of spans) {
    shown += text.slice(from, span.start) + HIDDEN.repeat(Math.max(0, span.end - Math.max(from, span.start)));
    from = Math.max(from, span.end);
  }
  return shown + text.slice(from);
}

const CLOSING: Readonly<Record<string, string>> = { "`": "`", '"': '"', "\u201c": "\u201d", "\u201e": "\u201c" };

/** Inline code and double quotes, with their marks, in order. A mark that is never closed opens nothing. */
export function quotedSpans(text: string): NoteSpan[] {
  const spans: NoteSpan[] = [];
  const unclosed = new Set<string>();
  for (let at = 0; at < text.length; at++) {
    const closing = CLOSING[text[at] ?? ""];
    if (closing === undefined || unclosed.has(closing)) continue;
    const end = text.indexOf(closing, at + 1);
    if (end === -1) unclosed.add(closing);
    else {
      spans.push({ start: at, end: end + 1 });
      at = end;
    }
  }
  return spans;
}

/** The sentences of a stretch of text, without the blanks around them. */
export function sentencesIn(text: string, { start, end }: NoteSpan): NoteSpan[] {
  const raw = text.slice(start, end);
  const shown = hideQuoted(raw);
  const sentences: NoteSpan[] = [];
  // Some write everything in small letters.
  const allSmall = /^\W{0,4}\p{Ll}/u.test(shown);
  let from = 0;
  // A whole run of stops and closing marks at once: looking at each of them would be quadratic.
  for (const stop of shown.matchAll(/\r\n|[\r\n]|[.!?][*_)\]!?.]*/g)) {
    const after = stop.index + stop[0].length;
    const isLineEnd = /[\r\n]/.test(stop[0]);
    if (!(isLineEnd ? beginsAnew(shown, from, after) : endsSentence(shown, stop.index, after, allSmall))) continue;
    pushTrimmed(sentences, raw, from, after, start);
    from = after;
  }
  pushTrimmed(sentences, raw, from, raw.length, start);
  return sentences;
}

/**
 * Whoever writes `Next: ...` on a line of its own begins anew, and what it says ends with a line, unless the next
 * one goes on in small letters. Without a label a line goes on as lines of a paragraph do.
 */
function beginsAnew(shown: string, sentence: number, next: number): boolean {
  return isAt(LABELLED, shown, next) || (isAt(LABELLED, shown, sentence) && isAt(CAPITAL, shown, next));
}

/** Four words at most, and a colon. */
const LABELLED =
  /\s{0,8}[*_]{0,3}\p{Lu}[\p{L}\p{N}'/-]{0,20}(?: [\p{L}\p{N}'/-]{1,20}){0,3}[*_]{0,3}:[*_]{0,3}(?:\s|$)/uy;
const CAPITAL = /[ \t]{0,8}[*_`"']{0,3}\p{Lu}/uy;

function isAt(pattern: RegExp, shown: string, place: number): boolean {
  pattern.lastIndex = place;
  return pattern.test(shown);
}

/** Blanks follow the stop, no small letter after them, and no abbreviation stands before it. */
function endsSentence(shown: string, stop: number, after: number, allSmall: boolean): boolean {
  if (after >= shown.length) return true;
  if (!/\s/.test(shown[after] ?? "")) return false;
  if (/(?:^|[^\p{L}])(?:e\.g|i\.e|vs|etc|cf)$/iu.test(shown.slice(Math.max(0, stop - 5), stop))) return false;
  let next = after;
  while (next < shown.length && /\s/.test(shown[next] ?? "")) next++;
  return allSmall || !/\p{Ll}/u.test(shown[next] ?? "");
}

function pushTrimmed(spans: NoteSpan[], raw: string, from: number, to: number, offset: number): void {
  const span = trimmed(raw, { start: from, end: to });
  if (span.start < span.end) spans.push({ start: span.start + offset, end: span.end + offset });
}

/** The span without blanks at its ends. */
export function trimmed(text: string, { start, end }: NoteSpan): NoteSpan {
  let first = start;
  let last = end;
  while (first < last && /\s/.test(text[first] ?? "")) first++;
  while (last > first && /\s/.test(text[last - 1] ?? "")) last--;
  return { start: first, end: last };
}

/** The span without what surrounds a value: blanks, emphasis around the whole, the stop of the sentence. */
export function valueSpan(text: string, span: NoteSpan): NoteSpan {
  let value = trimmed(text, span);
  if (text[value.end - 1] === "." && text[value.end - 2] !== ".") value = { ...value, end: value.end - 1 };
  for (const mark of ["**", "__", "*", "_", "`"]) {
    const inner = text.slice(value.start + mark.length, value.end - mark.length);
    const wrapped =
      value.end - value.start > 2 * mark.length &&
      text.startsWith(mark, value.start) &&
      text.endsWith(mark, value.end) &&
      !inner.includes(mark);
    if (wrapped) value = trimmed(text, { start: value.start + mark.length, end: value.end - mark.length });
    // `**Next: paint it**` without its label.
    else if (mark === "**" && text.endsWith(mark, value.end) && !text.slice(value.start, value.end - 2).includes(mark))
      value = trimmed(text, { start: value.start, end: value.end - 2 });
  }
  return value;
}

export interface Label {
  /** In small letters, without marks: `next steps`. */
  readonly name: string;
  /** What follows the colon. */
  readonly value: NoteSpan;
}

const MAX_LABEL = 60;

/** The label that a statement begins with: `Next steps: ...`, `**Gotcha:** ...`. */
export function labelOf(text: string, span: NoteSpan): Label | null {
  const head = hideQuoted(text.slice(span.start, Math.min(span.end, span.start + MAX_LABEL)));
  const colon = head.indexOf(":");
  if (colon === -1) return null;
  const name = plainTitle(head.slice(0, colon));
  const rest = /^[*_]*(?=\s|$)/.exec(text.slice(span.start + colon + 1, Math.min(span.end, span.start + colon + 5)));
  if (name === "" || rest === null) return null;
  return { name, value: trimmed(text, { start: span.start + colon + 1 + rest[0].length, end: span.end }) };
}

/** A title in small letters without marks, numbers before it, and remarks in brackets. */
export function plainTitle(title: string): string {
  return joinedLines(
    title
      .slice(0, 200)
      .toLowerCase()
      .replaceAll(/\([^()]*\)/g, " ")
      .replaceAll(/[^\p{L}\p{N}/&,+'\u2019 -]/gu, " ")
      .replaceAll("\u2019", "'"),
  ).replace(/^[\d\s-]+/, "");
}

/** A plain title without accents, so that one spelling of a word is enough. */
export function foldedTitle(plain: string): string {
  return plain.toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "");
}

/** The cells of a table row that are not empty. */
export function cellsOf(text: string, row: NoteSpan): NoteSpan[] {
  return dividedBy(text, row, "|").filter((cell) => cell.start < cell.end);
}

export function dividedBy(text: string, span: NoteSpan, divider: string): NoteSpan[] {
  const parts: NoteSpan[] = [];
  let start = span.start;
  for (let at = span.start; at <= span.end; at++) {
    if (at < span.end && text[at] !== divider) continue;
    parts.push(trimmed(text, { start, end: at }));
    start = at + 1;
  }
  return parts;
}
