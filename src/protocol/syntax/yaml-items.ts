import type { Limits } from "../limits.ts";

/**
 * Whether a text has more commas than values are allowed, or more than two signs for each of them that may
 * begin or divide values: lines, brackets, commas, colons and hyphens. Such a text is not even parsed: the
 * parser's own notes on it would need most of the memory.
 */
// oxlint-disable-next-line complexity -- a scanner: one branch for each sign it meets
export function hasTooManyItems(text: string, limits: Limits): boolean {
  if (text.length <= limits.nodes) return false;
  let commas = 0;
  let others = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === COMMA) commas++;
    else if (code === LINE_FEED || code === OPEN_BRACKET || code === OPEN_BRACE) others++;
    else if (code === COLON || code === HYPHEN) others += text.charCodeAt(index + 1) <= SPACE ? 1 : 0;
    else if (code === RETURN) others += text.charCodeAt(index + 1) === LINE_FEED ? 0 : 1;
  }
  return commas > limits.nodes || commas + others > 2 * limits.nodes;
}

const LINE_FEED = 10;
const RETURN = 13;
const SPACE = 32;
const COMMA = 44;
const HYPHEN = 45;
const COLON = 58;
const OPEN_BRACKET = 91;
const OPEN_BRACE = 123;
