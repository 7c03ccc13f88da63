import { type JsonPath, type JsonRecord, type JsonValue, isRecord, ownValue, sameJson } from "../shared/json-value.ts";
import type { Handoff } from "./handoff.ts";

/**
 * Carried parts do not repeat what the target's own fields say: they refer to it. `$context.text` stands for the value
 * at that path of the handoff that is read from the target's own fields, `$context.text:4-20` for a piece of that text,
 * `{"$like": "findings.issues.0", "but": {"severity": "high"}, "no": "id"}` for a record with other values for some keys
 * and without others, and `{"$each": "work.artifacts.0", "of": 2, "take": "path description=purpose", "with": ...}` for a
 * list whose items take fields of the items of another list, from that one on. A text or key of a part that begins with
 * `$` gets one more.
 */
export function packPart(value: JsonValue, index: PackIndex): JsonValue {
  const packed = new Packer(index).pack(value);
  return sameJson(unpackPart(packed, index.own), value) ? packed : escaped(value);
}

/** What carried parts can refer to, made once for all of them. */
interface PackIndex {
  readonly own: Handoff;
  /** Paths by the JSON of what stands there. */
  readonly values: ReadonlyMap<string, string>;
  readonly texts: readonly (readonly [path: string, text: string])[];
  readonly lists: readonly (readonly [path: string, items: readonly JsonValue[]])[];
  readonly records: readonly (readonly [path: string, record: JsonRecord])[];
}

const MIN_REFERENCE = 8;

export function packIndex(own: Handoff): PackIndex {
  const values = new Map<string, string>();
  const texts: [string, string][] = [];
  const lists: [string, readonly JsonValue[]][] = [];
  const records: [string, JsonRecord][] = [];
  visit(own, "");
  return { own, values, texts, lists, records };

  function visit(value: JsonValue | undefined, path: string): void {
    if (typeof value === "string") texts.push([path, value]);
    else if (typeof value !== "object" || value === null) return;
    if (path !== "") addValue(value, path);
    if (Array.isArray(value)) {
      lists.push([path, value]);
      for (const [at, item] of value.entries()) visit(item, `${path}.${at}`);
    } else if (isRecord(value)) {
      if (path !== "") records.push([path, value]);
      for (const [key, inner] of Object.entries(value))
        if (PLAIN_KEY.test(key)) visit(inner, path === "" ? key : `${path}.${key}`);
    }
  }

  function addValue(value: JsonValue, path: string): void {
    const printed = JSON.stringify(value);
    if (printed.length >= MIN_REFERENCE && !values.has(printed)) values.set(printed, path);
  }
}

