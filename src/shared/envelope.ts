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
  // Whoever guessed the name, against all odds, still cannot use it.
  const safe = kept.replaceAll(nonce, "[removed]").replaceAll(/<{3,}|>{3,}/g, (signs) => [...signs].join(" "));
  return `<<<${title} ${nonce}\n${safe}\n${nonce} end of ${title}>>>`;
}

const LONGEST = 20_000;

/** Not inside a pair of surrogates. */
function cutAt(text: string, limit: number): number {
  const code = text.charCodeAt(limit - 1);
  return code >= 0xd800 && code <= 0xdbff ? limit - 1 : limit;
}

const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;
const HIDDEN = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;

export function visibleText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(ESCAPES, "")
    .replaceAll(HIDDEN, (character) => (character === "\n" || character === "\t" ? character : ""));
}
