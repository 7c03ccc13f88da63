import type { KnowledgeHead } from "./knowledge-store.ts";

/**
 * Signs the log, and remembers the last signed head outside of the state folder.
 *
 * 1. The private key is never returned, and is never stored in the state folder or the repository.
 * 2. A signer that cannot sign returns the reason; runs continue without signatures.
 * 3. A remembered head is replaced only by a newer one of the same log.
 * 4. Heads are remembered by the identity of the log and by the repository that it belongs to. Links in the repository
 *    lead to no other memory.
 */
export interface LogSigner {
  /** The key is created on first use. */
  signer(): Signer | NoSigner;
  /** Keys whose signatures are trusted here, the machine's own key first. It creates no key. */
  keys(): readonly KnownKey[];
  /**
   * The last signed heads that the log with this id must have: those of this repository, which may be of another log, and
   * those of the same log elsewhere, unless a copy of it was accepted here. Without an id only those of this repository.
   */
  seen(log: string | null): readonly SeenHead[];
  /** Resolves when the head is on disk. */
  remember(head: NewHead): Promise<void>;
  /** Accepts this log as that of this repository. Heads remembered for it before are set aside, not lost. */
  accept(head: NewHead): Promise<void>;
  /** The last seal of the knowledge of this repository; null when none was made here. */
  seenKnowledge(): KnowledgeHead | null;
  /** Replaces only an older one, unless the operator accepts what is there. */
  rememberKnowledge(head: KnowledgeHead, accepts?: boolean): Promise<void>;
}

/** A public key whose signatures are trusted. */
export interface KnownKey {
  /** 64 hex digits. */
  readonly publicKey: string;
  /** This machine's own key, one that its operator keeps as known, or one given for this check. */
  readonly whose: "own" | "kept" | "given";
  /** Name of the file it was read from, without its folder. Null for the machine's own key. */
  readonly file: string | null;
}

export interface Signer {
  /** The public key, 64 hex digits. */
  readonly publicKey: string;
  /** Hex. */
  sign(text: string): string;
}

export interface NoSigner {
  /** Why nothing can be signed. It is stored in the log and exported, so it contains no path of the machine. */
  readonly why: string;
}

export type NewHead = Omit<SeenHead, "place" | "movedTo">;

export interface SeenHead {
  readonly log: string;
  /** Absolute path of the log, links resolved. */
  readonly place: string;
  /** Where the log is now, if that is another place: behind a link, in another git folder, or a copy of it. */
  readonly movedTo?: string;
  readonly position: number;
  readonly hash: string;
  readonly at: number;
  /** Number of the checkpoint, and the hash of the checkpoint with its signature. */
  readonly checkpoint: number;
  readonly digest: string;
}
