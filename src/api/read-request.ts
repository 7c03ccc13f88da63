import { checkField } from "../protocol/check-shape.ts";
import { DocumentCheck } from "../protocol/document-check.ts";
import type { Finding } from "../protocol/finding.ts";
import { DEFAULT_LIMITS } from "../protocol/limits.ts";
import { countJsonKeys, parseJson } from "../protocol/syntax/json.ts";
import { type Field, type RecordOf, type Shape, field } from "../protocol/shape.ts";
import { AppError } from "../shared/app-error.ts";
import { isRecord } from "../shared/json-value.ts";
import { PATH_FIELDS, type RequestFields } from "./route.ts";

/** The query of a request, checked. A name that the route does not know, and one that is given twice, is refused. */
export function readQuery<F extends RequestFields>(
  fields: F,
  given: readonly (readonly [string, string])[],
): RecordOf<F> {
  const values: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const [name, text] of given) {
    const wanted = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (wanted === undefined) throw wrongUsage("There is no parameter of that name.", knownNames(fields, "none"));
    if (seen.has(name)) throw wrongUsage(`The parameter ${name} is given twice.`, "Give it once.");
    seen.add(name);
    // Forms send a field that was left empty: it counts as not given.
    if (text !== "") values[name] = valueIn(text, wanted.shape);
  }
  for (const [name, wanted] of Object.entries(fields))
    if (wanted.default !== undefined) values[name] ??= wanted.default;
  const found = firstFinding(values, fields);
  if (found !== undefined) throw wrongUsage(`The parameter ${found.message}`, found.hint);
  return values as RecordOf<F>;
}

/** What the text stands for; a text that cannot be converted stays what it is, and is refused as such. */
function valueIn(text: string, shape: Shape): unknown {
  if (shape.kind === "number") return /^\d{1,14}$/.test(text) ? Number(text) : text;
  return shape.kind === "list" ? [...new Set(text.split(","))] : text;
}

export type BodyOf<F> = { readonly [K in keyof F]: F[K] extends Field<unknown, true> ? string : string | null };

/** The JSON body of a request, checked. No body is an empty record; a key that the route does not know is refused. */
export function readBody<F extends RequestFields>(fields: F, text: string): BodyOf<F> {
  const given = text.trim() === "" ? {} : parseRecord(text);
  const values: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const wanted = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (wanted === undefined)
      throw wrongUsage("The body has a key that is not known.", knownNames(fields, "an empty one"));
    if (value !== null || wanted.required) values[key] = value;
  }
  const found = firstFinding(values, fields);
  if (found !== undefined) throw wrongUsage(`In the body, ${found.message}`, found.hint);
  return Object.fromEntries(Object.keys(fields).map((key) => [key, values[key] ?? null])) as BodyOf<F>;
}

/** The arguments of a call, checked. A key that is not known is refused; null is the same as absent. */
export function readArguments<F extends RequestFields>(fields: F, given: unknown): RecordOf<F> {
  const values: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(isRecord(given) ? given : {})) {
    if (!Object.hasOwn(fields, key))
      throw wrongUsage("There is no argument of that name.", knownNames(fields, "no arguments"));
    if (value !== null) values[key] = value;
  }
  for (const [name, wanted] of Object.entries(fields))
    if (wanted.default !== undefined) values[name] ??= wanted.default;
  const found = firstFinding(values, fields);
  if (found !== undefined) throw wrongUsage(`The argument ${found.message}`, found.hint);
  return values as RecordOf<F>;
}

function parseRecord(text: string): Readonly<Record<string, unknown>> {
  const parsed = parseJson(text)?.value;
  if (!isRecord(parsed))
    throw wrongUsage("The body is not a JSON object.", "Send one, with the content type application/json.");
  // Programs differ in which of two equal keys they believe.
  if (countJsonKeys(text) !== countKeys(parsed)) throw wrongUsage("The body has a key twice.", "Give each key once.");
  return parsed;
}

function countKeys(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countKeys(item), 0);
  if (!isRecord(value)) return 0;
  return Object.values(value).reduce((sum: number, item) => sum + 1 + countKeys(item), 0);
}

/** Whether a part of a path can be what its name says. */
export function fitsPath(name: string, text: string): boolean {
  return (
    Object.hasOwn(PATH_FIELDS, name) && firstFinding({ [name]: text }, { [name]: PATH_FIELDS[name] }) === undefined
  );
}

function firstFinding(
  values: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, Field | undefined>>,
): Finding | undefined {
  const check = new DocumentCheck(DEFAULT_LIMITS);
  const request = field.required({ kind: "record", fields: fields as RequestFields }, { rule: "request", about: "" });
  checkField(values, request, check);
  return check.findings[0];
}

function knownNames(fields: RequestFields, none: string): string {
  const names = Object.keys(fields);
  return names.length === 0 ? `It takes ${none}.` : `There are: ${names.join(", ")}.`;
}

function wrongUsage(message: string, hint: string): AppError {
  return new AppError("wrong-usage", message, hint);
}
