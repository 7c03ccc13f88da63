import type { JsonRecord, JsonValue } from "../../shared/json-value.ts";
import type { Limits } from "../limits.ts";
import { END, Lines, skipSpaces } from "./plain-yaml-lines.ts";
import { WrittenNumber, readPlainNumber } from "./written-number.ts";

/**
 * A fast parser for YAML as agents write it: records with plain keys, lists, values (plain and quoted, also
 * when they go on in the next lines, `[a, b]`, `{a: b}`), `|` and `>` texts, comments. It returns null at
 * the first thing outside this subset: several documents, tabs, anchors, tags, quoted keys, brackets over
 * several lines, keys written twice. `parseYaml` then asks js-yaml, which would have made the same record of
 * everything that is accepted here; a differential test checks that. `metNumber` is called when the record holds a
 * `WrittenNumber`.
 */
export function parsePlainYaml(text: string, limits: Limits, metNumber: () => void = ignore): JsonRecord | null {
  if (UNUSUAL.test(text)) return null;
  const lines = new Lines(text);
  const record = lines.indent === 0 ? readRecord(lines, 0, limits.depth) : null;
  if (lines.hasWrittenNumbers) metNumber();
  return lines.indent === END ? record : null;
}

function ignore(): void {}

/** Tabs, carriage returns, and characters that YAML forbids, takes for line breaks, or that come in pairs. */
const UNUSUAL = /[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

/** All readers stand on a line, read a value of that indentation, and stop on the first line after it. */
function readRecord(lines: Lines, indent: number, depthLeft: number): JsonRecord | null {
  if (depthLeft <= 0) return null;
  const { text } = lines;
  const record: JsonRecord = {};
  while (lines.indent === indent) {
    const colon = keyEnd(text, lines.first, lines.end);
    if (colon === -1) return null;
    const key = text.slice(lines.first, colon);
    if (UNUSUAL_KEY.test(key) || Object.hasOwn(record, key)) return null;
    const value = readField(lines, skipSpaces(text, colon + 1, lines.end), indent, depthLeft);
    if (value === undefined) return null;
    record[key] = value;
  }
  return lines.indent > indent ? null : record;
}

/** Keys that YAML takes for other values than text, and the one that would change what the record is. */
const UNUSUAL_KEY = /^(?:null|Null|NULL|true|True|TRUE|false|False|FALSE|__proto__)$/;

/** The colon after a key of letters, digits, `_` and `-` that ends its line or has a space behind it; -1 without one. */
function keyEnd(text: string, first: number, end: number): number {
  if (!isLetter(text.charCodeAt(first))) return -1;
  let at = first + 1;
  while (isKeyPart(text.charCodeAt(at))) at++;
  const isEnd = text.charCodeAt(at) === COLON && (at + 1 === end || text.charCodeAt(at + 1) === SPACE);
  return isEnd ? at : -1;
}

/** Undefined to give up: null is a value. */
function readField(lines: Lines, first: number, indent: number, depthLeft: number): JsonValue | undefined {
  if (first < lines.end) {
    const code = lines.text.charCodeAt(first);
    if (code === BAR || code === GREATER) return readBlockText(lines, first, indent);
    if (code !== HASH) return readLine(lines, first, indent, depthLeft);
  }
  lines.advance();
  if (lines.indent > indent) {
    const inner = lines.indent;
    return (
      (isItem(lines) ? readList(lines, inner, depthLeft - 1) : readRecord(lines, inner, depthLeft - 1)) ?? undefined
    );
  }
  if (lines.indent === indent && isItem(lines)) return readList(lines, indent, depthLeft - 1) ?? undefined;
  return null;
}

function isItem({ text, first }: Lines): boolean {
  return text.charCodeAt(first) === HYPHEN && text.charCodeAt(first + 1) === SPACE;
}

function readList(lines: Lines, indent: number, depthLeft: number): JsonValue[] | null {
  if (depthLeft <= 0) return null;
  const { text } = lines;
  const items: JsonValue[] = [];
  while (lines.indent === indent && isItem(lines)) {
    const first = skipSpaces(text, lines.first + 1, lines.end);
    let item: JsonValue | undefined;
    if (keyEnd(text, first, lines.end) === -1) item = readLine(lines, first, indent, depthLeft);
    else {
      lines.enterItem(first);
      item = readRecord(lines, lines.indent, depthLeft - 1) ?? undefined;
    }
    if (item === undefined) return null;
    items.push(item);
  }
  return lines.indent > indent ? null : items;
}

/** A value that begins on this line. What is indented below a plain text goes on with it. */
function readLine(lines: Lines, first: number, indent: number, depthLeft: number): JsonValue | undefined {
  const { text, end } = lines;
  const value = readInline(lines, first, depthLeft);
  if (value === undefined) return readWrappedQuote(lines, first, indent);
  lines.advance();
  if (lines.indent <= indent) return value;
  return INDICATORS.has(text.charCodeAt(first)) ? undefined : readWrappedPlain(lines, first, end, indent);
}

/** A plain text over several lines, of which the first ended here. Blank lines and comments are not for us. */
function readWrappedPlain(lines: Lines, first: number, firstEnd: number, indent: number): string | undefined {
  const { text } = lines;
  let joined = withoutSpaces(text.slice(first, firstEnd));
  if (joined.includes(" #")) return undefined;
  for (let end = firstEnd; lines.indent > indent; lines.advance()) {
    const line = withoutSpaces(text.slice(lines.first, lines.end));
    if (lines.start !== end + 1 || !mayBeginPlain(text, lines.first) || UNUSUAL_IN_PLAIN.test(line)) return undefined;
    joined += ` ${line}`;
    end = lines.end;
  }
  return joined;
}

const UNUSUAL_IN_PLAIN = /:(?: |$)| #/;

/** A text in quotes that is closed on a later line. */
function readWrappedQuote(lines: Lines, first: number, indent: number): string | undefined {
  const { text } = lines;
  const quote = text.charCodeAt(first);
  if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) return undefined;
  if (quoteEnd(text, first, lines.end, quote) <= lines.end) return undefined;
  let joined = withoutSpaces(text.slice(first, lines.end));
  // A backslash there would take the line break away.
  while (!joined.endsWith("\\") && lines.step() && lines.first < lines.end && lines.indent > indent) {
    const close = quoteEnd(text, lines.first - 1, lines.end, quote);
    if (close <= lines.end) {
      if (!isBlank(text, close, lines.end)) return undefined;
      joined += ` ${text.slice(lines.first, close)}`;
      lines.advance();
      return lines.indent > indent ? undefined : readQuoted(joined, 0, joined.length, quote);
    }
    joined += ` ${withoutSpaces(text.slice(lines.first, lines.end))}`;
  }
  return undefined;
}

