/** A named text format: one place says how it is tested, described, and shown to an editor. */
export interface TextFormat {
  readonly name: string;
  /** Completes the sentence "must be ...". */
  readonly description: string;
  /** ECMAScript pattern for JSON Schema; `accepts` may be stricter. */
  readonly pattern: string;
  readonly example: string;
  /** Sentences rather than a name or a place. */
  readonly prose?: boolean;
  /** A text that has the format is never checked for being a template's leftover. */
  readonly neverTemplate?: boolean;
  /** Of names of agents: what the format puts before a name. */
  readonly agentMark?: "@" | "";
  /** The one test whether a text has the format. It runs on every value of every document, so it must be quick. */
  accepts(text: string): boolean;
}

function format(
  name: string,
  description: string,
  pattern: RegExp,
  example: string,
  accepts: (text: string) => boolean = (text) => pattern.test(text),
): TextFormat {
  return { name, description, pattern: pattern.source, example, accepts };
}

/** A format whose texts can be neither a placeholder in brackets nor a choice of words. */
function literalFormat(...description: Parameters<typeof format>): TextFormat {
  return { ...format(...description), neverTemplate: true };
}

export const timestamp = literalFormat(
  "timestamp",
  "an ISO 8601 timestamp such as 2026-03-09T14:05:00.000Z",
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/,
  "2026-03-09T14:05:00.000Z",
  isCalendarTime,
);

export const utcTimestamp = literalFormat(
  "utc-timestamp",
  "an ISO 8601 timestamp in UTC that ends with Z, such as 2026-03-09T14:05:00Z",
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z$/,
  "2026-03-09T14:05:00Z",
  (text) => text.endsWith("Z") && isCalendarTime(text),
);

export const calendarDate = literalFormat(
  "date",
  "a date such as 2026-03-09",
  /^\d{4}-\d{2}-\d{2}$/,
  "2026-03-09",
  (text) => text.length === 10 && isCalendarTime(`${text}T00:00`),
);

export const relativePath = format(
  "relative-path",
  "a path relative to the project root, without `..`",
  /^(?![/\\~-])(?![A-Za-z]:)(?!(?:[\s\S]*[/\\])?\.\.(?:[/\\]|$))(?!(?:[\s\S]*[/\\])?\.git(?:[/\\]|$))[^\0]+$/,
  "src/cart/total.ts",
  isRelativePath,
);

export const fileLine = literalFormat(
  "file-line",
  "a place written `file:line`",
  /^(?!\s)[^\0\n]*[^\s:]:[1-9]\d{0,8}(?:[-:][1-9]\d{0,8})?$/,
  "src/cart/total.ts:42",
  isFileLine,
);

export const lineRange = literalFormat(
  "line-range",
  "a line range written `N-M`, or `all`",
  /^(?:all|[1-9]\d{0,8}-[1-9]\d{0,8})$/,
  "1-80",
  isLineRange,
);

export const verifiedRange = literalFormat(
  "verified-range",
  "a place written `path:start-end`",
  /^[^\0\n]*[^\s:]:[1-9]\d{0,8}-[1-9]\d{0,8}$/,
  "src/api/orders.ts:10-48",
  isVerifiedRange,
);

export const tag = literalFormat(
  "tag",
  "lower-case words joined by hyphens",
  /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
  "price-rules",
);

/** Any text is a name, but for a template's choice of names. */
export const agentName: TextFormat = {
  ...format("agent-name", "the name of one agent", /\S/, "BackendBuilder", isFilled),
  agentMark: "",
};

export const atName: TextFormat = {
  ...format("at-name", "an agent name that starts with @", /^@/, "@checkout-agent"),
  agentMark: "@",
};

export const atNameOrNone: TextFormat = {
  ...format("at-name-or-none", 'an agent name that starts with @, or "None"', /^(?:@|None$)/, "@checkout-agent"),
  agentMark: "@",
};

export const kebabName: TextFormat = {
  ...literalFormat(
    "kebab-name",
    "an agent name in lower case with hyphens, such as reviewer-agent",
    /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
    "reviewer-agent",
  ),
  agentMark: "",
};

