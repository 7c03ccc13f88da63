/**
 * Signs what the log holds, and remembers outside of the state folder what was signed last.
 *
 * 1. The private key is never given out, and never lies in the state folder or the repository.
 * 2. Whoever cannot sign says why; work goes on all the same.
 * 3. What was remembered is replaced only by something newer of the same log.
 */
export interface Notary {
  /** Made on first use. */
  signer(): Signer | NoSigner;
  /** Keys whose signatures are believed here, the own one first. Makes none. */
  keys(): readonly KnownKey[];
  /** What was last signed in the place of this log, if anything was; it may be of another log. */
  seen(): readonly SeenHead[];
  /** Resolves when it is on the disk. */
  remember(head: Omit<SeenHead, "place">): Promise<void>;
  /** From now on this log stands here: what was remembered of the place before is put aside, not lost. */
  accept(head: Omit<SeenHead, "place">): Promise<void>;
}

/** A public key whose signatures are believed. */
export interface KnownKey {
  /** 64 hex digits. */
  readonly publicKey: string;
  /** The one that this machine signs with; one that its operator keeps among the known ones; one given for this time. */
  readonly whose: "own" | "kept" | "given";
  /** The file it was read from, as its operator knows it: without the way there. Null for the own one. */
  readonly file: string | null;
}

export interface Signer {
  /** The public key, 64 hex digits. */
  readonly publicKey: string;
  /** Hex. */
  sign(text: string): string;
}

export interface NoSigner {
  /** Why nothing can be signed here. It is kept in the log and exported with it: no path of the machine is in it. */
  readonly why: string;
}

export interface SeenHead {
  readonly log: string;
  /** The file of the log, absolute. */
  readonly place: string;
  readonly position: number;
  readonly hash: string;
  readonly at: number;
  /** Number of the checkpoint, and the hash of it with its signature. */
  readonly checkpoint: number;
  readonly digest: string;
}