const PLAIN_KEY = /^[\w@#-]+$/;

/** Characters that may be searched for pieces, so that packing a large handoff takes no longer than writing it. */
const MAX_SEARCHED = 50_000_000;

class Packer {
  readonly #index: PackIndex;
  #searched = 0;

  constructor(index: PackIndex) {
    this.#index = index;
  }

  pack(value: JsonValue): JsonValue {
    if (typeof value === "string") return this.#packText(value);
    if (typeof value !== "object" || value === null) return value;
    const whole = this.#index.values.get(JSON.stringify(value));
    if (whole !== undefined) return `$${whole}`;
    if (!Array.isArray(value))
      return shortest([mapRecord(value, (inner) => this.pack(inner)), ...this.#packLike(value)]);
    const items = value.map((item) => this.pack(item));
    return value.every(isRecord) && value.length > 0 ? shortest([items, ...this.#packEach(value)]) : items;
  }

  #packText(text: string): string {
    const whole = this.#index.values.get(JSON.stringify(text));
    const literal = text.startsWith("$") ? `$${text}` : text;
    if (whole !== undefined && whole.length < text.length) return `$${whole}`;
    if (text.length < 2 * MIN_REFERENCE) return literal;
    for (const [path, long] of this.#index.texts) {
      if (long.length <= text.length || this.#searched > MAX_SEARCHED) continue;
      this.#searched += long.length;
      const at = long.indexOf(text);
      const piece = `$${path}:${at}-${at + text.length}`;
      if (at >= 0 && piece.length < text.length) return piece;
    }
    return literal;
  }

  /** The record as another one with changes. */
  *#packLike(record: JsonRecord): Iterable<JsonValue> {
    if (!Object.keys(record).every((key) => PLAIN_KEY.test(key))) return;
    for (const [path, other] of this.#index.records) {
      const kept = Object.keys(record).filter((key) => sameJson(record[key], ownValue(other, key)));
      const gone = Object.keys(other).filter((key) => record[key] === undefined);
      if (kept.length === 0 || !gone.every((key) => PLAIN_KEY.test(key))) continue;
      const but = Object.fromEntries(Object.entries(record).filter(([key]) => !kept.includes(key)));
      yield {
        $like: path,
        ...(Object.keys(but).length > 0 && { but: mapRecord(but, (inner) => this.pack(inner)) }),
        ...(gone.length > 0 && { no: gone.join(" ") }),
      };
    }
  }

  /** The list as the items of other lists with some of their fields. */
  *#packEach(items: readonly JsonRecord[]): Iterable<JsonValue> {
    for (const [path, others] of this.#index.lists) {
      const start = others.findIndex((other) => takenFields(items.slice(0, 1), [other]).size > 0);
      const taken = start < 0 ? NOTHING : takenFields(items, others.slice(start, start + items.length));
      if (taken.size === 0) continue;
      const left = items.map((item) =>
        mapRecord(Object.fromEntries(Object.entries(item).filter(([key]) => !taken.has(key))), (inner) =>
          this.pack(inner),
        ),
      );
      const same = left.every((rest) => sameJson(rest, left[0]));
      yield {
        $each: `${path}.${start}`,
        of: items.length,
        take: [...taken].map(([key, field]) => (key === field ? key : `${key}=${field}`)).join(" "),
        ...(same ? Object.keys(left[0] ?? {}).length > 0 && { with: left[0] } : { with: left }),
      };
    }
  }
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** Fields of all items that equal a field of the other item at the same place; `` is that item itself, if it is a text. */
function takenFields(items: readonly JsonRecord[], others: readonly JsonValue[]): ReadonlyMap<string, string> {
  const [first] = items;
  if (first === undefined || others.length < items.length) return NOTHING;
  const taken = new Map<string, string>();
  for (const key of Object.keys(first)) {
    const fields = isRecord(others[0]) ? [key, ...Object.keys(others[0]).filter((name) => PLAIN_KEY.test(name))] : [""];
    const from = fields.find((field) =>
      items.every((item, at) => {
        const value = ownValue(item, key);
        return typeof value === "string" && value === fieldOf(others[at], field);
      }),
    );
    if (from !== undefined && PLAIN_KEY.test(key)) taken.set(key, from);
  }
  return taken;
}

function fieldOf(other: JsonValue | undefined, field: string): JsonValue | undefined {
  if (field === "") return typeof other === "string" ? other : undefined;
  return isRecord(other) ? ownValue(other, field) : undefined;
}

function shortest(forms: readonly JsonValue[]): JsonValue {
  const sized = forms.map((form) => ({ form, size: JSON.stringify(form).length }));
  return sized.reduce((best, one) => (one.size < best.size ? one : best)).form;
}

function escaped(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.startsWith("$") ? `$${value}` : value;
  if (Array.isArray(value)) return value.map(escaped);
  return isRecord(value) ? mapRecord(value, escaped) : value;
}

function mapRecord(record: JsonRecord, change: (value: JsonValue) => JsonValue): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) =>
      value === undefined ? [] : [[key.startsWith("$") ? `$${key}` : key, change(value)]],
    ),
  );
}

/** Characters that the references of one part may stand for: a few of them must not make a huge handoff. */
const MAX_UNPACKED = 4_000_000;

/** The part again; undefined when it refers to what is not there. */
export function unpackPart(packed: JsonValue, own: Handoff): JsonValue | undefined {
  let left = MAX_UNPACKED;
  return unpack(packed);

  function unpack(value: JsonValue): JsonValue | undefined {
    if (typeof value === "string") return value.startsWith("$") ? unpackText(value) : value;
    if (Array.isArray(value)) return whole(value.map(unpack));
    if (!isRecord(value)) return value;
    if (value["$like"] !== undefined) return unpackLike(value);
    return value["$each"] === undefined ? unpackRecord(value) : unpackEach(value);
  }

  function unpackText(text: string): JsonValue | undefined {
    if (text.startsWith("$$")) return text.slice(1);
    const reference = readReference(text);
    const value = valueAtPath(own, reference.path);
    if (value === undefined) return undefined;
    left -= JSON.stringify(value).length;
    if (left < 0) return undefined;
    if (reference.piece === undefined) return value;
    const [start, end] = reference.piece;
    return typeof value === "string" && end <= value.length ? value.slice(start, end) : undefined;
  }

  function unpackRecord(record: JsonRecord): JsonRecord | undefined {
    const entries: [string, JsonValue][] = [];
    for (const [key, packedValue] of Object.entries(record)) {
      const value = packedValue === undefined ? undefined : unpack(packedValue);
      if (value === undefined || key === "__proto__") return undefined;
      entries.push([key.startsWith("$") ? key.slice(1) : key, value]);
    }
    return Object.fromEntries(entries);
  }

  function unpackLike({ $like: path, but = {}, no = "" }: JsonRecord): JsonValue | undefined {
    const other = typeof path === "string" ? unpackText(`$${path}`) : undefined;
    const changes = isRecord(but) ? unpackRecord(but) : undefined;
    if (!isRecord(other) || changes === undefined || typeof no !== "string") return undefined;
    const gone = new Set(no.split(" "));
    return { ...Object.fromEntries(Object.entries(other).filter(([key]) => !gone.has(key))), ...changes };
  }

  function unpackEach(form: JsonRecord): JsonValue | undefined {
    const items = eachItems(form, own);
    if (items === null) return undefined;
    return whole(
      items.map(({ taken, rest }) => {
        const others = unpackRecord(rest);
        const fields = Object.entries(taken).map(([key, path]) => [key, unpackText(`$${path}`)] as const);
        if (others === undefined || fields.some(([, value]) => value === undefined)) return undefined;
        return { ...Object.fromEntries(fields), ...others };
      }),
    );
  }

  function whole(items: readonly (JsonValue | undefined)[]): JsonValue[] | undefined {
    return items.some((item) => item === undefined) ? undefined : (items as JsonValue[]);
  }
}

