import type { Block } from "./block.ts";
import type { Diagnostic } from "./diagnostic.ts";
import { findElements } from "./find-elements.ts";
import type { Limits } from "./limits.ts";
import { XmlRefusal, markupEnd, nameAt, parseXml } from "./syntax/xml.ts";

/** What makes an XML file malformed although the element of the handoff in it is well-formed. */
interface OutsideRoot {
  readonly at: number;
  readonly note: Pick<Diagnostic, "code" | "message" | "hint">;
}

/**
 * What stands in an XML file outside of its root element and may not: text, or another element. In the text of an
 * agent's answer anything may stand around the element.
 */
export function outsideRoot(text: string, block: Block, limits: Limits): OutsideRoot | null {
  if (block.container !== "element" || !block.terminated) return null;
  const begin = text.startsWith("\uFEFF") ? 1 : 0;
  if (!/\.xml$/i.test(block.origin.path ?? "") && !text.startsWith("<?xml", begin)) return null;
  const first = afterMisc(text, begin);
  if (text[first] !== "<") return { at: first, note: TEXT_OUTSIDE };
  if (first === block.start) return afterRoot(text, block.end);
  const end = rootEnd(text, first, block);
  return end === null || end > block.start ? aroundHandoff(text, block, begin, limits) : afterRoot(text, end);
}

function afterRoot(text: string, end: number): OutsideRoot | null {
  const at = afterMisc(text, end);
  if (at >= text.length) return null;
  return { at, note: text[at] === "<" ? SECOND_ROOT : TEXT_OUTSIDE };
}

/** Just after the element that begins the file; null when it is never closed. */
function rootEnd(text: string, first: number, { origin, dialect }: Block): number | null {
  const [root] = findElements(text.slice(first), origin, { names: [nameAt(text, first + 1)], dialect });
  return root?.start === 0 && root.terminated ? first + root.end : null;
}

/** Another element is the root, and the handoff stands in it. A DOCTYPE is told elsewhere. */
function aroundHandoff(text: string, block: Block, begin: number, limits: Limits): OutsideRoot | null {
  try {
    parseXml(text.slice(begin), limits);
    return null;
  } catch (error) {
    if (!(error instanceof XmlRefusal)) throw error;
    if (error.code !== "syntax-error") return null;
    const message = `What stands around the handoff is not well-formed XML: ${error.message}`;
    const hint = "Write the element of the handoff alone into the file.";
    return { at: block.start, note: { code: "syntax-error", message, hint } };
  }
}

/** Passes over what may stand beside the root: space, comments, instructions and the declaration. */
function afterMisc(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    if (text.startsWith("<!--", at) || text.startsWith("<?", at)) at = markupEnd(text, at);
    else if (/\s/.test(text[at] ?? "")) at++;
    else break;
  }
  return at;
}

const SECOND_ROOT: OutsideRoot["note"] = {
  code: "several-roots",
  message: "An XML file has one root element; another one begins here.",
  hint: "Keep one, and write the others into files of their own.",
};

const TEXT_OUTSIDE: OutsideRoot["note"] = {
  code: "wrong-container",
  message: "This .xml file has text outside of its root element.",
  hint: "Write the XML element alone into the file, without prose and fences.",
};
