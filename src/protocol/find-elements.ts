import type { Block } from "./block.ts";
import type { Origin } from "./dialect.ts";

const ROOTS = ["handoff", "workflow-complete"];

/**
 * An element named in the running text as code, `<handoff>`, is only talked about.
 *
 * The `<handoff>` and `<workflow-complete>` elements of a text, wherever they stand. Linear: each
 * character is passed over once by a search for `<`.
 */
export function findElements(text: string, origin: Origin): Block[] {
  const blocks: Block[] = [];
  let open: { name: string; start: number; depth: number } | null = null;
  const nextRoot = rootFinder(text);
  // Outside an element only its opening matters; inside, comments and its closing tag do too.
  const nextTag = (from: number): number => (open === null ? nextRoot(from) : text.indexOf("<", from));
  let at = nextRoot(0);
  while (at !== -1) {
    const skipped = skipOpaque(text, at);
    if (skipped !== at) {
      at = skipped === -1 ? -1 : nextTag(skipped);
      continue;
    }
    const tag = readTag(text, at);
    if (tag !== null) {
      if (open === null && !tag.closing && text[at - 1] !== "`") open = { name: tag.name, start: at, depth: 0 };
      if (open?.name === tag.name) open.depth += depthChange(tag);
      if (open !== null && open.depth <= 0) {
        blocks.push(element(open.start, tag.end, true, origin));
        open = null;
      }
    }
    at = nextTag(tag?.end ?? at + 1);
  }
  if (open !== null) blocks.push(element(open.start, text.length, false, origin));
  return blocks;
}

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
 * Finds the next opening of a root at or after an offset that only grows. What was found or missed is
 * remembered: looking again for the name that is absent would cost the whole text each time.
 */
function rootFinder(text: string): (from: number) => number {
  const places = ROOTS.map((name) => text.indexOf(`<${name}`));
  return (from) => {
    for (const [index, name] of ROOTS.entries()) {
      const place = places[index] ?? -1;
      if (place !== -1 && place < from) places[index] = text.indexOf(`<${name}`, from);
    }
    return places.reduce((first, place) => (place !== -1 && (first === -1 || place < first) ? place : first), -1);
  };
}

/** Just after a comment or a CDATA section that begins here; -1 when it never ends. */
function skipOpaque(text: string, at: number): number {
  const close = text.startsWith("<!--", at) ? "-->" : text.startsWith("<![CDATA[", at) ? "]]>" : null;
  if (close === null) return at;
  const end = text.indexOf(close, at);
  return end === -1 ? -1 : end + close.length;
}

function readTag(text: string, at: number): Tag | null {
  const closing = text[at + 1] === "/";
  const nameStart = at + (closing ? 2 : 1);
  const name = ROOTS.find(
    (root) => text.startsWith(root, nameStart) && /[\s>/]|^$/.test(text[nameStart + root.length] ?? ""),
  );
  if (name === undefined) return null;
  const found = text.indexOf(">", nameStart);
  const end = found === -1 ? text.length : found + 1;
  return { name, end, closing, empty: !closing && text[end - 2] === "/" };
}

function element(start: number, end: number, terminated: boolean, origin: Origin): Block {
  return { dialect: "issue-xml", start, end, container: "element", terminated, origin, containerEnd: end };
}