interface EachItem {
  /** Paths of the fields that are taken, by the field they become. */
  readonly taken: Readonly<Record<string, string>>;
  /** The other fields, still packed. */
  readonly rest: JsonRecord;
}

function eachItems(form: JsonRecord, own: Handoff): EachItem[] | null {
  const { $each: from, of: count, take, with: rest } = form;
  const [, list = "", start = ""] = (typeof from === "string" && /^(.+)\.(\d+)$/.exec(from)) || [];
  const others = valueAtPath(own, list);
  if (!Array.isArray(others) || typeof count !== "number" || typeof take !== "string") return null;
  if (!Number.isInteger(count) || count < 1 || Number(start) + count > others.length) return null;
  return Array.from({ length: count }, (_, at): EachItem => {
    const place = `${list}.${Number(start) + at}`;
    const taken = take.split(" ").map((pair) => {
      const [key = "", field = key] = pair.split("=");
      return [key, field === "" ? place : `${place}.${field}`] as const;
    });
    const other = Array.isArray(rest) ? rest[at] : rest;
    return { taken: Object.fromEntries(taken), rest: isRecord(other) ? other : {} };
  });
}

/** Where a value of a packed part stands: among the handoff's own fields, or in the packed part itself. */
export type PackedPlace = { readonly from: "own" | "packed"; readonly path: JsonPath };

export function placeInPacked(packed: JsonValue | undefined, path: JsonPath, own: Handoff): PackedPlace {
  if (typeof packed === "string" && packed.startsWith("$") && !packed.startsWith("$$"))
    return { from: "own", path: [...pathSteps(readReference(packed).path), ...path] };
  const [step, ...rest] = path;
  if (step === undefined) return { from: "packed", path: [] };
  if (isRecord(packed) && packed["$each"] !== undefined) return placeInEach(packed, Number(step), rest, own);
  if (isRecord(packed) && typeof packed["$like"] === "string")
    return placeInLike(packed["$like"], packed["but"], path, own);
  return below([step], placeInPacked(childOf(packed, step), rest, own));
}

function placeInLike(base: string, but: JsonValue | undefined, path: JsonPath, own: Handoff): PackedPlace {
  const [step = "", ...rest] = path;
  if (!isRecord(but) || !Object.hasOwn(but, step)) return { from: "own", path: [...pathSteps(base), ...path] };
  return below(["but", step], placeInPacked(but[step], rest, own));
}

function childOf(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(step)];
  return isRecord(value) ? ownValue(value, String(step)) : undefined;
}

function placeInEach(form: JsonRecord, at: number, path: JsonPath, own: Handoff): PackedPlace {
  const item = eachItems(form, own)?.[at];
  const taken = item && ownValue(item.taken, String(path[0]));
  if (taken !== undefined) return { from: "own", path: [...pathSteps(taken), ...path.slice(1)] };
  return below(Array.isArray(form["with"]) ? ["with", at] : ["with"], placeInPacked(item?.rest, path, own));
}

function below(steps: JsonPath, place: PackedPlace): PackedPlace {
  return place.from === "own" ? place : { from: "packed", path: [...steps, ...place.path] };
}

function readReference(text: string): { path: string; piece?: readonly [start: number, end: number] } {
  const [, path, start, end] = /^\$(.+):(\d{1,9})-(\d{1,9})$/.exec(text) ?? [];
  return path === undefined ? { path: text.slice(1) } : { path, piece: [Number(start), Number(end)] };
}

function pathSteps(path: string): JsonPath {
  return path.split(".").map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

function valueAtPath(own: Handoff, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = { ...own };
  for (const step of path.split("."))
    value = Array.isArray(value) && !/^\d{1,9}$/.test(step) ? undefined : childOf(value, step);
  return value;
}
