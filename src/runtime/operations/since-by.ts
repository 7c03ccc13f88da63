import { parseDuration } from "../../workflow/file/words.ts";

/** `7d`, `12h`, as a moment; null when it is no duration. */
export function sinceBy(text: string, now: number): number | null {
  const duration = parseDuration(text);
  return duration === null ? null : now - duration;
}
