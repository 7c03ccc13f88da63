import type { KeptCheckpoint, LogCounts } from "../ports/log-snapshot.ts";
import type { NoSigner, SeenHead, Signer } from "../ports/log-signer.ts";
import { isRecord, type JsonRecord } from "../shared/json-value.ts";
import { type ChainHead, FIRST_HASH, hashOfText, canonicalJson } from "./hash-chain.ts";
import { isSignedBy, keyIdOf } from "./signature.ts";

/** The content of a checkpoint. Its canonical JSON is what gets signed. */
export interface CheckpointBody {
  readonly version: 1;
  readonly log: string;
  readonly number: number;
  readonly position: number;
  readonly hash: string;
  /** Number of entries up to this position. */
  readonly count: number;
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

/** The state of the log when a checkpoint is made. */
export interface LogSummary {
  readonly log: string;
  readonly head: ChainHead;
  readonly pruned: number;
  readonly prunedTexts: number;
  readonly counts: Pick<LogCounts, "runs" | "letters" | "texts" | "workflows">;
  readonly previous: KeptCheckpoint | null;
}

export function makeCheckpoint(summary: LogSummary, signer: Signer | NoSigner, at: number): KeptCheckpoint {
  const { log, head, pruned, prunedTexts, counts, previous } = summary;
  const number = (previous?.number ?? 0) + 1;
  const key = "why" in signer ? null : signer.publicKey;
  const body: CheckpointBody = {
    version: 1,
    log,
    number,
    position: head.position,
    hash: head.hash,
    count: head.position,
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
  const isCount = (each: unknown): boolean => Number.isSafeInteger(each) && Number(each) >= 0;
  const key = value["key"];
  return (
    value["version"] === 1 &&
    ["number", "position", "count", "at", "pruned"].every((name) => isCount(value[name])) &&
    isCount(value["prunedTexts"] ?? 0) &&
    ["log", "hash", "previous"].every((name) => typeof value[name] === "string") &&
    isRecord(rows) &&
    ["runs", "letters", "texts", "workflows"].every((name) => isCount(rows[name])) &&
    (typeof key === "string" ? value["keyId"] === keyIdOf(key) : typeof value["unsigned"] === "string")
  );
}

/** The part of a checkpoint that is remembered outside of the log. */
export function seenHeadOf(checkpoint: KeptCheckpoint, body: CheckpointBody): Omit<SeenHead, "place"> {
  const { log, position, hash, at } = body;
  return { log, position, hash, at, checkpoint: checkpoint.number, digest: digestOf(checkpoint) };
}
