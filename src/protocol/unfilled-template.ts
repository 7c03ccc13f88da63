import type { TextFormat } from "./format.ts";
import type { TextShape } from "./shape.ts";

/** Stands where a migrated note does not state what the format demands. It is a placeholder like any other. */
export const GAP = "<not stated>";

/**
 * Agents copy a format's template and forget to fill it in. A value that lists its choices
 * (`a|b`, `[a | b]`) or is a placeholder in brackets is such a leftover, never an answer.
 */
export function isUnfilledText(text: string): boolean {
  switch (text.charCodeAt(0)) {
    case OPEN_SQUARE:
    case OPEN_CURLY:
    case LESS_THAN:
      return isInBrackets(text, text.charCodeAt(0));
    case CAPITAL_I:
    case CAPITAL_Y:
    case SMALL_F:
    case SMALL_S:
      return DESCRIPTION.test(text);
    case DIGIT_TWO:
      return /^20(?:XX|YY|\d\dX)-/.test(text);
    default:
      return false;
  }
}

/** What templates write in the place of a value, to say what it is. */
const DESCRIPTION =
  /^(?:ISO[ -]?8601(?:[ -](?:timestamp|date|datetime|format))?|YYYY-MM-DD.{0,30}|file:line(?:-line)?|file\.\w{1,5}:line|string)$/;

function isInBrackets(text: string, first: number): boolean {
  if (first === OPEN_SQUARE) return /^\[[^[\]]{0,80}\]%?$/.test(text);
  if (first === OPEN_CURLY) return /^\{\{?[^{}"]{1,80}\}?\}$/.test(text);
  return /^<[A-Za-z][\w .|-]{0,60}>$/.test(text);
}

/** `high | medium | low`: two or more bare words divided by bars, which is how templates name choices. */
export function listsChoices(text: string): boolean {
  if (!text.includes("|") || text.length > MAX_CHOICES) return false;
  const choices = text.replace(/^\[/, "").replace(/\]$/, "").split("|");
  return choices.every((choice) => /^["']?[A-Za-z@][\w@./ -]{0,59}["']?$/.test(choice.trim()));
}

/** A template's text can have the right form, as `@agent | None` has; in prose a bar is just a bar. */
export function isTemplate(text: string, format: TextFormat): boolean {
  return isUnfilledText(text) || (format.prose !== true && listsChoices(text));
}

/** Whether a text has its format and is not a leftover of the template. */
export function fits(text: string | undefined, format: TextFormat): text is string {
  return text !== undefined && format.accepts(text) && (format.neverTemplate === true || !isTemplate(text, format));
}

/** A text that was left over where a number, true or false, a list or a record belongs. */
export function isLeftOver(text: string): boolean {
  const isQuotedList = /^\[\s*\]|,/.test(text);
  return (isUnfilledText(text) && !isQuotedList) || listsChoices(text);
}

/**
 * A list that was left over where one value belongs, as it was written; null for any other value. Texts that
 * the shape takes are a list in the wrong place, and no placeholder.
 */
export function leftOverList(value: unknown, { oneOf, format }: Omit<TextShape, "kind"> = {}): string | null {
  if (!isUnfilledList(value)) return null;
  const [first] = value;
  const isRight =
    (value.length === 1 && first !== undefined && oneOf?.includes(first) === true) ||
    (format !== undefined && value.every((text) => fits(text, format) && !BARE_WORDS.test(text)));
  return isRight ? null : `[${value.join(", ")}]`;
}

/** What a placeholder says: `[path]` would do for a path. */
const BARE_WORDS = /^[a-z ]+$/;

/** YAML reads `[path]` as a list of one text. */
function isUnfilledList(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length < 8 &&
    value.every((item) => typeof item === "string" && item.length < 80)
  );
}

const MAX_CHOICES = 1000;
const DIGIT_TWO = 50;
const CAPITAL_I = 73;
const CAPITAL_Y = 89;
const SMALL_F = 102;
const SMALL_S = 115;
const OPEN_SQUARE = 91;
const OPEN_CURLY = 123;
const LESS_THAN = 60;
