import { cutText, visibleLine } from "../shared/envelope.ts";

/**
 * One line in which nothing is hidden and no Markdown acts: images, links, headings, lists, HTML, fences and bold show
 * as the characters they are made of, addresses lead nowhere, and no ending in brackets poses as the source of a line.
 */
export function inert(text: string): string {
  return withoutLead(
    visibleLine(text)
      .replaceAll("`", "ʼ")
      .replaceAll("**", "")
      .replaceAll(/!?\[([^[\]]*)\]\(/g, "$1 (")
      .replaceAll("](", "] (")
      .replaceAll(/[<>]/g, (sign) => (sign === "<" ? "‹" : "›"))
      .replaceAll(ADDRESS, (address) => `${address.slice(0, -1)} ${address.slice(-1)}`),
  ).replace(/\[([^[\],]*,[^[\]]*)\]$/, "($1)");
}

/** What readers of Markdown turn into a link by themselves, and what acts when it is followed. */
const ADDRESS = /\b(?:https?|ftps?|wss?|file|data|javascript|vbscript|mailto|xmpp):|\bwww\./gi;

/** What would begin a heading, a quote, a list, a box to tick or a footnote at the beginning of a line. */
function withoutLead(text: string): string {
  return text
    .replace(/^(?:[\s#]|[*+-]+(?=[\s*+-]|$)|~{3,}|\[[ xX]\](?=\s))+/, "")
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1 $2")
    .replace(/^(\[[^\]]*\]):/, "$1 :");
}

/** Inert text that ends no cell of a table. */
export function cell(text: string): string {
  return text.replaceAll("|", "¦");
}

const LONGEST_PART = 80;

/** A name among others between brackets: it ends neither its own place nor the brackets. */
export function sourcePart(text: string): string {
  const part = inert(text)
    .replaceAll(/[[\](),|]/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return cutText(part, LONGEST_PART);
}
