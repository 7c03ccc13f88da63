import type { AuditedEntry, KeptCheckpoint } from "../ports/log-snapshot.ts";
import { isRecord, type JsonValue } from "../shared/json-value.ts";
import type { AuditProof } from "../views/audit-report.ts";
import { entriesIn, type FindingCollector, MAX_AUDIT_FINDINGS } from "./findings.ts";
import { type ChainHead, EMPTY_CHAIN, hashOfEntry, hashOfText, FIRST_HASH } from "./hash-chain.ts";
import type { KnownKey } from "../ports/log-signer.ts";
import { type CheckpointBody, digestOf, hasRightSignature, readCheckpoint } from "./checkpoint.ts";
import { keyIdOf } from "./signature.ts";

export interface WalkedEntry extends AuditedEntry {
  /** The data were left out of an export on purpose. */
  readonly withheld?: boolean;
}

/** Verifies the chain entry by entry. After a finding it goes on from the entry as it is. */
export class ChainWalk {
  head: ChainHead;
  entries = 0;
  emptied = 0;
  withheld = 0;
  readonly prunedRuns = new Set<string>();
  readonly masked: Record<string, number> = {};
  readonly #findings: FindingCollector;
  readonly #hasText: ((hash: string) => boolean) | null;

  constructor(findings: FindingCollector, hasText: ((hash: string) => boolean) | null, start: ChainHead = EMPTY_CHAIN) {
    this.#findings = findings;
    this.#hasText = hasText;
    this.head = start;
  }

  take(entry: WalkedEntry): void {
    this.entries++;
    const follows = this.#noteGap(entry);
    this.#checkData(entry);
    if (entry.run === null) this.#note("entry-changed", "the run of this entry is missing", entry);
    else if (follows && hashOfEntry(this.head.hash, { ...entry, run: entry.run }) !== entry.hash)
      this.#note("entry-changed", "the entry, its hash or the hash of the entry before was changed", entry);
    this.head = { position: entry.position, hash: entry.hash };
  }

  /** False when the entry before is missing, and with it the hash that this one continues. */
  #noteGap(entry: WalkedEntry): boolean {
    const expected = this.head.position + 1;
    const { position } = entry;
    if (position === expected) return true;
    if (position < expected) this.#note("entry-changed", `the entry comes after ${expected - 1}`, entry);
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
    if (mayBeEmpty) this.#note("entry-changed", "the run is marked as pruned, but this entry has data", entry);
    if (hashOfText(data) !== dataHash) this.#note("entry-changed", "the data were changed", entry);
    else this.#checkContent(entry, data);
  }

  #checkContent(entry: WalkedEntry, data: string): void {
    countMasks(data, this.masked);
    if (this.#hasText === null || !TEXT_KEYS.some((part) => data.includes(part))) return;
    for (const { text, what } of textsNamedBy(data))
      if (!this.#hasText(text)) this.#note("text-missing", `${what} (${text.slice(0, 12)}) is missing`, entry);
  }

  #note(code: Parameters<FindingCollector["add"]>[0], message: string, entry: WalkedEntry): void {
    const { position, run, sequence } = entry;
    this.#findings.add(code, message, { position, run, sequence });
  }
}

const TEXT_KEYS = ['"delivery":{', '"record":{'];

interface NamedText {
  readonly text: string;
  readonly what: string;
}

/** The stored texts that an entry refers to by hash: of a handoff, and of the record of an attempt. */
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

/** The mark that `redact.ts` writes; the mark of older versions names no kind. */
const MASK = /\(redacted ([A-Za-z][A-Za-z ]{1,40})\)|\[redacted\]/g;

/** Counts the marks of masked secrets in a text by kind. */
function countMasks(text: string, counts: Record<string, number>): void {
  if (!text.includes("redacted")) return;
  for (const [, kind = "of no told kind"] of text.matchAll(MASK))
    counts[kind] = (Object.hasOwn(counts, kind) ? (counts[kind] ?? 0) : 0) + 1;
}

interface CheckpointOptions {
  /** Where any key is known, a signature of an unknown key is a finding, rather than no proof. */
  readonly refusesUnknownKeys: boolean;
  /** False when the checkpoints before the first one are not part of an export. */
  readonly isWhole?: boolean;
}

/** Verifies each checkpoint when the chain has reached its position. */
export class CheckpointWalk {
  checkpoints = 0;
  signed = 0;
  /** The newest checkpoint that is signed by a trusted key and matches the chain. */
  proven: AuditProof | null = null;
  last: CheckpointBody | null = null;
  readonly unsigned = new Set<string>();
  readonly unknownKeys = new Set<string>();
  readonly #findings: FindingCollector;
  readonly #log: string;
  readonly #keys: ReadonlyMap<string, KnownKey>;
  readonly #refusesUnknownKeys: boolean;
  /** Signatures of unknown keys, which `settle` judges at the end. */
  readonly #byUnknownKeys: { readonly number: number; readonly position: number; readonly key: string }[] = [];
  /** The checkpoint before; null when it is not part of the export. */
  #previous: { readonly number: number; readonly digest: string } | null;
  /** The last position at which checkpoint and chain agreed. */
  #agreed = 0;