/** Only those: what else looks like space is text. */
function withoutSpaces(text: string): string {
  let end = text.length;
  while (text.charCodeAt(end - 1) === SPACE) end--;
  return end === text.length ? text : text.slice(0, end);
}

function readInline(lines: Lines, first: number, depthLeft: number): JsonValue | undefined {
  const { text, end } = lines;
  const code = text.charCodeAt(first);
  if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
    const close = quoteEnd(text, first, end, code);
    return isBlank(text, close, end) ? readQuoted(text, first, close, code) : undefined;
  }
  if (code === OPEN_BRACKET || code === OPEN_BRACE) {
    const flow = { lines, text, at: first, end };
    const value = readFlow(flow, depthLeft);
    return isBlank(text, flow.at, end) ? value : undefined;
  }
  return mayBeginPlain(text, first) ? readPlain(lines, first, commentStart(lines, first)) : undefined;
}

/** Just after the closing quote on the same line, or beyond the line without one. */
function quoteEnd(text: string, first: number, end: number, quote: number): number {
  for (let at = first + 1; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      if (quote === DOUBLE_QUOTE || text.charCodeAt(at + 1) !== SINGLE_QUOTE) return at + 1;
      at++;
    } else if (code === BACKSLASH && quote === DOUBLE_QUOTE) at++;
  }
  return end + 1;
}

