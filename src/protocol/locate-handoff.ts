import {
  type JsonPath,
  type JsonRecord,
  type JsonValue,
  isRecord,
  ownValue,
  sameJson,
  shown,
} from "../shared/json-value.ts";
import { CARRIED, takeCarried } from "./carried-place.ts";
import { isPacked, restoreCarried } from "./carry.ts";
import type { Dialect, Origin } from "./dialect.ts";
import { dialectNamed } from "./dialects/registry.ts";
import { type PackedPlace, placeInPacked } from "./pack-parts.ts";
import { findAllBlocks } from "./find-all-blocks.ts";
import { CONTEXT_NAMES } from "./dialects/phase-yaml/named-context.ts";
import { type Handoff, handoffParts } from "./handoff.ts";
import { type LocatedFinding, judgeBlock, withoutMistyped } from "./judge-block.ts";
import { locateLegacySummary } from "./legacy-summary.ts";
import { DEFAULT_LIMITS, limitsFrom } from "./limits.ts";
import type { ReadHandoff, ReadOptions } from "./reading.ts";
import { parseBlock } from "./syntax/parse-block.ts";
import type { Span } from "./syntax/syntax.ts";

/** Where the text says what stands at a path of the canonical handoff. Offsets are into the whole text. */
type LocatePath = (path: JsonPath) => Span;

/**
 * Locates values of a handoff that was read from this text with these options. Reading keeps no positions: the block is
 * parsed again when the first path is asked for.
 */
export function locateHandoff(text: string, read: ReadHandoff, options: ReadOptions = {}): LocatePath {
  let locate: LocatePath | undefined;
  return (path) => (locate ??= locateInBlock(text, read, options))(path);
}

function locateInBlock(text: string, { dialect: name, start, end }: ReadHandoff, options: ReadOptions): LocatePath {
  const limits = options.limits === undefined ? DEFAULT_LIMITS : limitsFrom(options.limits);
  const { blocks } = findAllBlocks(text, options, limits);
  const block = blocks.find((found) => found.start === start && found.end === end);
  if (block?.container === "legacy") return locateLegacySummary(text);
  const dialect = dialectNamed(name, options.formats);
  const inner = text.slice(start, end);
  const parsed = parseBlock(inner, dialect, limits);
  if (block === undefined || !isRecord(parsed?.document)) return () => ({ start, end: start });
  const { findings } = judgeBlock(inner, dialect, block, limits);
  const findOrigin = originsOf(parsed.document, dialect, { origin: block.origin, findings });
  const map = parsed.map();
  return (path) => {
    const span = map.locate(findOrigin(path), false);
    return { start: start + span.start, end: start + span.end };
  };
}

/**
 * The path in the document that a path of the canonical handoff was lifted from. A value that was derived from several
 * values, or from none, has the path of the nearest record or list around it that has one; the whole document if need be.
 */
type FindOrigin = (path: JsonPath) => JsonPath;

interface ReadContext {
  readonly origin?: Origin;
  readonly findings?: readonly LocatedFinding[];
}

/**
 * Finds origins by experiment, so that they follow from `lift` itself and no second description of it can drift: a copy
 * of the document, in which every text and number is replaced by a mark of its own, is lifted, and the marks are looked
 * for in what comes out.
 */
export function originsOf(
  document: JsonRecord,
  dialect: Dialect,
  { origin = {}, findings = [] }: ReadContext = {},
): FindOrigin {
  const lift = (raw: JsonRecord): Handoff => dialect.lift(takeCarried(raw, dialect).document, origin);
  const read = withoutMistyped(document, findings);
  const lifted = lift(read);
  const marks = new Marks(document);
  const marked = marks.withoutUnexplained(lift(withoutMistyped(marks.copyRecord(document, []), findings)), lifted);
  const carried = carriedOrigins(read, dialect, lifted);
  return (path) => {
    const place = carried(path);
    return place?.from === "packed" ? existing(document, place.path) : marks.find(marked, place?.path ?? path);
  };
}

/** Parts that the free space carries have been put over what was lifted. */
function carriedOrigins(
  document: JsonRecord,
  dialect: Dialect,
  lifted: Handoff,
): (path: JsonPath) => PackedPlace | null {
  const { carried } = takeCarried(document, dialect);
  if (carried === null) return () => null;
  const refused = new Set(restoreCarried(lifted, carried, dialect).refused);
  const isText = dialect.syntax === "xml";
  return ([key = "", ...steps]) => {
    const names: readonly [name: string, rest: JsonPath][] = [
      [`${key}.${steps[0] ?? ""}`, steps.slice(1)],
      [`${key}`, steps],
    ];
    if (refused.has(CARRIED)) return null;
    const part = names.find(([name]) => Object.hasOwn(carried, name) && !refused.has(name));
    if (part === undefined) return isPacked(carried) ? placeInContext(names, lifted) : null;
    const value = isPacked(carried) ? carried[part[0]] : undefined;
    const place = placeInPacked(value, part[1], lifted);
    if (place.from === "own") return place;
    const space = [...dialect.freeSpace, CARRIED];
    return { from: "packed", path: isText ? space : [...space, part[0], ...place.path] };
  };
}

/** Parts that the context calls by a name are not carried. */
function placeInContext(names: readonly [name: string, rest: JsonPath][], lifted: Handoff): PackedPlace | null {
  const parts = handoffParts(lifted);
  for (const [part, rest] of names) {
    const name = ownValue(CONTEXT_NAMES, part);
    if (name !== undefined && !parts.has(part) && ownValue(lifted.context?.data ?? {}, name) !== undefined)
      return { from: "own", path: ["context", "data", name, ...rest] };
  }
  return null;
}

