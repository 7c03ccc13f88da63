import type { JsonPlace, JsonPlaces } from "../../protocol/syntax/json-places.ts";
import type { SpanEdit } from "../../protocol/syntax/syntax.ts";
import { DEFAULT_LIMITS } from "../../protocol/limits.ts";
import { jsonProblems } from "../../protocol/syntax/json-problems.ts";
import { LineTable } from "../../shared/line-table.ts";
import { broken } from "./found-task.ts";

/** Replaces a field in place. A new field is added at the end, formatted like the one before it. */
export function setField(places: JsonPlaces, record: JsonPlace, key: string, value: string): SpanEdit[] {
  const { text } = places;
  const written = JSON.stringify(value);
  const field = places.child(record, key);
  if (field !== undefined) {
    const isThere = text.slice(field.start, field.end) === written;
    return isThere ? [] : [{ start: field.start, end: field.end, text: written }];
  }
  const fields = places.children(record);
  const last = fields.at(-1);
  if (last === undefined)
    return [{ start: record.start + 1, end: record.start + 1, text: `${JSON.stringify(key)}: ${written}` }];
  const before = fields.at(-2)?.end ?? record.start + 1;
  const space = text.slice(before, last.keyStart).replace(",", "");
  const colon = text.slice(last.keyEnd, last.start);
  return [{ start: last.end, end: last.end, text: `,${space}${JSON.stringify(key)}${colon}${written}` }];
}

/** Removes a field together with its comma. */
export function removeField(places: JsonPlaces, record: JsonPlace, key: string): SpanEdit[] {
  const field = places.child(record, key);
  if (field === undefined) return [];
  const fields = places.children(record);
  const index = fields.indexOf(field);
  const [before, after] = [fields[index - 1], fields[index + 1]];
  if (before !== undefined) return [{ start: before.end, end: field.end, text: "" }];
  return [{ start: field.keyStart, end: after?.keyStart ?? field.end, text: "" }];
}

/** Sorts edits by position; they never overlap. */
export function inOrder(edits: readonly SpanEdit[]): SpanEdit[] {
  return [...edits].sort((left, right) => left.start - right.start);
}

/** Parses a JSON text. A syntax error is thrown with its place. */
export function parseDocument(text: string, path: string): unknown {
  const plain = withoutMark(text);
  try {
    return JSON.parse(plain);
  } catch {
    const [problem] = plain.length > MAX_EXPLAINED ? [] : jsonProblems(plain, DEFAULT_LIMITS);
    const { line, column } = new LineTable(plain).position(problem?.span.start ?? 0);
    const why =
      problem === undefined ? "is not JSON." : `is not JSON, in line ${line}, column ${column}: ${problem.message}`;
    throw broken(path, why, "Repair the file, or name another.");
  }
}

const MAX_EXPLAINED = 1_048_576;

/** Removes the byte order mark that some editors write. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}
