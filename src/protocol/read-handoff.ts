import { DEFAULT_LIMITS, limitsFrom } from "./limits.ts";
import type { ReadOptions, Reading } from "./reading.ts";
import { readFlawlessFile } from "./read-flawless-file.ts";
import { readFully } from "./read-fully.ts";
import { ensureDialect, ensureText } from "./wrong-argument.ts";

/**
 * Reads every handoff in a text and tells everything that is wrong with it, all at once. Two phases: a file
 * with nothing wrong is read the short way, everything else in full.
 */
export function readHandoffs(text: string, options: ReadOptions = {}): Reading {
  ensureText(text);
  if (options.dialect !== undefined) ensureDialect(options.dialect);
  const limits = options.limits === undefined ? DEFAULT_LIMITS : limitsFrom(options.limits);
  return readFlawlessFile(text, options, limits) ?? readFully(text, options, limits);
}
