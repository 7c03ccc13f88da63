import { type JsonRecord, type JsonValue, setOwnValue, sortedKeys } from "./json-value.ts";

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

interface Form {
  readonly kind: string;
  /** Stands in every text that the form finds something in, so that a text without it is not searched. */
  readonly words: RegExp;
  /** Its first group, if there is one, stays. */
  readonly form: RegExp;
}

const FORMS: readonly Form[] = [
  { kind: "private key", words: /AGE-SECRET-KEY-/, form: /\bAGE-SECRET-KEY-1[A-Z0-9]{50,70}\b/g },
  { kind: "Anthropic key", words: /sk-ant-/, form: /\bsk-ant-[\w-]{16,200}/g },
  { kind: "OpenAI key", words: /sk-/, form: /\bsk-(?:proj|svcacct|admin|None)-[\w-]{16,200}/g },
  { kind: "OpenRouter key", words: /sk-or-/, form: /\bsk-or-[\w-]{16,200}/g },
  { kind: "OpenAI key", words: /sk-/, form: /\bsk-[A-Za-z0-9]{32,200}\b/g },
  {
    kind: "Stripe key",
    words: /[srp]k[-_](?:live|test)|whsec_/,
    form: /\b(?:(?:sk|rk|pk)[-_](?:live|test)[-_]|whsec_)[\w-]{16,200}/g,
  },
  { kind: "GitHub token", words: /gh[pousr]_/, form: /\bgh[pousr]_[A-Za-z0-9]{30,255}\b/g },
  { kind: "GitHub token", words: /github_pat_/, form: /\bgithub_pat_\w{30,255}\b/g },
  { kind: "GitLab token", words: /gl[a-z]{2,4}-/, form: /\bgl(?:pat|dt|rt|ptt|cbt|soat|ft)-[\w-]{20,100}/g },
  { kind: "Slack token", words: /xox|xapp-/, form: /\b(?:xox[abeoprs]-|xapp-)[\w-]{10,200}/g },
  {
    kind: "Slack address",
    words: /hooks\.slack\.com/,
    form: /(?<=\bhooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/]{20,200}/g,
  },
  { kind: "AWS key", words: /A[KS]IA/, form: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { kind: "Google key", words: /AIza/, form: /\bAIza[\w-]{35}/g },
  { kind: "Google key", words: /GOCSPX-|ya29\./, form: /\b(?:GOCSPX-[\w-]{20,60}|ya29\.[\w-]{20,300})/g },
  { kind: "Azure key", words: /AccountKey=/, form: /(?<=\bAccountKey=)[A-Za-z0-9+/]{60,100}={0,2}/g },
  { kind: "npm token", words: /npm_/, form: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { kind: "PyPI token", words: /pypi-/, form: /\bpypi-[\w-]{50,300}/g },
  { kind: "Hugging Face token", words: /hf_/, form: /\bhf_[A-Za-z]{30,40}\b/g },
  { kind: "SendGrid key", words: /SG\./, form: /\bSG\.[\w-]{20,24}\.[\w-]{40,46}/g },
  { kind: "DigitalOcean token", words: /do[opr]_v1_/, form: /\bdo[opr]_v1_[0-9a-f]{64}\b/g },
  { kind: "JWT", words: /eyJ/, form: /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/g },
  {
    kind: "password in an address",
    words: /@/,
    form: /(:\/\/[^\s/:@]{0,100}:)[^\s/@]{3,200}(?=@)/g,
  },
  {
    kind: "named secret",
    words: /(?:passw(?:or)?d|secret|token|key)["']?\s{0,3}[:=]/i,
    form: /(?<=(?<![A-Za-z0-9])(?:password|passwd|secret|token|(?:access|refresh|auth)token|clientsecret|(?:api|access|secret|private)[_-]?key)["']?\s{0,3}[:=]\s{0,3}["']?)(?!(?:true|false|null|-?\d[\d.eE+-]*)[\s,}\]]|\(redacted )[^\s"',;{}[\]]{8,200}/gi,
  },
  { kind: "bearer token", words: /[Bb]earer /, form: /(?<=\b[Bb]earer )[\w.~+/-]{16,2000}/g },
  {
    kind: "basic authorization",
    words: /[Bb]asic /,
    form: /(?<=\b[Aa]uthorization["']?\s{0,3}[:=]\s{0,3}["']?[Bb]asic )[A-Za-z0-9+/]{8,500}={0,2}/g,
  },
];

/**
 * A text that none of these finds anything in has no form in it, and that is nearly every text. They say less than
 * the words above, and begin at what is rare: one search for all words would stop at every letter. The names stand
 * apart because their case does not matter: V8 misses some of `(?i:...)` inside of a look back.
 */
const SIGN =
  /[-_@=](?<=@|[srp]k[-_]|whsec_|gh[pousr]_|github_pat_|gl[a-z]{2,4}-|xox[a-z]-|xapp-|GOCSPX-|npm_|pypi-|hf_|do[opr]_v1_|AGE-SECRET-|AccountKey=)/;
const NAMED = /[:=](?<=(?:passw(?:or)?d|secret|token|key)["']?\s{0,3}[:=])/i;
const WORD = /PRIVATE KEY|A[KS]IA|AIza|SG\.|eyJ|slack\.com|ya29\.|[Bb]earer |[Bb]asic /;

const OF_THE_ENVIRONMENT = maskOf("value of the environment");

export function redactor(values: readonly string[]): Redact {
  const exact = values
    .filter((value) => value.length >= SHORTEST)
    .flatMap((value) => [...new Set([value, JSON.stringify(value).slice(1, -1)])])
    .sort((left, right) => right.length - left.length);
  return (text) => {
    if (text.length < SHORTEST) return text;
    let clean = text;
    for (const value of exact) if (clean.includes(value)) clean = clean.replaceAll(value, () => OF_THE_ENVIRONMENT);
    return SIGN.test(clean) || NAMED.test(clean) || WORD.test(clean) ? maskForms(clean) : clean;
  };
}

function maskForms(text: string): string {
  let clean = text.includes("PRIVATE KEY") ? maskPrivateKeys(text) : text;
  for (const { kind, words, form } of FORMS)
    if (words.test(clean))
      clean = clean.replace(
        form,
        (_found: string, kept: unknown) => `${typeof kept === "string" ? kept : ""}${maskOf(kind)}`,
      );
  return clean;
}

const BEGIN = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
const MAX_KEY = 20_000;
/** What a key that was cut off can still be. */
const KEY_LETTERS = /[A-Za-z0-9+/=\s\\]{0,20000}/y;

/** Each end is looked for once: a text of beginnings only would be searched for ever. */
function maskPrivateKeys(text: string): string {
  let clean = "";
  let at = 0;
  let nextEnd = { from: -1, to: -1 };
  for (let begin = find(BEGIN, text, 0); begin !== null; begin = find(BEGIN, text, at)) {
    if (nextEnd.from < begin.to) nextEnd = find(END, text, begin.to) ?? { from: Number.POSITIVE_INFINITY, to: 0 };
    clean += `${text.slice(at, begin.from)}${maskOf("private key")}`;
    at = nextEnd.from - begin.to < MAX_KEY ? nextEnd.to : (find(KEY_LETTERS, text, begin.to)?.to ?? begin.to);
  }
  return clean + text.slice(at);
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
    if (item !== undefined) setOwnValue(clean, redact(key), walk(item, redact));
  }
  return clean;
}
