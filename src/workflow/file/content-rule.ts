import { checkShape } from "../../protocol/check-shape.ts";
import { DocumentCheck } from "../../protocol/document-check.ts";
import { DEFAULT_LIMITS } from "../../protocol/limits.ts";
import { data, shape } from "../../protocol/shape.ts";
import { type JsonPath, type JsonValue, isRecord } from "../../shared/json-value.ts";
import { type Problems, unknownKey } from "../../protocol/file-problems.ts";

const CONTENT_TYPES = ["object", "array", "string", "number", "integer", "boolean", "null"] as const;

/** A nested rule. Rules are checked level by level, and the schema refers to this shape by its name. */
export const innerRuleShape = data.anything();

const typeName = data.oneOf(CONTENT_TYPES);

/** The subset of JSON Schema that `needs` and `gives` support: the keywords that `rules/check-content.ts` checks. */
export const contentLevelShape = data.record({
  type: data.optional(data.union(typeName, shape.list(typeName, { minimum: 1 }))),
  required: data.optional(data.list(data.text())),
  properties: data.optional(data.map(innerRuleShape)),
  items: data.optional(innerRuleShape),
  enum: data.optional(shape.list(data.anything(), { minimum: 1 })),
  const: data.optional(data.anything()),
  minimum: data.optional(data.number()),
  maximum: data.optional(data.number()),
  minLength: data.optional(data.count()),
  minItems: data.optional(data.count()),
  description: data.optional(data.text()),
});

export const CONTENT_KEYWORDS = Object.keys(contentLevelShape.fields);

/** Rejects unsupported keywords: they would promise a check that never happens. */
export function checkContentRule(rule: JsonValue | undefined, path: JsonPath, problems: Problems): void {
  if (!isRecord(rule)) {
    problems.add({
      code: "wrong-type",
      path,
      message: `\`${String(path.at(-1))}\` must be a record: a small JSON Schema.`,
      hint: HINT,
    });
    return;
  }
  for (const key of Object.keys(rule))
    if (!CONTENT_KEYWORDS.includes(key)) unknownKey(key, CONTENT_KEYWORDS, path, problems);
  const check = new DocumentCheck(DEFAULT_LIMITS);
  checkShape(rule, contentLevelShape, check, "workflow");
  for (const { code, path: place, message } of check.findings)
    if (OF_A_RULE.has(code)) problems.add({ code, path: [...path, ...place], message, hint: HINT });
  const { properties, items } = rule;
  if (isRecord(properties))
    for (const name of Object.keys(properties))
      checkContentRule(properties[name], [...path, "properties", name], problems);
  if (items !== undefined) checkContentRule(items, [...path, "items"], problems);
}

/** Numbers out of range and forbidden keys were already reported by the check of the whole file. */
const OF_A_RULE: ReadonlySet<string> = new Set([
  "wrong-type",
  "not-allowed",
  "bad-format",
  "missing-field",
  "unfilled-template",
]);

const HINT = "For example: { required: [pull_request], properties: { summary: { type: string } } }";
