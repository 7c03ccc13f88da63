import type { JsonRecord } from "../shared/json-value.ts";
import { isForbidden } from "./forbidden-key.ts";
import { type TextFormat, word } from "./format.ts";
import type { Limits } from "./limits.ts";
import { type NearNames, nearNamesOf } from "./near-names.ts";
import type { NumberShape, RecordShape, Shape, TextShape } from "./shape.ts";
import { isTemplate, isUnfilledText } from "./unfilled-template.ts";

/**
 * Says only whether a document has its shape and keeps to the limits, not what is wrong with it: true
 * exactly when `checkShape` reports nothing and notes no near miss, in a fraction of its time, because it
 * keeps no path. The two are held together by a test.
 */
export function fitsShape(value: unknown, shape: RecordShape, survey: Survey): boolean {
  return fits(planOf(shape), value, survey, 0) && survey.nodes <= survey.mostNodes;
}

/** What one walk over a document met. */
export class Survey {
  nodes = 0;
  keys = 0;
  /** Keys that the shape does not name. */
  unknown = 0;
  readonly mostNodes: number;
  readonly mostDepth: number;
  /** No text of the document holds a control character, a backslash or a bar. */
  readonly isBare: boolean;

  constructor(limits: Limits, isBare = false) {
    this.mostNodes = limits.nodes;
    this.mostDepth = limits.depth;
    this.isBare = isBare;
  }

  /** False when the value may not be walked into. */
  enters(depth: number): boolean {
    return ++this.nodes <= this.mostNodes && depth < this.mostDepth;
  }
}

/** What is asked of a value, texts first. Numbers and not words: they are looked at for every value. */
const TEXT = 0;
const FILLED = 1;
const WORD = 2;
const FORMAT = 3;
const NUMBER = 4;
const BOOLEAN = 5;
const LIST = 6;
const RECORD = 7;
const MAP = 8;
const FREE = 9;

/** A shape made ready for the walk. All have the same fields, so that the engine need not tell them apart. */
interface Plan {
  readonly kind: number;
  readonly isNullable: boolean;
  readonly words: readonly string[];
  readonly format: TextFormat;
  readonly number: Omit<NumberShape, "kind">;
  readonly minimum: number;
  /** Of the items of a list or the values of a map. */
  readonly item: Plan | null;
  readonly known: ReadonlyMap<string, KnownKey>;
  /** Records of one list have their keys in one order: the key at a place is most often the one that stood there before. */
  readonly lastMet: KnownKey[];
  readonly needed: number;
  /** For keys that the record does not know. */
  readonly near: NearNames;
}

interface KnownKey {
  readonly key: string;
  readonly plan: Plan;
  /** 1 when the record is not complete without it. */
  readonly needed: number;
}

const ANYTHING: Plan = {
  kind: FREE,
  isNullable: false,
  words: [],
  format: word,
  number: {},
  minimum: 0,
  item: null,
  known: new Map(),
  lastMet: [],
  needed: 0,
  near: nearNamesOf({ kind: "record", fields: {} }),
};

const plans = new WeakMap<Shape, Plan>();

function planOf(shape: Shape): Plan {
  let plan = plans.get(shape);
  if (plan === undefined) {
    plan = { ...ANYTHING, ...asked(shape) };
    plans.set(shape, plan);
  }
  return plan;
}

function asked(shape: Shape): Partial<Plan> {
  switch (shape.kind) {
    case "text":
      return askedOfText(shape);
    case "number":
      return { kind: NUMBER, number: shape };
    case "boolean":
      return { kind: BOOLEAN };
    case "nullable":
      return { ...planOf(shape.of), isNullable: true };
    case "list":
      return { kind: LIST, item: planOf(shape.item), minimum: shape.minimum ?? 0 };
    case "record":
      return askedOfRecord(shape);
    case "map":
      return { kind: MAP, item: planOf(shape.values) };
    case "anything":
      return { kind: FREE };
  }
}

function askedOfText({ oneOf, format, filled }: TextShape): Partial<Plan> {
  if (oneOf !== undefined) return { kind: WORD, words: oneOf };
  if (format !== undefined) return { kind: FORMAT, format };
  return { kind: filled === true ? FILLED : TEXT };
}

function askedOfRecord(shape: RecordShape): Partial<Plan> {
  const lastMet = Object.entries(shape.fields).map(([key, field]) => ({
    key,
    plan: planOf(field.shape),
    needed: field.required || field.default !== undefined ? 1 : 0,
  }));
  const needed = lastMet.reduce((sum, entry) => sum + entry.needed, 0);
  const known = new Map(lastMet.map((entry) => [entry.key, entry]));
  return { kind: RECORD, known, lastMet, needed, near: nearNamesOf(shape) };
}

