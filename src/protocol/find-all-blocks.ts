import type { ReadOptions } from "./reading.ts";
import { type Found, findBlocks } from "./find-blocks.ts";
import { type OwnOptions, withOwnBlocks } from "./find-own-blocks.ts";
import type { Limits } from "./limits.ts";

/** The blocks of a text that hold handoffs, of the five formats and of those that were given. */
export function findAllBlocks(text: string, options: ReadOptions, limits: Limits): Found {
  const found = findBlocks(text, options);
  return hasOwn(options) ? withOwnBlocks(text, found, options, limits) : found;
}

/** Whether there are formats beside the five: without them nothing of theirs is loaded. */
export function hasOwn(options: ReadOptions): options is OwnOptions {
  return options.formats !== undefined && options.formats.length > 0;
}
