import { type JsonRecord, type JsonValue, setOwnValue, sortedKeys } from "./json-value.ts";
import { type SecretRange, NAME_HINT, findNamedSecrets, isSecretName, isSecretValue } from "./named-secrets.ts";
import { placesOfRevealed, revealText } from "./reveal-text.ts";
import { FORM_HINTS, SECRET_FORMS } from "./secret-forms.ts";

/**
 * Secrets that agents paste into handoffs: known forms of keys, and the exact values that the caller
 * knows. Not a promise that none slips through; it is done before anything is stored.
 */
export type Redact = (text: string) => string;

/**
 * What stands in the place of a secret and says of what kind it was. Without any sign that a format gives a meaning
 * to: it is read as the same text in JSON, YAML, XML and Markdown.
 */
export function maskOf(kind: string): string {
  return `(redacted ${kind})`;
}

/** A text in which none of these finds anything has no secret of a known form, and that is nearly every text. */
const HINTS = [...FORM_HINTS, /PRIVATE KEY/, NAME_HINT];

export function redactor(values: readonly string[]): Redact {
  const exact = values
    .filter((value) => value.length >= SHORTEST)
    .flatMap((value) => [...new Set([value, JSON.stringify(value).slice(1, -1)])])
    .sort((left, right) => right.length - left.length);
  return (text) => {
    if (text.length < SHORTEST) return text;
    const ranges = findSecrets(text, exact);
    const revealed = revealText(text);
    const hidden = revealed === null ? [] : findSecrets(revealed, exact);
    if (hidden.length > 0) {
      const at = placesOfRevealed(text);
      for (const { from, to, kind } of hidden) ranges.push({ from: at[from] ?? 0, to: at[to] ?? text.length, kind });
    }
    return ranges.length === 0 ? text : maskRanges(text, ranges);
  };
}

function findSecrets(text: string, exact: readonly string[]): SecretRange[] {
  const ranges: SecretRange[] = [];
  for (const value of exact)
    for (let from = text.indexOf(value); from !== -1; from = text.indexOf(value, from + value.length))
      ranges.push({ from, to: from + value.length, kind: "value of the environment" });
  if (!HINTS.some((hint) => hint.test(text))) return ranges;
  if (text.includes("PRIVATE KEY")) ranges.push(...findPrivateKeys(text));
  for (const { kind, hint, form } of SECRET_FORMS)
    if (hint.test(text))
      for (const match of text.matchAll(form))
        ranges.push({ from: match.index, to: match.index + match[0].length, kind });
  if (NAME_HINT.test(text)) ranges.push(...findNamedSecrets(text));
  return ranges;
}

/** Of ranges that overlap, the first is told, and all of them are masked. */
function maskRanges(text: string, ranges: readonly SecretRange[]): string {
  const inOrder = [...ranges].sort((left, right) => left.from - right.from || right.to - left.to);
  let clean = "";
  let end = 0;
  for (const { from, to, kind } of inOrder) {
    if (from >= end) clean += `${text.slice(end, from)}${maskOf(kind)}`;
    end = Math.max(end, to);
  }
  return clean + text.slice(end);
}

const BEGIN = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const MAX_KEY = 20_000;
/** What a key that was cut off can still be. */
const KEY_LETTERS = /[A-Za-z0-9+/=\s\\]{0,20000}/y;

/** Each end is looked for once: a text of beginnings only would be searched for ever. */
function findPrivateKeys(text: string): SecretRange[] {
  const ranges: SecretRange[] = [];
  let nextEnd = { from: -1, to: -1 };
  let at = 0;
  for (let begin = find(BEGIN, text, 0); begin !== null; begin = find(BEGIN, text, at)) {
    if (nextEnd.from < begin.to) nextEnd = find(END, text, begin.to) ?? { from: Number.POSITIVE_INFINITY, to: 0 };
    at = nextEnd.from - begin.to < MAX_KEY ? nextEnd.to : (find(KEY_LETTERS, text, begin.to)?.to ?? begin.to);
    ranges.push({ from: begin.from, to: at, kind: "private key" });
  }
  return ranges;
}

function find(form: RegExp, text: string, after: number): { readonly from: number; readonly to: number } | null {
  form.lastIndex = after;
  const found = form.exec(text);
  return found === null ? null : { from: found.index, to: found.index + found[0].length };
}

/** Shorter values are words of every text, and no form fits into less. */
const SHORTEST = 8;

/** A copy without secrets, its keys in the order that the log keeps: a run is told the same when it is read back. */
export function redactJson<T>(value: T, redact: Redact): T {
  return walk(value as JsonValue, redact) as T;
}

function walk(value: JsonValue, redact: Redact): JsonValue {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => walk(item, redact));
  const clean: JsonRecord = {};
  for (const key of sortedKeys(value)) {
    const item = value[key];
    if (item !== undefined) setOwnValue(clean, redact(key), walkField(key, item, redact));
  }
  return clean;
}

/** A field whose name says that its text is a secret has no name beside the text. */
function walkField(key: string, value: JsonValue, redact: Redact): JsonValue {
  const clean = walk(value, redact);
  const isSecret = typeof clean === "string" && isSecretName(key) && isSecretValue(clean, true, "");
  return isSecret ? maskOf("named secret") : clean;
}
