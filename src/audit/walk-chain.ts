import type { AuditedEntry } from "../ports/log-snapshot.ts";
import { isRecord, type JsonValue } from "../shared/json-value.ts";
import type { Findings } from "./findings.ts";
import { type ChainHead, EMPTY_CHAIN, hashOfEntry, hashOfText } from "./hash-chain.ts";
import { countMasks } from "./masks.ts";

export interface WalkedEntry extends AuditedEntry {
  /** The data were left out of an export on purpose. */
  readonly withheld?: boolean;
}

/** Follows the chain entry by entry. What is wrong is noted, and the walk goes on from what stands there. */
export class ChainWalk {
  head: ChainHead;
  entries = 0;
  emptied = 0;
  withheld = 0;
  readonly prunedRuns = new Set<string>();
  readonly masked: Record<string, number> = {};
  readonly #findings: Findings;
  readonly #hasText: ((hash: string) => boolean) | null;

  constructor(findings: Findings, hasText: ((hash: string) => boolean) | null, start: ChainHead = EMPTY_CHAIN) {
    this.#findings = findings;
    this.#hasText = hasText;
    this.head = start;
  }

  take(entry: WalkedEntry): void {
    this.entries++;
    const follows = this.#noteGap(entry);
    this.#checkData(entry);
    if (entry.run === null) this.#note("entry-changed", "the run of this entry is not there", entry);
    else if (follows && hashOfEntry(this.head.hash, { ...entry, run: entry.run }) !== entry.hash)
      this.#note("entry-changed", "the entry, its hash or the one before was changed", entry);
    this.head = { position: entry.position, hash: entry.hash };
  }

  /** False when the entry before is not there, and so its hash cannot be known. */
  #noteGap(entry: WalkedEntry): boolean {
    const expected = this.head.position + 1;
    const { position } = entry;
    if (position === expected) return true;
    if (position < expected) this.#note("entry-changed", `the entry stands after ${expected - 1}`, entry);
    else {
      const which = position === expected + 1 ? `entry ${expected} is` : `entries ${expected} to ${position - 1} are`;
      this.#findings.add("entry-missing", `${which} missing`, { position: expected });
    }
    return false;
  }

  #checkData(entry: WalkedEntry): void {
    const { data, dataHash, sequence, emptied, run, withheld } = entry;
    if (withheld === true) {
      this.withheld++;
      return;
    }
    const mayBeEmpty = sequence <= emptied;
    if (data === null) {
      this.emptied++;
      if (run !== null) this.prunedRuns.add(run);
      if (!mayBeEmpty) this.#note("entry-emptied", "the data are gone, but the run was never pruned", entry);
      return;
    }
    if (mayBeEmpty) this.#note("entry-changed", "the run counts as pruned, but this entry has data", entry);
    if (hashOfText(data) !== dataHash) this.#note("entry-changed", "the data were changed", entry);
    else this.#lookInside(entry, data);
  }

  #lookInside(entry: WalkedEntry, data: string): void {
    countMasks(data, this.masked);
    if (this.#hasText === null || !NAMING.some((part) => data.includes(part))) return;
    for (const { text, what } of textsNamedBy(data))
      if (!this.#hasText(text)) this.#note("text-missing", `${what} (${text.slice(0, 12)}) is not kept`, entry);
  }

  #note(code: Parameters<Findings["add"]>[0], message: string, entry: WalkedEntry): void {
    const { position, run, sequence } = entry;
    this.#findings.add(code, message, { position, run, sequence });
  }
}

const NAMING = ['"delivery":{', '"record":{'];

interface NamedText {
  readonly text: string;
  readonly what: string;
}

/** The text that a handoff was read from, and those that the record of an attempt names, by their hashes. */
function textsNamedBy(data: string): NamedText[] {
  const value: unknown = JSON.parse(data);
  const { delivery, record } = isRecord(value) ? value : {};
  const { packet, output } = isRecord(record) ? record : {};
  return [
    ...named(delivery, "the text of its handoff"),
    ...named(packet, "the packet that its agent was given"),
    ...named(output, "the last message of its agent"),
  ];
}

function named(value: JsonValue | undefined, what: string): NamedText[] {
  const text = isRecord(value) ? value["text"] : null;
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text) ? [{ text, what }] : [];
}
