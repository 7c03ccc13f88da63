/**
 * Secrets that have no form of their own and stand behind a name: `password: ...`, `"apiKey": "..."`, `--token ...`.
 * What stands behind such a name in ordinary code and prose (`token = getToken()`) is left alone.
 */

/** Finds something in every text that has a named secret. */
export const NAME_HINT =
  /[:=>](?<=(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|key)["'`\\\]*]{0,8}\s{0,3}[:=>])|(?<=\s)--?[\w-]{0,40}(?:passw|secret|token|key|credential|pwd)/i;

const NAME = String.raw`(?:password|passwd|passphrase|pwd|secret|token|credentials?|(?:api|access|secret|private|signing|encryption|master|account|auth|license|deploy)[_-]?key)`;
/** `": "`, ` = `, `:=`, `=>`, `: string = `; an element of XML; the option of a command. */
const SIGN = String.raw`["'\`\\\]*]{0,8}\s{0,3}(?::\s{0,3}[A-Za-z]{1,20}\s{0,3}=(?!=)|:=|=>|:(?!:)|=(?!=))\*{0,2}[ \t]{0,3}`;
const NAMED = new RegExp(`${NAME}${SIGN}|<[\\w:-]{0,40}${NAME}>|(?<=\\s--?[\\w-]{0,40}${NAME}) `, "gi");

const QUOTE = /\\{0,7}["'`]/y;
const MAX_VALUE = 400;
/** Shorter values are words of every text. */
const SHORTEST = 8;

export interface SecretRange {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
}

export function findNamedSecrets(text: string): SecretRange[] {
  const found: SecretRange[] = [];
  for (const name of text.matchAll(NAMED)) {
    const value = readValue(text, name.index + name[0].length);

    const isAssignment = /[A-Z]=$/.test(name[0]);
    if (isSecretValue(text.slice(value.from, value.to), value.isQuoted || isAssignment, text.charAt(value.to)))
      found.push({ from: value.from, to: value.to, kind: "named secret" });
  }
  return found;
}

/** True for the name of a field whose text is a secret: `dbPassword`, `API_KEY`. */
export function isSecretName(name: string): boolean {
  return WHOLE_NAME.test(name);
}
const WHOLE_NAME = new RegExp(`${NAME}$`, "i");

interface Value {
  readonly from: number;
  readonly to: number;
  readonly isQuoted: boolean;
}

function readValue(text: string, at: number): Value {
  QUOTE.lastIndex = at;
  const quote = QUOTE.exec(text)?.[0];
  if (quote === undefined) return { from: at, to: endOfWord(text, at), isQuoted: false };
  const from = at + quote.length;
  const to = endOfQuoted(text, from, quote) ?? endOfWord(text, from);
  return { from, to, isQuoted: true };
}

const WORD = /[^\s"'`,;&<>{}[\]()]{0,400}/y;

function endOfWord(text: string, at: number): number {
  WORD.lastIndex = at;
  WORD.exec(text);
  return WORD.lastIndex;
}

/** Null when the text is cut off before its end, or the value is longer than a password is. */
function endOfQuoted(text: string, from: number, quote: string): number | null {
  const sign = quote.at(-1) ?? "";
  const limit = Math.min(text.length, from + MAX_VALUE);
  for (let at = from; at < limit; at++) {
    const letter = text.charAt(at);
    if (letter === "\n") return null;
    if (quote.length > 1 ? text.startsWith(quote, at) : letter === sign) return at;
    if (letter === "\\" && quote.length === 1) at++;
  }
  return null;
}

/** `next` is what follows the value: a call is code. */
export function isSecretValue(value: string, isLiteral: boolean, next: string): boolean {
  if (value.length < SHORTEST || NO_SECRET.test(value)) return false;
  if (isLiteral) return !/\s/.test(value) && !isName(value);
  if (next === "(" || next === "[" || next === "{") return false;
  if (/\d/.test(value) && /[A-Za-z]/.test(value)) return !isCodePath(value);
  return !isWords(value);
}

/** Numbers, what is masked already, places where a secret will be put in, and repeated signs such as `********`. */
const NO_SECRET =
  /^(?:-?\d[\d.eE+_-]*|\(redacted .*|[$%@<*!&#].*|(.)\1*|.*\$\{.*|.*\{\{.*|.*%[a-z]\b.*|https?:\/\/.*|\.{1,2}\/.*)$|^(?:string|required|optional|undefined|disabled|enabled|passwords?|validated|expired|invalid|missing|redacted|unknown|function|boolean|Promise|credentials?)\b/is;

/** A literal that names something: a variable of the environment, a file, a dotted key. */
function isName(value: string): boolean {
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value)) return true;
  return /[./:]/.test(value) && isWords(value);
}

/** `config.auth2.token`, `src/auth/v2/token.ts`. */
function isCodePath(value: string): boolean {
  return /^[A-Za-z_]\w{0,30}(?:[./:?!]{1,2}[A-Za-z_]\w{0,30}){1,12}$/.test(value) && isWords(value);
}

/** Words as people write them, also joined as names in code: `hashedPassword`, `req.headers.authorization`. */
function isWords(value: string): boolean {
  const parts = value.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).filter((part) => part !== "");
  const digits = value.replaceAll(/\D/g, "").length;
  const letters = parts.filter((part) => part.length === 1).length;
  return digits <= 3 && letters * 4 <= parts.length && parts.length > 0 && parts.every(isWord);
}

function isWord(part: string): boolean {
  return part.length === 1 || /^[A-Z]{2,5}$/.test(part) || (/^[A-Za-z][a-z]+$/.test(part) && /[aeiouy]/i.test(part));
}
