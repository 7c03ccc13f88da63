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
  accepts(text: string): boolean;
  /**
   * The short way for how texts of this format nearly always look. Yes means that the text is accepted and
   * is no leftover of a template either; no means nothing.
   */
  isPlain(text: string): boolean;
  /** The same for a text that is known to hold no control character, backslash or bar: there is less to look at. */
  isBarePlain(text: string): boolean;
}

function format(
  name: string,
  description: string,
  pattern: RegExp,
  example: string,
  { plain = NOTHING, bare, also }: ShortWays = {},
): TextFormat {
  const isPlain = (text: string): boolean => plain.test(text);
  return {
    name,
    description,
    pattern: pattern.source,
    example,
    accepts: (text) => pattern.test(text) && (also === undefined || also(text)),
    isPlain,
    isBarePlain: bare ?? isPlain,
  };
}

interface ShortWays {
  readonly plain?: RegExp;
  readonly bare?: (text: string) => boolean;
  readonly also?: (text: string) => boolean;
}

const NOTHING = /(?!)/;

const TIMESTAMP = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/;

/** In UTC, on a day that every month has. */
const PLAIN_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;

export const timestamp = format(
  "timestamp",
  "an ISO 8601 timestamp such as 2026-03-09T14:05:00.000Z",
  TIMESTAMP,
  "2026-03-09T14:05:00.000Z",
  { plain: PLAIN_TIME, also: isCalendarTime },
);

export const utcTimestamp = format(
  "utc-timestamp",
  "an ISO 8601 timestamp in UTC that ends with Z, such as 2026-03-09T14:05:00Z",
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?Z$/,
  "2026-03-09T14:05:00Z",
  { plain: PLAIN_TIME, also: isCalendarTime },
);

export const relativePath = format(
  "relative-path",
  "a path relative to the project root, without `..`",
  /^(?![/\\~-])(?![A-Za-z]:)(?!(?:[\s\S]*[/\\])?\.\.(?:[/\\]|$))(?!(?:[\s\S]*[/\\])?\.git(?:[/\\]|$))[^\0]+$/,
  "src/cart/total.ts",
  { plain: /^(?:\.(?=[a-fh-z]))?\w[\w-]*(?:[./][\w-]+)*$/, bare: isBarePath },
);

export const fileLine = format(
  "file-line",
  "a place written `file:line`",
  /^(?!\s)[^\0\n]*[^\s:]:[1-9]\d{0,8}(?:[-:][1-9]\d{0,8})?$/,
  "src/cart/total.ts:42",
  {
    plain: /^[\w.][^\0\n:|]*[^\s:|]:[1-9]\d{0,8}$/,
    bare: (text) => followsPlace(text, numberStart(text, text.length)),
  },
);

export const lineRange = format(
  "line-range",
  "a line range written `N-M`, or `all`",
  /^(?:all|[1-9]\d{0,8}-[1-9]\d{0,8})$/,
  "1-80",
  { plain: /^all$/, also: isOrderedRange },
);

export const verifiedRange = format(
  "verified-range",
  "a place written `path:start-end`",
  /^[^\0\n]*[^\s:]:[1-9]\d{0,8}-[1-9]\d{0,8}$/,
  "src/api/orders.ts:10-48",
  { plain: /^[\w.][^\0\n:|]*[^\s:|]:[1-9]\d{0,8}-[1-9]\d{0,8}$/, bare: isBareRange },
);

const WORDS = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const tag = format("tag", "lower-case words joined by hyphens", WORDS, "price-rules", { plain: WORDS });

/** Any text is a name, but for a template's choice of names. */
export const agentName = format("agent-name", "the name of one agent", /\S/, "BackendBuilder", { plain: /^\w[\w-]*$/ });

export const atName = format("at-name", "an agent name that starts with @", /^@/, "@checkout-agent", {
  plain: /^@[\w-]+$/,
});

export const atNameOrNone = format(
  "at-name-or-none",
  'an agent name that starts with @, or "None"',
  /^(?:@|None$)/,
  "@checkout-agent",
  { plain: /^@[\w-]+$/ },
);

