import { type JsonRecord, isRecord } from "../shared/json-value.ts";
import { isForbidden } from "./forbidden-key.ts";
import type { TextFormat } from "./format.ts";
import type { Limits } from "./limits.ts";
import type { ListShape, NumberShape, RecordShape, Shape, TextShape } from "./shape.ts";
import { isTemplate, isUnfilledText } from "./unfilled-template.ts";

/**
 * Says only whether a document has its shape and keeps to the limits, not what is wrong with it: true
 * exactly when `checkShape` reports nothing, in a fraction of its time, because it keeps no path. The
 * two are held together by a test.
 */
export function fitsShape(value: unknown, shape: RecordShape, survey: Survey): boolean {
  return fitOf(shape)(value, survey, 0) && survey.nodes <= survey.mostNodes;
}

/** What one walk over a document met. */
export class Survey {
  nodes = 0;
  keys = 0;
  /** Keys that the shape does not name. */
  unknown = 0;
  readonly mostNodes: number;
  readonly mostDepth: number;

  constructor(limits: Limits) {
    this.mostNodes = limits.nodes;
    this.mostDepth = limits.depth;
  }

  /** False when the value may not be walked into. */
  enters(depth: number): boolean {
    return ++this.nodes <= this.mostNodes && depth < this.mostDepth;
  }
}

type Fit = (value: unknown, survey: Survey, depth: number) => boolean;

const compiled = new WeakMap<Shape, Fit>();

function fitOf(shape: Shape): Fit {
  let fit = compiled.get(shape);
  if (fit === undefined) {
    fit = compile(shape);
    compiled.set(shape, fit);
  }
  return fit;
}

function compile(shape: Shape): Fit {
  switch (shape.kind) {
    case "text":
      return compileText(shape);
    case "number":
      return (value, survey) => {
        survey.nodes++;
        return typeof value === "number" && fitsNumber(value, shape);
      };
    case "boolean":
      return (value, survey) => {
        survey.nodes++;
        return typeof value === "boolean";
      };
    case "nullable": {
      const inner = fitOf(shape.of);
      return (value, survey, depth) => value === null || inner(value, survey, depth);
    }
    case "list":
      return compileList(shape);
    case "record":
      return compileRecord(shape);
    case "map":
      return compileMap(fitOf(shape.values));
    case "anything":
      return fitsFree;
  }
}

function compileText(shape: TextShape): Fit {
  const { oneOf, format, filled } = shape;
  // The kind of a text is decided here, once, and not for every text.
  if (oneOf !== undefined)
    return (value, survey) => {
      survey.nodes++;
      return typeof value === "string" && oneOf.includes(value);
    };
  if (format !== undefined)
    return (value, survey) => {
      survey.nodes++;
      return typeof value === "string" && (format.isPlain(value) || fitsFormat(value, format));
    };
  if (filled === true)
    return (value, survey) => {
      survey.nodes++;
      return typeof value === "string" && (isPlainWord(value) || (!isUnfilledText(value) && value.trim() !== ""));
    };
  return fitsText;
}

function fitsText(value: unknown, survey: Survey): boolean {
  survey.nodes++;
  return typeof value === "string" && (isPlainWord(value) || !isUnfilledText(value));
}

function fitsFormat(text: string, format: TextFormat): boolean {
  return format.accepts(text) && !isTemplate(text, format);
}

/** Begins with a letter or digit: neither blank nor a placeholder. */
function isPlainWord(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first >= 0x61 && first <= 0x7a) || (first >= 0x41 && first <= 0x5a) || (first >= 0x30 && first <= 0x39);
}

function fitsNumber(value: number, { integer, minimum, maximum }: NumberShape): boolean {
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

function compileList(shape: ListShape): Fit {
  const fitsItem = fitOf(shape.item);
  const minimum = shape.minimum ?? 0;
  if (fitsItem === fitsText) return compileTexts(minimum);
  return (value, survey, depth) => {
    if (!survey.enters(depth) || !Array.isArray(value) || value.length < minimum) return false;
    for (let index = 0; index < value.length; index++) if (!fitsItem(value[index], survey, depth + 1)) return false;
    return true;
  };
}

/** Most lists are lists of texts: without a call for each. */
function compileTexts(minimum: number): Fit {
  return (value, survey, depth) => {
    if (!survey.enters(depth) || !Array.isArray(value) || value.length < minimum) return false;
    survey.nodes += value.length;
    for (let index = 0; index < value.length; index++) {
      const text: unknown = value[index];
      if (typeof text !== "string" || !(isPlainWord(text) || !isUnfilledText(text))) return false;
    }
    return true;
  };
}

interface KnownKey {
  readonly key: string;
  readonly fits: Fit;
  /** 1 when the record is not complete without it. */
  readonly needed: number;
}

function compileRecord(shape: RecordShape): Fit {
  const known = new Map<string, KnownKey>();
  let needed = 0;
  for (const [key, field] of Object.entries(shape.fields)) {
    const entry = { key, fits: fitOf(field.shape), needed: field.required || field.default !== undefined ? 1 : 0 };
    needed += entry.needed;
    known.set(key, entry);
  }
  // Records of one list have their keys in one order: the key at a place is most often the one that stood there before.
  const lastMet: KnownKey[] = [...known.values()];
  return (value, survey, depth) => {
    if (!isRecord(value) || !survey.enters(depth)) return false;
    let place = 0;
    let met = 0;
    for (const key in value) {
      let entry = lastMet[place];
      if (entry?.key !== key) {
        entry = known.get(key);
        if (entry !== undefined) lastMet[place] = entry;
      }
      place++;
      if (entry === undefined) {
        if (!fitsUnknown(key, value[key], survey, depth)) return false;
      } else {
        met += entry.needed;
        if (!entry.fits(value[key], survey, depth + 1)) return false;
      }
    }
    survey.keys += place;
    return met === needed;
  };
}

function compileMap(fitsValue: Fit): Fit {
  return (value, survey, depth) => {
    if (!isRecord(value) || !survey.enters(depth)) return false;
    for (const key in value) {
      survey.keys++;
      survey.unknown++;
      if (isForbidden(key) || !fitsValue(value[key], survey, depth + 1)) return false;
    }
    return true;
  };
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
