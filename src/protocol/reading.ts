import type { Diagnostic } from "./diagnostic.ts";
import type { Dialect } from "./dialect.ts";
import type { DocumentKind } from "./document-kind.ts";
import type { DialectName, Handoff } from "./handoff.ts";
import type { Limits } from "./limits.ts";

export interface ReadOptions {
  /** Path of the file: its name says which agent or dialect it belongs to. */
  readonly path?: string;
  /** Read the text as this dialect instead of finding out. */
  readonly dialect?: DialectName;
  /** Formats beside the five: made from a file by `openFormat`, or written in code. */
  readonly formats?: readonly Dialect[];
  /** The dialect that is meant where two fit one text: in a run, the agent's own. */
  readonly prefer?: DialectName;
  /** Agents of the workflow, when the text was written in a run: their names are right in every format. */
  readonly agents?: readonly string[];
  readonly limits?: Partial<Limits>;
  /**
   * The text was come upon in a folder, and not named: prompts, samples, schemas and templates hold no handoff then,
   * but for a complete one outside of their fences or at their end.
   */
  readonly scan?: boolean;
  /** Every warning is an error. */
  readonly strict?: boolean;
}

export interface ReadHandoff {
  /** Null when the handoff was refused. */
  readonly handoff: Handoff | null;
  readonly dialect: DialectName;
  /** Offsets of its block in the text. */
  readonly start: number;
  readonly end: number;
}

export interface Reading {
  /** Named from the container even when nothing could be read; null when nothing was recognised. */
  readonly dialect: DialectName | null;
  /** True only when something was read and nothing in it is an error. */
  readonly valid: boolean;
  readonly handoffs: readonly ReadHandoff[];
  /** In a scan: what a text without a handoff is. */
  readonly document?: DocumentKind;
  readonly diagnostics: readonly Diagnostic[];
}
