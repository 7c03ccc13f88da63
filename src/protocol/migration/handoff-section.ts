import type { JsonRecord } from "../../shared/json-value.ts";
import { lastStartingAt } from "../../shared/line-table.ts";
import { type MarkdownOutline, printFence } from "../syntax/markdown-outline.ts";
import { printYaml } from "../syntax/yaml.ts";
import { handoffSections } from "./note-blocks.ts";
import { type NoteSpan, trimmed } from "./note-text.ts";

/** Where the section goes: it takes the place of the span, which is empty when nothing is replaced. */
export function sectionPlace(text: string, outline: MarkdownOutline): NoteSpan {
  const freeform = handoffSections(text, outline).filter(({ heading }) => heading.level > 1);
  const chosen = freeform.findLast(({ heading }) => /^handoff:?$/i.test(heading.text)) ?? freeform.at(-1);
  if (chosen !== undefined) {
    const end = Math.min(chosen.end, separatorAfter(text, chosen.heading.end, outline));
    return { start: chosen.start, end: afterLineEnd(text, trimmed(text, { start: chosen.start, end }).end) };
  }
  const at = outsideFences(beforeFooter(text, outline), outline);
  return { start: at, end: at };
}

/** As the reader does it: a separator right below the heading belongs to the section, the next one ends it. */
function separatorAfter(text: string, from: number, outline: MarkdownOutline): number {
  let index = lastStartingAt(outline.breaks, from) + 1;
  while (index < outline.breaks.length && text.slice(from, outline.breaks[index]?.start).trim() === "") index++;
  return outline.breaks[index]?.start ?? text.length;
}

/** Before the footer of a task file and the separator above it; else the end of the text. */
function beforeFooter(text: string, outline: MarkdownOutline): number {
  const end = text.trimEnd().length;
  const start = Math.max(text.lastIndexOf("\n", end - 1), text.lastIndexOf("\r", end - 1)) + 1;
  if (!/^\s{0,3}[*_]{1,2}Task completed\b/i.test(text.slice(start, Math.min(end, start + 40)))) return text.length;
  const separator = outline.breaks[lastStartingAt(outline.breaks, start)];
  return separator !== undefined && text.slice(separator.end, start).trim() === "" ? separator.start : start;
}

/** A fence that is never closed would swallow the section. */
function outsideFences(at: number, outline: MarkdownOutline): number {
  const fence = outline.fences[lastStartingAt(outline.fences, at)];
  return fence !== undefined && at <= fence.end && (!fence.terminated || at < fence.end) ? fence.start : at;
}

function afterLineEnd(text: string, at: number): number {
  if (text.startsWith("\r\n", at)) return at + 2;
  return text[at] === "\n" || text[at] === "\r" ? at + 1 : at;
}

/** The section, its heading included. What was not structured stays in it as comments, so that nothing is lost. */
export function printSection(document: JsonRecord, leftover: readonly string[], lineEnd: string): string {
  const kept =
    leftover.length === 0 ? "" : `\n# From the notes, not structured yet:\n${leftover.map(comment).join("")}`;
  const section = `## Handoff\n\n${printFence("yaml", `${printYaml(document)}${kept}`)}`;
  return lineEnd === "\n" ? section : section.replaceAll("\n", lineEnd);
}

/** YAML forbids some characters even in comments. */
function comment(line: string): string {
  const printable = line.replaceAll(
    /[^\t\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/gu,
    "\ufffd",
  );
  return printable.trim() === "" ? "#\n" : `# ${printable.trimEnd()}\n`;
}

/** The text with the section in its place, set off by blank lines; everything else stays as it is. */
export function placeSection(text: string, place: NoteSpan, section: string, lineEnd: string): string {
  const before = text.slice(0, place.start);
  const after = text.slice(place.end);
  const isFirst = before === "" || before === "\ufeff";
  const gap = isFirst ? "" : lineEnd.repeat(2 - Math.min(2, endingLines(before)));
  const rest = after === "" || /^[\r\n]/.test(after) ? "" : lineEnd;
  return before + gap + section + rest + after;
}

/** How many line endings the text ends with, two at most; blanks between them do not count. */
function endingLines(text: string): number {
  let count = 0;
  let at = text.length;
  while (count < 2) {
    while (text[at - 1] === " " || text[at - 1] === "\t") at--;
    if (text[at - 1] !== "\n" && text[at - 1] !== "\r") break;
    at -= text.startsWith("\r\n", at - 2) ? 2 : 1;
    count++;
  }
  return count;
}
