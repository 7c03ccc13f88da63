/**
 * Postgres stores no NUL character in a text, and a brief may have one: it is stored as MARK and a digit, and so is MARK
 * itself, so that every brief comes back as it was, and the checksums over it hold.
 */
const MARK = "\u{10fffe}";

export function storedBrief(brief: string): string {
  return brief.replaceAll(MARK, `${MARK}1`).replaceAll("\u0000", `${MARK}0`);
}

export function readBrief(stored: string): string {
  return stored.replaceAll(/\u{10fffe}([01])/gu, (_, digit) => (digit === "0" ? "\u0000" : MARK));
}