function fits(plan: Plan, value: unknown, survey: Survey, depth: number): boolean {
  if (typeof value === "string") {
    survey.nodes++;
    return fitsText(plan, value, survey.isBare);
  }
  const { kind } = plan;
  if (typeof value !== "object" || value === null || kind === FREE) return fitsOther(plan, value, survey, depth);
  if (!survey.enters(depth)) return false;
  if (Array.isArray(value)) return kind === LIST && fitsList(plan, value, survey, depth);
  if (kind === RECORD) return fitsRecord(plan, value as JsonRecord, survey, depth);
  return kind === MAP && fitsMap(plan, value as JsonRecord, survey, depth);
}

function fitsText({ kind, words, format }: Plan, text: string, isBare: boolean): boolean {
  if (kind === TEXT) return !isUnfilledText(text);
  if (kind === WORD) return words.includes(text);
  if (kind === FILLED) return isPlainWord(text) || (!isUnfilledText(text) && text.trim() !== "");
  if (kind !== FORMAT) return kind === FREE;
  return (
    (isBare ? format.isBarePlain(text) : format.isPlain(text)) || (format.accepts(text) && !isTemplate(text, format))
  );
}

/** Begins with a letter or digit: neither blank nor a placeholder. */
function isPlainWord(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first >= 0x61 && first <= 0x7a) || (first >= 0x41 && first <= 0x5a) || (first >= 0x30 && first <= 0x39);
}

function fitsOther({ kind, isNullable, number }: Plan, value: unknown, survey: Survey, depth: number): boolean {
  if (value === null && isNullable) return true;
  if (kind === FREE) return fitsFree(value, survey, depth);
  survey.nodes++;
  return kind === NUMBER
    ? typeof value === "number" && fitsNumber(value, number)
    : kind === BOOLEAN && typeof value === "boolean";
}

function fitsNumber(value: number, { integer, minimum, maximum }: Plan["number"]): boolean {
  return (
    isExact(value) &&
    (integer !== true || Number.isInteger(value)) &&
    (minimum === undefined || value >= minimum) &&
    (maximum === undefined || value <= maximum)
  );
}

function isExact(value: number): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
}

function fitsList({ item, minimum }: Plan, list: readonly unknown[], survey: Survey, depth: number): boolean {
  if (item === null || list.length < minimum) return false;
  if (item.kind <= FORMAT) return fitsTexts(item, list, survey);
  for (let index = 0; index < list.length; index++) if (!fits(item, list[index], survey, depth + 1)) return false;
  return true;
}

/** Most lists are lists of texts: what is asked of them is looked up once. */
function fitsTexts(item: Plan, list: readonly unknown[], survey: Survey): boolean {
  const { isBare } = survey;
  const isAnyText = item.kind === TEXT;
  survey.nodes += list.length;
  for (let index = 0; index < list.length; index++) {
    const text = list[index];
    if (typeof text !== "string" || (isAnyText ? isUnfilledText(text) : !fitsText(item, text, isBare))) return false;
  }
  return true;
}

function fitsRecord(
  { known, lastMet, needed, near }: Plan,
  record: JsonRecord,
  survey: Survey,
  depth: number,
): boolean {
  let place = 0;
  let met = 0;
  for (const key in record) {
    let entry = lastMet[place];
    if (entry?.key !== key) {
      entry = known.get(key);
      if (entry !== undefined) lastMet[place] = entry;
    }
    place++;
    if (entry === undefined) {
      if (!fitsUnknown(key, record[key], survey, depth) || near.meant(key, record) !== null) return false;
    } else {
      met += entry.needed;
      if (!fits(entry.plan, record[key], survey, depth + 1)) return false;
    }
  }
  survey.keys += place;
  return met === needed;
}

function fitsMap({ item }: Plan, record: JsonRecord, survey: Survey, depth: number): boolean {
  for (const key in record) {
    survey.keys++;
    survey.unknown++;
    if (isForbidden(key) || item === null || !fits(item, record[key], survey, depth + 1)) return false;
  }
  return true;
}

function fitsUnknown(key: string, value: unknown, survey: Survey, depth: number): boolean {
  survey.unknown++;
  return !isForbidden(key) && fitsFree(value, survey, depth + 1);
}

/** Free content: only the limits and the forbidden keys apply. */
function fitsFree(value: unknown, survey: Survey, depth: number): boolean {
  if (typeof value !== "object" || value === null) {
    survey.nodes++;
    return typeof value !== "number" || isExact(value);
  }
  if (!survey.enters(depth)) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!fitsFree(value[index], survey, depth + 1)) return false;
    return true;
  }
  return fitsFreeRecord(value as JsonRecord, survey, depth);
}

function fitsFreeRecord(record: JsonRecord, survey: Survey, depth: number): boolean {
  for (const key in record) {
    survey.keys++;
    if (!fitsUnknown(key, record[key], survey, depth)) return false;
  }
  return true;
}