const KEBAB = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

export const kebabName = format(
  "kebab-name",
  "an agent name in lower case with hyphens, such as reviewer-agent",
  KEBAB,
  "reviewer-agent",
  { plain: KEBAB },
);

const INTEGER = /^\d{1,15}$/;

export const integerText = format("integer", "a whole number", INTEGER, "42", { plain: INTEGER });
export const percentText = format("percent", "a percentage such as 96%", /^\d{1,3}(?:\.\d{1,4})?%$/, "96%");
export const booleanText = format("boolean", "true or false", /^(?:true|false)$/, "true");
export const oneLine: TextFormat = {
  ...format("one-line", "one line of text", /^[^\r\n]+$/, "Adds gift cards to the checkout", {
    plain: /^\w[^\r\n]*$/,
  }),
  prose: true,
};
export const webAddress = format(
  "web-address",
  "an http or https address",
  /^https?:\/\/[^\s/]\S*$/,
  "https://git.example/shop/issues/7",
  { plain: /^https:\/\/[\w.-]+(?:\/[\w.-]+)*$/ },
);
export const word = format("word", "one word without spaces", /^\S+$/, "4f2a9c1", { plain: /^\w+$/ });

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isCalendarTime(text: string): boolean {
  const [, year, month, day, hour, minute, second] = TIMESTAMP.exec(text) ?? [];
  const days = DAYS[Number(month) - 1];
  if (days === undefined || Number(day) < 1 || Number(day) > days) return false;
  if (Number(month) === 2 && Number(day) === 29 && !isLeapYear(Number(year))) return false;
  return Number(hour) < 24 && Number(minute) < 60 && Number(second ?? 0) < 61 && OFFSET.test(text);
}

/** No zone is further than a day from UTC. */
const OFFSET = /(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d|T[\d:.]+)$/;

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function isOrderedRange(text: string): boolean {
  if (text === "all") return true;
  const [from, to] = text.split("-");
  return Number(from) <= Number(to);
}

/** No dot is followed by another or by a `g`, so there is neither `..` nor `.git`. */
function isBarePath(text: string): boolean {
  if (!isWordOrDot(text.charCodeAt(0)) || text.charCodeAt(1) === COLON) return false;
  for (let dot = text.indexOf("."); dot !== -1; dot = text.indexOf(".", dot + 1)) {
    const next = text.charCodeAt(dot + 1);
    if (next === DOT || next === SMALL_G) return false;
  }
  return true;
}

function isBareRange(text: string): boolean {
  const to = numberStart(text, text.length);
  return text.charCodeAt(to - 1) === HYPHEN && followsPlace(text, numberStart(text, to - 1));
}

/** Where the number begins that ends here; 0, where none can, when there is no number or a longer one. */
function numberStart(text: string, end: number): number {
  let start = end;
  while (isDigit(text.charCodeAt(start - 1))) start--;
  return start === end || end - start > 9 || text.charCodeAt(start) === DIGIT_ZERO ? 0 : start;
}

/** Whether a place and a colon stand before this offset. */
function followsPlace(text: string, at: number): boolean {
  if (text.charCodeAt(at - 1) !== COLON || !isWordOrDot(text.charCodeAt(0))) return false;
  const last = text.charCodeAt(at - 2);
  return last > SPACE && last < DELETE && last !== COLON;
}

function isWordOrDot(code: number): boolean {
  return (
    (code >= SMALL_A && code <= SMALL_Z) ||
    code === DOT ||
    (code >= 0x41 && code <= 0x5a) ||
    isDigit(code) ||
    code === 0x5f
  );
}

function isDigit(code: number): boolean {
  return code >= DIGIT_ZERO && code <= DIGIT_NINE;
}

const SPACE = 0x20;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const DIGIT_ZERO = 0x30;
const DIGIT_NINE = 0x39;
const COLON = 0x3a;
const SMALL_A = 0x61;
const SMALL_G = 0x67;
const SMALL_Z = 0x7a;
const DELETE = 0x7f;
