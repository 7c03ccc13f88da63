import { AppError } from "../shared/app-error.ts";

/** A value in the query of an address, as it may be given. */
export type Parameter = { readonly about: string } & (
  | { readonly kind: "whole"; readonly minimum: number; readonly maximum: number; readonly default?: number }
  | { readonly kind: "text"; readonly longest: number }
  | { readonly kind: "word"; readonly of: readonly string[] }
  | { readonly kind: "words"; readonly of: readonly string[] }
);

/** Milliseconds since 1970 up to the year 5138, and positions. */
const LARGEST = 99_999_999_999_999;

export const parameter = {
  whole: (about: string) => ({ kind: "whole", about, minimum: 0, maximum: LARGEST }) as const,
  /** With what it is when it is not given. */
  count: (about: string, limits: { readonly minimum?: number; readonly maximum?: number; readonly default: number }) =>
    ({ kind: "whole", about, minimum: 0, maximum: LARGEST, ...limits }) as const,
  text: (about: string, longest = 200) => ({ kind: "text", about, longest }) as const,
  word: <const W extends string>(about: string, of: readonly W[]) => ({ kind: "word", about, of }) as const,
  words: <const W extends string>(about: string, of: readonly W[]) => ({ kind: "words", about, of }) as const,
};

export type Parameters = Readonly<Record<string, Parameter>>;

type ValueOf<P> = P extends { readonly kind: "whole"; readonly default: number }
  ? number
  : P extends { readonly kind: "whole" }
    ? number | undefined
    : P extends { readonly kind: "words"; readonly of: readonly (infer W)[] }
      ? readonly W[] | undefined
      : P extends { readonly kind: "word"; readonly of: readonly (infer W)[] }
        ? W | undefined
        : string | undefined;

export type Values<P> = { readonly [K in keyof P]: ValueOf<P[K]> };

/** What a query says, checked; whatever it says besides is refused. */
export function readParameters<P extends Parameters>(
  parameters: P,
  given: readonly (readonly [string, string])[],
): Values<P> {
  const values: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const [name, text] of given) {
    const wanted = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (wanted === undefined) throw refused(`There is no parameter of that name.`, knownNames(parameters));
    if (seen.has(name)) throw refused(`The parameter ${name} is given twice.`, "Give it once.");
    seen.add(name);
    // As if it had not been given: forms send what was left empty.
    if (text !== "") values[name] = readValue(name, wanted, text);
  }
  for (const [name, wanted] of Object.entries(parameters))
    if (wanted.kind === "whole" && wanted.default !== undefined) values[name] ??= wanted.default;
  return values as Values<P>;
}

function readValue(name: string, wanted: Parameter, text: string): unknown {
  switch (wanted.kind) {
    case "whole":
      return readWhole(name, wanted, text);
    case "text":
      if (text.length <= wanted.longest) return text;
      throw refused(`The parameter ${name} has ${text.length} characters.`, `At most ${wanted.longest} are read.`);
    case "word":
      return readWord(name, wanted.of, text);
    case "words":
      return [...new Set(text.split(",").map((word) => readWord(name, wanted.of, word)))];
  }
}

function readWhole(name: string, { minimum, maximum }: { minimum: number; maximum: number }, text: string): number {
  const value = /^\d{1,14}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw refused(`The parameter ${name} is no such number.`, `It is a whole number from ${minimum} to ${maximum}.`);
}

function readWord(name: string, words: readonly string[], text: string): string {
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw refused(`The parameter ${name} has a value that is none of its words.`, `They are: ${words.join(", ")}.`);
}

function knownNames(parameters: Parameters): string {
  const names = Object.keys(parameters);
  return names.length === 0 ? "This route takes none." : `There are: ${names.join(", ")}.`;
}

function refused(message: string, hint: string): AppError {
  return new AppError("wrong-usage", message, hint);
}
