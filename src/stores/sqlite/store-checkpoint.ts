import {
  type CheckpointBody,
  type LogSummary,
  digestOf,
  makeCheckpoint,
  readCheckpoint,
  readSigned,
  seenHeadOf,
} from "../../audit/checkpoint.ts";
import { EMPTY_REGISTER, readRegisterEntry } from "../../audit/register.ts";
import { StoreError, type Commit, type Pruned } from "../../ports/event-log.ts";
import type { KeptCheckpoint } from "../../ports/log-snapshot.ts";
import type { KnownKey, NoSigner, SeenHead, Signer, LogSigner } from "../../ports/log-signer.ts";
import { checkpointOf, hashOf, integerOf, registerRowOf, type Row, textColumn } from "./rows.ts";
import type { LogStatements } from "./statements.ts";

export interface SigningInput {
  readonly signer: Signer | NoSigner;
  /** Keys whose signatures are trusted here. */
  readonly keys: readonly KnownKey[];
  /** Heads that were remembered outside of the log. */
  readonly seen: (log: string) => readonly SeenHead[];
  readonly at: number;
  /** What this transaction has pruned, or all that was pruned, where the operator accepts it. */
  readonly confirms: JustPruned | "all";
}

export type JustPruned = Pick<Pruned, "entries" | "texts">;

const NOTHING_PRUNED: JustPruned = { entries: 0, texts: 0 };

/**
 * Inside a transaction, so that the signature covers one state of the log. Null for an empty log. A log that was
 * rewritten since it was last signed is not signed again: that would hide the change.
 */
export function planCheckpoint(statements: LogStatements, input: SigningInput): PlannedCheckpoint | null {
  const last = statements.lastCheckpoint.get();
  const previous = last === undefined ? null : checkpointOf(last);
  const body = previous === null ? null : readCheckpoint(previous);
  const summary = summaryOf(statements, previous, body);
  if (summary.register.number === 0) return null;
  const trouble = whyNotContinued(statements, summary, body, input);
  const signs = trouble === null ? input.signer : { why: trouble };
  if (previous !== null && body !== null && saysTheSame(body, summary, signs))
    return { checkpoint: previous, isNew: false };
  return { checkpoint: makeCheckpoint(summary, signs, input.at), isNew: true };
}

