import type { DialectName } from "./handoff.ts";
import type { Origin } from "./dialect.ts";

/** A stretch of text that holds, or should hold, one handoff. */
export interface Block {
  readonly dialect: DialectName;
  readonly start: number;
  readonly end: number;
  /** How it stands in the text. */
  readonly container: "file" | "fence" | "section" | "unfenced" | "bare" | "element" | "legacy";
  /** False when the fence or element that holds it is never closed. */
  readonly terminated: boolean;
  readonly origin: Origin;
  /** Where its container ends: what follows is text after the block. */
  readonly containerEnd: number;
  /** Of a format of the team's own: that by which it is recognised is not there, and everything else is. */
  readonly lacks?: {
    readonly message: string;
    readonly hint: string;
    /** The fields at the root that this speaks of: that they are missing or wrong is not told again. */
    readonly fields?: readonly string[];
    /** The key that is near, and what it is to be called. */
    readonly near?: { readonly key: string; readonly name: string };
    /** Nothing else of it can be judged. */
    readonly isUnread?: true;
  };
}

/** A text with more blocks is refused whole, so the search ends there. */
export const MAX_BLOCKS = 200;

/** A text with more headings, fences and separators is refused whole. */
export const MAX_MARKS = 50_000;
