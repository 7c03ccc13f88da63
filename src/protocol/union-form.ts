import { type JsonRecord, isRecord } from "../shared/json-value.ts";
import type { RecordShape, Shape, UnionShape } from "./shape.ts";

/** The keys that tell the records of a union apart. */
export function unionTags({ of }: UnionShape): ReadonlySet<string> {
  const records = of.filter((form) => form.kind === "record");
  const keys = records.flatMap(({ fields }) =>
    Object.keys(fields).filter((key) => fields[key]?.shape.kind === "literal"),
  );
  return new Set(keys);
}

/** Decides by the type of the value, and of a record by its `tags`: other mistakes are then reported of this form. */
// oxlint-disable-next-line complexity -- one branch for each kind of shape
export function isMeantAs(form: Shape, value: unknown, tags: ReadonlySet<string>): boolean {
  switch (form.kind) {
    case "text":
      return typeof value === "string" && (form.oneOf?.includes(value) ?? true);
    case "number":
    case "boolean":
      return typeof value === form.kind;
    case "literal":
      return value === form.value;
    case "nullable":
      return value === null || isMeantAs(form.of, value, tags);
    case "list":
      return Array.isArray(value);
    case "map":
      return isRecord(value);
    case "record":
      return isRecord(value) && hasTags(form, value, tags);
    case "union":
      return form.of.some((inner) => isMeantAs(inner, value, unionTags(form)));
    case "anything":
      return true;
  }
}

function hasTags({ fields }: RecordShape, value: JsonRecord, tags: ReadonlySet<string>): boolean {
  return [...tags].every((tag) => {
    const field = fields[tag];
    return field === undefined ? !Object.hasOwn(value, tag) : isMeantAs(field.shape, value[tag], NO_TAGS);
  });
}

const NO_TAGS: ReadonlySet<string> = new Set();
