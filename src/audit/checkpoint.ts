import type { KeptCheckpoint, LogCounts } from "../ports/log-snapshot.ts";
import type { KnownKey, NewHead, NoSigner, Signer } from "../ports/log-signer.ts";
import { isRecord, type JsonRecord } from "../shared/json-value.ts";
import { FIRST_HASH, hashOfText, canonicalJson } from "./hash-chain.ts";
import { type RegisterHead, type RunHead, runHeadIn } from "./register.ts";
import { isSignedBy, keyIdOf } from "./signature.ts";

interface CheckpointBase {
  readonly log: string;
  readonly number: number;
  /** Position of the last entry. */
  readonly position: number;
  readonly at: number;
  /** `digestOf` the checkpoint before. */
  readonly previous: string;
  /** Entries whose data had been pruned. */
  readonly pruned: number;
  /** Pruned texts; absent in checkpoints of versions that did not prune texts. */
  readonly prunedTexts?: number;
  /** The number of rows in the other tables, which never shrinks. */
  readonly rows: {
    readonly runs: number;
    readonly letters: number;
    readonly texts: number;
    readonly workflows: number;
  };
  readonly key: string | null;
  readonly keyId: string | null;
  /** Why it is not signed; null when it is. */
  readonly unsigned: string | null;
}

/** A checkpoint of an older version, over the one chain that all runs had then. */
interface ChainCheckpoint extends CheckpointBase {
  readonly version: 1;
  readonly hash: string;
  /** Number of entries up to this position. */
  readonly count: number;
}

interface RegisterCheckpoint extends CheckpointBase {
  readonly version: 2;
  readonly register: RegisterHead;
  /** Heads of the runs that have changed since the checkpoint before and are not over. */
  readonly runs: readonly RunHead[];
}

/** The content of a checkpoint. Its canonical JSON is what gets signed. */
export type CheckpointBody = ChainCheckpoint | RegisterCheckpoint;

/** The state of the log when a checkpoint is made. */
export interface LogSummary {
  readonly log: string;
  readonly position: number;
  readonly register: RegisterHead;
  readonly runs: readonly RunHead[];
  readonly pruned: number;
  readonly prunedTexts: number;
  readonly counts: Pick<LogCounts, "runs" | "letters" | "texts" | "workflows">;
  readonly previous: KeptCheckpoint | null;
}

export function makeCheckpoint(summary: LogSummary, signer: Signer | NoSigner, at: number): KeptCheckpoint {
  const { log, position, register, runs, pruned, prunedTexts, counts, previous } = summary;
  const number = (previous?.number ?? 0) + 1;
  const key = "why" in signer ? null : signer.publicKey;
  const body: RegisterCheckpoint = {
    version: 2,
    log,
    number,
    position,
    register: { number: register.number, hash: register.hash },
    runs: runs.map(({ run, sequence, hash }) => ({ run, sequence, hash })),
    at,
    previous: previous === null ? FIRST_HASH : digestOf(previous),
    pruned,
    prunedTexts,
    rows: { runs: counts.runs, letters: counts.letters, texts: counts.texts, workflows: counts.workflows },
    key,
    keyId: key === null ? null : keyIdOf(key),
    unsigned: "why" in signer ? signer.why : null,
  };
  const text = canonicalJson(body as unknown as JsonRecord);
  return { number, body: text, signature: "why" in signer ? null : signer.sign(signedText(text)) };
}

/** The prefix keeps a checkpoint's signature from being valid for any other kind of text. */
function signedText(body: string): string {
  return `baton checkpoint\n${body}`;
}

/** Covers the signature too: the next checkpoint holds this hash, so only the last signature could be replaced unseen. */
export function digestOf({ body, signature }: KeptCheckpoint): string {
  return hashOfText(JSON.stringify([body, signature]));
}

export function hasRightSignature({ key }: CheckpointBody, { body, signature }: KeptCheckpoint): boolean {
  return key !== null && signature !== null && isSignedBy(key, signedText(body), signature);
}

/** The body of a checkpoint that one of these keys has signed; null for any other. */
export function readSigned(kept: KeptCheckpoint, keys: readonly KnownKey[]): CheckpointBody | null {
  const body = kept.signature === null ? null : readCheckpoint(kept);
  if (body === null || !keys.some(({ publicKey }) => publicKey === body.key)) return null;
  return hasRightSignature(body, kept) ? body : null;
}

/** Null unless the body is the exact canonical JSON of a checkpoint. */
export function readCheckpoint({ number, body }: KeptCheckpoint): CheckpointBody | null {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return null;
  }
  if (!isRecord(value) || canonicalJson(value) !== body || value["number"] !== number) return null;
  return isCheckpointBody(value) ? value : null;
}

function isCheckpointBody(value: JsonRecord): value is JsonRecord & CheckpointBody {
  const rows = value["rows"];
  const key = value["key"];
  return (
    (value["version"] === 1 ? coversChain(value) : value["version"] === 2 && coversRegister(value)) &&
    ["number", "position", "at", "pruned"].every((name) => isCount(value[name])) &&
    isCount(value["prunedTexts"] ?? 0) &&
    ["log", "previous"].every((name) => typeof value[name] === "string") &&
    isRecord(rows) &&
    ["runs", "letters", "texts", "workflows"].every((name) => isCount(rows[name])) &&
    (typeof key === "string" ? value["keyId"] === keyIdOf(key) : typeof value["unsigned"] === "string")
  );
}

function coversChain(value: JsonRecord): boolean {
  return isCount(value["count"]) && typeof value["hash"] === "string";
}

function coversRegister({ register, runs }: JsonRecord): boolean {
  const isHead = isRecord(register) && isCount(register["number"]) && typeof register["hash"] === "string";
  return isHead && Array.isArray(runs) && runs.every((run) => runHeadIn(run) !== null);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The hash that stands for the log up to a checkpoint: in older versions it was that of the last entry. */
export function headHashOf(kept: KeptCheckpoint, body: CheckpointBody): string {
  return body.version === 1 ? body.hash : digestOf(kept);
}

/** The part of a checkpoint that is remembered outside of the log. */
export function seenHeadOf(kept: KeptCheckpoint, body: CheckpointBody): NewHead {
  const { log, position, at } = body;
  return { log, position, hash: headHashOf(kept, body), at, checkpoint: kept.number, digest: digestOf(kept) };
}
