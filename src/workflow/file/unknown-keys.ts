import type { RecordShape, Shape } from "../../protocol/shape.ts";
import { type JsonPath, isRecord } from "../../shared/json-value.ts";
import { nearestWord } from "../../shared/nearest-word.ts";
import { type Problems, clip } from "./problems.ts";

/** In a workflow a key that means nothing is a mistake: what its author wanted would silently not happen. */
export function checkKeys(value: unknown, shape: Shape, path: JsonPath, problems: Problems): void {
  if (shape.kind === "list" && Array.isArray(value))
    for (const [index, item] of value.entries()) checkKeys(item, shape.item, [...path, index], problems);
  if (!isRecord(value)) return;
  if (shape.kind === "record") checkRecord(value, shape, path, problems);
  else if (shape.kind === "map")
    for (const key of Object.keys(value)) checkKeys(value[key], shape.values, [...path, key], problems);
}

function checkRecord(value: object, shape: RecordShape, path: JsonPath, problems: Problems): void {
  for (const [key, inner] of Object.entries(value)) {
    if (Object.hasOwn(shape.fields, key)) {
      const field = shape.fields[key];
      if (field !== undefined) checkKeys(inner, field.shape, [...path, key], problems);
    } else unknownKey(key, Object.keys(shape.fields), path, problems);
  }
}

export function unknownKey(key: string, known: readonly string[], path: JsonPath, problems: Problems): void {
  const meant = nearestWord(key, known);
  problems.add({
    code: "unknown-key",
    path: [...path, key],
    atKey: true,
    message: `\`${clip(key)}\` means nothing here.`,
    hint: meant === null ? `Keys here are ${known.join(", ")}.` : `Did you mean ${meant}?`,
  });
}
