/** Whether a YAML text, parsed or not, has a line at its outermost indentation that begins like this. */
export function hasRootLine(text: string, pattern: RegExp): boolean {
  const indent = rootIndent(text);
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

/** Indentation of the first line that is neither blank nor a comment nor a document marker. */
function rootIndent(text: string): string {
  for (let start = 0; start < text.length;) {
    let first = start;
    while (text[first] === " " || text[first] === "\t") first++;
    const sign = text[first] ?? "\n";
    const counts = sign !== "\n" && sign !== "\r" && sign !== "#" && !text.startsWith("---", first);
    if (counts) return text.slice(start, first);
    const found = sign === "\n" ? first : text.indexOf("\n", first);
    if (found === -1) return "";
    start = found + 1;
  }
  return "";
}

/** Keys begin with a letter, and most lines of a hostile text with something else. */
function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
