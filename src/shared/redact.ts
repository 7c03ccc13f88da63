import type { JsonRecord, JsonValue } from "./json-value.ts";

/**
 * Secrets that agents paste into handoffs: known forms of keys, and the exact values that the caller
 * knows. Not a promise that none slips through; it is done before anything is stored.
 */
export type Redact = (text: string) => string;

const MASK = "[redacted]";

/** Each form with words that stand in every text it finds, so that a text without them is not searched for it. */
const FORMS: readonly { readonly words: RegExp; readonly form: RegExp }[] = [
  {
    words: /PRIVATE KEY/,
    form: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]{0,20000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g,
  },
  { words: /[srp]k[-_]/, form: /\b(?:sk|rk|pk)[-_](?:ant|live|test|proj|svcacct|or)[-_][\w-]{16,200}/g },
  { words: /sk-/, form: /\bsk-[A-Za-z0-9]{32,200}\b/g },
  { words: /gh[pousr]_/, form: /\bgh[pousr]_[A-Za-z0-9]{30,255}\b/g },
  { words: /github_pat_/, form: /\bgithub_pat_\w{30,255}\b/g },
  { words: /glpat-/, form: /\bglpat-[\w-]{20,100}/g },
  { words: /xox/, form: /\bxox[abprs]-[\w-]{10,200}/g },
  { words: /A[KS]IA/, form: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { words: /AIza/, form: /\bAIza[\w-]{35}/g },
  { words: /npm_/, form: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { words: /eyJ/, form: /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/g },
  { words: /:\/\/[^\s@]{4,301}@/, form: /(?<=:\/\/[^\s/:@]{1,100}:)[^\s/@]{3,200}(?=@)/g },
  {
    words: /(?:passw(?:or)?d|secret|token|key)["']?\s{0,3}[:=]/i,
    form: /(?<=\b(?:password|passwd|secret|token|api[_-]?key|access[_-]?key)["']?\s{0,3}[:=]\s{0,3}["']?)(?!(?:true|false|null|-?\d[\d.eE+-]*)[\s,}\]])[^\s"',;{}[\]]{8,200}/gi,
  },
  { words: /[Bb]earer /, form: /(?<=\b[Bb]earer )[\w.~+/-]{16,2000}/g },
];

/** Most of them share a few characters; a text without any is not searched form by form. */
const HINT =
  /PRIVATE KEY|sk[-_]|rk[-_]|pk[-_]|gh[pousr]_|github_pat_|glpat-|xox|AKIA|ASIA|AIza|npm_|eyJ|:\/\/|pass|secret|token|key|bearer/i;

export function redactor(values: readonly string[]): Redact {
  const exact = values.filter((value) => value.length >= SHORTEST).sort((left, right) => right.length - left.length);
  return (text) => {
    if (text.length < SHORTEST) return text;
    let clean = text;
    for (const value of exact) if (clean.includes(value)) clean = clean.replaceAll(value, MASK);
    if (HINT.test(clean)) for (const { words, form } of FORMS) if (words.test(clean)) clean = clean.replace(form, MASK);
    return clean;
  };
}

/** Shorter values are words of every text, and no form fits into less. */
const SHORTEST = 8;

export function redactJson<T extends JsonValue>(value: T, redact: Redact): T {
  return walk(value, redact) as T;
}

function walk(value: JsonValue, redact: Redact): JsonValue {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => walk(item, redact));
  const clean: JsonRecord = {};
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const name = redact(key);
    // Defined, not assigned: a key may have the name of a setter.
    if (name === "__proto__") Object.defineProperty(clean, name, { value: walk(item, redact), enumerable: true });
    else clean[name] = walk(item, redact);
  }
  return clean;
}
