import type { NeededObservations, Observations } from "../evidence/observations.ts";

/**
 * Reads a workspace with git, without changing it.
 *
 * 1. No program that the repository names is ever started: no hooks, filters, drivers, helpers, transports.
 * 2. Nothing is written into the workspace or its repository.
 * 3. A name from a handoff is never used as an option, a revision or a path outside of the workspace.
 */
export interface Repository {
  /** The present state of the workspace, with every file that git does not ignore; null outside of a git repository. */
  snapshot(directory: string): Promise<Snapshot | null>;
  /** The state at the first call with this key: a repeated step gets the state that it began with. */
  mark(directory: string, key: string): Promise<Snapshot | null>;
  /**
   * The state to compare with: the revision that the operator names, or the best guess, explained by its name. Files
   * that are part of handing over do not count as work.
   */
  chooseBase(directory: string, revision: string | null, ownFiles?: readonly string[]): Promise<Base | null>;
  look(directory: string, base: Base | null, needs: NeededObservations): Promise<Observations>;
  /** Whether the directory is the root of a work tree that git can read now. */
  isRepository(directory: string): Promise<boolean>;
  /** The commit of HEAD; null when there is none. */
  head(directory: string): Promise<string | null>;
  /** Files that were renamed since a commit: from the old name to the new one. */
  renamesSince(directory: string, commit: string): Promise<ReadonlyMap<string, string>>;
  /** Writes the files of a snapshot into an empty folder. */
  checkOut(directory: string, tree: string, folder: string): Promise<void>;
  /**
   * Others have taken the workspace from one state to another. Their changes become part of the states that were marked
   * under these keys, so that they are no work of the steps that began there. Returns the paths that differ.
   */
  moveBases(directory: string, keys: readonly string[], from: Snapshot, to: Snapshot): Promise<string[]>;
}

/** A state: its files as a tree, and its HEAD. Plain JSON. */
export interface Snapshot {
  readonly tree: string;
  readonly commit: string | null;
  readonly branch: string | null;
}

/** The state that claims are compared with. */
export interface Base {
  /** Tree of the files. */
  readonly tree: string;
  /** The commit; null in a repository without commits. */
  readonly commit: string | null;
  /** Description: `the state before the step`. */
  readonly name: string;
}
