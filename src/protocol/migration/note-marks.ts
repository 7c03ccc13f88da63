/** A box, a tick or a sign before or after a statement. */
export type Mark = "ticked" | "unticked" | "failed" | "warning";

const BOX = /^\[([ xX])\][ \t]+/;

const SIGNS: readonly (readonly [RegExp, Mark])[] = [
  [/^(?:\u2705|\u2714|\u2611|\u2713|\u{1f7e2})\ufe0f?[ \t]*/u, "ticked"],
  [/^(?:\u2b1c|\u2610|\u{1f532}|\u23f3|\u{1f6a7})\ufe0f?[ \t]*/u, "unticked"],
  [/^(?:\u274c|\u2717|\u2718)\ufe0f?[ \t]*/u, "failed"],
  [/^\u26a0\ufe0f?[ \t]*/u, "warning"],
];

/** The box or sign that a statement begins with, and how long it is. */
export function markAt(body: string): { readonly mark: Mark | null; readonly length: number } {
  const box = BOX.exec(body);
  if (box !== null) return { mark: box[1] === " " ? "unticked" : "ticked", length: box[0].length };
  for (const [sign, mark] of SIGNS) {
    const found = sign.exec(body);
    if (found !== null) return { mark, length: found[0].length };
  }
  return { mark: null, length: 0 };
}

/** `Login form \u2705` */
export function markAtEnd(words: string): Mark | null {
  if (/[\u2705\u2714\u2611\u2713]\ufe0f?$/u.test(words)) return "ticked";
  return /[\u274c\u2717\u2718]\ufe0f?$/u.test(words) ? "failed" : null;
}

/** `M src/a.ts`, as git lists it. */
export const STATUS_LINE = /^(?:[MAD]|\?\?)[ \t]+`?[\w@./\\-]*[./][\w@./\\-]*`?$/;

/** A fence that holds nothing but what git lists: `M src/a.ts`. */
export function isListing(fence: string): boolean {
  if (fence.length > MAX_LISTING) return false;
  const lines = fence.split(/\r\n|\r|\n/).map((line) => line.trim());
  const listed = lines.filter((line) => line !== "" && !/^(?:`{3,}|~{3,})/.test(line));
  return listed.length > 0 && listed.every((line) => STATUS_LINE.test(line));
}
const MAX_LISTING = 20_000;
