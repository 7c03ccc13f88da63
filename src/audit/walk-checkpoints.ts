import type { KeptCheckpoint } from "../ports/log-snapshot.ts";
import type { KnownKey } from "../ports/log-signer.ts";
import type { AuditFindingCode, AuditProof } from "../views/audit-report.ts";
import { type CheckpointBody, digestOf, hasRightSignature, headHashOf, readCheckpoint } from "./checkpoint.ts";
import { entriesIn, type FindingCollector, MAX_AUDIT_FINDINGS } from "./findings.ts";
import { type ChainHead, FIRST_HASH } from "./hash-chain.ts";
import { keyIdOf } from "./signature.ts";
import type { ChainWalk } from "./walk-log.ts";
import type { RegisterWalk } from "./walk-register.ts";

interface CheckpointOptions {
  /** Where any key is known, a signature of an unknown key is a finding, rather than no proof. */
  readonly refusesUnknownKeys: boolean;
  /** False when the checkpoints before the first one are not part of an export. */
  readonly isWhole?: boolean;
  /** The only run whose entries an export has; null when it has all. */
  readonly onlyRun?: string | null;
  /** A head that was kept elsewhere. */
  readonly wanted?: ChainHead | undefined;
}

/** A checkpoint, and whether everything holds that it says. */
interface WalkedCheckpoint {
  readonly kept: KeptCheckpoint;
  readonly body: CheckpointBody;
  isValid: boolean;
}

/**
 * Verifies each checkpoint when the register has reached the entry that it covers. The hashes that it says are expected of
 * the chains, so entries are walked afterwards; `settle` is called when all of them were.
 */
export class CheckpointWalk {
  checkpoints = 0;
  signed = 0;
  /** The newest checkpoint that is signed by a trusted key and holds. */
  proven: AuditProof | null = null;
  provenBody: CheckpointBody | null = null;
  last: CheckpointBody | null = null;
  lastHead: ChainHead | null = null;
  /** A checkpoint is the head that was kept elsewhere. */
  hasWanted = false;
  readonly unsigned = new Set<string>();
  readonly unknownKeys = new Set<string>();
  readonly #findings: FindingCollector;
  readonly #log: string;
  readonly #chain: ChainWalk;
  readonly #register: RegisterWalk;
  readonly #keys: ReadonlyMap<string, KnownKey>;
  readonly #options: CheckpointOptions;
  /** Signatures of unknown keys, which `settle` judges at the end. */
  readonly #byUnknownKeys: { readonly number: number; readonly position: number; readonly key: string }[] = [];
  readonly #trusted: WalkedCheckpoint[] = [];
  /** Unsigned ones after the last trusted one. */
  #unsignedSince: WalkedCheckpoint[] = [];
  /** The checkpoint before; null when it is not part of the export. */
  #previous: { readonly number: number; readonly digest: string } | null;
  /** The last position at which a checkpoint and the chain of older versions agreed. */
  #agreed = 0;

  constructor(
    findings: FindingCollector,
    walks: { readonly log: string; readonly chain: ChainWalk; readonly register: RegisterWalk },
    keys: readonly KnownKey[],
    options: CheckpointOptions,
  ) {
    this.#findings = findings;
    this.#log = walks.log;
    this.#chain = walks.chain;
    this.#register = walks.register;
    // Where a key is listed twice, the first entry wins.
    this.#keys = new Map(keys.toReversed().map((known) => [known.publicKey, known]));
    this.#options = options;
    this.#previous = (options.isWhole ?? true) ? { number: 0, digest: FIRST_HASH } : null;
  }

