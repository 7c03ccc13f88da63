import { createHash } from "node:crypto";
import type { AuditedEntry, AuditedRun, KeptCheckpoint, LogSnapshot, RegisterRow } from "../ports/log-snapshot.ts";
import type { NoSigner, Signer } from "../ports/log-signer.ts";
import type { JsonRecord } from "../shared/json-value.ts";
import { readCheckpoint } from "./checkpoint.ts";
import { canonicalJson } from "./hash-chain.ts";
import { readRegisterEntry } from "./register.ts";
import { keyIdOf } from "./signature.ts";

interface ExportOptions {
  /** Entries of this run only. */
  readonly run: string | null;
  /** Data of older entries are withheld. */
  readonly since: number | null;
  readonly at: number;
  readonly signer: Signer | NoSigner;
}

export const EXPORT_TYPE = "baton-audit-export";
const PAGE = 500;

/**
 * One object per line in canonical JSON: the header, the register with each checkpoint after the entry that it covers,
 * entries, runs, keys, and an end line with the hash of all lines. Data that the filter leaves out are withheld: the
 * fields that the chains need stay. Of other runs than the one that is wanted, only entries in the one chain of older
 * versions are needed.
 */
export async function* exportLines(snapshot: LogSnapshot, options: ExportOptions): AsyncGenerator<string, void, void> {
  const hash = createHash("sha256");
  const written = { entries: 0, register: 0, checkpoints: 0, runs: 0 };
  const keys = new Set<string>();
  for await (const line of bodyLines(snapshot, options, written, keys)) {
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

type Written = Record<"entries" | "register" | "checkpoints" | "runs", number>;

async function* bodyLines(
  snapshot: LogSnapshot,
  options: ExportOptions,
  written: Written,
  keys: Set<string>,
): AsyncGenerator<string, void, void> {
  const { run, since, at } = options;
  yield lineOf({ type: EXPORT_TYPE, version: 2, log: snapshot.log, at, run, since });
  yield* registerLines(snapshot, written, keys);
  yield* entryLines(snapshot, options, written);
  yield* runLines(snapshot, run, written);
  for (const key of keys) yield lineOf({ type: "key", key, keyId: keyIdOf(key) });
}

async function* registerLines(
  snapshot: LogSnapshot,
  written: Written,
  keys: Set<string>,
): AsyncGenerator<string, void, void> {
  const waiting = placedCheckpoints(snapshot);
  let next = await waiting.next();
  const due = async function* (until: number): AsyncGenerator<string, void, void> {
    for (; next.done !== true && next.value.covers < until; next = await waiting.next()) {
      written.checkpoints++;
      if (next.value.key !== null) keys.add(next.value.key);
      yield checkpointLine(next.value.kept);
    }
  };
  for await (const page of pagesOf<RegisterRow>((...from) => snapshot.register(...from), "number"))
    for (const row of page) {
      yield* due(row.number);
      written.register++;
      yield lineOf({ type: "register", ...row });
    }
  yield* due(Number.POSITIVE_INFINITY);
}

interface PlacedCheckpoint {
  readonly kept: KeptCheckpoint;
  /** The last entry of the register that it covers; those of older versions cover none. */
  readonly covers: number;
  readonly key: string | null;
}

async function* placedCheckpoints(snapshot: LogSnapshot): AsyncGenerator<PlacedCheckpoint, void, void> {
  for await (const page of pagesOf<KeptCheckpoint>((...from) => snapshot.checkpoints(...from), "number"))
    for (const kept of page) {
      const body = readCheckpoint(kept);
      yield { kept, covers: body?.version === 2 ? body.register.number : 0, key: body?.key ?? null };
    }
}

async function* entryLines(
  snapshot: LogSnapshot,
  { run, since }: ExportOptions,
  written: Written,
): AsyncGenerator<string, void, void> {
  const oldEnd = await closedAt(snapshot);
  for await (const page of pagesOf<AuditedEntry>((...from) => snapshot.entries(...from), "position"))
    for (const entry of page) {
      const isOther = run !== null && entry.run !== run;
      if (isOther && entry.position > oldEnd) continue;
      written.entries++;
      yield entryLine(entry, isOther || (since !== null && entry.at < since));
    }
}

/** The last position of the one chain that all runs of older versions had. */
async function closedAt(snapshot: LogSnapshot): Promise<number> {
  const [first] = await snapshot.register(0, 1);
  const entry = first === undefined ? null : readRegisterEntry(first.body);
  return entry?.kind === "closed" ? entry.position : 0;
}

/** Page by page: a promise for each row takes time. */
async function* pagesOf<T extends { readonly [K in "number" | "position"]?: number }>(
  pageAfter: (after: number, limit: number) => Promise<readonly T[]>,
  key: "number" | "position",
): AsyncGenerator<readonly T[], void, void> {
  for (let after = 0; ;) {
    const page = await pageAfter(after, PAGE);
    yield page;
    after = page.at(-1)?.[key] ?? after;
    if (page.length < PAGE) return;
  }
}

async function* runLines(
  snapshot: LogSnapshot,
  only: string | null,
  written: Written,
): AsyncGenerator<string, void, void> {
  for await (const page of pagesOf<AuditedRun>((...from) => snapshot.runs(...from), "number"))
    for (const run of page) {
      if (only !== null && run.run !== only) continue;
      written.runs++;
      yield runLine(run);
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
