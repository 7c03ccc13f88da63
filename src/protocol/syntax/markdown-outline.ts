import type { Interval } from "../../shared/line-table.ts";

/** What a Markdown text is made of, as far as handoffs are concerned. */

/** Offsets count UTF-16 units from the start of the text. No `end` includes a line ending. */
export interface FencedBlock {
  /** First character of the opening fence's line (after a byte order mark). */
  readonly start: number;
  /** End of the closing fence's line; the end of the content when there is no closing fence. */
  readonly end: number;
  readonly contentStart: number;
  /** Start of the closing fence's line: the content keeps the line ending of its last line. */
  readonly contentEnd: number;
  /** What follows the opening fence, trimmed; backslash escapes and entities are not decoded. */
  readonly info: string;
  readonly fence: "`" | "~";
  /** Column of the opening fence; up to this many columns of each content line are indentation. */
  readonly indent: number;
  readonly terminated: boolean;
}

export interface Heading {
  readonly start: number;
  readonly end: number;
  readonly level: number;
  readonly text: string;
}

/** A separator line. A `---` that underlines a paragraph counts too: agents separate with it. */
export interface ThematicBreak {
  readonly start: number;
  readonly end: number;
}

export interface MarkdownOutline {
  readonly fences: readonly FencedBlock[];
  readonly headings: readonly Heading[];
  readonly breaks: readonly ThematicBreak[];
  /** What stands between the marks of HTML comments that begin a line; it is no part of the outline. */
  readonly comments: readonly Interval[];
  /** Where the word `handoff` begins a line outside of fences, indented or not: a block without a fence may follow. */
  readonly handoffs: readonly number[];
  /** False when the scan ended early, because there were too many of them. */
  readonly whole: boolean;
}

/** A fenced code block whose fence no line of its content can close. */
export function printFence(language: string, content: string): string {
  let longest = 2;
  for (const run of content.matchAll(/`{3,}/g)) longest = Math.max(longest, run[0].length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${content}${content.endsWith("\n") ? "" : "\n"}${fence}\n`;
}
