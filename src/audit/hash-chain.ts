import { hash } from "node:crypto";
import type { StoredEntry } from "../ports/event-log.ts";

/** What the first entry of all carries as the hash of the entry before it. */
export const FIRST_HASH = "0".repeat(64);

/** What the chain holds of an entry: its data only by their hash, so that they can be emptied later. */
export type ChainedEntry = Pick<StoredEntry, "position" | "run" | "sequence" | "at" | "kind"> & {
  readonly dataHash: string;
  /** What the run was left as (`seal.ts`), on the last entry of a commit. */
  readonly seal: string | null;
};

/** A place in the chain; whoever has kept one can tell later whether the log still holds it. */
export interface ChainHead {
  readonly position: number;
  readonly hash: string;
}

export const EMPTY_CHAIN: ChainHead = { position: 0, hash: FIRST_HASH };

export function hashOfText(text: string): string {
  return hash("sha256", text, "hex");
}

/**
 * A JSON list, because no two different entries can be written as the same one. Without a seal it is as long as it
 * was before there were seals, so that old logs can still be checked.
 */
export function hashOfEntry(previous: string, entry: ChainedEntry): string {
  const { position, run, sequence, at, kind, dataHash, seal } = entry;
  const list = [previous, position, run, sequence, at, kind, dataHash];
  return hashOfText(JSON.stringify(seal === null ? list : [...list, seal]));
}

export interface ChainBreak {
  readonly position: number;
  readonly message: string;
}

/** What a checker reads of each entry. `data` is the canonical text, null once it was emptied. */
export interface CheckedEntry extends ChainedEntry {
  readonly data: string | null;
  readonly hash: string;
  readonly mayBeEmpty: boolean;
}

/** Null when the entry is the one that was written after `previous`. */
export function breakAt(previous: ChainHead, entry: CheckedEntry): ChainBreak | null {
  const message = whyBroken(previous, entry);
  return message === null ? null : { position: entry.position, message };
}

function whyBroken(previous: ChainHead, entry: CheckedEntry): string | null {
  if (entry.position !== previous.position + 1) return `entry ${previous.position + 1} is missing`;
  if (entry.data === null && !entry.mayBeEmpty) return "the data are gone, but the run was never pruned";
  if (entry.data !== null && hashOfText(entry.data) !== entry.dataHash) return "the data were changed";
  if (hashOfEntry(previous.hash, entry) !== entry.hash) return "the entry, its hash or the one before was changed";
  return null;
}