/** Plans and stores inside the write transaction of something that must not be there without its signature. */
export function signNow(statements: LogStatements, input: SigningInput): KeptCheckpoint | null {
  const planned = planCheckpoint(statements, input);
  if (planned?.isNew === true) storeCheckpoint(statements, planned.checkpoint);
  return planned?.checkpoint ?? null;
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

function summaryOf(
  statements: LogStatements,
  previous: KeptCheckpoint | null,
  body: CheckpointBody | null,
): LogSummary {
  const ledger = statements.ledger.get();
  if (ledger === undefined) throw new StoreError("damaged", "the ledger of the log is missing");
  const last = statements.lastNumbers.get() ?? {};
  const register = statements.registerHead.get();
  const changed = statements.changedRuns.all(Math.max(body?.position ?? 0, closedPosition(statements)));
  return {
    log: textColumn(ledger, "log"),
    pruned: integerOf(ledger, "pruned"),
    prunedTexts: integerOf(ledger, "pruned_texts"),
    position: integerOf(statements.lastPosition.get() ?? {}, "position"),
    register: register === undefined ? EMPTY_REGISTER : registerRowOf(register),
    runs: changed.map((row) => ({
      run: textColumn(row, "run"),
      sequence: integerOf(row, "sequence"),
      hash: hashOf(row, "head"),
    })),
    counts: {
      runs: integerOf(last, "runs"),
      letters: integerOf(last, "letters"),
      texts: integerOf(last, "texts"),
      workflows: integerOf(last, "workflows"),
    },
    previous,
  };
}

/** The one chain of older versions was closed, and no checkpoint covers that yet. */
export function isChainUnsigned({ lastCheckpoint, registerAt }: LogStatements): boolean {
  const last = lastCheckpoint.get();
  const body = last === undefined ? null : readCheckpoint(checkpointOf(last));
  return body?.version !== 2 && registerAt.get(1) !== undefined;
}

/** Where the one chain of older versions ends: its runs have no heads of their own there. */
function closedPosition({ registerAt }: LogStatements): number {
  const first = registerAt.get(1);
  const entry = first === undefined ? null : readRegisterEntry(textColumn(first, "body"));
  return entry?.kind === "closed" ? entry.position : 0;
}

/** The same state is signed again only when the last checkpoint is unsigned. */
function saysTheSame(last: CheckpointBody, summary: LogSummary, signer: Signer | NoSigner): boolean {
  const { register, position, pruned, prunedTexts } = summary;
  const isSigned = last.key !== null;
  return (
    last.version === 2 &&
    last.position === position &&
    last.register.number === register.number &&
    last.register.hash === register.hash &&
    last.pruned === pruned &&
    (last.prunedTexts ?? 0) === prunedTexts &&
    (isSigned || "why" in signer)
  );
}

const VERIFY = "baton audit verify tells more";

function whyNotContinued(
  statements: LogStatements,
  summary: LogSummary,
  last: CheckpointBody | null,
  { seen, keys, confirms }: SigningInput,
): string | null {
  const { log, previous } = summary;
  if (previous !== null && (last === null || !holds(statements, last)))
    return `the log no longer holds what its last checkpoint says: ${VERIFY}`;
  const forgotten = seen(log)
    .map((head) => whyNotSeen(statements, log, head))
    .find((why) => why !== null);
  if (forgotten !== undefined) return `${forgotten}: ${VERIFY}`;
  const signed = confirms === "all" ? null : lastSigned(statements, previous, keys);
  if (signed === null || confirms === "all") return null;
  const isConfirmed =
    signed.pruned + confirms.entries === summary.pruned &&
    (signed.prunedTexts ?? 0) + confirms.texts === summary.prunedTexts;
  return isConfirmed ? null : `something was pruned, and no signature confirms it: ${VERIFY}`;
}

/** Why the log is not the one that this head was remembered of; null when it is. */
function whyNotSeen(statements: LogStatements, log: string, head: SeenHead): string | null {
  if (head.log !== log) return "this repository had another log before";
  if (head.movedTo !== undefined) return "this log was signed in another place before";
  const row = statements.checkpoint.get(head.checkpoint);
  const kept = row === undefined ? null : checkpointOf(row);
  const body = kept === null || digestOf(kept) !== head.digest ? null : readCheckpoint(kept);
  return body !== null && holds(statements, body) ? null : "the log no longer holds what was last signed here";
}

/** The newest checkpoint that a known key has signed; null when there is none. */
function lastSigned(
  { checkpointsBefore }: LogStatements,
  last: KeptCheckpoint | null,
  keys: readonly KnownKey[],
): CheckpointBody | null {
  for (let before = (last?.number ?? 0) + 1; before > 1;) {
    const page = checkpointsBefore.all(before, FEW).map(checkpointOf);
    for (const kept of page) {
      const body = readSigned(kept, keys);
      if (body !== null) return body;
    }
    before = page.at(-1)?.number ?? 0;
  }
  return null;
}

const FEW = 10;

function holds(statements: LogStatements, body: CheckpointBody): boolean {
  if (body.version === 1) return hasHash(statements.hashAt.get(body.position), body.hash);
  const { number, hash } = body.register;
  return (
    hasHash(statements.registerAt.get(number), hash) &&
    body.runs.every((head) => hasHash(statements.hashOf.get(head.run, head.sequence), head.hash))
  );
}

function hasHash(row: Row | undefined, hash: string): boolean {
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
  #uncovered: number;
  #confirmed: KeptCheckpoint | null = null;
  #making: Promise<KeptCheckpoint | null> | null = null;
  #next: Promise<KeptCheckpoint | null> | null = null;

  /** `uncovered`: what is not signed yet when the log is opened, such as the end of the chain of an older version. */
  constructor(logSigner: LogSigner, store: (input: SigningInput) => Promise<KeptCheckpoint | null>, uncovered: number) {
    this.#logSigner = logSigner;
    this.#store = store;
    this.#uncovered = uncovered;
  }

  committed({ entries, finished, status }: Commit): void {
    this.#uncovered += entries.length;
    if (this.#uncovered >= EVERY || finished || status === "waiting") this.#makeInBackground();
  }

  /** Inside of the transaction that prunes. */
  confirmPruning(pruned: JustPruned, sign: (input: SigningInput) => KeptCheckpoint | null): void {
    this.#confirmed = sign(this.#input(pruned)) ?? this.#confirmed;
  }

  /** After the transactions that prune. */
  async pruned(): Promise<void> {
    await this.#remember(this.#confirmed);
  }

  /** Covers everything that was committed before the call. */
  make(accepts = false): Promise<KeptCheckpoint | null> {
    if (accepts) return this.#store(this.#input("all")).then((made) => this.#remember(made));
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
    const made = await this.#store(this.#input(NOTHING_PRUNED));
    this.#uncovered -= covered;
    return this.#remember(made);
  }

  #input(confirms: SigningInput["confirms"]): SigningInput {
    const logSigner = this.#logSigner;
    const signer = logSigner.signer();
    return { signer, keys: logSigner.keys(), seen: (log) => logSigner.seen(log), at: Date.now(), confirms };
  }

  /** If the folder of the key is read-only, the head cannot be remembered; the signature is still valid. */
  async #remember(made: KeptCheckpoint | null): Promise<KeptCheckpoint | null> {
    const body = made === null || made.signature === null ? null : readCheckpoint(made);
    if (made !== null && body !== null) await this.#logSigner.remember(seenHeadOf(made, body)).catch(() => undefined);
    return made;
  }

  /** Work goes on when it fails; `baton audit verify` reports how far the last checkpoint reaches. */
  #makeInBackground(): void {
    void this.make().catch(() => undefined);
  }
}
