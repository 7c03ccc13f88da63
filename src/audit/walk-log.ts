import type { AuditedEntry } from "../ports/log-snapshot.ts";
import { isRecord, type JsonValue } from "../shared/json-value.ts";
import type { FindingCollector } from "./findings.ts";
import { type ChainHead, EMPTY_CHAIN, hashOfEntry, hashOfText } from "./hash-chain.ts";
import type { RegisterWalk } from "./walk-register.ts";

export interface WalkedEntry extends AuditedEntry {
  /** The data were left out of an export on purpose. */
  readonly withheld?: boolean;
}

/** A hash that an entry must have. */
interface ExpectedHash {
  readonly hash: string;
  met(): void;
  /** `found` is null when there is no such entry. */
  missed(found: WalkedEntry | null): void;
}

interface ChainWalkOptions {
  /** False for an export, which holds no texts. */
  readonly hasTexts: boolean;
  /** Null for exports of older versions: all entries are in one chain. It must have been walked before. */
  readonly register: RegisterWalk | null;
  /** Where the chain of older versions begins. */
  readonly start?: ChainHead;
  /** A head that was kept elsewhere: older versions gave the hash of an entry for it. */
  readonly wanted?: ChainHead | undefined;
}

interface WalkedRun {
  readonly sequence: number;
  /** Null while the run has entries in the chain of older versions only. */
  readonly hash: string | null;
}

/**
 * Verifies the chains entry by entry, by position: first the one chain of older versions, then those of the runs. After
 * a finding it goes on from the entry as it is.
 */
export class ChainWalk {
  /** The end of the chain of older versions. */
  old: ChainHead;
  position: number;
  entries = 0;
  emptied = 0;
  withheld = 0;
  /** An entry is the head that was kept elsewhere. */
  hasWanted = false;
  readonly prunedRuns = new Set<string>();
  readonly masked: Record<string, number> = {};
  readonly #findings: FindingCollector;
  readonly #hasTexts: boolean;
  readonly #register: RegisterWalk | null;
  readonly #wanted: ChainHead | undefined;
  readonly #runs = new Map<string, WalkedRun>();
  readonly #expected = new Map<string, ExpectedHash[]>();
  #namedTexts: NamedText[] = [];

  constructor(findings: FindingCollector, { hasTexts, register, wanted, start = EMPTY_CHAIN }: ChainWalkOptions) {
    this.#findings = findings;
    this.#hasTexts = hasTexts;
    this.#register = register;
    this.#wanted = wanted;
    this.old = start;
    this.position = start.position;
  }

  /** The hash of the last entry of a run in its own chain; null when it has none there. */
  headOf(run: string): string | null {
    return this.#runs.get(run)?.hash ?? null;
  }

  lastOf(run: string): number {
    return this.#runs.get(run)?.sequence ?? 0;
  }

  /** An entry in the chain of older versions that must have this hash; it may have been walked already. */
  expectAt(position: number, expected: ExpectedHash): void {
    if (position !== this.old.position) this.#expect(`${position}`, expected);
    else if (expected.hash === this.old.hash) expected.met();
    else expected.missed(null);
  }

  /** An entry of a run, not walked yet. */
  expectOf(run: string, sequence: number, expected: ExpectedHash): void {
    this.#expect(`${sequence} ${run}`, expected);
  }

