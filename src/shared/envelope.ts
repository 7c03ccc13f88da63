/**
 * An agent's text inside a prompt. It is data, not instructions: the nonce cannot be guessed, so that the text cannot
 * close the envelope, and invisible characters (control, direction, zero-width and tag characters, escape sequences)
 * are removed.
 */
export function envelope(title: string, text: string, nonce: string, limit = LONGEST): string {
  const clean = visibleText(text);
  const kept =
    clean.length <= limit
      ? clean
      : `${clean.slice(0, cutAt(clean, limit))}\n[${clean.length - limit} characters left out]`;
  return `<<<${title} ${nonce}\n${withoutMarks(kept, nonce)}\n${nonce} end of ${title}>>>`;
}

/** For trusted text beside envelopes, such as a brief or a name: it can neither open nor close an envelope. */
export function besideEnvelopes(text: string, nonce: string): string {
  return withoutMarks(visibleText(text), nonce);
}

/** Removes the nonce, in case a text contains it after all. */
function withoutMarks(text: string, nonce: string): string {
  return text.replaceAll(nonce, "[removed]").replaceAll(/<{3,}|>{3,}/g, (signs) => [...signs].join(" "));
}

const LONGEST = 20_000;

/** Never cuts inside a surrogate pair. */
function cutAt(text: string, limit: number): number {
  const code = text.charCodeAt(limit - 1);
  return code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit;
}

const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;
const HIDDEN = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/** Most texts: nothing has to be removed. */
const PLAIN = /^[\t\n -~]*$/;

export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(ESCAPES, "")
    .replaceAll(HIDDEN, (character) => (character === "\n" || character === "\t" ? character : ""));
}

/** The text in one line, so that no part of it can look like a separate line. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll(/\s+/g, " ").trim();
}

/** At most `max` characters, with an ellipsis where the text was cut. */
export function cutText(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, cutAt(text, max - 1))}…`;
}

/**
 * One visible line without any effect in Markdown: images, links, headings, lists, HTML, fences and bold are shown as
 * plain characters, addresses are no links, and an ending in brackets cannot look like the source of a line.
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

/** Addresses that Markdown turns into links. */
const ADDRESS = /\b(?:https?|ftps?|wss?|file|data|javascript|vbscript|mailto|xmpp):|\bwww\./gi;

/** Removes what would begin a heading, a quote, a list, a task box or a footnote. */
function withoutLead(text: string): string {
  return text
    .replace(/^(?:[\s#]|[*+-]+(?=[\s*+-]|$)|~{3,}|\[[ xX]\](?=\s))+/, "")
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1 $2")
    .replace(/^(\[[^\]]*\]):/, "$1 :");
}

/** Inert text that cannot end the cell of a table. */
export function cell(text: string): string {
  return text.replaceAll("|", "¦");
}

const MAX_PART = 80;

/** A name in a list between brackets: it can end neither its item nor the list. */
export function sourcePart(text: string): string {
  const part = inert(text)
    .replaceAll(/[[\](),|]/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return cutText(part, MAX_PART);
}
