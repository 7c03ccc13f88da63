import { type JsonPath, type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import type { Problems } from "../file-problems.ts";

/** What `format learn` writes where only a person knows the answer: as a value, or as a word of `words`. */
export const UNANSWERED = "?";

/** Reports every answer that is still open, at its place. True when there is one. */
export function reportUnanswered(file: JsonRecord, problems: Problems): boolean {
  const open = unanswered(file, []);
  for (const { path, atKey } of open) {
    const message = `\`${printedPlace(path)}\` is a question that has no answer yet.`;
    problems.add({ code: "unfilled-template", path, atKey, message, hint: hintFor(path, atKey) });
  }
  return open.length > 0;
}

interface OpenPlace {
  readonly path: JsonPath;
  readonly atKey: boolean;
}

/** Only where a question can stand: an example may well be a question mark. */
function unanswered(value: JsonValue | undefined, path: JsonPath): OpenPlace[] {
  if (value === UNANSWERED && isAsked(path)) return [{ path, atKey: false }];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const place = [...path, key];
    return key === UNANSWERED && path.at(-1) === "words" ? [{ path: place, atKey: true }] : unanswered(inner, place);
  });
}

function isAsked(path: JsonPath): boolean {
  return path.at(-2) === "words" || path.at(-1) === "default" || (path.length === 1 && path[0] === "outcome");
}

function printedPlace(path: JsonPath): string {
  return path.filter((step) => step !== "fields").join(".");
}

function hintFor(path: JsonPath, atKey: boolean): string {
  if (atKey) return "Write the word in place of `?`, or remove the line if there is none.";
  if (path.includes("words"))
    return "Write what the word means, such as done, needs-fixes or blocked, in place of `?`.";
  if (path.at(-1) === "outcome")
    return "Write the outcome of every such handoff, or give the field that says it `is: outcome`; then remove this line.";
  return "Write the word that an absent value means in place of `?`, or `required: true` instead of the line.";
}
