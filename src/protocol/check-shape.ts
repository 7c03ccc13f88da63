import { type JsonRecord, isRecord, printPath } from "../shared/json-value.ts";
import type { DocumentCheck } from "./document-check.ts";
import { isForbidden } from "./limits.ts";
import { type TextFormat, word } from "./format.ts";
import type { Field, ListShape, NumberShape, RecordShape, Shape, TextShape } from "./shape.ts";
import {
  isUnquoted,
  missingField,
  otherElement,
  unfilled,
  unsafeNumber,
  wrongNumber,
  wrongText,
  wrongType,
} from "./shape-messages.ts";
import { isPrintedXml } from "./syntax/xml-document.ts";
import { fits, isUnfilledText, leftOverList } from "./unfilled-template.ts";
import { isMeantAs, unionTags } from "./union-form.ts";

/**
 * The one walk over a parsed document. A value that has its shape costs one test: paths and messages are
 * built only for the others. Limits, forbidden keys and near misses are looked at on the way.
 */
export function checkShape(value: unknown, rootShape: RecordShape, check: DocumentCheck, rootRule: string): void {
  checkField(
    value,
    {
      shape: rootShape,
      required: true,
      rule: rootRule,
      about: "Write one record, with the fields of the format in it.",
    },
    check,
  );
}

/** The same for the value of one field. */
export function checkField(value: unknown, field: Field, check: DocumentCheck): void {
  walkField(planOf(field.shape), value, check, 0, field);
  check.finish();
}

/** What a plan asks of a value: texts first, single values before lists. Numbers, which are quickly compared. */
const TEXT = 0;
const FILLED = 1;
const WORD = 2;
const FORMAT = 3;
const LIMITED = 4;
const NUMBER = 5;
const BOOLEAN = 6;
const LITERAL = 7;
const LIST = 8;
const RECORD = 9;
const MAP = 10;
const UNION = 11;
const FREE = 12;

/** A shape made ready for the walk. All plans have the same fields, so that the engine need not tell them apart. */
interface Plan {
  readonly kind: number;
  readonly isNullable: boolean;
  /** Completes the sentence "must be ...". */
  readonly expected: string;
  readonly text: TextShape;
  readonly words: readonly string[];
  readonly format: TextFormat;
  readonly number: NumberShape;
  readonly literal: string | number | boolean;
  readonly minimum: number;
  /** In XML, the element of each item of a list. */
  readonly element: string;
  /** Of the items of a list or the values of a map. */
  readonly item: Plan | null;
  readonly forms: readonly Shape[];
  /** The keys that tell the forms of a union apart. */
  readonly tags: ReadonlySet<string>;
  readonly record: RecordShape;
  readonly known: ReadonlyMap<string, KnownKey>;
  /** In the order of the shape, in which most documents have them. */
  readonly inOrder: readonly KnownKey[];
  /** How many keys must be there, or are reported as filled in by default. */
  readonly needed: number;
}

interface KnownKey {
  readonly key: string;
  readonly field: Field;
  readonly plan: Plan;
  /** 1 when the record is not complete without it. */
  readonly needed: number;
  /** The place of the key that follows in the order of the shape. */
  readonly next: number;
}

const ANYTHING: Plan = {
  kind: FREE,
  isNullable: false,
  expected: "",
  text: { kind: "text" },
  words: [],
  format: word,
  number: { kind: "number" },
  literal: false,
  minimum: 0,
  element: "",
  item: null,
  forms: [],
  tags: new Set(),
  record: { kind: "record", fields: {} },
  known: new Map(),
  inOrder: [],
  needed: 0,
};

const plans = new WeakMap<Shape, Plan>();

function planOf(shape: Shape): Plan {
  let plan = plans.get(shape);
  if (plan === undefined) {
    plan = { ...ANYTHING, ...planFor(shape) };
    plans.set(shape, plan);
  }
  return plan;
}

function planFor(shape: Shape): Partial<Plan> {
  switch (shape.kind) {
    case "text":
      return planForText(shape);
    case "number":
      return { kind: NUMBER, number: shape, expected: shape.integer === true ? "a whole number" : "a number" };
    case "boolean":
      return { kind: BOOLEAN, expected: "true or false" };
    case "nullable":
      return { ...planOf(shape.of), isNullable: true };
    case "list":
      return planForList(shape);
    case "record":
      return planForRecord(shape);
    case "map":
      return { kind: MAP, item: planOf(shape.values), expected: "a record of named fields" };
    case "literal":
      return { kind: LITERAL, literal: shape.value, expected: JSON.stringify(shape.value) };
    case "union":
      return { kind: UNION, forms: shape.of, tags: unionTags(shape), expected: describeForms(shape.of) };
    case "anything":
      return { kind: FREE };
  }
}