function readQuoted(text: string, first: number, close: number, quote: number): string | undefined {
  const inner = text.slice(first + 1, close - 1);
  if (quote === SINGLE_QUOTE) return inner.includes("'") ? inner.replaceAll("''", "'") : inner;
  return inner.includes("\\") ? unescaped(text.slice(first, close)) : inner;
}

/** JSON has fewer escapes than YAML and means the same by them. */
function unescaped(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

/** How far `[a, b]` or `{a: b}` was read; all of it stands on one line. */
interface Flow {
  readonly lines: Lines;
  readonly text: string;
  at: number;
  readonly end: number;
}

function readFlow(flow: Flow, depthLeft: number): JsonValue | undefined {
  const { text, at, end } = flow;
  const code = text.charCodeAt(at);
  if (code === OPEN_BRACKET) return depthLeft > 1 ? readFlowList(flow, depthLeft - 1) : undefined;
  if (code === OPEN_BRACE) return depthLeft > 1 ? readFlowRecord(flow, depthLeft - 1) : undefined;
  flow.at = flowItemEnd(text, at, end);
  return flow.at > end ? undefined : readFlowItem(flow.lines, at, flow.at);
}

function readFlowList(flow: Flow, depthLeft: number): JsonValue[] | undefined {
  const items: JsonValue[] = [];
  if (nextInFlow(flow) === CLOSE_BRACKET) return closeFlow(flow, items);
  for (;;) {
    const item = readFlow(flow, depthLeft);
    if (item === undefined) return undefined;
    items.push(item);
    flow.at = skipSpaces(flow.text, flow.at, flow.end);
    const code = flow.text.charCodeAt(flow.at);
    if (code === CLOSE_BRACKET) return closeFlow(flow, items);
    if (code !== COMMA) return undefined;
    nextInFlow(flow);
  }
}

function readFlowRecord(flow: Flow, depthLeft: number): JsonRecord | undefined {
  const { text, end } = flow;
  const record: JsonRecord = {};
  if (nextInFlow(flow) === CLOSE_BRACE) return closeFlow(flow, record);
  for (;;) {
    const colon = keyEnd(text, flow.at, end);
    const key = text.slice(flow.at, colon);
    if (colon === -1 || UNUSUAL_KEY.test(key) || Object.hasOwn(record, key)) return undefined;
    flow.at = skipSpaces(text, colon + 1, end);
    const value = readFlow(flow, depthLeft);
    if (value === undefined) return undefined;
    record[key] = value;
    flow.at = skipSpaces(text, flow.at, end);
    const code = text.charCodeAt(flow.at);
    if (code === CLOSE_BRACE) return closeFlow(flow, record);
    if (code !== COMMA) return undefined;
    nextInFlow(flow);
  }
}

/** Goes past the sign here and the spaces behind it. */
function nextInFlow(flow: Flow): number {
  flow.at = skipSpaces(flow.text, flow.at + 1, flow.end);
  return flow.text.charCodeAt(flow.at);
}

function closeFlow<T>(flow: Flow, value: T): T {
  flow.at++;
  return value;
}

function flowItemEnd(text: string, first: number, end: number): number {
  const code = text.charCodeAt(first);
  if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) return quoteEnd(text, first, end, code);
  let at = first;
  while (at < end && !endsFlowItem(text.charCodeAt(at))) at++;
  return at;
}

function endsFlowItem(code: number): boolean {
  return code === COMMA || code === CLOSE_BRACKET || code === CLOSE_BRACE;
}

function readFlowItem(lines: Lines, first: number, end: number): JsonValue | undefined {
  const { text } = lines;
  const code = text.charCodeAt(first);
  if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) return readQuoted(text, first, end, code);
  if (!mayBeginPlain(text, first) || UNUSUAL_IN_FLOW.test(text.slice(first, end))) return undefined;
  return readPlain(lines, first, end);
}

