import type { Citation } from "./fact.ts";

/** `src/cart.ts:3-9` for people; one line is one number. */
export function printPlace({ path, lines }: Pick<Citation, "path" | "lines">): string {
  if (lines === null) return path;
  return `${path}:${lines.first}${lines.last === lines.first ? "" : `-${lines.last}`}`;
}
