/** Pieces of a text: what can be seen, and what hides, told by its code. */
interface Piece {
  readonly text: string;
  readonly isHidden: boolean;
}

/**
 * Control characters (but tab), bidi marks, zero-width, soft hyphens, variation selectors and tags: what could make a
 * text look other than it is.
 */
const HIDDEN = new RegExp(
  [
    String.raw`[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e]`,
    String.raw`[\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]`,
    String.raw`[\u034f\u17b4\u17b5\u180b-\u180d\ufe00-\ufe0e]`,
    String.raw`[\u{e0000}-\u{e0fff}]`,
  ].join("|"),
  "gu",
);

export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), isHidden: false });
    pieces.push({ text: codeOf(match[0]), isHidden: true });
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isHidden: false });
  return pieces;
}

/** As one text, with the hidden told by their codes. */
export function shownText(text: string): string {
  return text.replaceAll(HIDDEN, codeOf);
}

/** How many hide in it; line breaks do not count. */
export function countHidden(text: string): number {
  let count = 0;
  for (const [found] of text.matchAll(HIDDEN)) if (found !== "\n" && found !== "\r") count += 1;
  return count;
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x1b) return "ESC";
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
