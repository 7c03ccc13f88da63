import {
  type CheckpointBody,
  type LogSummary,
  digestOf,
  makeCheckpoint,
  readCheckpoint,
  seenHeadOf,
} from "../../audit/checkpoint.ts";
import { StoreError, type Commit } from "../../ports/event-log.ts";
import type { KeptCheckpoint } from "../../ports/log-snapshot.ts";
import type { NoSigner, SeenHead, Signer, LogSigner } from "../../ports/log-signer.ts";
import { checkpointOf, hashOf, headOf, integerOf, textColumn } from "./rows.ts";
import type { LogStatements } from "./statements.ts";

export interface SigningInput {
  readonly signer: Signer | NoSigner;
  readonly seen: readonly SeenHead[];
  readonly at: number;
}

/**
 * Inside a transaction, so that the signature covers one state of the log. Null for an empty log. A log that was
 * rewritten since it was last signed is not signed again: that would hide the change.
 */
export function planCheckpoint(
  statements: LogStatements,
  { signer, seen, at }: SigningInput,
): PlannedCheckpoint | null {
  const summary = summaryOf(statements);
  if (summary.head.position === 0) return null;
  const { previous } = summary;
  const last = previous === null ? null : readCheckpoint(previous);
  const trouble = whyNotContinued(statements, summary, last, seen);
  const signs = trouble === null ? signer : { why: trouble };
  if (previous !== null && last !== null && saysTheSame(last, summary, signs))
    return { checkpoint: previous, isNew: false };
  return { checkpoint: makeCheckpoint(summary, signs, at), isNew: true };
}

interface PlannedCheckpoint {
  readonly checkpoint: KeptCheckpoint;
  /** False when the last checkpoint already covers the log. */
  readonly isNew: boolean;
}

/** Inside a write transaction. False when another process has stored one meanwhile, which has to come before. */
export function storeCheckpoint(statements: LogStatements, { number, body, signature }: KeptCheckpoint): boolean {
  const last = statements.lastCheckpoint.get();
  if (number !== (last === undefined ? 0 : integerOf(last, "number")) + 1) return false;
  statements.insertCheckpoint.run(number, body, signature);
  return true;
}

function summaryOf(statements: LogStatements): LogSummary {
  const ledger = statements.ledger.get();
  if (ledger === undefined) throw new StoreError("damaged", "the ledger of the log is missing");
  const last = statements.lastNumbers.get() ?? {};
  const previous = statements.lastCheckpoint.get();
  return {
    log: textColumn(ledger, "log"),
    pruned: integerOf(ledger, "pruned"),
    prunedTexts: integerOf(ledger, "pruned_texts"),
    head: headOf(statements.head.get()),
    counts: {
      runs: integerOf(last, "runs"),
      letters: integerOf(last, "letters"),
      texts: integerOf(last, "texts"),
      workflows: integerOf(last, "workflows"),
    },
    previous: previous === undefined ? null : checkpointOf(previous),
  };
}

/** The same head is signed again only when the last checkpoint is unsigned. */
function saysTheSame(last: CheckpointBody, summary: LogSummary, signer: Signer | NoSigner): boolean {
  const { head, pruned, prunedTexts } = summary;
  const isSigned = last.key !== null;
  return (
    last.position === head.position &&
    last.hash === head.hash &&
    last.pruned === pruned &&
    (last.prunedTexts ?? 0) === prunedTexts &&
    (isSigned || "why" in signer)
  );
}

const VERIFY = "baton audit verify tells more";

function whyNotContinued(
  statements: LogStatements,
  { log, previous }: LogSummary,
  last: CheckpointBody | null,
  seen: readonly SeenHead[],
): string | null {
  if (previous !== null && (last === null || !holds(statements, last)))
    return `the log no longer holds what its last checkpoint says: ${VERIFY}`;
  for (const head of seen) {
    if (head.log !== log) return `this place had another log before: ${VERIFY}`;
    const kept = statements.checkpoint.get(head.checkpoint);
    if (kept === undefined || digestOf(checkpointOf(kept)) !== head.digest || !holds(statements, head))
      return `the log no longer holds what was last signed here: ${VERIFY}`;
  }
  return null;
}

function holds(statements: LogStatements, { position, hash }: { position: number; hash: string }): boolean {
  const row = statements.hashAt.get(position);
  return row !== undefined && hashOf(row, "hash") === hash;
}

/** The most entries without a signature while runs go on. */
const EVERY = 256;

/**
 * Makes checkpoints in the background: no commit waits for one, and one that fails is made later. Requests that arrive
 * while one is being made share the next one.
 */
export class CheckpointKeeper {
  readonly #logSigner: LogSigner;
  readonly #store: (input: SigningInput) => Promise<KeptCheckpoint | null>;
  #uncovered = 0;
  #making: Promise<KeptCheckpoint | null> | null = null;
  #next: Promise<KeptCheckpoint | null> | null = null;

  constructor(logSigner: LogSigner, store: (input: SigningInput) => Promise<KeptCheckpoint | null>) {
    this.#logSigner = logSigner;
    this.#store = store;
  }

  committed({ entries, finished, status }: Commit): void {
    this.#uncovered += entries.length;
    if (this.#uncovered >= EVERY || finished || status === "waiting") this.#makeInBackground();
  }

  /** Awaited, because pruned data without a signature look like tampering. */
  async pruned(): Promise<void> {
    this.#uncovered++;
    await this.make().catch(() => null);
  }

  /** Covers everything that was committed before the call. */
  make(): Promise<KeptCheckpoint | null> {
    if (this.#making === null) return this.#begin();
    this.#next ??= this.#making.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  /** Signs what this process has written. */
  async close(): Promise<void> {
    if (this.#uncovered > 0) this.#makeInBackground();
    await this.#next?.catch(() => null);
    await this.#making?.catch(() => null);
  }

  #begin(): Promise<KeptCheckpoint | null> {
    this.#next = null;
    const making = this.#sign().finally(() => {
      if (this.#making === making) this.#making = null;
    });
    this.#making = making;
    return making;
  }

  async #sign(): Promise<KeptCheckpoint | null> {
    const covered = this.#uncovered;
    const logSigner = this.#logSigner;
    const made = await this.#store({ signer: logSigner.signer(), seen: logSigner.seen(), at: Date.now() });
    this.#uncovered -= covered;
    const body = made === null || made.signature === null ? null : readCheckpoint(made);
    // If the folder of the key is read-only, the head cannot be remembered; the signature is still valid.
    if (made !== null && body !== null) await logSigner.remember(seenHeadOf(made, body)).catch(() => undefined);
    return made;
  }

  /** Work goes on when it fails; `baton audit verify` reports how far the last checkpoint reaches. */
  #makeInBackground(): void {
    void this.make().catch(() => undefined);
  }
}
