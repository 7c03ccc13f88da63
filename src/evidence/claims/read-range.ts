import type { Lines } from "../claim.ts";

/** `10-48` or `42`; null is the whole file, or nothing that can be read. */
export function readRange(text: string): Lines | null {
  const found = /^\s*L?(\d{1,9})(?:\s*[-\u2013]\s*L?(\d{1,9}))?\s*$/i.exec(text);
  if (found === null) return null;
  const first = Number(found[1]);
  return { first, last: Number(found[2] ?? first) };
}

export interface Place {
  readonly path: string;
  readonly lines: Lines | null;
}

/** `src/cart/total.ts:42`, `:10-48` or `:42:7`, where the last is a column; without a number the whole file. */
export function readPlace(text: string): Place {
  const found = /^(.*[^:\s]):(\d{1,9})(?:([-:])(\d{1,9}))?$/s.exec(text);
  if (found === null) return { path: text, lines: null };
  const [, path = "", start, sign, end] = found;
  const first = Number(start);
  return { path, lines: { first, last: sign === "-" ? Number(end) : first } };
}