export const integerText = literalFormat("integer", "a whole number", /^\d{1,15}$/, "42");
export const percentText = literalFormat("percent", "a percentage such as 96%", /^\d{1,3}(?:\.\d{1,4})?%$/, "96%");
export const booleanText = literalFormat("boolean", "true or false", /^(?:true|false)$/, "true");
export const oneLine: TextFormat = {
  ...format("one-line", "one line of text", /^[^\r\n]+$/, "Adds gift cards to the checkout"),
  prose: true,
};
export const webAddress = literalFormat(
  "web-address",
  "an http or https address",
  /^https?:\/\/[^\s/]\S*$/,
  "https://git.example/shop/issues/7",
);
export const word = format("word", "one word without spaces", /^\S+$/, "4f2a9c1");

/** Each part in its range; whether the month has the day is looked up for the days that not every month has. */
const TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/;

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isCalendarTime(text: string): boolean {
  if (!TIME.test(text)) return false;
  const day = Number(text.slice(8, 10));
  if (day < 29) return true;
  const month = Number(text.slice(5, 7));
  return day <= (DAYS[month - 1] ?? 0) && (month !== 2 || isLeapYear(Number(text.slice(0, 4))));
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function isLineRange(text: string): boolean {
  if (text === "all") return true;
  const [, from, to] = /^([1-9]\d{0,8})-([1-9]\d{0,8})$/.exec(text) ?? [];
  return Number(from) <= Number(to);
}

function isFilled(text: string): boolean {
  return text.trim() !== "";
}

// The following accept what their patterns do. They are written out because every list of places is full of them.

function isFileLine(text: string): boolean {
  const last = numberStart(text, text.length);
  if (isSpace(text.charCodeAt(0))) return false;
  return (
    endsPlace(text, last) || (text.charCodeAt(last - 1) === HYPHEN && endsPlace(text, numberStart(text, last - 1)))
  );
}

function isVerifiedRange(text: string): boolean {
  const last = numberStart(text, text.length);
  return text.charCodeAt(last - 1) === HYPHEN && endsPlace(text, numberStart(text, last - 1));
}

/** Where the number that ends here begins; 0 when there is none, or one that is no line number. */
function numberStart(text: string, end: number): number {
  let start = end;
  while (isDigit(text.charCodeAt(start - 1))) start--;
  return start === end || end - start > 9 || text.charCodeAt(start) === DIGIT_ZERO ? 0 : start;
}

/** Whether a path and a colon stand before this offset. */
function endsPlace(text: string, at: number): boolean {
  const last = text.charCodeAt(at - 2);
  if (at < 2 || text.charCodeAt(at - 1) !== COLON || last === COLON || isSpace(last)) return false;
  const zero = text.indexOf("\0");
  return (zero === -1 || zero >= at - 2) && !text.includes("\n");
}

function isSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return /\s/.test(String.fromCharCode(code));
}

function isDigit(code: number): boolean {
  return code >= DIGIT_ZERO && code <= 0x39;
}

function isRelativePath(text: string): boolean {
  const first = text.charCodeAt(0);
  if (text === "" || first === SLASH || first === BACKSLASH || first === TILDE || first === HYPHEN) return false;
  if (text.charCodeAt(1) === COLON && isLetter(first)) return false;
  return !text.includes("\0") && !(mayHoldForbiddenSegment(text) && FORBIDDEN_SEGMENT.test(text));
}

/** Whether a dot is followed by a second one or by a `g`: few paths have one. */
function mayHoldForbiddenSegment(text: string): boolean {
  for (let dot = text.indexOf("."); dot !== -1; dot = text.indexOf(".", dot + 1)) {
    const next = text.charCodeAt(dot + 1);
    if (next === DOT || next === SMALL_G) return true;
  }
  return false;
}

const FORBIDDEN_SEGMENT = /(?:^|[/\\])\.(?:\.|git)(?:[/\\]|$)/;

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

const HYPHEN = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;
const DIGIT_ZERO = 0x30;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const SMALL_G = 0x67;
const TILDE = 0x7e;
