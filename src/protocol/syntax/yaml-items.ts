import type { Limits } from "../limits.ts";

/**
 * Whether a text has more than two dividers for each value that is allowed. Such a text is not even parsed:
 * the parser's own notes on it would need most of the memory.
 */
export function hasTooManyItems(text: string, limits: Limits): boolean {
  return text.length > 2 * limits.nodes && countItems(text) > 2 * limits.nodes;
}

/** Lines, commas, colons and hyphens that may divide values. */
function countItems(text: string): number {
  let items = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === COMMA || code === LINE_FEED) items++;
    else if (code === COLON || code === HYPHEN) items += text.charCodeAt(index + 1) <= SPACE ? 1 : 0;
    else if (code === RETURN) items += text.charCodeAt(index + 1) === LINE_FEED ? 0 : 1;
  }
  return items;
}

const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const COMMA = 44;
const HYPHEN = 45;
const COLON = 58;
