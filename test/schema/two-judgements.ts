import { Ajv2020, type AnySchemaObject, type ValidateFunction } from "ajv/dist/2020.js";
import { checkShape } from "../../src/protocol/check-shape.ts";
import type { Diagnostic } from "../../src/protocol/diagnostic.ts";
import type { Dialect } from "../../src/protocol/dialect.ts";
import { DocumentCheck } from "../../src/protocol/document-check.ts";
import { findBlocks } from "../../src/protocol/find-blocks.ts";
import type { Finding } from "../../src/protocol/finding.ts";
import { timestamp, utcTimestamp, lineRange } from "../../src/protocol/format.ts";
import type { DialectName } from "../../src/protocol/handoff.ts";
import { jsonSchemaOf } from "../../src/protocol/json-schema.ts";
import { judgeBlock } from "../../src/protocol/judge-block.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/limits.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import { valueAt } from "./mutate-document.ts";

/** What an editor says of a document by its schema, and what our reader says of the same text. */
export interface TwoJudgements {
  readonly document: JsonRecord;
  readonly schemaErrors: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** Errors of the shape alone, without what a JSON Schema cannot say. */
  readonly shapeErrors: readonly Finding[];
  /** True when the shape has nothing at all to say. */
  readonly shapely: boolean;
}

/** Null when the text holds no document that a schema could judge. */
export function judgeTwice(text: string, dialect: Dialect, path?: string): TwoJudgements | null {
  const options = { dialect: dialect.name, ...(path !== undefined && { path }) };
  const block = findBlocks(text, options).blocks.at(-1);
  if (block === undefined || block.container === "legacy") return null;
  const { document, repaired } = judgeBlock(text.slice(block.start, block.end), dialect, block, DEFAULT_LIMITS);
  if (document === null || repaired) return null;
  const findings = shapeFindings(document, dialect);
  return {
    document,
    schemaErrors: schemaErrors(validatorOf(dialect.name), document),
    diagnostics: readHandoffs(text, options).diagnostics,
    shapeErrors: findings.filter((finding) => isShapeError(finding, dialect) && !isStricter(finding, document)),
    shapely: findings.length === 0,
  };
}

const validators = new Map<DialectName, ValidateFunction>();

export function validatorOf(name: DialectName): ValidateFunction {
  let validator = validators.get(name);
  if (validator === undefined) {
    validator = compileSchema(jsonSchemaOf(name));
    validators.set(name, validator);
  }
  return validator;
}

/**
 * Strict, but for two things that conditions do on purpose: they demand and narrow fields whose type
 * the shape beside them says.
 */
export function compileSchema(schema: JsonRecord, options: { conditions: boolean } = { conditions: true }) {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: !options.conditions,
    strictRequired: !options.conditions,
    validateFormats: false,
    allErrors: true,
  });
  return ajv.compile(schema as AnySchemaObject);
}

export function schemaErrors(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => `${error.instancePath || "/"} ${error.message}`);
}

function shapeFindings(document: JsonRecord, dialect: Dialect): Finding[] {
  const check = new DocumentCheck(DEFAULT_LIMITS);
  checkShape(document, dialect.shape, check, dialect.rootRule);
  return check.findings;
}

const SHAPE_CODES = new Set(["missing-field", "wrong-type", "not-allowed", "bad-format"]);

function isShapeError(finding: Finding, dialect: Dialect): boolean {
  const severity = finding.severity ?? dialect.rules.find((rule) => rule.id === finding.rule)?.severity ?? "error";
  return severity === "error" && SHAPE_CODES.has(finding.code);
}

/**
 * Formats whose own check goes beyond their pattern: 30 February, and a range that ends before it starts.
 * No regular expression of bearable length says that.
 */
const STRICTER_THAN_THEIR_PATTERN = [timestamp, utcTimestamp, lineRange];

function isStricter(finding: Finding, document: JsonRecord): boolean {
  const value = valueAt(document, finding.path);
  return (
    finding.code === "bad-format" &&
    typeof value === "string" &&
    STRICTER_THAN_THEIR_PATTERN.some((format) => new RegExp(format.pattern, "u").test(value) && !format.accepts(value))
  );
}
