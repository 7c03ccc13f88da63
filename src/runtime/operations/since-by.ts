import { parseDuration } from "../../workflow/file/words.ts";

/** Converts `7d` or `12h` to the time that long ago; null when it is not a duration. */
export function sinceBy(text: string, now: number): number | null {
  const duration = parseDuration(text);
  return duration === null ? null : now - duration;
}
