import { type JsonRecord, isRecord, ownValue, printPath, shown } from "../../shared/json-value.ts";
import type { ContentRule } from "../definition.ts";
import type { Problem } from "../input.ts";

/**
 * The part of JSON Schema that a workflow may use for its own edges (001-R25): type, enum, const,
 * required, properties, items, minItems, minimum, maximum, minLength. No patterns: a regular
 * expression from a file could block the core.
 */
export function checkContent(value: unknown, rule: ContentRule | null, what: string): Problem[] {
  const problems: Problem[] = [];
  if (rule !== null) check(value, rule, [], problems, what);
  return problems;
}

type Path = (string | number)[];

function check(value: unknown, rule: JsonRecord, path: Path, problems: Problem[], what: string): void {
  if (path.length > DEEPEST || problems.length >= MAX_PROBLEMS) return;
  const wrong = checkType(value, rule) ?? checkValue(value, rule) ?? checkSize(value, rule);
  if (wrong !== null) return tell(problems, path, wrong, what);
  if (isRecord(value)) checkRecord(value, rule, path, problems, what);
  const items = rule["items"];
  if (Array.isArray(value) && isRecord(items))
    value.forEach((item, index) => check(item, items, [...path, index], problems, what));
}

const DEEPEST = 32;
const MAX_PROBLEMS = 50;

function tell(problems: Problem[], path: Path, wrong: string, what: string): void {
  const where = printPath(path);
  const hint = `The workflow asks for it in every handoff that is ${what}.`;
  problems.push({ message: `${where} ${wrong}.`, hint, where, rule: "001-R25" });
}

function checkType(value: unknown, rule: JsonRecord): string | null {
  const wanted = rule["type"];
  const types = Array.isArray(wanted) ? wanted : wanted === undefined ? [] : [wanted];
  if (types.length === 0 || types.some((type) => isOfType(value, shown(type)))) return null;
  return value === undefined ? "is missing" : `must be ${types.map(shown).join(" or ")}`;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

function checkValue(value: unknown, rule: JsonRecord): string | null {
  const choices = rule["enum"];
  if (Array.isArray(choices) && !choices.some((choice) => choice === value))
    return `must be one of ${choices.map(shown).join(", ")}`;
  return "const" in rule && rule["const"] !== value ? `must be ${shown(rule["const"])}` : null;
}

function checkSize(value: unknown, rule: JsonRecord): string | null {
  if (typeof value === "number") return outside(value, rule["minimum"], rule["maximum"], "");
  if (Array.isArray(value)) return outside(value.length, rule["minItems"], undefined, " entries");
  return typeof value === "string" ? outside(value.length, rule["minLength"], undefined, " characters") : null;
}

function outside(size: number, least: unknown, most: unknown, unit: string): string | null {
  if (typeof least === "number" && size < least) return `must be at least ${least}${unit}`;
  return typeof most === "number" && size > most ? `must be at most ${most}${unit}` : null;
}

function checkRecord(value: JsonRecord, rule: JsonRecord, path: Path, problems: Problem[], what: string): void {
  const required = Array.isArray(rule["required"]) ? rule["required"] : [];
  for (const key of required)
    if (typeof key === "string" && ownValue(value, key) === undefined)
      tell(problems, [...path, key], "is missing", what);
  const properties = rule["properties"];
  if (!isRecord(properties)) return;
  for (const [key, inner] of Object.entries(properties)) {
    const found = ownValue(value, key);
    if (found !== undefined && isRecord(inner)) check(found, inner, [...path, key], problems, what);
  }
}
