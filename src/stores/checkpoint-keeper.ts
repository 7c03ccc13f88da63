import { readCheckpoint, seenHeadOf } from "../audit/checkpoint.ts";
import type { JustPruned, SigningInput } from "../audit/plan-checkpoint.ts";
import type { Commit } from "../ports/event-log.ts";
import type { LogSigner } from "../ports/log-signer.ts";
import type { KeptCheckpoint } from "../ports/log-snapshot.ts";

const NOTHING_PRUNED: JustPruned = { entries: 0, texts: 0 };

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

  /** With what a transaction that prunes has signed for it (`inputFor`). */
  confirm(signed: KeptCheckpoint | null): void {
    this.#confirmed = signed ?? this.#confirmed;
  }

  /** After the transactions that prune. */
  async pruned(): Promise<void> {
    await this.#remember(this.#confirmed);
  }

  /** To sign what this transaction has pruned, or with `all` whatever was pruned. */
  inputFor(confirms: SigningInput["confirms"]): SigningInput {
    const logSigner = this.#logSigner;
    const signer = logSigner.signer();
    return { signer, keys: logSigner.keys(), seen: (log) => logSigner.seen(log), at: Date.now(), confirms };
  }

  /** Covers everything that was committed before the call. */
  make(accepts = false): Promise<KeptCheckpoint | null> {
    if (accepts) return this.#store(this.inputFor("all")).then((made) => this.#remember(made));
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
    const made = await this.#store(this.inputFor(NOTHING_PRUNED));
    this.#uncovered -= covered;
    return this.#remember(made);
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