/** Whether a single value can have been lifted from the value there: as it is, as a number, or without a sign before it. */
function isExplained(value: JsonValue | undefined, there: JsonValue | undefined): boolean {
  if (isContainer(value) || isContainer(there) || sameJson(value, there)) return true;
  const text = value === undefined || value === null ? null : shown(value);
  return typeof there === "string" && text !== null && (there === text || there.slice(1) === text);
}

function isContainer(value: JsonValue | undefined): boolean {
  return typeof value === "object" && value !== null;
}

function valueAt(value: unknown, path: JsonPath): JsonValue | undefined {
  let inner = value as JsonValue | undefined;
  for (const step of path) inner = childOf(inner, step);
  return inner;
}

function childOf(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (Array.isArray(value)) return typeof step === "number" ? value[step] : undefined;
  return isRecord(value) ? ownValue(value, String(step)) : undefined;
}

/** As much of the path as the document has. */
function existing(document: JsonRecord, path: JsonPath): JsonPath {
  let inner: JsonValue | undefined = document;
  const missing = path.findIndex((step) => (inner = childOf(inner, step)) === undefined);
  return missing === -1 ? path : path.slice(0, missing);
}

const MARK = /\u2039(\d+)\u203a/g;
/** Larger than any count of marks, and still exact. */
const FIRST_NUMBER = 2 ** 50;

class Marks {
  readonly #document: JsonRecord;
  readonly #paths: JsonPath[] = [];
  readonly #containers = new Map<unknown, JsonPath>();

  constructor(document: JsonRecord) {
    this.#document = document;
  }

  copyRecord(record: JsonRecord, path: JsonPath): JsonRecord {
    const entries = Object.entries(record).map(([key, value]) => [key, this.#copy(value, [...path, key])]);
    const copy = Object.fromEntries(entries) as JsonRecord;
    this.#containers.set(copy, path);
    return copy;
  }

  #copy(value: JsonValue | undefined, path: JsonPath): JsonValue | undefined {
    if (typeof value === "string") return this.#mark(path);
    if (typeof value === "number") return FIRST_NUMBER + this.#add(path);
    if (Array.isArray(value)) return this.#copyList(value, path);
    if (!isRecord(value)) return value;
    // An element that was kept as it is printed may be read later.
    return typeof value["#xml"] === "string"
      ? { "#xml": `<kept>${this.#mark(path)}</kept>` }
      : this.copyRecord(value, path);
  }

  #copyList(list: readonly JsonValue[], path: JsonPath): JsonValue {
    const copy = list.map((item, at) => this.#copy(item, [...path, at]) ?? null);
    this.#containers.set(copy, path);
    return copy;
  }

  #mark(path: JsonPath): string {
    return `\u2039${this.#add(path)}\u203a`;
  }

  #add(path: JsonPath): number {
    return this.#paths.push(path) - 1;
  }

  /**
   * Marks change the words by which `lift` may decide where a value comes from. A mark that does not explain what was
   * really lifted is taken out: the record around it is the safe answer.
   */
  withoutUnexplained(marked: JsonValue | undefined, lifted: JsonValue | undefined): JsonValue {
    if (marked === undefined || this.#containers.has(marked)) return marked ?? null;
    if (Array.isArray(marked)) return marked.map((item, at) => this.withoutUnexplained(item, childOf(lifted, at)));
    if (isRecord(marked))
      return Object.fromEntries(
        Object.entries(marked).map(([key, inner]) => [key, this.withoutUnexplained(inner, childOf(lifted, key))]),
      );
    const origins = [...this.#originsIn(marked)];
    return origins.every((origin) => isExplained(lifted, valueAt(this.#document, origin))) ? marked : null;
  }

  find(marked: JsonValue, path: JsonPath): JsonPath {
    const met: (JsonValue | undefined)[] = [marked];
    for (const [at, step] of path.entries()) {
      const known = this.#containers.get(met.at(-1));
      // From here on it was lifted as it is.
      if (known !== undefined) return existing(this.#document, [...known, ...path.slice(at)]);
      const next = childOf(met.at(-1), step);
      if (next === undefined) break;
      met.push(next);
    }
    for (const value of met.toReversed()) {
      const origins = [...this.#originsIn(value)];
      if (origins.length > 0) return commonPath(origins, Array.isArray(value));
    }
    return [];
  }

  *#originsIn(value: JsonValue | undefined): Iterable<JsonPath> {
    const known = this.#containers.get(value);
    if (known !== undefined) yield known;
    else if (typeof value === "number") yield* this.#pathsOf([value - FIRST_NUMBER]);
    else if (typeof value === "string")
      yield* this.#pathsOf([...value.matchAll(MARK)].map(([, number]) => Number(number)));
    else if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value)) yield* this.#originsIn(inner);
  }

  *#pathsOf(numbers: readonly number[]): Iterable<JsonPath> {
    for (const number of numbers) {
      const path = this.#paths[number];
      if (path !== undefined) yield path;
    }
  }
}

/** What all paths begin with; a list that was made anew begins where its first index stands. */
function commonPath([first = [], ...others]: readonly JsonPath[], isList: boolean): JsonPath {
  const differs = first.findIndex((step, at) => others.some((path) => path[at] !== step));
  const common = differs === -1 ? first : first.slice(0, differs);
  const index = isList ? common.findIndex((step) => typeof step === "number") : -1;
  return index === -1 ? common : common.slice(0, index);
}
