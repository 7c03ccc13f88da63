import type { Citation } from "../../../src/api/answers.ts";

/** `src/auth.ts:3-8`. */
export function placeText({ path, lines }: Pick<Citation, "path" | "lines">): string {
  if (lines === null) return path;
  return lines.first === lines.last ? `${path}:${lines.first}` : `${path}:${lines.first}-${lines.last}`;
}
