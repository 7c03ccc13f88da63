import { readCheckpoint, seenHeadOf } from "../../audit/checkpoint.ts";
import type { Commit } from "../../ports/event-log.ts";
import type { KeptCheckpoint } from "../../ports/log-snapshot.ts";
import type { Notary } from "../../ports/notary.ts";
import type { Notarial } from "./store-checkpoint.ts";

/** So many entries are at most left to the hash chain alone while runs go on. */
const EVERY = 256;

/**
 * Makes checkpoints beside the work: no commit waits for one, and one that cannot be made is made later.
 * Whoever asks while one is being made shares the next one.
 */
export class CheckpointKeeper {
  readonly #notary: Notary;
  readonly #store: (notarial: Notarial) => Promise<KeptCheckpoint | null>;
  #uncovered = 0;
  #making: Promise<KeptCheckpoint | null> | null = null;
  #next: Promise<KeptCheckpoint | null> | null = null;

  constructor(notary: Notary, store: (notarial: Notarial) => Promise<KeptCheckpoint | null>) {
    this.#notary = notary;
    this.#store = store;
  }

  committed({ entries, finished, status }: Commit): void {
    this.#uncovered += entries.length;
    if (this.#uncovered >= EVERY || finished || status === "waiting") this.#makeBeside();
  }

  /** Waited for: what is taken away and not signed looks like what somebody else has taken away. */
  async pruned(): Promise<void> {
    this.#uncovered++;
    await this.make().catch(() => null);
  }

  /** Covers everything that was committed before it was asked for. */
  make(): Promise<KeptCheckpoint | null> {
    if (this.#making === null) return this.#begin();
    this.#next ??= this.#making.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  /** What this process has written is covered when it ends. */
  async close(): Promise<void> {
    if (this.#uncovered > 0) this.#makeBeside();
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
    const notary = this.#notary;
    const made = await this.#store({ signer: notary.signer(), seen: notary.seen(), at: Date.now() });
    this.#uncovered -= covered;
    const body = made === null || made.signature === null ? null : readCheckpoint(made);
    // A key that was put into a folder that cannot be written signs all the same.
    if (made !== null && body !== null) await notary.remember(seenHeadOf(made, body)).catch(() => undefined);
    return made;
  }

  /** The work goes on without it; `baton audit verify` tells how far the last one reaches. */
  #makeBeside(): void {
    void this.make().catch(() => undefined);
  }
}
