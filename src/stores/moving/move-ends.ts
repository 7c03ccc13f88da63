import type { KnowledgeCheck, KnowledgeHead } from "../../ports/knowledge-store.ts";
import type { LogSnapshot } from "../../ports/log-snapshot.ts";
import type { LogHold } from "../held-log.ts";
import type { MovedKey, MovedRow, MovedTable } from "./moved-tables.ts";

/** Pages of a table in the order of its key; the empty one is behind the last row. */
export interface MovedRows {
  read(table: MovedTable, after: MovedKey | null): Promise<MovedRow[]>;
}

/** A state that can be audited: its log, and what is known beside it. */
export interface AuditedState {
  snapshot(): Promise<LogSnapshot>;
  /** Null where nothing is known. */
  checkKnowledge(keys: readonly string[], seen: KnowledgeHead | null): Promise<KnowledgeCheck | null>;
}

/** What a log says of itself, read without changing anything. */
export interface LogInspection {
  readonly log: string;
  readonly runs: number;
  /** No run was ever created in it. */
  readonly isEmpty: boolean;
  /** Null for a log that is in use. */
  readonly hold: LogHold | null;
}

/**
 * The store that a state leaves. From the time it is opened until it is closed, no process writes to it.
 *
 * 1. Until `leave` has returned, it is the state, and is used as before once it is closed, however this process ends.
 * 2. From then on it refuses every write, for good.
 */
export interface MoveSource extends MovedRows, AuditedState {
  leave(hold: LogHold): Promise<void>;
  close(): Promise<void>;
}

/**
 * The store that a state moves to.
 *
 * 1. Until `open` it is not used: before `keep` nothing of it is there, and from then on it is held.
 * 2. What is there of a move that did not end is written anew.
 * 3. It is audited after it was kept.
 */
export interface MoveTarget extends MovedRows, AuditedState {
  write(table: MovedTable, rows: readonly MovedRow[]): Promise<void>;
  /** Everything that was written is on the disk, together with the hold. */
  keep(hold: LogHold): Promise<void>;
  close(): Promise<void>;
}

/** One of the two stores, with its log or without. */
export interface MoveEnd {
  /** As `LogHold` names it. */
  readonly place: string;
  /** Null where there is no log. */
  inspect(): Promise<LogInspection | null>;
  /** Refuses while a run is driven. */
  openSource(): Promise<MoveSource>;
  openTarget(): Promise<MoveTarget>;
  /** Puts a log that has arrived to use. A copy of the same log that left is kept beside it. */
  open(move: string): Promise<void>;
  close(): Promise<void>;
}
