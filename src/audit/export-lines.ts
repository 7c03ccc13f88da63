import { createHash } from "node:crypto";
import type { AuditedEntry, AuditedRun, KeptCheckpoint, LogSnapshot } from "../ports/log-snapshot.ts";
import type { NoSigner, Signer } from "../ports/log-signer.ts";
import type { JsonRecord } from "../shared/json-value.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { type ChainHead, EMPTY_CHAIN, canonicalJson } from "./hash-chain.ts";
import { keyIdOf } from "./signature.ts";

interface ExportOptions {
  /** Data of this run only. */
  readonly run: string | null;
  readonly since: number | null;
  readonly at: number;
  readonly signer: Signer | NoSigner;
}

export const EXPORT_TYPE = "baton-audit-export";
const PAGE = 500;

/**
 * One object per line in canonical JSON: the header, entries with each checkpoint after the entry that it covers, runs,
 * keys, and an end line with the hash of all lines. Entries that the filter leaves out keep the fields that the chain
 * needs; their data are withheld.
 */
export function* exportLines(snapshot: LogSnapshot, options: ExportOptions): Generator<string, void, void> {
  const hash = createHash("sha256");
  const written = { entries: 0, checkpoints: 0, runs: 0 };
  const keys = new Set<string>();
  for (const line of bodyLines(snapshot, options, written, keys)) {
    hash.update(line);
    yield line;
  }
  const sha256 = hash.digest("hex");
  const { signer } = options;
  const signed = "why" in signer ? { key: null, signature: null } : signature(signer, sha256);
  yield lineOf({ type: "end", ...written, sha256, ...signed });
}

/** The prefix keeps the signature of an export from being valid for a checkpoint. */
export function signedExport(sha256: string): string {
  return `baton export\n${sha256}`;
}

function signature(signer: Signer, sha256: string): { key: string; signature: string } {
  return { key: signer.publicKey, signature: signer.sign(signedExport(sha256)) };
}

type Written = Record<"entries" | "checkpoints" | "runs", number>;

function* bodyLines(
  snapshot: LogSnapshot,
  options: ExportOptions,
  written: Written,
  keys: Set<string>,
): Generator<string, void, void> {
  const { run, since, at } = options;
  const start = since === null ? EMPTY_CHAIN : startOf(snapshot, since);
  yield lineOf({ type: EXPORT_TYPE, version: 1, log: snapshot.log, at, run, since, start: { ...start } });
  yield* chainLines(snapshot, start, run, written, keys);
  yield* runLines(snapshot, run, written);
  for (const key of keys) yield lineOf({ type: "key", key, keyId: keyIdOf(key) });
}

/** The last entry before `since`; the export begins after it. */
function startOf(snapshot: LogSnapshot, since: number): ChainHead {
  let start = EMPTY_CHAIN;
  for (let after = 0; ;) {
    const page = snapshot.entries(after, PAGE);
    for (const { position, hash, at } of page) {
      if (at >= since) return start;
      start = { position, hash };
    }
    after = page.at(-1)?.position ?? after;
    if (page.length < PAGE) return start;
  }
}

function* chainLines(
  snapshot: LogSnapshot,
  start: ChainHead,
  run: string | null,
  written: Written,
  keys: Set<string>,
): Generator<string, void, void> {
  const waiting = placedCheckpoints(snapshot, start.position);
  let next = waiting.next();
  const due = function* (until: number): Generator<string, void, void> {
    for (; next.done !== true && next.value.position < until; next = waiting.next()) {
      written.checkpoints++;
      if (next.value.key !== null) keys.add(next.value.key);
      yield checkpointLine(next.value.kept);
    }
  };
  for (let after = start.position; ;) {
    const page = snapshot.entries(after, PAGE);
    for (const entry of page) {
      yield* due(entry.position);
      written.entries++;
      yield entryLine(entry, run !== null && entry.run !== run);
    }
    after = page.at(-1)?.position ?? after;
    if (page.length < PAGE) break;
  }
  yield* due(Number.POSITIVE_INFINITY);
}

interface PlacedCheckpoint {
  readonly kept: KeptCheckpoint;
  readonly position: number;
  readonly key: string | null;
}

/** Checkpoints before the start say nothing about the exported entries and are skipped. */
function* placedCheckpoints(snapshot: LogSnapshot, start: number): Generator<PlacedCheckpoint, void, void> {
  for (let after = 0; ;) {
    const page = snapshot.checkpoints(after, PAGE);
    for (const kept of page) {
      const body = readCheckpoint(kept);
      const position = body?.position ?? 0;
      if (position > start || start === 0) yield { kept, position, key: body?.key ?? null };
    }
    after = page.at(-1)?.number ?? after;
    if (page.length < PAGE) return;
  }
}

function* runLines(snapshot: LogSnapshot, only: string | null, written: Written): Generator<string, void, void> {
  for (let after = 0; ;) {
    const page = snapshot.runs(after, PAGE);
    for (const run of page) {
      if (only !== null && run.run !== only) continue;
      written.runs++;
      yield runLine(run);
    }
    after = page.at(-1)?.number ?? after;
    if (page.length < PAGE) return;
  }
}

function entryLine(entry: AuditedEntry, withheld: boolean): string {
  const { position, run, sequence, at, kind, data, dataHash, seal, hash } = entry;
  const state = withheld ? "withheld" : data === null ? "pruned" : "whole";
  const kept = state === "whole" ? parsed(data) : null;
  return lineOf({ type: "entry", position, run, sequence, at, kind, data: kept, state, dataHash, seal, hash });
}

/** Damaged data that are not JSON are exported as text; they match no hash either way. */
function parsed(data: string | null): JsonRecord[string] {
  try {
    return JSON.parse(data ?? "null") as JsonRecord;
  } catch {
    return data ?? null;
  }
}

function checkpointLine({ number, body, signature: sign }: KeptCheckpoint): string {
  return lineOf({ type: "checkpoint", number, body, signature: sign });
}

function runLine(run: AuditedRun): string {
  const {
    number: _number,
    emptied: _emptied,
    dueAt: _due,
    hasLetters: _letters,
    last: _last,
    mark: _mark,
    ...kept
  } = run;
  return lineOf({ type: "run", ...kept } as unknown as JsonRecord);
}

function lineOf(value: JsonRecord): string {
  return `${canonicalJson(value)}\n`;
}
