import type { JsonPath } from "../../shared/json-value.ts";
import type { DiagnosticCode } from "../diagnostic.ts";
import type { Repair } from "../finding.ts";

/** A number only when it is written exactly as that number prints: not `007`, `15.10`, `1e3` or a long numeric commit id. */
export function numberAsWritten(source: string): number | null {
  const value = Number(source);
  return Number.isFinite(value) && String(value) === source && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? value
    : null;
}

/** A stretch of one block of text, by offsets into that block. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface SpanEdit extends Span {
  readonly text: string;
}

/** Why a text cannot be parsed, or may not be. */
export interface SyntaxProblem {
  readonly code: DiagnosticCode;
  readonly span: Span;
  readonly message: string;
  readonly hint: string;
  readonly fix?: { readonly title: string; readonly edits: readonly SpanEdit[] };
  /** The fix is made on a copy alone, so that the rest can be judged: what it would remove belongs to somebody else. */
  readonly isLeft?: true;
}

/** So many keys written twice are reported: the first of them already refuses the text. */
export const MAX_DUPLICATES = 100;

/** Says where each value of a parsed text stands, and how a repair is written into it. */
export interface SourceMap {
  locate(path: JsonPath, atKey: boolean): Span;
  edit(path: JsonPath, repair: Repair): readonly SpanEdit[] | null;
  /** Keys or elements written twice. */
  readonly duplicates: readonly SyntaxProblem[];
}

/** From an offset in an edited text to the offset before the edits (which are in order). */
export function beforeEdits(offset: number, edits: readonly SpanEdit[]): number {
  let shift = 0;
  for (const edit of edits) {
    const editedStart = edit.start + shift;
    if (offset <= editedStart) break;
    const editedEnd = editedStart + edit.text.length;
    if (offset < editedEnd) return Math.min(edit.start + (offset - editedStart), edit.end);
    shift += edit.text.length - (edit.end - edit.start);
  }
  return offset - shift;
}

/** The text with all edits made; edits are in order and do not overlap. */
export function applyEdits(text: string, edits: readonly SpanEdit[]): string {
  let result = "";
  let from = 0;
  for (const edit of edits) {
    result += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return result + text.slice(from);
}

/** How this text ends its lines: what is written into it does the same. */
export function lineEndOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
