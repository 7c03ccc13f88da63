/** Just after the tag, comment, CDATA section or instruction that begins here. */
export function markupEnd(text: string, start: number): number {
  if (text.startsWith("<!--", start)) return after(text, "-->", start + 4);
  if (text.startsWith("<![CDATA[", start)) return after(text, "]]>", start + 9);
  if (text.startsWith("<?", start)) return after(text, "?>", start + 2);
  let quote = 0;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) quote = 0;
    else if (quote === 0 && (code === DOUBLE_QUOTE || code === SINGLE_QUOTE)) quote = code;
    else if (quote === 0 && code === GREATER_THAN) return at + 1;
  }
  return text.length;
}

function after(text: string, sign: string, from: number): number {
  const found = text.indexOf(sign, from);
  return found === -1 ? text.length : found + sign.length;
}

/** The name of the element whose tag has it here. */
export function nameAt(text: string, start: number): string {
  let end = start;
  while (end < text.length && !ENDS_NAME.has(text.charCodeAt(end))) end++;
  return text.slice(start, end);
}

const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;
const GREATER_THAN = 62;
/** Tab, line feed, carriage return, space, slash, greater-than. */
const ENDS_NAME = new Set([9, 10, 13, 32, 47, GREATER_THAN]);