  take(kept: KeptCheckpoint): void {
    this.checkpoints++;
    const body = readCheckpoint(kept);
    if (body === null) {
      this.#checkOrder(kept, null);
      this.#findings.add("checkpoint-changed", "the checkpoint is not as it was written", {
        row: `checkpoint ${kept.number}`,
      });
    } else this.#takeBody({ kept, body, isValid: true });
    this.#previous = { number: kept.number, digest: digestOf(kept) };
  }

  #takeBody(walked: WalkedCheckpoint): void {
    const { kept, body } = walked;
    this.#checkOrder(kept, walked);
    if (body.log !== this.#log) this.#note("checkpoint-changed", "it belongs to another log", walked);
    else {
      if (this.last !== null && !continues(this.last, body))
        this.#note("checkpoint-changed", "its counts do not continue those of the checkpoint before", walked);
      this.#expectHeads(walked);
    }
    this.#checkSignature(walked);
    this.last = body;
    this.lastHead = { position: body.position, hash: headHashOf(kept, body) };
    const { wanted } = this.#options;
    this.hasWanted ||= wanted?.position === body.position && wanted.hash === this.lastHead.hash;
  }

  #checkOrder({ number }: KeptCheckpoint, walked: WalkedCheckpoint | null): void {
    const previous = this.#previous;
    if (previous === null) return;
    if (number !== previous.number + 1)
      this.#findings.add("checkpoint-missing", `checkpoint ${previous.number + 1}, which comes before it, is missing`, {
        row: `checkpoint ${number}`,
      });
    else if (walked !== null && walked.body.previous !== previous.digest)
      this.#note("checkpoint-changed", "the checkpoint before it is not the one that it refers to", walked);
  }

  #expectHeads(walked: WalkedCheckpoint): void {
    const { body } = walked;
    if (body.version === 1) return this.#expectChain(walked, body);
    const { number, hash } = this.#register.head;
    if (body.register.number > number)
      this.#note("cut-off", `it covers entry ${body.register.number} of the register, which ends at ${number}`, walked);
    else if (body.register.number < number) this.#note("checkpoint-changed", "it is in the wrong place", walked);
    else if (body.register.hash !== hash)
      this.#note("register-changed", `an entry of the register up to ${number} was rewritten`, walked);
    for (const head of body.runs) {
      if ((this.#options.onlyRun ?? head.run) !== head.run) continue;
      this.#chain.expectOf(head.run, head.sequence, {
        hash: head.hash,
        met: () => undefined,
        missed: (found) => this.#missRun(walked, head.run, head.sequence, found !== null),
      });
    }
  }

  #missRun(walked: WalkedCheckpoint, run: string, sequence: number, isThere: boolean): void {
    walked.isValid = false;
    const { number } = walked.kept;
    const where = { row: `checkpoint ${number}`, position: walked.body.position, run, sequence };
    if (isThere)
      this.#findings.add("wrong-head", `entry ${sequence} of run ${run}, or one before it, was rewritten`, where);
    else this.#findings.add("cut-off", `it covers entry ${sequence} of run ${run}, which is missing`, where);
  }

  /** A checkpoint of an older version. */
  #expectChain(walked: WalkedCheckpoint, { position, hash, count }: CheckpointBody & { readonly version: 1 }): void {
    if (count !== position)
      this.#note("checkpoint-changed", "its counts do not continue those of the checkpoint before", walked);
    if (position < this.#chain.old.position)
      return this.#note("checkpoint-changed", "it is in the wrong place", walked);
    const met = (): void => {
      this.#agreed = position;
    };
    this.#chain.expectAt(position, {
      hash,
      met,
      missed: (found) => {
        const end = this.#chain.position;
        if (found === null && position > end)
          this.#note("cut-off", `it covers ${entriesIn(position)}, but the log ends at ${end}`, walked);
        else this.#note("wrong-head", `an entry from ${this.#agreed + 1} to ${position} was rewritten`, walked);
      },
    });
  }

  #checkSignature(walked: WalkedCheckpoint): void {
    const { kept, body } = walked;
    if (body.key === null) {
      if (kept.signature !== null) this.#note("wrong-signature", "it has a signature but names no key", walked);
      this.unsigned.add(body.unsigned ?? "");
      if (this.#unsignedSince.length <= MAX_AUDIT_FINDINGS) this.#unsignedSince.push(walked);
      return;
    }
    const keyId = keyIdOf(body.key);
    if (!hasRightSignature(body, kept))
      return this.#note("wrong-signature", `it is not signed by the key ${keyId} that it names`, walked);
    this.signed++;
    if (!this.#keys.has(body.key)) return this.#takeUnknownKey(kept.number, body.position, keyId);
    this.#trusted.push(walked);
    this.#unsignedSince = [];
  }

  #takeUnknownKey(number: number, position: number, key: string): void {
    if (this.#options.refusesUnknownKeys && this.#keys.size > 0) this.#noteUnknownKey(number, position, key);
    else {
      this.unknownKeys.add(key);
      if (this.#byUnknownKeys.length <= MAX_AUDIT_FINDINGS) this.#byUnknownKeys.push({ number, position, key });
    }
  }

  /**
   * Called after the last entry. Beside a trusted signature, one of an unknown key is a sign of tampering, and so is a
   * last checkpoint that nobody signed: what it says could be said by anyone.
   */
  settle(): void {
    const proven = this.#trusted.findLast(({ isValid }) => isValid);
    if (proven !== undefined) this.#prove(proven);
    if (this.#trusted.length === 0) return;
    for (const { number, position, key } of this.#byUnknownKeys) this.#noteUnknownKey(number, position, key);
    this.unknownKeys.clear();
    for (const walked of this.#unsignedSince)
      this.#note("checkpoint-unsigned", `it is not signed: ${walked.body.unsigned ?? "it says no reason"}`, walked);
  }

  #prove({ kept, body }: WalkedCheckpoint): void {
    const known = this.#keys.get(body.key ?? "");
    if (known === undefined) return;
    const { whose, file } = known;
    const { position, at } = body;
    const hash = headHashOf(kept, body);
    const keyId = keyIdOf(known.publicKey);
    this.proven = { checkpoint: kept.number, position, hash, at, keyId, whose, keyFile: file };
    this.provenBody = body;
  }

  #noteUnknownKey(number: number, position: number, key: string): void {
    const message = `it is signed by the key ${key}, which is not known here`;
    this.#findings.add("unknown-key", message, { row: `checkpoint ${number}`, position });
  }

  #note(code: AuditFindingCode, message: string, walked: WalkedCheckpoint): void {
    walked.isValid = false;
    this.#findings.add(code, message, { row: `checkpoint ${walked.kept.number}`, position: walked.body.position });
  }
}

/** Nothing that a checkpoint counts is smaller than in the one before. */
function continues(before: CheckpointBody, after: CheckpointBody): boolean {
  const hasPrunedMore = after.pruned >= before.pruned && (after.prunedTexts ?? 0) >= (before.prunedTexts ?? 0);
  const reachesFurther = after.position >= before.position && after.version >= before.version;
  return hasPrunedMore && reachesFurther && grew(before.rows, after.rows);
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
