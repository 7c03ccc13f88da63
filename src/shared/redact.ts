import type { JsonValue } from "./json-value.ts";

/**
 * Secrets that agents paste into handoffs: known forms of keys, and the exact values that the caller
 * knows. Not a promise that none slips through; it is done before anything is stored.
 */
export type Redact = (text: string) => string;

const MASK = "[redacted]";

/** Each form with the part that stays, so that the reader sees what was there. */
const FORMS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
  /\b(?:sk|rk|pk)[-_](?:ant|live|test|proj|svcacct|or)[-_][\w-]{16,200}/g,
  /\bsk-[A-Za-z0-9]{32,200}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,255}\b/g,
  /\bgithub_pat_\w{30,255}\b/g,
  /\bglpat-[\w-]{20,100}/g,
  /\bxox[abprs]-[\w-]{10,200}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/g,
  /(?<=:\/\/[^\s/:@]{1,100}:)[^\s/@]{3,200}(?=@)/g,
  /(?<=\b(?:password|passwd|secret|token|api[_-]?key|access[_-]?key)["']?\s{0,3}[:=]\s{0,3}["']?)[^\s"',;]{8,200}/gi,
  /(?<=\b[Bb]earer )[\w.~+/-]{16,2000}/g,
];

/** Most of them share a few characters; a text without any is not searched form by form. */
const HINT =
  /PRIVATE KEY|sk[-_]|rk[-_]|pk[-_]|gh[pousr]_|github_pat_|glpat-|xox|AKIA|ASIA|AIza|npm_|eyJ|:\/\/|pass|secret|token|key|bearer/i;

export function redactor(values: readonly string[]): Redact {
  const exact = values.filter((value) => value.length >= SHORTEST).sort((left, right) => right.length - left.length);
  return (text) => {
    let clean = text;
    for (const value of exact) if (clean.includes(value)) clean = clean.replaceAll(value, MASK);
    if (HINT.test(clean)) for (const form of FORMS) clean = clean.replace(form, MASK);
    return clean;
  };
}

/** Shorter values are words of every text. */
const SHORTEST = 8;

export function redactJson<T extends JsonValue>(value: T, redact: Redact): T {
  return walk(value, redact) as T;
}

function walk(value: JsonValue, redact: Redact): JsonValue {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => walk(item, redact));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[redact(key), walk(item, redact)]])),
  );
}