  take(entry: WalkedEntry): void {
    this.entries++;
    this.#checkData(entry);
    this.position = entry.position;
    if (this.#wanted?.position === entry.position) this.hasWanted ||= this.#wanted.hash === entry.hash;
    if (entry.run === null) this.#note("entry-changed", "the run of this entry is missing", entry);
    else if (entry.position <= this.#oldEnd()) this.#takeOld(entry, entry.run);
    else this.#takeOfRun(entry, entry.run);
  }

  /** Texts that entries have named since `takeMissingTexts`. */
  get namedTexts(): readonly string[] {
    return this.#namedTexts.map(({ text }) => text);
  }

  /** Called after each page of entries, with those of `namedTexts` that are missing. */
  takeMissingTexts(missing: ReadonlySet<string>): void {
    for (const { text, what, entry } of this.#namedTexts)
      if (missing.has(text)) this.#note("text-missing", `${what} (${text.slice(0, 12)}) is missing`, entry);
    this.#namedTexts = [];
  }

  /** Called after the last entry: what was expected and has not come is missing. */
  settle(): void {
    for (const expected of this.#expected.values()) for (const each of expected) each.missed(null);
    this.#expected.clear();
  }

  #oldEnd(): number {
    return this.#register === null ? Number.POSITIVE_INFINITY : (this.#register.closed?.position ?? 0);
  }

  #takeOld(entry: WalkedEntry, run: string): void {
    const follows = this.#noteGap(entry);
    if (follows && hashOfEntry(this.old.hash, { ...entry, run }) !== entry.hash)
      this.#note("entry-changed", CHANGED, entry);
    this.old = { position: entry.position, hash: entry.hash };
    this.#runs.set(run, { sequence: entry.sequence, hash: null });
    this.#meet(`${entry.position}`, entry);
  }

  /** False when the entry before is missing, and with it the hash that this one continues. */
  #noteGap(entry: WalkedEntry): boolean {
    const expected = this.old.position + 1;
    const { position } = entry;
    if (position === expected) return true;
    if (position < expected) this.#note("entry-changed", `the entry comes after ${expected - 1}`, entry);
    else {
      const which = position === expected + 1 ? `entry ${expected} is` : `entries ${expected} to ${position - 1} are`;
      this.#findings.add("entry-missing", `${which} missing`, { position: expected });
    }
    return false;
  }

  #takeOfRun(entry: WalkedEntry, run: string): void {
    const { sequence, position } = entry;
    const last = this.#runs.get(run)?.sequence ?? 0;
    const previous = this.#runs.get(run)?.hash ?? this.#beginningOf(run);
    if (sequence <= last) this.#note("entry-changed", `the entry comes after entry ${last} of its run`, entry);
    else if (sequence > last + 1)
      this.#findings.add("entry-missing", `${describeGap(last, sequence)} missing`, {
        position,
        run,
        sequence: last + 1,
      });
    else if (previous === null) this.#note("entry-changed", "the register does not have the run of this entry", entry);
    else if (hashOfEntry(previous, { ...entry, run }) !== entry.hash) this.#note("entry-changed", CHANGED, entry);
    this.#runs.set(run, { sequence, hash: entry.hash });
    this.#meet(`${sequence} ${run}`, entry);
  }

  /** Runs that are older than the register continue from the entry that closed their chain. */
  #beginningOf(run: string): string | null {
    if (this.#register === null) return null;
    const { closed } = this.#register;
    return this.#register.runOf(run).created?.hash ?? closed?.registerHash ?? null;
  }

  #expect(key: string, expected: ExpectedHash): void {
    const known = this.#expected.get(key);
    if (known === undefined) this.#expected.set(key, [expected]);
    else known.push(expected);
  }

  #meet(key: string, entry: WalkedEntry): void {
    const expected = this.#expected.get(key);
    if (expected === undefined) return;
    this.#expected.delete(key);
    for (const each of expected) {
      if (each.hash === entry.hash) each.met();
      else each.missed(entry);
    }
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
    if (mayBeEmpty) this.#note("entry-changed", "the run is marked as pruned, but this entry has data", entry);
    if (hashOfText(data) !== dataHash) this.#note("entry-changed", "the data were changed", entry);
    else this.#checkContent(entry, data);
  }

  #checkContent(entry: WalkedEntry, data: string): void {
    countMasks(data, this.masked);
    if (!this.#hasTexts || !TEXT_KEYS.some((part) => data.includes(part))) return;
    const { position, run, sequence } = entry;
    for (const { text, what } of textsNamedBy(data))
      this.#namedTexts.push({ text, what, entry: { position, run, sequence } });
  }

  #note(code: Parameters<FindingCollector["add"]>[0], message: string, entry: EntryPlace): void {
    const { position, run, sequence } = entry;
    this.#findings.add(code, message, { position, run, sequence });
  }
}

const CHANGED = "the entry, its hash or the hash of the entry before was changed";

function describeGap(last: number, next: number): string {
  return next === last + 2 ? `entry ${last + 1} is` : `entries ${last + 1} to ${next - 1} are`;
}

const TEXT_KEYS = ['"delivery":{', '"record":{'];

type EntryPlace = Pick<WalkedEntry, "position" | "run" | "sequence">;

interface NamedText {
  readonly text: string;
  readonly what: string;
  /** The entry that names it. */
  readonly entry: EntryPlace;
}

/** The stored texts that an entry refers to by hash: of a handoff, and of the record of an attempt. */
function textsNamedBy(data: string): Omit<NamedText, "entry">[] {
  const value: unknown = JSON.parse(data);
  const { delivery, record } = isRecord(value) ? value : {};
  const { packet, output } = isRecord(record) ? record : {};
  return [
    ...named(delivery, "the text of its handoff"),
    ...named(packet, "the packet that its agent was given"),
    ...named(output, "the last message of its agent"),
  ];
}

function named(value: JsonValue | undefined, what: string): Omit<NamedText, "entry">[] {
  const text = isRecord(value) ? value["text"] : null;
  return typeof text === "string" && /^[0-9a-f]{64}$/.test(text) ? [{ text, what }] : [];
}

/** The mark that `redact.ts` writes; the mark of older versions names no kind. */
const MASK = /\(redacted ([A-Za-z][A-Za-z ]{1,40})\)|\[redacted\]/g;

/** Counts the marks of masked secrets in a text by kind. */
function countMasks(text: string, counts: Record<string, number>): void {
  if (!text.includes("redacted")) return;
  for (const [, kind = "of no told kind"] of text.matchAll(MASK))
    counts[kind] = (Object.hasOwn(counts, kind) ? (counts[kind] ?? 0) : 0) + 1;
}
