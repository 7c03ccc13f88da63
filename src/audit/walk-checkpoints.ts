import type { KeptCheckpoint } from "../ports/log-snapshot.ts";
import type { KnownKey } from "../ports/notary.ts";
import { type CheckpointBody, digestOf, hasRightSignature, readCheckpoint } from "./checkpoint.ts";
import { entriesIn } from "./count-entries.ts";
import type { Findings } from "./findings.ts";
import { type ChainHead, FIRST_HASH } from "./hash-chain.ts";
import { type AuditProof, MOST_FINDINGS } from "./report.ts";
import { keyIdOf } from "./signature.ts";

export interface CheckpointOptions {
  /** Of keys that are not known here, when some are: a finding, rather than no proof. */
  readonly refusesStrangers: boolean;
  /** False when the first one to come stands alone. */
  readonly isWhole?: boolean;
}

/** Follows the checkpoints, each in the moment in which the chain has come to it. */
export class CheckpointWalk {
  checkpoints = 0;
  signed = 0;
  /** The newest that is signed by a key that is believed, and fits. */
  proven: AuditProof | null = null;
  last: CheckpointBody | null = null;
  readonly unsigned = new Set<string>();
  readonly unknownKeys = new Set<string>();
  readonly #findings: Findings;
  readonly #log: string;
  readonly #keys: ReadonlyMap<string, KnownKey>;
  readonly #refusesStrangers: boolean;
  /** Signed by keys that are not known here; nobody has decided yet what that means. */
  readonly #strangers: { readonly number: number; readonly position: number; readonly key: string }[] = [];
  /** Of the one before: its number and digest. Null when the first one to come stands alone. */
  #previous: { readonly number: number; readonly digest: string } | null;
  /** Up to here checkpoints and chain have agreed. */
  #agreed = 0;

  constructor(findings: Findings, log: string, keys: readonly KnownKey[], options: CheckpointOptions) {
    const { refusesStrangers, isWhole = true } = options;
    this.#findings = findings;
    this.#log = log;
    // The first one to name a key says whose it is.
    this.#keys = new Map(keys.toReversed().map((known) => [known.publicKey, known]));
    this.#refusesStrangers = refusesStrangers && keys.length > 0;
    this.#previous = isWhole ? { number: 0, digest: FIRST_HASH } : null;
  }

  take(kept: KeptCheckpoint, head: ChainHead): void {
    this.checkpoints++;
    const before = this.#findings.list.length + this.#findings.more;
    const body = readCheckpoint(kept);
    this.#checkOrder(kept, body);
    if (body === null) this.#note("checkpoint-changed", "it is not as it was written", kept, null);
    else {
      this.#checkPlace(kept, body, head);
      const isFine = this.#findings.list.length + this.#findings.more === before;
      this.#checkSignature(kept, body, isFine);
      if (isFine) this.#agreed = body.position;
      this.last = body;
    }
    this.#previous = { number: kept.number, digest: digestOf(kept) };
  }

  #checkOrder(kept: KeptCheckpoint, body: CheckpointBody | null): void {
    const previous = this.#previous;
    if (previous === null) return;
    if (kept.number !== previous.number + 1)
      this.#note("checkpoint-missing", `checkpoint ${previous.number + 1} is missing before it`, kept, body);
    else if (body !== null && body.previous !== previous.digest)
      this.#note("checkpoint-changed", "the checkpoint before it is not the one that it followed", kept, body);
  }

  #checkPlace(kept: KeptCheckpoint, body: CheckpointBody, head: ChainHead): void {
    const { position, hash, log, count } = body;
    if (log !== this.#log) this.#note("checkpoint-changed", "it is of another log", kept, body);
    else if (position > head.position)
      this.#note("cut-off", `it covers ${entriesIn(position)}, and the log ends at ${head.position}`, kept, body);
    else if (position < head.position) this.#note("checkpoint-changed", "it stands in the wrong place", kept, body);
    else if (hash !== head.hash)
      this.#note("wrong-head", `something from entry ${this.#agreed + 1} to ${position} was rewritten`, kept, body);
    else if (count !== position || (this.last !== null && !follows(this.last, body)))
      this.#note("checkpoint-changed", "its figures do not follow those of the one before", kept, body);
  }

  #checkSignature(kept: KeptCheckpoint, body: CheckpointBody, isFine: boolean): void {
    const { key, position, hash, at } = body;
    if (key === null) {
      if (kept.signature !== null) this.#note("wrong-signature", "it has a signature of nobody", kept, body);
      this.unsigned.add(body.unsigned ?? "");
      return;
    }
    if (!hasRightSignature(body, kept)) {
      this.#note("wrong-signature", `it is not signed by the key ${keyIdOf(key)} that it names`, kept, body);
      return;
    }
    this.signed++;
    const known = this.#keys.get(key);
    if (known === undefined) this.#takeStranger(kept.number, position, keyIdOf(key));
    else if (isFine) {
      const { whose, file } = known;
      this.proven = { checkpoint: kept.number, position, hash, at, keyId: keyIdOf(key), whose, keyFile: file };
    }
  }

  #takeStranger(number: number, position: number, key: string): void {
    if (this.#refusesStrangers) this.#noteStranger(number, position, key);
    else {
      this.unknownKeys.add(key);
      if (this.#strangers.length <= MOST_FINDINGS) this.#strangers.push({ number, position, key });
    }
  }

  /** When all have been taken: beside signatures that are believed, those of strangers are somebody's who meddled. */
  settle(): void {
    if (this.proven === null) return;
    for (const { number, position, key } of this.#strangers) this.#noteStranger(number, position, key);
    this.unknownKeys.clear();
  }

  #noteStranger(number: number, position: number, key: string): void {
    const message = `it is signed by the key ${key}, which is not known here`;
    this.#findings.add("unknown-key", message, { row: `checkpoint ${number}`, position });
  }

  #note(
    code: Parameters<Findings["add"]>[0],
    message: string,
    kept: KeptCheckpoint,
    body: CheckpointBody | null,
  ): void {
    this.#findings.add(code, message, { row: `checkpoint ${kept.number}`, position: body?.position ?? null });
  }
}

/** None of its figures ever falls. */
function follows(before: CheckpointBody, after: CheckpointBody): boolean {
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
