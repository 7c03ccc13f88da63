import { findRootKey } from "./recognise.ts";

/** What a text without a handoff of its own is, when it speaks of handoffs: these are counted and listed in a scan. */
export type DocumentKind = "prompt" | "schema" | "template" | "samples" | "notes" | "comment";

/** Whether a text is the prompt of an agent or a skill: it begins with front matter that has a name and a description. */
export function isPrompt(text: string): boolean {
  if (!/^\uFEFF?---[ \t]*\r?\n/.test(text.slice(0, 20))) return false;
  const start = text.indexOf("\n") + 1;
  const closing = /^(?:---|\.\.\.)[ \t]*\r?$/gm;
  closing.lastIndex = start;
  const end = closing.exec(text)?.index;
  if (end === undefined) return false;
  const matter = text.slice(start, end);
  return /^name[ \t]*:/m.test(matter) && /^description[ \t]*:/m.test(matter);
}

/** Whether a text describes what a document looks like, as JSON Schema does, instead of being one; it need not parse. */
export function isSchema(text: string): boolean {
  if (!text.includes("properties") && !text.includes(SCHEMA_ADDRESS)) return false;
  if (hasRootKey(text, '"properties"')) return hasRootKey(text, '"type"') || hasRootKey(text, '"$schema"');
  if (text.includes(SCHEMA_ADDRESS) && hasRootKey(text, '"$schema"')) return true;
  return /^properties[ \t]*:[ \t]*\r?$/m.test(text) && /^(?:\$schema|type)[ \t]*:/m.test(text);
}

const SCHEMA_ADDRESS = "json-schema.org";

function hasRootKey(text: string, quoted: string): boolean {
  return findRootKey(text, (at, end) => end - at === quoted.length && text.startsWith(quoted, at)) !== null;
}
