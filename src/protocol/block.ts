import type { DialectName } from "./handoff.ts";
import type { Origin } from "./dialect.ts";

/** A stretch of text that holds, or should hold, one handoff. */
export interface Block {
  readonly dialect: DialectName;
  readonly start: number;
  readonly end: number;
  /** How it stands in the text. */
  readonly container: "file" | "fence" | "section" | "unfenced" | "element" | "legacy";
  /** False when the fence or element that holds it is never closed. */
  readonly terminated: boolean;
  readonly origin: Origin;
  /** Where its container ends: what follows is text after the block. */
  readonly containerEnd: number;
}

/** A text with more blocks is refused whole, so the search ends there. */
export const MAX_BLOCKS = 200;

/** A text with more headings, fences and separators is refused whole. */
export const MAX_MARKS = 50_000;
