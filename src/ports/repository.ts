import { type Shape, data } from "../protocol/shape.ts";
import type { ChangedText } from "../evidence/gate-files.ts";
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
  chooseBase(
    directory: string,
    revision: string | null,
    ownFiles?: readonly string[],
    /** Commits that the handoffs name as theirs: the work began before the oldest of them. */
    commits?: readonly string[],
  ): Promise<Base | null>;
  look(directory: string, base: Base | null, needs: NeededObservations): Promise<Observations>;
  /** Whether the directory is the root of a work tree that git can read now. */
  isRepository(directory: string): Promise<boolean>;
  /** The commit of HEAD; null when there is none. */
  head(directory: string): Promise<string | null>;
  /** Files that were renamed since a commit: from the old name to the new one. */
  renamesSince(directory: string, commit: string): Promise<ReadonlyMap<string, string>>;
  /**
   * The text of these files in a state and in the workspace now; null where a file is absent, no plain file, no text, or
   * larger than the limit.
   */
  texts(directory: string, tree: string, paths: readonly string[], limit: number): Promise<ChangedText[]>;
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
  /** Of a state that a step began with. */
  readonly noted?: NotedHistory | undefined;
}

/** What tells later which commits are new, and whose they should be. Plain JSON. */
interface NotedHistory {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Commits that the branches stood at, here and at the remotes. */
  readonly tips: readonly string[];
  /** E-mail addresses that git was configured to commit with. */
  readonly accounts: readonly string[];
}

/** A state as a file keeps it. */
export const snapshotShape: Shape<Snapshot> = data.record({
  tree: data.text(),
  commit: data.nullable(data.text()),
  branch: data.nullable(data.text()),
  noted: data.optional(
    data.record({ at: data.count(), tips: data.list(data.text()), accounts: data.list(data.text()) }),
  ),
});

/** The state that claims are compared with. */
export interface Base {
  /** Tree of the files. */
  readonly tree: string;
  /** The commit; null in a repository without commits. */
  readonly commit: string | null;
  /** Description: `the state before the step`. */
  readonly name: string;
  /** Named by the operator or noted by a run, and not guessed. */
  readonly isKnown?: boolean;
  /** The branch that a run noted with it; null where there was none. */
  readonly branch?: string | null;
  readonly noted?: NotedHistory | undefined;
}
