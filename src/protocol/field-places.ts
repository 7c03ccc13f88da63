import {
  type JsonPath,
  type JsonRecord,
  type JsonValue,
  isRecord,
  ownValue,
  printPath,
  sameJson,
} from "../shared/json-value.ts";
import type { Dialect } from "./dialect.ts";
import { DIALECTS, type Formats, dialectNamed, isBuiltin } from "./dialects/registry.ts";
import type { DialectName, Handoff } from "./handoff.ts";
import type { RecordShape, Shape } from "./shape.ts";

/**
 * The fields of a dialect that a part of the canonical handoff is lifted from; null when the dialect has none. It is
 * found by experiment, so that it follows from `lift` itself: each field of a complete document is changed in turn, and
 * the fields whose change shows in the part are those.
 */
export function fieldsFor(part: JsonPath, name: DialectName, formats?: Formats): readonly string[] | null {
  if (!isBuiltin(name)) return findFields(part, dialectNamed(name, formats));
  const key = `${name} ${printPath(part)}`;
  let fields = known.get(key);
  if (fields === undefined) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(key, (fields = findFields(part, DIALECTS[name])));
  }
  return fields;
}

const known = new Map<string, readonly string[] | null>();
const MAX_KNOWN = 1000;

function findFields(part: JsonPath, dialect: Dialect): readonly string[] | null {
  const leaves: Leaf[] = [];
  const document = sampleRecord(completeShape(dialect), [], leaves);
  const { value, rest } = partOf(lift(document, dialect), part);
  const places = leaves.filter(({ path, others }) =>
    others.some((other) => !sameJson(partOf(lift(changedAt(document, path, other), dialect), part).value, value)),
  );
  if (places.length === 0) return value === undefined ? null : [];
  const paths = places.map(({ path }) => [...placeOf(path, part), ...rest]);
  return [...new Set(together(paths).map(printPath))];
}

interface FoundPart {
  readonly value: JsonValue | undefined;
  /** What of the path lies in a record that takes any key. */
  readonly rest: JsonPath;
}

/** A record that is lifted with all of its keys has any field that is asked for. */
function partOf(handoff: Handoff, part: JsonPath): FoundPart {
  let value: JsonValue | undefined = handoff;
  for (const [at, step] of part.entries()) {
    if (isRecord(value) && !Object.hasOwn(value, step) && Object.hasOwn(value, FREE))
      return { value: value[FREE], rest: part.slice(at) };
    value = Array.isArray(value) ? value[Number(step)] : isRecord(value) ? ownValue(value, String(step)) : undefined;
  }
  return { value, rest: [] };
}

/** A key that no format names: where it comes out of `lift`, any key does. */
const FREE = "any";

/** The record that holds all of these fields, where there is one below the root of the document. */
function together(paths: readonly JsonPath[]): readonly JsonPath[] {
  const [first = [], ...others] = paths;
  const differs = first.findIndex((step, at) => others.some((path) => path[at] !== step));
  const common = differs === -1 ? first : first.slice(0, differs);
  return others.length === 0 || common.length === 0 || WRAPPERS.has(printPath(common)) ? paths : [common];
}

/** The records in which phase-yaml and issue-xml have nearly everything. */
const WRAPPERS: ReadonlySet<string> = new Set(["handoff", "data"]);

function lift(document: JsonRecord, dialect: Dialect): Handoff {
  return dialect.lift(document, { task: { id: "t", name: "t" } });
}

/** The payload of issue-xml may stand in two places; it is described in `data`. */
function completeShape({ name, shape }: Dialect): RecordShape {
  const data = shape.fields["data"]?.shape;
  if (name !== "issue-xml" || data?.kind !== "record") return shape;
  const fields = Object.entries(shape.fields).filter(([key]) => !Object.hasOwn(data.fields, key));
  return { kind: "record", fields: Object.fromEntries(fields) };
}

/** One value of the complete document, and what else it could be. */
interface Leaf {
  readonly path: JsonPath;
  readonly others: readonly JsonValue[];
}

function sampleRecord(shape: RecordShape, path: JsonPath, leaves: Leaf[]): JsonRecord {
  const entries = Object.entries(shape.fields)
    .filter(([key]) => key !== "carried")
    .map(([key, field]) => [key, sample(field.shape, [...path, key], leaves)]);
  if (path.length === 0) return Object.fromEntries(entries) as JsonRecord;
  leaves.push({ path: [...path, FREE], others: ["other"] });
  return { ...Object.fromEntries(entries), [FREE]: "one" } as JsonRecord;
}

function sample(shape: Shape, path: JsonPath, leaves: Leaf[]): JsonValue {
  if (shape.kind === "record") return sampleRecord(shape, path, leaves);
  if (shape.kind === "map") return sampleRecord({ kind: "record", fields: {} }, path, leaves);
  if (shape.kind === "list") return [sample(shape.item, [...path, 0], leaves)];
  if (shape.kind === "nullable") return sample(shape.of, path, leaves);
  const [first = "one", ...others] = choicesOf(shape);
  leaves.push({ path, others });
  return first;
}

function choicesOf(shape: Shape): readonly JsonValue[] {
  if (shape.kind === "boolean") return [true, false];
  if (shape.kind === "number") return [1, 2];
  if (shape.kind !== "text") return ["one", "other"];
  if (shape.oneOf !== undefined) return shape.oneOf;
  if (shape.format?.name === "boolean") return ["true", "false"];
  // The words by which formats say that no agent follows.
  return shape.format?.agentMark === undefined ? ["one", "other"] : ["@one", "@other", "COMPLETE", "None"];
}

function changedAt<T extends JsonValue>(value: T, path: JsonPath, other: JsonValue): T {
  const [step, ...rest] = path;
  if (step === undefined) return other as T;
  const copy: JsonValue = Array.isArray(value) ? [...value] : { ...(value as JsonRecord) };
  const inner = (copy as Record<string | number, JsonValue>)[step] ?? null;
  (copy as Record<string | number, JsonValue>)[step] = changedAt(inner, rest, other);
  return copy as T;
}

/** The list rather than a field of its items, unless the part is inside of a list itself. */
function placeOf(path: JsonPath, part: JsonPath): JsonPath {
  const place = path.at(-1) === FREE ? path.slice(0, -1) : path;
  const isInList = part.some((step) => typeof step === "number");
  const index = isInList ? -1 : place.findIndex((step) => typeof step === "number");
  return index === -1 ? place : place.slice(0, index);
}
