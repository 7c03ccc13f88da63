import type { TextFormat } from "./format.ts";

/**
 * Agents copy a format's template and forget to fill it in. A value that lists its choices
 * (`a|b`, `[a | b]`) or is a placeholder in brackets is such a leftover, never an answer.
 */
export function isUnfilledText(text: string): boolean {
  const first = text.charCodeAt(0);
  return (first === OPEN_SQUARE || first === OPEN_CURLY || first === LESS_THAN) && isPlaceholder(text, first);
}

function isPlaceholder(text: string, first: number): boolean {
  if (first === OPEN_SQUARE) return /^\[[^[\]]{0,80}\]%?$/.test(text);
  if (first === OPEN_CURLY) return /^\{\{?[^{}"]{1,80}\}?\}$/.test(text);
  return /^<[A-Za-z][\w .|-]{0,60}>$/.test(text);
}

/** `high | medium | low`: two or more bare words divided by bars, which is how templates name choices. */
export function listsChoices(text: string): boolean {
  if (!text.includes("|") || text.length > LONGEST_CHOICES) return false;
  const choices = text.replace(/^\[/, "").replace(/\]$/, "").split("|");
  return choices.every((choice) => /^["']?[A-Za-z@][\w@./ -]{0,59}["']?$/.test(choice.trim()));
}

/** A template's text can have the right form, as `@agent | None` has; in prose a bar is just a bar. */
export function isTemplate(text: string, format: TextFormat): boolean {
  return isUnfilledText(text) || (format.prose !== true && listsChoices(text));
}

/** Whether a text has its format and is not a leftover of the template. */
export function fits(text: string | undefined, format: TextFormat): text is string {
  return text !== undefined && (format.isPlain(text) || (format.accepts(text) && !isTemplate(text, format)));
}

/** YAML reads `[path]` as a list of one text; where a text belongs, that is a placeholder too. */
export function isUnfilledList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length < 8 &&
    value.every((item) => typeof item === "string" && item.length < 80)
  );
}

const LONGEST_CHOICES = 1000;
const OPEN_SQUARE = 91;
const OPEN_CURLY = 123;
const LESS_THAN = 60;
