import type { Needs, Sightings } from "../evidence/sightings.ts";

/**
 * What git can tell of a workspace, without changing anything in it.
 *
 * 1. No program that the repository names is ever started: no hooks, filters, drivers, helpers, transports.
 * 2. Nothing is written into the workspace or its repository.
 * 3. A name that a handoff brings is never an option, a revision or a path outside.
 */
export interface Repository {
  /** The present state of the workspace, every file that git does not ignore; null where git does not rule. */
  snapshot(directory: string): Promise<Snapshot | null>;
  /** The state when it was first asked for under this key: a step that is repeated finds what it began with. */
  mark(directory: string, key: string): Promise<Snapshot | null>;
  /**
   * Where the work to be judged began: what the operator names, or the best guess, which its name explains. Files
   * that handing over itself makes are no work.
   */
  chooseBase(directory: string, revision: string | null, ownFiles?: readonly string[]): Promise<Base | null>;
  look(directory: string, base: Base | null, needs: Needs): Promise<Sightings>;
  /** The commit that HEAD stands for; null where there is none. */
  head(directory: string): Promise<string | null>;
  /** Files that have another name now than in a commit: the old name, then the new one. */
  renamesSince(directory: string, commit: string): Promise<ReadonlyMap<string, string>>;
  /** Writes the files of a snapshot into an empty folder. */
  checkOut(directory: string, tree: string, folder: string): Promise<void>;
}

/** Of a state: its files as a tree, and where HEAD stood. Plain JSON. */
export interface Snapshot {
  readonly tree: string;
  readonly commit: string | null;
  readonly branch: string | null;
}

/** What claims are compared with. */
export interface Base {
  /** Of files. */
  readonly tree: string;
  /** Of commits; null in a repository without any. */
  readonly commit: string | null;
  /** In words: `the state before the step`. */
  readonly name: string;
}
