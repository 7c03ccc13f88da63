/**
 * Signs the log, and remembers the last signed head outside of the state folder.
 *
 * 1. The private key is never returned, and is never stored in the state folder or the repository.
 * 2. A signer that cannot sign returns the reason; runs continue without signatures.
 * 3. A remembered head is replaced only by a newer one of the same log.
 */
export interface LogSigner {
  /** The key is created on first use. */
  signer(): Signer | NoSigner;
  /** Keys whose signatures are trusted here, the machine's own key first. It creates no key. */
  keys(): readonly KnownKey[];
  /** The last signed heads for the path of this log; they may belong to another log. */
  seen(): readonly SeenHead[];
  /** Resolves when the head is on disk. */
  remember(head: Omit<SeenHead, "place">): Promise<void>;
  /** Accepts this log as the one at its path. Heads remembered for that path before are set aside, not lost. */
  accept(head: Omit<SeenHead, "place">): Promise<void>;
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

export interface SeenHead {
  readonly log: string;
  /** Absolute path of the log. */
  readonly place: string;
  readonly position: number;
  readonly hash: string;
  readonly at: number;
  /** Number of the checkpoint, and the hash of the checkpoint with its signature. */
  readonly checkpoint: number;
  readonly digest: string;
}
