import type { JsonPlace, JsonPlaces } from "../../protocol/syntax/json-places.ts";
import type { SpanEdit } from "../../protocol/syntax/syntax.ts";

/** Sets a field of a record where it stands; a new one comes last and is set out like the one before it. */
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

/** Takes a field out together with its comma. */
export function removeField(places: JsonPlaces, record: JsonPlace, key: string): SpanEdit[] {
  const field = places.child(record, key);
  if (field === undefined) return [];
  const fields = places.children(record);
  const index = fields.indexOf(field);
  const [before, after] = [fields[index - 1], fields[index + 1]];
  if (before !== undefined) return [{ start: before.end, end: field.end, text: "" }];
  return [{ start: field.keyStart, end: after?.keyStart ?? field.end, text: "" }];
}

/** In the order of the text; edits of different places never overlap. */
export function inOrder(edits: readonly SpanEdit[]): SpanEdit[] {
  return [...edits].sort((left, right) => left.start - right.start);
}
