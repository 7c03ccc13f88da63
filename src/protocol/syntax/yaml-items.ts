import type { Limits } from "../limits.ts";

/**
 * Whether a text has more commas than values are allowed, or more than two signs for each of them that may
 * begin or divide values: lines, brackets, commas, colons and hyphens. Such a text is not even parsed: the
 * parser's own notes on it would need most of the memory.
 */
export function hasTooManyItems(text: string, limits: Limits): boolean {
  if (text.length <= limits.nodes) return false;
  let commas = 0;
  let others = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === COMMA) commas++;
    else if (code <= RETURN || code === COLON || code === HYPHEN) others += divides(code, text.charCodeAt(index + 1));
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) others++;
  }
  return commas > limits.nodes || commas + others > 2 * limits.nodes;
}

/** Whether a line ends here, or a colon or hyphen has space behind it. */
function divides(code: number, next: number): number {
  if (code === COLON || code === HYPHEN) return next <= SPACE ? 1 : 0;
  return code === LINE_FEED || (code === RETURN && next !== LINE_FEED) ? 1 : 0;
}

const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const COMMA = 44;
const HYPHEN = 45;
const COLON = 58;
const OPEN_BRACKET = 91;
const OPEN_BRACE = 123;
