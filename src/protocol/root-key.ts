/**
 * Whether a YAML text, parsed or not, has a line at its outermost indentation that begins like this. In
 * braces (`{outcome: completed, …}`) it is the first key that tells.
 */
export function hasRootLine(text: string, pattern: RegExp): boolean {
  const { indent, first } = rootLine(text);
  if (text[first] === "{") return pattern.test(firstFlowKey(text, first));
  for (let start = 0; start < text.length;) {
    const found = text.indexOf("\n", start);
    const at = start + indent.length;
    if (isLetter(text.charCodeAt(at)) && text.startsWith(indent, start) && pattern.test(text.slice(at, at + 40)))
      return true;
    if (found === -1) return false;
    start = found + 1;
  }
  return false;
}

/** The first line that is neither blank nor a comment nor a document marker: its indentation, and where it begins. */
function rootLine(text: string): { readonly indent: string; readonly first: number } {
  for (let start = 0; start < text.length;) {
    let first = start;
    while (text[first] === " " || text[first] === "\t") first++;
    const sign = text[first] ?? "\n";
    const counts = sign !== "\n" && sign !== "\r" && sign !== "#" && !text.startsWith("---", first);
    if (counts) return { indent: text.slice(start, first), first };
    const found = sign === "\n" ? first : text.indexOf("\n", first);
    if (found === -1) break;
    start = found + 1;
  }
  return { indent: "", first: text.length };
}

/** With its colon and without quotes; empty when there is none. */
function firstFlowKey(text: string, brace: number): string {
  const key = /^\{\s*["']?(\w+)["']?\s*:/.exec(text.slice(brace, brace + 200))?.[1];
  return key === undefined ? "" : `${key}:`;
}

/** Keys begin with a letter, and most lines of a hostile text with something else. */
function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
