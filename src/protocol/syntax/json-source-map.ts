import type { JsonPath } from "../../shared/json-value.ts";
import type { Repair } from "../finding.ts";
import { type JsonPlace, JsonPlaces, repeatedKeys } from "./json-places.ts";
import { MAX_DUPLICATES, type SourceMap, type Span, type SpanEdit, type SyntaxProblem, lineEndOf } from "./syntax.ts";

/** Places of the values of a text that JSON.parse accepts. */
export function mapJson(text: string): SourceMap {
  const places = new JsonPlaces(text);
  return {
    locate: (path, atKey) => locate(places, path, atKey),
    edit: (path, repair) => writeRepair(places, path, repair),
    get duplicates() {
      return findDuplicates(text);
    },
  };
}

/** The value at the path, or the nearest one around it that is there. */
function locate(places: JsonPlaces, path: JsonPath, atKey: boolean): Span {
  let place = places.root;
  let exact = true;
  for (const step of path) {
    const next = places.child(place, step);
    exact = next !== undefined;
    if (next === undefined) break;
    place = next;
  }
  const large = isLarge(places.text, place);
  if (place.keyStart !== -1 && ((atKey && exact) || large)) return { start: place.keyStart, end: place.keyEnd };
  return large || place === places.root ? { start: place.start, end: place.start + 1 } : place;
}

/** A whole record or list would underline half the file: its key, or its opening bracket, says enough. */
function isLarge(text: string, place: JsonPlace): boolean {
  return text[place.start] === "{" || text[place.start] === "[";
}

function writeRepair(places: JsonPlaces, path: JsonPath, repair: Repair): readonly SpanEdit[] | null {
  let place: JsonPlace | undefined = places.root;
  for (const step of path) place = place && places.child(place, step);
  if (place === undefined) return null;
  const { start, end, keyStart, keyEnd } = place;
  switch (repair.kind) {
    case "rename":
      return keyStart === -1 ? null : [{ start: keyStart, end: keyEnd, text: JSON.stringify(repair.key) }];
    case "replace":
      return [{ start, end, text: JSON.stringify(repair.value) }];
    case "quote":
      return [{ start, end, text: JSON.stringify(places.text.slice(start, end)) }];
    case "move":
      return moving(places, path);
    case "insert":
      return places.text[start] === "{" ? [insertion(places, place, repair)] : null;
  }
}

function insertion(places: JsonPlaces, record: JsonPlace, repair: Repair & { kind: "insert" }): SpanEdit {
  const { text } = places;
  const written = `${JSON.stringify(repair.key)}: ${JSON.stringify(repair.value)}`;
  const last = places.children(record).at(-1);
  if (last === undefined) return { start: record.start + 1, end: record.start + 1, text: written };
  const lineStart = text.lastIndexOf("\n", last.keyStart) + 1;
  const indent = text.slice(lineStart, last.keyStart);
  const separator = lineStart > record.start && indent.trim() === "" ? `${lineEndOf(text)}${indent}` : " ";
  return { start: last.end, end: last.end, text: `,${separator}${written}` };
}

/** Takes a member out of its record and puts it, as it is written, behind that record. */
function moving(places: JsonPlaces, path: JsonPath): readonly SpanEdit[] | null {
  let record = places.root;
  for (const step of path.slice(0, -1)) record = places.child(record, step) ?? record;
  const member = places.child(record, path.at(-1) ?? "");
  if (member === undefined || record.keyStart === -1) return null;
  const { text } = places;
  const [inner, outer] = [indentOf(text, member.keyStart), indentOf(text, record.keyStart)];
  const written = text.slice(member.keyStart, member.end);
  const shifted = inner === null || outer === null ? written : written.replaceAll(`\n${inner}`, `\n${outer}`);
  const separator = outer === null ? " " : `${lineEndOf(text)}${outer}`;
  return [removal(places, record, member), { start: record.end, end: record.end, text: `,${separator}${shifted}` }];
}

/** With the comma before it, or behind it when it is the first. */
function removal(places: JsonPlaces, record: JsonPlace, member: JsonPlace): SpanEdit {
  const members = places.children(record);
  const index = members.findIndex(({ start }) => start === member.start);
  const [before, after] = [members[index - 1], members[index + 1]];
  if (before !== undefined) return { start: before.end, end: member.end, text: "" };
  return after === undefined
    ? { start: record.start + 1, end: record.end - 1, text: "" }
    : { start: member.keyStart, end: after.keyStart, text: "" };
}

/** The blanks before a key that begins its line; null for one that does not. */
function indentOf(text: string, keyStart: number): string | null {
  const blanks = text.slice(text.lastIndexOf("\n", keyStart - 1) + 1, keyStart);
  return blanks.trim() === "" && text.lastIndexOf("\n", keyStart - 1) !== -1 ? blanks : null;
}

function findDuplicates(text: string): SyntaxProblem[] {
  const problems: SyntaxProblem[] = [];
  for (const { name, start, end } of repeatedKeys(text)) {
    if (problems.length === MAX_DUPLICATES) break;
    problems.push({
      code: "duplicate-key",
      span: { start, end },
      message: `The field \`${name}\` is written twice in the same record.`,
      hint: "Keep one of them: which one counts must not be left to chance.",
    });
  }
  return problems;
}
