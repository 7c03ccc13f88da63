import { DIALECT_NAMES } from "../protocol/handoff-words.ts";
import type { BodyFields } from "./body.ts";
import type { Parameters } from "./parameters.ts";

/** One route as data: the server is built from it, and so is its description. */
export interface Route {
  /** Also the id of the operation in the description. */
  readonly name: string;
  readonly method: "GET" | "POST";
  /** `/api/runs/:run`. */
  readonly path: string;
  readonly summary: string;
  readonly query: Parameters;
  /** Of a JSON body; `handoff` for the text of a handoff in any of its formats; null when it takes none. */
  readonly body: BodyFields | "handoff" | null;
  readonly answer: Answer;
  /** Besides those that every route has: 400, 401, 403, 404, 405, 429 and 500. */
  readonly errors: readonly number[];
  /** `run` also takes the token that an agent was given for its attempt. */
  readonly token: "server" | "run";
}

export interface Answer {
  readonly status: 200 | 202;
  readonly type: "application/json" | "text/event-stream" | "application/jsonl";
  /** Name of its schema. */
  readonly schema: string;
}

/** What stands for `:run` and the others in a path; nothing else is ever looked up. */
export const PATH_PARAMETERS: Readonly<Record<string, { readonly about: string; readonly pattern: string }>> = {
  run: { about: "Id of a run, or the beginning of it.", pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$" },
  attempt: { about: "Id of an attempt.", pattern: "^s[0-9]{1,9}\\.[0-9]{1,9}$" },
  ask: { about: "Id of a question.", pattern: "^q[0-9]{1,9}$" },
  fact: { about: "Id of a fact.", pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$" },
  dialect: { about: "Name of a dialect.", pattern: `^(?:${DIALECT_NAMES.join("|")})$` },
  change: { about: "What is done to the fact.", pattern: "^(?:promote|confirm|retire)$" },
};

/** Names of the parameters in a path. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? "");
}

/** `/api/runs/{run}`. */
export function openPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}
