/**
 * What an attempt was given, what it said last, and what it cost to take the work over. Plain JSON. Null is not known,
 * which is not zero. Tokens are the client's own figures, but for those that are called estimates.
 */
export interface AttemptRecord {
  readonly prompt: GivenPrompt;
  /** What is known, as it stood in the prompt; null when nothing of it did. */
  readonly packet: GivenPacket | null;
  /** Its last message; null when it said nothing. */
  readonly output: KeptText | null;
  readonly takeover: Takeover;
}

/**
 * The log tells all that a prompt was made of, so it is composed again when somebody looks at it. These say whether
 * that gave the same bytes.
 */
export interface GivenPrompt {
  readonly nonce: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** A text that is kept with the log, masked of secrets. */
export interface KeptText {
  /** SHA-256 of what is kept. */
  readonly text: string;
  /** Of the whole text, as UTF-8. */
  readonly bytes: number;
  /** It was longer than what is kept. */
  readonly isCut: boolean;
}

export interface GivenPacket extends KeptText {
  /** A quarter of the bytes; nobody has counted them. */
  readonly estimatedTokens: number;
  readonly facts: readonly GivenFact[];
}

export interface GivenFact {
  readonly id: string;
  /** The beginning of the SHA-256 of what it said: the id of a fact that was learned anew may be another one's. */
  readonly said: string;
}

export interface Takeover {
  /** Of what the client sent to its model first: our prompt, and whatever the client adds of its own. */
  readonly firstInput: number | null;
  /** Of all that it sent, cached ones counted. */
  readonly input: number | null;
  /** The same up to the request that was answered with its first change of a file. */
  readonly inputBeforeChange: number | null;
  /** Calls that changed files; what a command changes is not seen. */
  readonly changes: number | null;
  readonly reads: FilesRead | null;
}

/** Files of the workspace that the client says it read, each once. */
export interface FilesRead {
  /** The packet had named them. */
  readonly named: readonly string[];
  readonly unnamed: readonly string[];
  /** Reads of more files than are listed. */
  readonly more: number;
  /** Reads outside the workspace, or by a name that cannot be repeated safely. */
  readonly elsewhere: number;
}
