import type { KeptCheckpoint, LogCounts } from "../ports/log-snapshot.ts";
import type { NoSigner, SeenHead, Signer } from "../ports/notary.ts";
import { isRecord, type JsonRecord } from "../shared/json-value.ts";
import { canonicalJson } from "./canonical-json.ts";
import { type ChainHead, FIRST_HASH, hashOfText } from "./hash-chain.ts";
import { isSignedBy, keyIdOf } from "./signature.ts";

/** What a checkpoint says, in canonical JSON: these bytes are signed. */
export interface CheckpointBody {
  readonly version: 1;
  readonly log: string;
  readonly number: number;
  readonly position: number;
  readonly hash: string;
  /** Entries up to here. */
  readonly count: number;
  readonly at: number;
  /** Hash of the checkpoint before, with its signature. */
  readonly previous: string;
  /** Entries that had been emptied by pruning. */
  readonly pruned: number;
  /** Texts that had been; absent in checkpoints from before texts were pruned. */
  readonly prunedTexts?: number;
  /** Rows beside the entries, which are only ever added to. */
  readonly rows: {
    readonly runs: number;
    readonly letters: number;
    readonly texts: number;
    readonly workflows: number;
  };
  readonly key: string | null;
  readonly keyId: string | null;
  /** Why nobody has signed it. */
  readonly unsigned: string | null;
}

/** What the log holds in the moment in which a checkpoint is made. */
export interface LogStanding {
  readonly log: string;
  readonly head: ChainHead;
  readonly pruned: number;
  readonly prunedTexts: number;
  readonly counts: Pick<LogCounts, "runs" | "letters" | "texts" | "workflows">;
  readonly previous: KeptCheckpoint | null;
}

export function makeCheckpoint(standing: LogStanding, signer: Signer | NoSigner, at: number): KeptCheckpoint {
  const { log, head, pruned, prunedTexts, counts, previous } = standing;
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

/** So that what was signed as a checkpoint can never pass as something else. */
function signedText(body: string): string {
  return `baton checkpoint\n${body}`;
}

/** Covers the signature, too: none can be exchanged unseen but the last one. */
export function digestOf({ body, signature }: KeptCheckpoint): string {
  return hashOfText(JSON.stringify([body, signature]));
}

export function hasRightSignature({ key }: CheckpointBody, { body, signature }: KeptCheckpoint): boolean {
  return key !== null && signature !== null && isSignedBy(key, signedText(body), signature);
}

/** Null when these are not the bytes that we would write. */
export function readCheckpoint({ number, body }: KeptCheckpoint): CheckpointBody | null {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return null;
  }
  if (!isRecord(value) || canonicalJson(value) !== body || value["number"] !== number) return null;
  return hasShape(value) ? (value as unknown as CheckpointBody) : null;
}

function hasShape(value: JsonRecord): boolean {
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

/** What is kept of it outside of the log. */
export function seenHeadOf(checkpoint: KeptCheckpoint, body: CheckpointBody): Omit<SeenHead, "place"> {
  const { log, position, hash, at } = body;
  return { log, position, hash, at, checkpoint: checkpoint.number, digest: digestOf(checkpoint) };
}
