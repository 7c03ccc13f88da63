import type { JsonPath } from "../../shared/json-value.ts";
import type { DiagnosticCode } from "../diagnostic.ts";
import type { Repair } from "../finding.ts";

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
}

/** Of keys written twice so many are told: the first of them already say that the text is refused. */
export const MOST_DUPLICATES = 100;

/** Says where each value of a parsed text stands, and how a repair is written into it. */
export interface SourceMap {
  locate(path: JsonPath, atKey: boolean): Span;
  edit(path: JsonPath, repair: Repair): readonly SpanEdit[] | null;
  /** Keys or elements written twice. */
  readonly duplicates: readonly SyntaxProblem[];
}

/** Offsets of an edited text, told in offsets of the text before the edits (which are in order). */
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
