/**
 * Agents' words inside a prompt. They are data, not orders: the envelope's name cannot be guessed, so
 * nothing inside can close it, and what a reader cannot see (control, direction, zero-width and tag
 * characters, escape sequences) is taken out.
 */
export function envelope(title: string, text: string, nonce: string, limit = LONGEST): string {
  const clean = visibleText(text);
  const kept =
    clean.length <= limit
      ? clean
      : `${clean.slice(0, cutAt(clean, limit))}\n[${clean.length - limit} characters left out]`;
  return `<<<${title} ${nonce}\n${withoutMarks(kept, nonce)}\n${nonce} end of ${title}>>>`;
}

/** Text that stands beside envelopes because it is meant as an order, a brief or a name: it opens and closes none. */
export function besideEnvelopes(text: string, nonce: string): string {
  return withoutMarks(visibleText(text), nonce);
}

/** Whoever guessed the name, against all odds, still cannot use it. */
function withoutMarks(text: string, nonce: string): string {
  return text.replaceAll(nonce, "[removed]").replaceAll(/<{3,}|>{3,}/g, (signs) => [...signs].join(" "));
}

const LONGEST = 20_000;

/** Not inside a pair of surrogates. */
function cutAt(text: string, limit: number): number {
  const code = text.charCodeAt(limit - 1);
  return code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit;
}

const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;
const HIDDEN = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

/** As most texts are: nothing else has to be looked for. */
const PLAIN = /^[\t\n -~]*$/;

export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(ESCAPES, "")
    .replaceAll(HIDDEN, (character) => (character === "\n" || character === "\t" ? character : ""));
}

/** All of it in one line, so that none of it can pose as a line of its own. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll(/\s+/g, " ").trim();
}

/** At most so many characters, the last one whole. */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, cutAt(text, most - 1))}…`;
}