function planForText(shape: TextShape): Partial<Plan> {
  const { oneOf, format, filled, maxLength, verbatim } = shape;
  const common = { text: shape, expected: "text" };
  if (oneOf !== undefined) return { ...common, kind: WORD, words: oneOf };
  if (format !== undefined) return { ...common, kind: FORMAT, format };
  if (verbatim === true || maxLength !== undefined) return { ...common, kind: LIMITED };
  return { ...common, kind: filled === true ? FILLED : TEXT };
}

function planForList({ item, minimum = 0, element }: ListShape): Partial<Plan> {
  const expected = element === undefined ? "a list" : `a list of <${element}> elements`;
  return { kind: LIST, item: planOf(item), minimum, expected, element: element ?? "" };
}

function planForRecord(shape: RecordShape): Partial<Plan> {
  const inOrder = Object.entries(shape.fields).map(([key, field], index): KnownKey => ({
    key,
    field,
    plan: planOf(field.shape),
    needed: isNeeded(field) ? 1 : 0,
    next: index + 1,
  }));
  return {
    kind: RECORD,
    expected: "a record of named fields",
    record: shape,
    known: new Map(inOrder.map((entry) => [entry.key, entry])),
    inOrder,
    needed: inOrder.reduce((sum, entry) => sum + entry.needed, 0),
  };
}

function isNeeded(field: Field): boolean {
  return field.required || field.default !== undefined;
}

/** Whether a value is a text, number or truth value that has its shape. Nearly all values of a document are. */
function isAccepted(plan: Plan, value: unknown): boolean {
  const { kind } = plan;
  if (typeof value === "string" && kind <= LIMITED) return isAcceptedText(plan, value);
  if (typeof value === "number" && kind === NUMBER) return isInRange(value, plan.number);
  if (kind === LITERAL) return value === plan.literal;
  if (typeof value === "boolean") return kind === BOOLEAN || kind === FREE;
  return kind === FREE && (typeof value === "string" || (typeof value === "number" && isExact(value)));
}

function isAcceptedText({ kind, words, format, text }: Plan, value: string): boolean {
  if (kind === WORD) return words.includes(value);
  if (kind === FORMAT) return fits(value, format);
  if (kind === LIMITED) return isWithinLimits(value, text);
  return !isUnfilledText(value) && (kind === TEXT || !isBlank(value));
}

function isWithinLimits(value: string, { verbatim, filled, maxLength = Infinity }: TextShape): boolean {
  return (
    (verbatim === true || !isUnfilledText(value)) && (filled !== true || !isBlank(value)) && value.length <= maxLength
  );
}

/** Nearly every text begins with a character that shows at once that it is not blank. */
function isBlank(text: string): boolean {
  const first = text.charCodeAt(0);
  return !(first > 0x20 && first < 0x7f) && text.trim() === "";
}