  constructor(findings: FindingCollector, log: string, keys: readonly KnownKey[], options: CheckpointOptions) {
    const { refusesUnknownKeys, isWhole = true } = options;
    this.#findings = findings;
    this.#log = log;
    // Where a key is listed twice, the first entry wins.
    this.#keys = new Map(keys.toReversed().map((known) => [known.publicKey, known]));
    this.#refusesUnknownKeys = refusesUnknownKeys && keys.length > 0;
    this.#previous = isWhole ? { number: 0, digest: FIRST_HASH } : null;
  }

  take(kept: KeptCheckpoint, head: ChainHead): void {
    this.checkpoints++;
    const before = this.#findings.list.length + this.#findings.more;
    const body = readCheckpoint(kept);
    this.#checkOrder(kept, body);
    if (body === null) this.#note("checkpoint-changed", "the checkpoint is not as it was written", kept, null);
    else {
      this.#checkPlace(kept, body, head);
      const isValid = this.#findings.list.length + this.#findings.more === before;
      this.#checkSignature(kept, body, isValid);
      if (isValid) this.#agreed = body.position;
      this.last = body;
    }
    this.#previous = { number: kept.number, digest: digestOf(kept) };
  }

  #checkOrder(kept: KeptCheckpoint, body: CheckpointBody | null): void {
    const previous = this.#previous;
    if (previous === null) return;
    if (kept.number !== previous.number + 1)
      this.#note(
        "checkpoint-missing",
        `checkpoint ${previous.number + 1}, which comes before it, is missing`,
        kept,
        body,
      );
    else if (body !== null && body.previous !== previous.digest)
      this.#note("checkpoint-changed", "the checkpoint before it is not the one that it refers to", kept, body);
  }

  #checkPlace(kept: KeptCheckpoint, body: CheckpointBody, head: ChainHead): void {
    const { position, hash, log, count } = body;
    if (log !== this.#log) this.#note("checkpoint-changed", "it belongs to another log", kept, body);
    else if (position > head.position)
      this.#note("cut-off", `it covers ${entriesIn(position)}, but the log ends at ${head.position}`, kept, body);
    else if (position < head.position) this.#note("checkpoint-changed", "it is in the wrong place", kept, body);
    else if (hash !== head.hash)
      this.#note("wrong-head", `an entry from ${this.#agreed + 1} to ${position} was rewritten`, kept, body);
    else if (count !== position || (this.last !== null && !continues(this.last, body)))
      this.#note("checkpoint-changed", "its counts do not continue those of the checkpoint before", kept, body);
  }

  #checkSignature(kept: KeptCheckpoint, body: CheckpointBody, isValid: boolean): void {
    const { key, position, hash, at } = body;
    if (key === null) {
      if (kept.signature !== null) this.#note("wrong-signature", "it has a signature but names no key", kept, body);
      this.unsigned.add(body.unsigned ?? "");
      return;
    }
    if (!hasRightSignature(body, kept)) {
      this.#note("wrong-signature", `it is not signed by the key ${keyIdOf(key)} that it names`, kept, body);
      return;
    }
    this.signed++;
    const known = this.#keys.get(key);
    if (known === undefined) this.#takeUnknownKey(kept.number, position, keyIdOf(key));
    else if (isValid) {
      const { whose, file } = known;
      this.proven = { checkpoint: kept.number, position, hash, at, keyId: keyIdOf(key), whose, keyFile: file };
    }
  }

  #takeUnknownKey(number: number, position: number, key: string): void {
    if (this.#refusesUnknownKeys) this.#noteUnknownKey(number, position, key);
    else {
      this.unknownKeys.add(key);
      if (this.#byUnknownKeys.length <= MAX_AUDIT_FINDINGS) this.#byUnknownKeys.push({ number, position, key });
    }
  }

  /** Called after the last checkpoint: beside a trusted signature, one of an unknown key is a sign of tampering. */
  settle(): void {
    if (this.proven === null) return;
    for (const { number, position, key } of this.#byUnknownKeys) this.#noteUnknownKey(number, position, key);
    this.unknownKeys.clear();
  }

  #noteUnknownKey(number: number, position: number, key: string): void {
    const message = `it is signed by the key ${key}, which is not known here`;
    this.#findings.add("unknown-key", message, { row: `checkpoint ${number}`, position });
  }

  #note(
    code: Parameters<FindingCollector["add"]>[0],
    message: string,
    kept: KeptCheckpoint,
    body: CheckpointBody | null,
  ): void {
    this.#findings.add(code, message, { row: `checkpoint ${kept.number}`, position: body?.position ?? null });
  }
}

/** No count of a checkpoint is smaller than in the one before. */
function continues(before: CheckpointBody, after: CheckpointBody): boolean {
  const hasPrunedMore = after.pruned >= before.pruned && (after.prunedTexts ?? 0) >= (before.prunedTexts ?? 0);
  return hasPrunedMore && grew(before.rows, after.rows);
}

type Rows = CheckpointBody["rows"];

function grew(before: Rows, after: Rows): boolean {
  return (
    after.runs >= before.runs &&
    after.letters >= before.letters &&
    after.texts >= before.texts &&
    after.workflows >= before.workflows
  );
}
