import { type Infer, data } from "../protocol/shape.ts";

/**
 * What an attempt received, its last message, and what it cost to take the work over. Plain JSON. Null means unknown,
 * not zero. Token figures are the client's own, except those named as estimates.
 */
export interface AttemptRecord {
  readonly prompt: GivenPrompt;
  /** The known facts in the prompt; null when there were none. */
  readonly packet: GivenPacket | null;
  /** Its last message; null when there was none. */
  readonly output: KeptText | null;
  readonly takeover: Takeover;
}

/**
 * The log contains everything that a prompt was made of, so the prompt is composed again when it is shown. These fields
 * tell whether the result has the same bytes.
 */
export interface GivenPrompt {
  readonly nonce: string;
  readonly sha256: string;
  readonly bytes: number;
  /** The file that the prompt names for what it leaves out. Absent in prompts from before there was one. */
  readonly rest?: string;
}

/** A text that is kept with the log, with secrets masked. */
export interface KeptText {
  /** SHA-256 of the kept text. */
  readonly text: string;
  /** Length of the whole text in UTF-8. */
  readonly bytes: number;
  /** True when the text was longer than the kept part. */
  readonly isCut: boolean;
}

export interface GivenPacket extends KeptText {
  /** A quarter of the bytes; tokens are not counted. */
  readonly estimatedTokens: number;
  readonly facts: readonly GivenFact[];
}

export interface GivenFact {
  readonly id: string;
  /** Prefix of the SHA-256 of the fact's text: after a rebuild of the store, the id may belong to another fact. */
  readonly said: string;
}

export interface Takeover {
  /** Tokens of the client's first request to its model: the prompt and what the client adds. */
  readonly firstInput: number | null;
  /** Tokens of all requests, including cached ones. */
  readonly input: number | null;
  /** The same up to the request whose answer first changed a file. */
  readonly inputBeforeChange: number | null;
  /** Calls that changed files. Changes made by commands are not counted. */
  readonly changes: number | null;
  readonly reads: FilesRead | null;
}

export const filesReadShape = data.record({
  /** Files that the packet had named. */
  named: data.list(data.text()),
  unnamed: data.list(data.text()),
  /** Reads of files beyond those listed. */
  more: data.count(),
  /** Reads outside of the workspace, or with a name that is not safe to repeat. */
  elsewhere: data.count(),
});
/** Files of the workspace that the client reports to have read, each once. */
export type FilesRead = Infer<typeof filesReadShape>;
