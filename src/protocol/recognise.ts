import type { SyntaxName } from "./dialect.ts";
import { dialectsIn, ROOT_KEYS } from "./dialects/registry.ts";
import type { BuiltinDialect, DialectName } from "./handoff-words.ts";
import { hasRootLine } from "./root-key.ts";
import { isKeyEnd } from "./syntax/json.ts";
import { nextToken, tokenEnd } from "./syntax/json-tokens.ts";

/**
 * The dialect that a text is meant to be, by its keys alone: it must work for texts that do not parse
 * (ruling 28). A false alarm is worse than a miss, so each dialect asks for a field that no other has.
 */
export function recognise(text: string, syntax: SyntaxName): DialectName | null {
  const byRoot = syntax === "json" ? recogniseRoot(text) : null;
  return byRoot ?? dialectsIn(syntax).find((name) => isMeantFor(name, text)) ?? null;
}

/** Whether a text, parsable or not, is meant to be this dialect. It does not load the dialect. */
export function isMeantFor(name: BuiltinDialect, text: string): boolean {
  switch (name) {
    case "pipeline-json":
      return /"(?:from_agent|to_agent|handoff_from|handoff_to|loop_required|loop_target|loop_reason)"\s*:|"status"\s*:\s*"PASS_WITH_(?:FIXES|WARNINGS)"/.test(
        text,
      );
    case "issue-xml":
      return /<(?:handoff|workflow-complete)[\s>]/.test(text);
    case "phase-yaml":
      return hasRootLine(text, /^handoff[ \t]*:/i);
    case "task-yaml":
      return hasRootLine(text, /^outcome[ \t]*:/);
    case "output-json":
      return isMeantAsOutput(text);
  }
}

function isMeantAsOutput(text: string): boolean {
  if (/"(?:output_type|skills_invoked|library_skills_read|blocked_reason)"\s*:/.test(text)) return true;
  if (!/"status"\s*:/.test(text)) return false;
  return /"(?:next_agent|next_phase)"\s*:/.test(text) || (/"phase"\s*:/.test(text) && /"summary"\s*:/.test(text));
}

/** By the first key of the outermost record that only one dialect has; deeper down a key is only content. */
function recogniseRoot(text: string): DialectName | null {
  const isKnown = (at: number, end: number): boolean =>
    JSON_ROOT_KEYS.some(({ quoted }) => end - at === quoted.length && text.startsWith(quoted, at));
  const key = findRootKey(text, isKnown);
  return JSON_ROOT_KEYS.find(({ quoted }) => quoted === key)?.dialect ?? null;
}

/** The first key of the outermost record of a JSON text that is meant, in its quotes; the text need not parse. */
export function findRootKey(text: string, isMeant: (at: number, end: number) => boolean): string | null {
  let depth = 0;
  let end = 0;
  for (let at = nextToken(text, 0); at < text.length; at = nextToken(text, end)) {
    end = tokenEnd(text, at);
    const sign = text.charCodeAt(at);
    if (sign === OPEN_BRACE || sign === OPEN_BRACKET) depth++;
    else if (sign === CLOSE_BRACE || sign === CLOSE_BRACKET) depth--;
    else if (sign === QUOTE && depth === 1 && isMeant(at, end) && isKeyEnd(text, end - 1)) return text.slice(at, end);
  }
  return null;
}

const JSON_ROOT_KEYS = dialectsIn("json").flatMap((dialect) =>
  ROOT_KEYS[dialect].map((key) => ({ dialect, quoted: JSON.stringify(key) })),
);

/** Names that say more than the content. */
export function recogniseFileName(path: string | undefined): DialectName | null {
  if (path === undefined) return null;
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  if (/^handoff-.+\.json$/i.test(name)) return "pipeline-json";
  return /^handoff[\w.-]*\.xml$/i.test(name) ? "issue-xml" : null;
}

/** A file whose name promises JSON. */
export function isJsonName(path: string): boolean {
  return /\.json$/i.test(path);
}

export function isManifestName(path: string | undefined): boolean {
  return path !== undefined && /(?:^|[/\\])MANIFEST\.ya?ml$/i.test(path);
}

/** JSON by its first character; `[HANDOFF]` and `[x]` are not lists. */
export function looksLikeJson(text: string, from: number): boolean {
  if (text[from] === "{") return true;
  if (text[from] === "[") return /^\[\s*(?:[{["\d\]-]|true|false|null)/.test(text.slice(from, from + 200));
  return text[from] === "/" && /^(?:\/\/[^\n]*\n\s*|\/\*[^*]{0,2000}\*\/\s*)+[{[]/.test(text.slice(from, from + 4000));
}

/**
 * A whole YAML text, rather than prose: its first line that counts is a field we know. The headings of a
 * task file look like YAML comments, so a text with its `## Handoff` is Markdown.
 */
function looksLikeYaml(text: string, from: number): boolean {
  const head = text.slice(from, from + 2000);
  if (/^#{1,6}[ \t]+handoff:?[ \t]*\r?$/im.test(head)) return false;
  // Each turn of the loop takes exactly one line: any other way to write it can take exponential time.
  return /^(?:---[^\n]*\n)?(?:[ \t\r]*(?:#[^\n]*)?\n)*(?:handoff|outcome|HANDOFF)[ \t]*:/.test(head);
}

/** A YAML file by its name or by how it begins. */
export function isYamlFile(text: string, first: number, { path = "" }: { readonly path?: string }): boolean {
  return /\.ya?ml$/i.test(path) || looksLikeYaml(text, first);
}

const QUOTE = 34;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
