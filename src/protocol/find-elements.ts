import { type Block, MAX_BLOCKS } from "./block.ts";
import type { Origin } from "./dialect.ts";

const ROOTS = ["handoff", "workflow-complete"];

/** Each costs a search for its end, so their number is bounded. */
const MAX_MENTIONS = 20;

/**
 * An element named in the running text as code, `<handoff>`, is only talked about; so is one that is never
 * closed and goes on with words.
 *
 * The `<handoff>` and `<workflow-complete>` elements of a text, wherever they stand. Linear: each
 * character is passed over once by a search for `<`.
 */
export function findElements(text: string, origin: Origin): Block[] {
  const blocks: Block[] = [];
  let mentions = 0;
  for (let at = nextRoot(text, 0); at !== -1 && blocks.length <= MAX_BLOCKS;) {
    const tag = readTag(text, at);
    if (tag === null || tag.closing || text[at - 1] === "`") {
      at = nextRoot(text, at + 1);
      continue;
    }
    const end = elementEnd(text, tag);
    if (end === null && mentions < MAX_MENTIONS && isMention(text, at, tag)) {
      mentions++;
      at = nextRoot(text, tag.end);
      continue;
    }
    blocks.push(element(at, end ?? text.length, end !== null, origin));
    at = end === null ? -1 : nextRoot(text, end);
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
function elementEnd(text: string, opening: Tag): number | null {
  let depth = depthChange(opening);
  let end = opening.end;
  while (depth > 0) {
    const at = text.indexOf("<", end);
    if (at === -1) return null;
    if (!mayMatter(text, at)) {
      end = at + 1;
      continue;
    }
    const skipped = skipOpaque(text, at);
    if (skipped === -1) return null;
    const tag = skipped === at ? readTag(text, at) : null;
    end = tag?.end ?? Math.max(skipped, at + 1);
    if (tag?.name === opening.name) depth += depthChange(tag);
  }
  return end;
}

/** Whether a root's tag, a comment, a CDATA section or an instruction may begin here, by its first letter. */
function mayMatter(text: string, at: number): boolean {
  const next = text.charCodeAt(at + 1);
  if (next === BANG || next === QUESTION) return true;
  const first = next === SLASH ? text.charCodeAt(at + 2) : next;
  return first === SMALL_H || first === SMALL_W;
}

const BANG = 0x21;
const SLASH = 0x2f;
const QUESTION = 0x3f;
const SMALL_H = 0x68;
const SMALL_W = 0x77;

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

/** The next opening of a root at or after an offset: from `<` to `<`, which in prose are few and quickly found. */
function nextRoot(text: string, from: number): number {
  let at = text.indexOf("<", from);
  while (at !== -1 && rootNameAt(text, at + 1) === null) at = text.indexOf("<", at + 1);
  return at;
}

function rootNameAt(text: string, start: number): string | null {
  for (const name of ROOTS) if (text.startsWith(name, start)) return name;
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

function readTag(text: string, at: number): Tag | null {
  const closing = text[at + 1] === "/";
  const nameStart = at + (closing ? 2 : 1);
  const name = rootNameAt(text, nameStart);
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

function element(start: number, end: number, terminated: boolean, origin: Origin): Block {
  return { dialect: "issue-xml", start, end, container: "element", terminated, origin, containerEnd: end };
}