function isInRange(value: number, { integer, minimum, maximum }: NumberShape): boolean {
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

function walkField(plan: Plan, value: unknown, check: DocumentCheck, depth: number, field: Field): void {
  if (isAccepted(plan, value)) check.nodes++;
  else walkValue(plan, value, check, depth, field);
}

/** A value that is not accepted at once: a list or record, or something to report. */
function walkValue(plan: Plan, value: unknown, check: DocumentCheck, depth: number, field: Field): void {
  const { kind } = plan;
  if (value === null && plan.isNullable) return;
  if (kind === FREE) walkFree(value, check, depth);
  else if (kind === UNION) walkUnion(plan, value, check, depth, field);
  else if (kind >= LIST) walkContainer(plan, value, check, depth, field);
  else {
    check.nodes++;
    reportScalar(plan, value, check, depth, field);
  }
}

function walkContainer(plan: Plan, value: unknown, check: DocumentCheck, depth: number, field: Field): void {
  const { kind } = plan;
  if (!check.count(depth)) return;
  if (kind === LIST && Array.isArray(value)) walkList(plan, value, check, depth, field);
  else if (kind === RECORD && isRecord(value)) walkRecord(plan, value, check, depth);
  else if (kind === MAP && isRecord(value)) walkMap(plan, value, check, depth, field);
  else reportOther(plan, value, check, depth, field);
}

function walkList(
  { item, minimum, element }: Plan,
  list: readonly unknown[],
  check: DocumentCheck,
  depth: number,
  field: Field,
): void {
  if (list.length < minimum) emptyList(check, depth, field);
  if (item === null) return;
  for (let index = 0; index < list.length; index++) {
    const value = list[index];
    if (isAccepted(item, value)) check.nodes++;
    else {
      check.enter(depth, index);
      if (element !== "" && isPrintedXml(value)) otherElement(value, element, check, depth + 1, field);
      else walkValue(item, value, check, depth + 1, field);
    }
  }
}

function walkRecord(plan: Plan, record: JsonRecord, check: DocumentCheck, depth: number): void {
  const { known, inOrder } = plan;
  let next = 0;
  let met = 0;
  for (const key in record) {
    check.keys++;
    const value = record[key];
    const expected = inOrder[next];
    const entry = expected !== undefined && expected.key === key ? expected : known.get(key);
    if (entry === undefined) {
      check.unknown++;
      walkUnknown(key, value, check, depth);
      check.noteNearMiss(depth, key, record, plan.record);
      continue;
    }
    next = entry.next;
    met += entry.needed;
    if (isAccepted(entry.plan, value)) check.nodes++;
    else {
      check.enter(depth, key);
      walkValue(entry.plan, value, check, depth + 1, entry.field);
    }
  }
  if (met < plan.needed) reportMissing(plan, record, check, depth);
}

function walkMap({ item }: Plan, record: JsonRecord, check: DocumentCheck, depth: number, field: Field): void {
  for (const key in record) {
    check.keys++;
    check.enter(depth, key);
    if (isForbidden(key)) check.forbid(depth, key);
    if (item !== null) walkField(item, record[key], check, depth + 1, field);
  }
}

function walkUnion(plan: Plan, value: unknown, check: DocumentCheck, depth: number, field: Field): void {
  const form = plan.forms.find((candidate) => isMeantAs(candidate, value, plan.tags));
  if (form === undefined) reportOther(plan, value, check, depth, field);
  else walkField(planOf(form), value, check, depth, field);
}

/** Free content: only the limits and the forbidden keys apply. */
function walkFree(value: unknown, check: DocumentCheck, depth: number): void {
  if (typeof value !== "object" || value === null) {
    check.nodes++;
    if (typeof value === "number" && !isExact(value)) unsafeNumber(value, check, depth);
    return;
  }
  if (!check.count(depth)) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      check.enter(depth, index);
      walkFree(value[index], check, depth + 1);
    }
    return;
  }
  const record = value as JsonRecord;
  for (const key in record) {
    check.keys++;
    walkUnknown(key, record[key], check, depth);
  }
}

function walkUnknown(key: string, value: unknown, check: DocumentCheck, depth: number): void {
  check.enter(depth, key);
  if (isForbidden(key)) check.forbid(depth, key);
  walkFree(value, check, depth + 1);
}

/** Something else where a list or a record belongs. */
function reportOther(plan: Plan, value: unknown, check: DocumentCheck, depth: number, field: Field): void {
  wrongType(value, plan.expected, check, depth, field);
  walkFree(value, check, depth);
}

/** A value that is not accepted where a text, a number or a truth value belongs. */
function reportScalar(plan: Plan, value: unknown, check: DocumentCheck, depth: number, field: Field): void {
  const text = plan.kind <= LIMITED ? plan.text : undefined;
  if (typeof value === "string" && text !== undefined) wrongText(value, text, check, depth, field);
  else if (typeof value === "number" && plan.kind === NUMBER) reportNumber(value, plan.number, check, depth, field);
  else {
    const leftOver = leftOverList(value, text);
    if (leftOver !== null) unfilled(check, depth, field, leftOver);
    else wrongType(value, plan.expected, check, depth, field, text !== undefined && isUnquoted(value, text));
    // The content of a record or list keeps to the limits, also where its type is only warned of.
    if (typeof value === "object" && value !== null) walkFree(value, check, depth);
  }
}

function reportNumber(value: number, shape: NumberShape, check: DocumentCheck, depth: number, field: Field): void {
  if (isExact(value)) wrongNumber(value, shape, check, depth, field);
  else unsafeNumber(value, check, depth);
}

function emptyList(check: DocumentCheck, depth: number, field: Field): void {
  const path = check.path(depth);
  const message = `\`${printPath(path)}\` must not be empty.`;
  check.report({ code: "missing-field", rule: field.rule, path, message, hint: field.about });
}

function reportMissing({ inOrder }: Plan, record: JsonRecord, check: DocumentCheck, depth: number): void {
  for (const { key, field, needed } of inOrder)
    if (needed === 1 && record[key] === undefined) missingField(key, field, check, depth, record);
}

/** Completes the sentence "must be ..." for a union. */
function describeForms(forms: readonly Shape[]): string {
  if (forms.every(({ kind }) => kind === "record")) return "one of the known forms";
  const expected = forms.map((form) =>
    form.kind === "text" && form.oneOf !== undefined ? `one of ${form.oneOf.join(", ")}` : planOf(form).expected,
  );
  return [...new Set(expected)].join(" or ");
}
