import { AppError } from "../shared/app-error.ts";
import { isRecord } from "../shared/json-value.ts";

/** One text in the JSON body of a request. */
export interface BodyField {
  readonly about: string;
  readonly required: boolean;
  readonly longest: number;
}

export type BodyFields = Readonly<Record<string, BodyField>>;

export const bodyField = {
  required: (about: string, longest: number) => ({ about, required: true, longest }) as const,
  optional: (about: string, longest: number) => ({ about, required: false, longest }) as const,
};

export type BodyOf<F> = { readonly [K in keyof F]: F[K] extends { readonly required: true } ? string : string | null };

/** No body is an empty record. Texts only, no other keys, none too long. */
export function readBody<F extends BodyFields>(fields: F, text: string): BodyOf<F> {
  const given = text.trim() === "" ? {} : parse(text);
  for (const key of Object.keys(given))
    if (!Object.hasOwn(fields, key)) throw refused("The body has a key that is not known.", keysOf(fields));
  const values = Object.entries(fields).map(([key, field]) => [key, readField(key, field, given)] as const);
  return Object.fromEntries(values) as BodyOf<F>;
}

function parse(text: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = null;
  }
  if (isRecord(parsed)) return parsed;
  throw refused("The body is no JSON object.", "Send one, with the content type application/json.");
}

function readField(key: string, field: BodyField, given: Readonly<Record<string, unknown>>): string | null {
  const value = Object.hasOwn(given, key) ? (given[key] ?? null) : null;
  if (value === null && !field.required) return null;
  if (typeof value !== "string" || (field.required && value.trim() === ""))
    throw refused(`The body has no text ${key}.`, field.about);
  if (value.length > field.longest)
    throw refused(`The text ${key} has ${value.length} characters.`, `At most ${field.longest} are taken.`);
  return value;
}

function keysOf(fields: BodyFields): string {
  const names = Object.keys(fields);
  return names.length === 0 ? "This route takes an empty one." : `There are: ${names.join(", ")}.`;
}

function refused(message: string, hint: string): AppError {
  return new AppError("wrong-usage", message, hint);
}
