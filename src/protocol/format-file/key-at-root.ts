import type { SyntaxName } from "../dialect.ts";
import { findRootKey } from "../recognise.ts";
import { isKeyEnd } from "../syntax/json.ts";

/** Whether a text, parsable or not, has a key in its outermost record. */
export function hasKeyAtRoot(text: string, key: string, syntax: SyntaxName): boolean {
  if (syntax === "json" || /^\s*\{/.test(text.slice(0, 200))) {
    const quoted = JSON.stringify(key);
    return findRootKey(text, (at, end) => end - at === quoted.length && text.startsWith(quoted, at)) !== null;
  }
  return syntax === "yaml" && hasRootLineOf(text, key);
}

/** The keys of the outermost record of a text, parsable or not, as far as they can be seen. */
export function keysAtRoot(text: string, syntax: SyntaxName): string[] {
  const keys: string[] = [];
  if (syntax === "json" || /^\s*\{/.test(text.slice(0, 200)))
    findRootKey(text, (at, end) => {
      if (isKeyEnd(text, end - 1)) keys.push(text.slice(at + 1, end - 1));
      return keys.length >= MAX_KEYS;
    });
  else
    for (const line of rootLines(text)) {
      const found = /^(["']?)([^\s"'#:-][^"':]{0,80})\1[ \t]*:(?:\s|$)/.exec(line)?.[2];
      if (found !== undefined && keys.push(found.trim()) >= MAX_KEYS) break;
    }
  return keys;
}

/** So many keys tell what a record is meant to be. */
const MAX_KEYS = 200;

/** A line at the outermost indentation that begins with the key and a colon. */
function hasRootLineOf(text: string, key: string): boolean {
  const forms = [key, JSON.stringify(key), `'${key}'`];
  for (const line of rootLines(text)) if (forms.some((form) => isKey(line, form))) return true;
  return false;
}

/** The lines at the outermost indentation, without it. */
function* rootLines(text: string): Iterable<string> {
  let indent: string | null = null;
  for (let start = 0; start < text.length;) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, Math.min(end, start + 300));
    const content = line.trimStart();
    if (content !== "" && !/^(?:#|---)/.test(content)) indent ??= line.slice(0, line.length - content.length);
    if (indent !== null && line.startsWith(indent)) yield line.slice(indent.length);
    start = end + 1;
  }
}

function isKey(line: string, form: string): boolean {
  return line.startsWith(form) && /^[ \t]*:(?:\s|$)/.test(line.slice(form.length));
}
