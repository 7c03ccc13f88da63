/** Whether a YAML text, parsed or not, has a line at its outermost indentation that begins like this. */
export function hasRootLine(text: string, pattern: RegExp): boolean {
  const indent = rootIndent(text);
  for (let start = 0; start < text.length;) {
    const found = text.indexOf("\n", start);
    const at = start + indent.length;
    if (text.startsWith(indent, start) && pattern.test(text.slice(at, at + 40))) return true;
    if (found === -1) return false;
    start = found + 1;
  }
  return false;
}

/** Indentation of the first line that is neither blank nor a comment nor a document marker. */
function rootIndent(text: string): string {
  return /^(?:[ \t]*(?:#[^\n]*|---[^\n]*)?\r?\n)*([ \t]*)/.exec(text)?.[1] ?? "";
}