const UNUSUAL_IN_FLOW = /[[\]{}#]/;

/** Not one of the signs that mean something at the beginning of a value. */
function mayBeginPlain(text: string, first: number): boolean {
  const code = text.charCodeAt(first);
  if (isLetter(code) || isDigit(code)) return true;
  if (code === HYPHEN) return isKeyPart(text.charCodeAt(first + 1)) && text.charCodeAt(first + 1) !== HYPHEN;
  return !INDICATORS.has(code);
}

function readPlain(lines: Lines, first: number, end: number): JsonValue | undefined {
  const plain = withoutSpaces(lines.text.slice(first, end));
  for (let at = plain.indexOf(":"); at !== -1; at = plain.indexOf(":", at + 1)) {
    if (at === plain.length - 1 || plain.charCodeAt(at + 1) === SPACE) return undefined;
  }
  return plain === "" ? undefined : resolve(plain, lines);
}

/** Where a ` #` begins a comment, or the end of the line. */
function commentStart(lines: Lines, first: number): number {
  for (let at = lines.nextHash(first); at < lines.end; at = lines.nextHash(at + 1))
    if (lines.text.charCodeAt(at - 1) === SPACE) return at;
  return lines.end;
}

function resolve(plain: string, lines: Lines): JsonValue {
  const code = plain.charCodeAt(0);
  if (isDigit(code) || code === HYPHEN) return resolveNumber(plain, lines);
  if (plain.length > 5) return plain;
  const value = WORDS.get(plain);
  return value === undefined ? plain : value;
}

function resolveNumber(plain: string, lines: Lines): JsonValue {
  const number = readPlainNumber(plain);
  if (number instanceof WrittenNumber) lines.hasWrittenNumbers = true;
  return number ?? plain;
}

const WORDS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ...["~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);

/** A `|` or `>` text, also with `-`: the lines below that are indented more, without the indentation of the first. */
function readBlockText(lines: Lines, first: number, indent: number): string | undefined {
  const { text } = lines;
  const header = text.slice(first, lines.end);
  if (!BLOCK_HEADERS.has(header) || !text.endsWith("\n") || !lines.step()) return undefined;
  if (lines.indent <= indent || lines.first === lines.end) return undefined;
  const content = readBlockLines(lines);
  const joined = header.startsWith("|") ? content.join("\n") : fold(content);
  return joined === null || lines.indent > indent ? undefined : joined + (header.endsWith("-") ? "" : "\n");
}

/** The lines from this one on that are indented as far, and the blank ones between them. */
function readBlockLines(lines: Lines): string[] {
  const { text, indent } = lines;
  const content: string[] = [];
  do {
    if (lines.first < lines.end && lines.indent < indent) {
      lines.hold();
      break;
    }
    content.push(text.slice(Math.min(lines.start + indent, lines.end), lines.end));
  } while (lines.step());
  while (content.at(-1) === "") content.pop();
  lines.advance();
  return content;
}

const BLOCK_HEADERS: ReadonlySet<string> = new Set(["|", "|-", ">", ">-"]);

/** Lines of one paragraph are joined by spaces. Lines that are indented once more would be kept apart: null. */
function fold(content: readonly string[]): string | null {
  let folded = content[0] ?? "";
  let blanks = 0;
  for (const line of content.slice(1)) {
    if (line === "") blanks++;
    else {
      folded += (blanks === 0 ? " " : "\n".repeat(blanks)) + line;
      blanks = 0;
    }
  }
  return content.some((line) => line.startsWith(" ")) ? null : folded;
}

/** Nothing follows on the line but perhaps a comment. */
function isBlank(text: string, from: number, end: number): boolean {
  const at = skipSpaces(text, from, end);
  return from <= end && (at === end || (at > from && text.charCodeAt(at) === HASH));
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === UNDERSCORE;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isKeyPart(code: number): boolean {
  return isLetter(code) || isDigit(code) || code === HYPHEN;
}

const INDICATORS: ReadonlySet<number> = new Set([..."-?:,[]{}#&*!|>'\"%@` "].map((sign) => sign.charCodeAt(0)));

const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const HASH = 0x23;
const SINGLE_QUOTE = 0x27;
const COMMA = 0x2c;
const HYPHEN = 0x2d;
const COLON = 0x3a;
const GREATER = 0x3e;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const UNDERSCORE = 0x5f;
const OPEN_BRACE = 0x7b;
const BAR = 0x7c;
const CLOSE_BRACE = 0x7d;
