import { printable } from "../shared/printable.ts";
import type { Lines } from "./claim.ts";

const LONGEST_QUOTE = 160;

/** What an agent wrote, inside a sentence of ours: one line, nothing invisible, not too long. */
export function quote(text: string): string {
  const shown = printable(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}\u2026` : text);
  return shown === "" ? "(nothing)" : shown;
}

export function linesInWords({ first, last }: Lines): string {
  return first === last ? `line ${first}` : `lines ${first}-${last}`;
}

/** `3 files`, `1 file`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** The first few of a list, and how many more there are. */
export function listed(names: readonly string[], most = 10): string {
  const shown = names.slice(0, most).map(quote).join(", ");
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
