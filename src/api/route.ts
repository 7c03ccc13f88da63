import { type Field, type Shape, data, field, shape } from "../protocol/shape.ts";
import type { AnswerName } from "./answers.ts";

/** One route as data: the server is built from it, and so is its description. */
export interface ApiRoute {
  /** Also the id of the operation in the description. */
  readonly name: string;
  readonly method: "GET" | "POST";
  /** `/api/runs/:run`. */
  readonly path: string;
  readonly summary: string;
  readonly query: RequestFields;
  /** Texts of a JSON body; `handoff` for the text of a handoff in any of its formats; null when it takes none. */
  readonly body: RequestFields | "handoff" | null;
  readonly answer: RouteAnswer;
  /** Besides those that every route has: 400, 401, 403, 404, 405, 429 and 500. */
  readonly errors: readonly number[];
  /** `run` also takes the token that an agent was given for its attempt. */
  readonly token: "server" | "run";
}

interface RouteAnswer {
  readonly status: 200 | 202;
  readonly type: "application/json" | "text/event-stream" | "application/jsonl";
  readonly schema: AnswerName;
}

export type RequestFields = Readonly<Record<string, Field>>;

/** Milliseconds since 1970 up to the year 5138, and positions. */
const MAX_WHOLE = 99_999_999_999_999;

const whole = (minimum = 0, maximum = MAX_WHOLE): Shape<number> => shape.number({ integer: true, minimum, maximum });

/** A value in the query of an address. It is optional, unless it has a default. */
export const parameter = {
  whole: (about: string) => optional(whole(), about),
  count: (about: string, limits: { readonly minimum?: number; readonly maximum?: number; readonly default: number }) =>
    field.required(whole(limits.minimum, limits.maximum), { rule: "request", about, default: limits.default }),
  text: (about: string, maxLength = 200) => optional(data.text({ maxLength }), about),
  word: <const W extends string>(about: string, words: readonly W[]) => optional(data.oneOf(words), about),
  /** Several of the words, with commas between them. */
  words: <const W extends string>(about: string, words: readonly W[]) => optional(data.list(data.oneOf(words)), about),
};

/** A text in the JSON body of a request. An optional one may also be null, which is the same as absent. */
export const bodyText = {
  required: (about: string, maxLength: number) =>
    field.required(data.text({ filled: true, maxLength }), { rule: "request", about }),
  optional: (about: string, maxLength: number) => optional(data.text({ maxLength }), about),
};

function optional<T>(of: Shape<T>, about: string): Field<T, false> {
  return field.optional(of, { rule: "request", about });
}

/** What stands for `:run` and the others in a path; nothing else is ever looked up. */
export const PATH_FIELDS: Readonly<Record<string, Field<string, true>>> = {
  run: pathField("Id of a run, or the beginning of it.", "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"),
  attempt: pathField("Id of an attempt.", "^s[0-9]{1,9}\\.[0-9]{1,9}$"),
  ask: pathField("Id of a question.", "^q[0-9]{1,9}$"),
  fact: pathField("Id of a fact.", "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"),
  dialect: pathField(
    "Name of a dialect: one of the five, or a format of the run.",
    "^[a-z][a-z0-9]*(?:-[a-z0-9]+){0,20}$",
  ),
  change: pathField("What is done to the fact.", "^(?:promote|confirm|retire)$"),
};

function pathField(about: string, pattern: string): Field<string, true> {
  return field.required(data.text({ pattern }), { rule: "request", about });
}

/** Names of the parameters in a path. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
}
