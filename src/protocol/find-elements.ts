import { type Block, MAX_BLOCKS } from "./block.ts";
import type { Origin } from "./dialect.ts";
import type { DialectName } from "./handoff-words.ts";

/** The elements that are looked for, and what they hold. */
interface RootElements {
  readonly names: readonly string[];
  readonly dialect: DialectName;
}

const ISSUE_ROOTS: RootElements = { names: ["handoff", "workflow-complete"], dialect: "issue-xml" };

/** Each costs a search for its end, so their number is bounded. */
const MAX_MENTIONS = 20;

/**
 * An element named in the running text as code, `<handoff>`, is only talked about; so is one that is never
 * closed and goes on with words.
 *
 * The `<handoff>` and `<workflow-complete>` elements of a text, or those of another format, wherever they stand. Linear: each
 * character is passed over once by a search for `<`.
 */
export function findElements(text: string, origin: Origin, roots = ISSUE_ROOTS): Block[] {
  const blocks: Block[] = [];
  const nextRoot = rootFinder(text, roots);
  let mentions = 0;
  for (let at = nextRoot(0); at !== -1 && blocks.length <= MAX_BLOCKS;) {
    const tag = readTag(text, at, roots);
    if (tag === null || tag.closing || text[at - 1] === "`") {
      at = nextRoot(at + 1);
      continue;
    }
    const end = elementEnd(text, tag, roots);
    if (end === null && mentions < MAX_MENTIONS && isMention(text, at, tag)) {
      mentions++;
      at = nextRoot(tag.end);
      continue;
    }
    blocks.push(element(at, end ?? text.length, end !== null, origin, roots));
    at = end === null ? -1 : nextRoot(end);
  }
  return blocks;
}

/** Words follow the tag, and something stands before it: what a text begins with is not talked about. */
function isMention(text: string, at: number, tag: Tag): boolean {
  return (
    !/^\uFEFF?\s*(?:<\?[^>]*>\s*)?$/.test(text.slice(0, at)) && /^\s*[^<\s]/.test(text.slice(tag.end, tag.end + 200))
  );
}

/** Just after the closing tag that belongs to an opening one, or null when there is none. */
function elementEnd(text: string, opening: Tag, roots: RootElements): number | null {
  let depth = depthChange(opening);
  let end = opening.end;
  while (depth > 0) {
    const at = text.indexOf("<", end);
    if (at === -1) return null;
    if (!mayMatter(text, at, roots)) {
      end = at + 1;
      continue;
    }
    const skipped = skipOpaque(text, at);
    if (skipped === -1) return null;
    const tag = skipped === at ? readTag(text, at, roots) : null;
    end = tag?.end ?? Math.max(skipped, at + 1);
    if (tag?.name === opening.name) depth += depthChange(tag);
  }
  return end;
}

/** Whether a root's tag, a comment, a CDATA section or an instruction may begin here, by its first letter. */
function mayMatter(text: string, at: number, { names }: RootElements): boolean {
  const next = text.charCodeAt(at + 1);
  if (next === BANG || next === QUESTION) return true;
  const first = next === SLASH ? text.charCodeAt(at + 2) : next;
  return names.some((name) => name.charCodeAt(0) === first);
}

const BANG = 0x21;
const SLASH = 0x2f;
const QUESTION = 0x3f;

interface Tag {
  readonly name: string;
  readonly end: number;
  readonly closing: boolean;
  readonly empty: boolean;
}

function depthChange(tag: Tag): number {
  if (tag.empty) return 0;
  return tag.closing ? -1 : 1;
}

/**
 * Finds the next opening of a root at or after an offset: from `<` to `<`, which in prose are few and quickly found. One
 * in a comment that is closed does not count (ruling 33).
 */
function rootFinder(text: string, roots: RootElements): (from: number) => number {
  let closing = -1;
  const commentEnd = (at: number): number | null => {
    if (!text.startsWith("<!--", at) || text[at - 1] === "`") return null;
    if (closing < at + "<!--".length) closing = indexOrInfinity(text, "-->", at + "<!--".length);
    return closing === Infinity ? null : closing + "-->".length;
  };
  return (from) => {
    let at = text.indexOf("<", from);
    while (at !== -1 && rootNameAt(text, at + 1, roots) === null) at = text.indexOf("<", commentEnd(at) ?? at + 1);
    return at;
  };
}

function indexOrInfinity(text: string, sought: string, from: number): number {
  const found = text.indexOf(sought, from);
  return found === -1 ? Infinity : found;
}

function rootNameAt(text: string, start: number, { names }: RootElements): string | null {
  for (const name of names) if (text.startsWith(name, start)) return name;
  return null;
}

/** Markup whose content is never a tag. */
const OPAQUE = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
] as const;

/** Just after a comment, a CDATA section or a processing instruction that begins here; -1 when it never ends. */
function skipOpaque(text: string, at: number): number {
  for (const [open, close] of OPAQUE) {
    if (!text.startsWith(open, at)) continue;
    const end = text.indexOf(close, at + open.length);
    return end === -1 ? -1 : end + close.length;
  }
  return at;
}

function readTag(text: string, at: number, roots: RootElements): Tag | null {
  const closing = text[at + 1] === "/";
  const nameStart = at + (closing ? 2 : 1);
  const name = rootNameAt(text, nameStart, roots);
  if (name === null || !/[\s>/]|^$/.test(text[nameStart + name.length] ?? "")) return null;
  const end = tagEnd(text, nameStart);
  return { name, end, closing, empty: !closing && text[end - 2] === "/" };
}

/** Just after the `>` that ends a tag: one inside the value of an attribute does not. */
function tagEnd(text: string, from: number): number {
  const pattern = /=\s*(?:"[^"<]*"|'[^'<]*')|>/g;
  pattern.lastIndex = from;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text))
    if (found[0] === ">") return pattern.lastIndex;
  return text.length;
}

function element(start: number, end: number, terminated: boolean, origin: Origin, { dialect }: RootElements): Block {
  return { dialect, start, end, container: "element", terminated, origin, containerEnd: end };
}
