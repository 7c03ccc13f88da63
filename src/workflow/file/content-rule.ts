import { type JsonPath, type JsonValue, isRecord, ownValue } from "../../shared/json-value.ts";
import type { Problems } from "./problems.ts";
import { unknownKey } from "./unknown-keys.ts";

/** The part of JSON Schema that `needs` and `gives` may use: what `rules/check-content.ts` looks at. */
export const CONTENT_KEYWORDS = [
  "type",
  "required",
  "properties",
  "items",
  "enum",
  "const",
  "minimum",
  "maximum",
  "minLength",
  "minItems",
  "description",
] as const;

export const CONTENT_TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;

/** A rule that would never be looked at promises something that nobody keeps. */
export function checkContentRule(rule: JsonValue | undefined, path: JsonPath, problems: Problems): void {
  if (!isRecord(rule)) {
    wrong(path, "must be a record: a small JSON Schema", problems);
    return;
  }
  for (const key of Object.keys(rule)) {
    if (!(CONTENT_KEYWORDS as readonly string[]).includes(key)) unknownKey(key, CONTENT_KEYWORDS, path, problems);
    else checkKeyword(key, rule[key], [...path, key], problems);
  }
}

function checkKeyword(key: string, value: JsonValue | undefined, path: JsonPath, problems: Problems): void {
  if (key === "properties" && isRecord(value))
    for (const name of Object.keys(value)) checkContentRule(value[name], [...path, name], problems);
  else if (key === "items") checkContentRule(value, path, problems);
  else {
    const expected = ownValue(EXPECTED, key);
    if (expected !== undefined && !expected.accepts(value)) wrong(path, `must be ${expected.what}`, problems);
  }
}

interface Expected {
  readonly what: string;
  readonly accepts: (value: unknown) => boolean;
}

const isTypeName = (value: unknown): boolean => (CONTENT_TYPES as readonly unknown[]).includes(value);
const isType = (value: unknown): boolean =>
  isTypeName(value) || (Array.isArray(value) && value.length > 0 && value.every(isTypeName));
const isCount = (value: unknown): boolean => typeof value === "number" && Number.isInteger(value) && value >= 0;
const aNumber: Expected = { what: "a number", accepts: (value) => typeof value === "number" };
const aCount: Expected = { what: "a whole number, 0 or more", accepts: isCount };

const EXPECTED: Readonly<Record<string, Expected>> = {
  properties: { what: "a record of named rules", accepts: isRecord },
  type: { what: `one or a list of ${CONTENT_TYPES.join(", ")}`, accepts: isType },
  required: {
    what: "a list of names",
    accepts: (value) => Array.isArray(value) && value.every((item) => typeof item === "string"),
  },
  enum: { what: "a list of values", accepts: (value) => Array.isArray(value) && value.length > 0 },
  minimum: aNumber,
  maximum: aNumber,
  minLength: aCount,
  minItems: aCount,
  description: { what: "text", accepts: (value) => typeof value === "string" },
};

function wrong(path: JsonPath, what: string, problems: Problems): void {
  problems.add({
    code: "wrong-type",
    path,
    message: `\`${String(path.at(-1))}\` ${what}.`,
    hint: "For example: { required: [pull_request], properties: { pull_request: { type: string } } }",
  });
}
