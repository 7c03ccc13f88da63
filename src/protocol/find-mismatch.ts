import { type JsonPath, isRecord, printPath, shown } from "../shared/json-value.ts";
import type { LiteralShape, NumberShape, RecordShape, Shape, TextShape, UnionShape } from "./shape.ts";

/** The first place where a value does not have its shape. */
interface Mismatch {
  readonly path: JsonPath;
  /** `a number`, `one of open, fixed`. */
  readonly expected: string;
  /** `a list`, `"closed"`; null when the key is missing. */
  readonly found: string | null;
}

/**
 * Null when the value has the shape. Unlike the check of a handoff this is for data that a program wrote: there are no
 * hints, unknown keys are accepted, and the first mismatch is enough. A path is built only when there is one.
 */
export function findMismatch(shape: Shape, value: unknown): Mismatch | null {
  return finderOf(shape)(value);
}

/** For stored files of which anything that cannot be used counts as absent. */
export function hasShape<T>(shape: Shape<T>, value: unknown): value is T {
  return findMismatch(shape, value) === null;
}

/** The value where it has the shape; for files that other programs write, of which nothing may be taken for granted. */
export function valueOr<T>(shape: Shape<T>, value: unknown, fallback: T): T {
  return hasShape(shape, value) ? value : fallback;
}

/** `reason.kind must be one of first, loop, but is "tomorrow"`. */
export function describeMismatch({ path, expected, found }: Mismatch): string {
  return found === null
    ? `${printPath(path)} is missing: it must be ${expected}`
    : `${printPath(path)} must be ${expected}, but is ${found}`;
}

type Finder = (value: unknown) => Mismatch | null;

const finders = new WeakMap<Shape, Finder>();

function finderOf(shape: Shape): Finder {
  let finder = finders.get(shape);
  if (finder === undefined) {
    // A shape may contain itself: what refers to it meanwhile asks again when it is used.
    finders.set(shape, (value) => finderOf(shape)(value));
    finder = compile(shape);
    finders.set(shape, finder);
  }
  return finder;
}

function compile(shape: Shape): Finder {
  switch (shape.kind) {
    case "text":
      return compileText(shape);
    case "number":
      return compileNumber(shape);
    case "boolean":
      return (value) => (typeof value === "boolean" ? null : mismatch(shape, value));
    case "literal":
      return (value) => (value === shape.value ? null : mismatch(shape, value));
    case "nullable": {
      const inner = finderOf(shape.of);
      return (value) => (value === null ? null : inner(value));
    }
    case "list": {
      const item = finderOf(shape.item);
      return (value) => (Array.isArray(value) ? findInList(item, value) : mismatch(shape, value));
    }
    case "map": {
      const inner = finderOf(shape.values);
      return (value) => (isRecord(value) ? findInMap(inner, value) : mismatch(shape, value));
    }
    case "record":
      return compileRecord(shape);
    case "union":
      return compileUnion(shape);
    case "anything":
      return () => null;
  }
}

function compileText(shape: TextShape): Finder {
  const { oneOf, format } = shape;
  if (oneOf !== undefined) {
    const words = new Set<unknown>(oneOf);
    return (value) => (words.has(value) ? null : mismatch(shape, value));
  }
  if (format !== undefined)
    return (value) => (typeof value === "string" && format.accepts(value) ? null : mismatch(shape, value));
  const { filled = false, maxLength = Infinity, pattern } = shape;
  const form = pattern === undefined ? null : new RegExp(pattern);
  return (value) =>
    typeof value === "string" &&
    value.length <= maxLength &&
    (!filled || value.trim() !== "") &&
    (form === null || form.test(value))
      ? null
      : mismatch(shape, value);
}

function compileNumber(shape: NumberShape): Finder {
  const { integer = false, minimum = -Infinity, maximum = Infinity } = shape;
  return (value) =>
    typeof value === "number" && value >= minimum && value <= maximum && (!integer || Number.isInteger(value))
      ? null
      : mismatch(shape, value);
}

function findInList(find: Finder, list: readonly unknown[]): Mismatch | null {
  for (let index = 0; index < list.length; index++) {
    const found = find(list[index]);
    if (found !== null) return within(index, found);
  }
  return null;
}

function findInMap(find: Finder, map: Readonly<Record<string, unknown>>): Mismatch | null {
  for (const key in map) {
    const found = find(map[key]);
    if (found !== null) return within(key, found);
  }
  return null;
}

function compileRecord(shape: RecordShape): Finder {
  const fields = Object.entries(shape.fields).map(([key, field]) => ({
    key,
    shape: field.shape,
    find: finderOf(field.shape),
    isRequired: field.required,
  }));
  return (value) => {
    if (!isRecord(value)) return mismatch(shape, value);
    for (const field of fields) {
      const inner = value[field.key];
      if (inner !== undefined) {
        const found = field.find(inner);
        if (found !== null) return within(field.key, found);
      } else if (field.isRequired) {
        return { path: [field.key], expected: expectedOf(field.shape), found: null };
      }
    }
    return null;
  };
}

/** Records that share a key with a literal in each are told apart by it, so that only one of them is tried. */
function compileUnion(shape: UnionShape): Finder {
  const tag = tagOf(shape);
  if (tag === null) {
    const all = shape.of.map(finderOf);
    return (value) => (all.some((find) => find(value) === null) ? null : mismatch(shape, value));
  }
  const words = [...tag.cases.keys()].map(shown).join(", ");
  const expected = `one of ${words}`;
  return (value) => {
    if (!isRecord(value)) return mismatch(shape, value);
    const word = value[tag.key];
    const find = tag.cases.get(word);
    if (find !== undefined) return find(value);
    return { path: [tag.key], expected, found: word === undefined ? null : foundOf(word) };
  };
}

interface Tag {
  readonly key: string;
  readonly cases: ReadonlyMap<unknown, Finder>;
}

function tagOf({ of }: UnionShape): Tag | null {
  const records = of.flatMap((shape) => (shape.kind === "record" ? [shape] : []));
  const [first] = records;
  if (first === undefined || records.length < of.length) return null;
  for (const key of Object.keys(first.fields)) {
    const words = records.map(({ fields }) => fields[key]?.shape).filter(isLiteral);
    const cases = new Map(records.map((record, index) => [words[index]?.value, finderOf(record)]));
    if (words.length === records.length && cases.size === records.length) return { key, cases };
  }
  return null;
}

function isLiteral(shape: Shape | undefined): shape is LiteralShape {
  return shape?.kind === "literal";
}

function mismatch(shape: Shape, value: unknown): Mismatch {
  return { path: [], expected: expectedOf(shape), found: foundOf(value) };
}

function within(step: string | number, inner: Mismatch): Mismatch {
  return { ...inner, path: [step, ...inner.path] };
}

// oxlint-disable-next-line complexity -- one branch for each kind of shape
function expectedOf(shape: Shape): string {
  switch (shape.kind) {
    case "text":
      return shape.oneOf === undefined ? "text" : `one of ${shape.oneOf.join(", ")}`;
    case "number":
      return shape.integer === true ? "a whole number" : "a number";
    case "boolean":
      return "true or false";
    case "literal":
      return shown(shape.value);
    case "nullable":
      return `${expectedOf(shape.of)} or null`;
    case "list":
      return "a list";
    case "map":
    case "record":
      return "a record";
    case "union":
      return [...new Set(shape.of.map(expectedOf))].join(" or ");
    case "anything":
      return "a value";
  }
}

/** Enough of a value to recognise it. */
function foundOf(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a record";
  const text = JSON.stringify(value) ?? "nothing";
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

const MAX_SHOWN = 60;
