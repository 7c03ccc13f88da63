import { type JsonRecord, isRecord, printPath } from "../shared/json-value.ts";
import type { DocumentCheck } from "./document-check.ts";
import { isForbidden } from "./forbidden-key.ts";
import { nearNamesOf } from "./near-names.ts";
import type { Field, ListShape, NumberShape, RecordShape, Shape, TextShape } from "./shape.ts";
import {
  isUnquoted,
  missingField,
  unfilled,
  unsafeNumber,
  wrongNumber,
  wrongText,
  wrongType,
} from "./shape-messages.ts";
import { leftOverList } from "./unfilled-template.ts";

type Checker = (value: unknown, check: DocumentCheck, depth: number, field: Field) => void;

const compiled = new WeakMap<Shape, Checker>();

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
  checkerOf(field.shape)(value, check, 0, field);
  check.finish();
}

function checkerOf(shape: Shape): Checker {
  let checker = compiled.get(shape);
  if (checker === undefined) {
    checker = compile(shape);
    compiled.set(shape, checker);
  }
  return checker;
}

function compile(shape: Shape): Checker {
  switch (shape.kind) {
    case "text":
      return (value, check, depth, field) => {
        check.nodes++;
        if (typeof value === "string") wrongText(value, shape, check, depth, field);
        else wrongScalar(value, "text", check, depth, field, shape);
      };
    case "number":
      return compileNumber(shape);
    case "boolean":
      return (value, check, depth, field) => {
        check.nodes++;
        if (typeof value !== "boolean") wrongScalar(value, "true or false", check, depth, field);
      };
    case "nullable": {
      const inner = checkerOf(shape.of);
      return (value, check, depth, field) => {
        if (value !== null) inner(value, check, depth, field);
      };
    }
    case "list":
      return compileList(shape);
    case "record":
      return compileRecord(shape);
    case "map":
      return compileMap(shape.values);
    case "anything":
      return (value, check, depth) => surveyFree(value, check, depth);
  }
}

/** A record or list in the place of a scalar may be only warned of: its content keeps to the limits all the same. */
function wrongScalar(
  value: unknown,
  expected: string,
  check: DocumentCheck,
  depth: number,
  field: Field,
  text?: TextShape,
): void {
  const leftOver = leftOverList(value, text);
  if (leftOver !== null) unfilled(check, depth, field, leftOver);
  else wrongType(value, expected, check, depth, field, text !== undefined && isUnquoted(value, text));
  if (typeof value === "object" && value !== null) surveyFree(value, check, depth);
}

function compileNumber(shape: NumberShape): Checker {
  return (value, check, depth, field) => {
    check.nodes++;
    if (typeof value === "number") {
      if (isExact(value)) wrongNumber(value, shape, check, depth, field);
      else unsafeNumber(value, check, depth);
    } else wrongScalar(value, shape.integer === true ? "a whole number" : "a number", check, depth, field);
  };
}

function compileList(shape: ListShape): Checker {
  const checkItem = checkerOf(shape.item);
  const expected = shape.element === undefined ? "a list" : `a list of <${shape.element}> elements`;
  return (value, check, depth, field) => {
    if (!check.count(depth)) return;
    if (!Array.isArray(value)) {
      wrongType(value, expected, check, depth, field);
      surveyFree(value, check, depth);
      return;
    }
    if (value.length < (shape.minimum ?? 0)) emptyList(check, depth, field);
    for (let index = 0; index < value.length; index++) {
      check.enter(depth, index);
      checkItem(value[index], check, depth + 1, field);
    }
  };
}

function emptyList(check: DocumentCheck, depth: number, field: Field): void {
  const path = check.path(depth);
  const message = `\`${printPath(path)}\` must not be empty.`;
  check.report({ code: "missing-field", rule: field.rule, path, message, hint: field.about });
}

function compileRecord(shape: RecordShape): Checker {
  const fields = new Map(
    Object.entries(shape.fields).map(([key, field]) => [key, { field, checkValue: checkerOf(field.shape) }]),
  );
  const requiredCount = Object.values(shape.fields).filter(
    (field) => field.required || field.default !== undefined,
  ).length;
  return (value, check, depth, field) => {
    if (!check.count(depth)) return;
    if (!isRecord(value)) {
      wrongType(value, "a record of named fields", check, depth, field);
      surveyFree(value, check, depth);
      return;
    }
    let seen = 0;
    for (const key in value) {
      check.keys++;
      check.enter(depth, key);
      const known = fields.get(key);
      if (known === undefined) {
        surveyKey(key, value[key], check, depth);
        noteNearMiss(key, value, shape, check, depth);
      } else {
        if (known.field.required || known.field.default !== undefined) seen++;
        known.checkValue(value[key], check, depth + 1, known.field);
      }
    }
    if (seen < requiredCount) reportMissing(value, shape, check, depth);
  };
}

function noteNearMiss(key: string, value: JsonRecord, shape: RecordShape, check: DocumentCheck, depth: number): void {
  const name = nearNamesOf(shape).meant(key, value);
  const field = name === null ? undefined : shape.fields[name];
  if (name !== null && field !== undefined) check.noteNearMiss(depth, { key, value: value[key], name, field });
}

function reportMissing(value: JsonRecord, shape: RecordShape, check: DocumentCheck, depth: number): void {
  for (const key in shape.fields) {
    const field = shape.fields[key];
    if (field !== undefined && value[key] === undefined && (field.required || field.default !== undefined))
      missingField(key, field, check, depth, value);
  }
}

function compileMap(values: Shape): Checker {
  const checkValue = checkerOf(values);
  return (value, check, depth, field) => {
    if (!check.count(depth)) return;
    if (!isRecord(value)) {
      wrongType(value, "a record of named fields", check, depth, field);
      surveyFree(value, check, depth);
      return;
    }
    for (const key in value) {
      check.keys++;
      check.enter(depth, key);
      if (isForbidden(key)) check.forbid(depth, key);
      checkValue(value[key], check, depth + 1, field);
    }
  };
}

/** Free content: only the limits and the forbidden keys apply. */
function surveyFree(value: unknown, check: DocumentCheck, depth: number): void {
  if (typeof value !== "object" || value === null) {
    check.nodes++;
    if (typeof value === "number" && !isExact(value)) unsafeNumber(value, check, depth);
    return;
  }
  if (!check.count(depth)) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      check.enter(depth, index);
      surveyFree(value[index], check, depth + 1);
    }
    return;
  }
  const record = value as JsonRecord;
  for (const key in record) {
    check.keys++;
    check.enter(depth, key);
    surveyKey(key, record[key], check, depth);
  }
}

function surveyKey(key: string, value: unknown, check: DocumentCheck, depth: number): void {
  if (isForbidden(key)) check.forbid(depth, key);
  surveyFree(value, check, depth + 1);
}

function isExact(value: number): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
}
