import { printable } from "../shared/printable.ts";
import type { LineRange } from "./claim.ts";

const MAX_QUOTE = 160;

/** An agent's text inside a sentence of ours: one printable line of bounded length. */
export function quote(text: string): string {
  const shown = printable(text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}\u2026` : text);
  return shown === "" ? "(nothing)" : shown;
}

export function linesInWords({ first, last }: LineRange): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

/** `3 files`, `1 file`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The first few of a list, and how many more there are. */
export function listed(names: readonly string[], max = 10): string {
  const shown = names.slice(0, max).map(quote).join(", ");
  return names.length > max ? `${shown} and ${names.length - max} more` : shown;
}

/** Reads `10-48` or `42`; null for anything else. */
export function readRange(text: string): LineRange | null {
  const found = /^\s*L?(\d{1,9})(?:\s*[-\u2013]\s*L?(\d{1,9}))?\s*$/i.exec(text);
  if (found === null) return null;
  const first = Number(found[1]);
  return { first, last: Number(found[2] ?? first) };
}

interface Place {
  readonly path: string;
  readonly lines: LineRange | null;
}

/** Reads `src/cart/total.ts:42`, `:10-48` or `:42:7` with a column; without a number it is the whole file. */
export function readPlace(text: string): Place {
  const found = /^(.*[^:\s]):(\d{1,9})(?:([-:])(\d{1,9}))?$/s.exec(text);
  if (found === null) return { path: text, lines: null };
  const [, path = "", start, sign, end] = found;
  const first = Number(start);
  return { path, lines: { first, last: sign === "-" ? Number(end) : first } };
}
