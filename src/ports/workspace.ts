import type { WrittenFiles } from "../evidence/observations.ts";

/** The folder that agents work in, and a separate folder for each attempt. */
export interface Workspace {
  /** Absolute path of the folder in which the agents of a run work; it is created if missing. */
  prepare(run: string, kind: "in-place" | "worktree"): Promise<string>;
  /** Removes the worktree of a finished run if nothing in it would be lost. Succeeds if it is already gone. */
  release(run: string): Promise<void>;
  /** The worktree of a run; null when it has none, or it is gone. */
  worktree(run: string): Promise<string | null>;
  /** Absolute path of the folder of an attempt. */
  scratch(run: string, attempt: string): Promise<string>;
  /** Records the state of files before an attempt, so that new files can be recognized afterwards. */
  look(directory: string, paths: readonly string[]): Promise<FileMarks>;
  /**
   * Atomically replaces a file by the result of a function of its text. A result of null leaves it unchanged, as does a
   * path that leads outside. If the file changes meanwhile, the function is called again. `locked` holds the lock
   * `NAME.lock` beside it.
   */
  rewrite(
    directory: string,
    path: string,
    change: (text: string | null) => string | null,
    locked?: boolean,
  ): Promise<void>;
  /**
   * The text of the first of these files that was written since; null when none was. Links out of the directory are
   * never followed.
   */
  readNew(directory: string, paths: readonly string[], before: FileMarks, limit: number): Promise<NewFile | null>;
  /** The text of a file; null when it is missing or a link leads outside. */
  read(directory: string, path: string, limit: number): Promise<ReadText | null>;
  /** Whether the path is a folder, without links that lead outside. */
  has(directory: string, path: string): Promise<boolean>;
  /** A hash that changes when anything in the folder changes; constant for a missing folder. */
  fingerprint(directory: string, path: string): Promise<string>;
  /** What was written, replaced or renamed in the folder since a time, without the caches of tools; null without one. */
  writtenSince(directory: string, path: string, since: number): Promise<WrittenFiles | null>;
  /** Where `fresh` puts a copy. */
  copyFolder(run: string, name: string): string;
  /** An empty folder for a copy of the files; previous content is deleted. */
  fresh(run: string, name: string): Promise<string>;
  remove(folder: string): Promise<void>;
  /** Deletes these paths in a copy, whatever they are. A link is deleted itself, and none is followed out of the copy. */
  discard(directory: string, paths: readonly string[]): Promise<void>;
  /**
   * Takes the folder for a run that works in place. One run at a time has it, over all processes, and it is free again
   * when its holder leaves or its process ends, however it ends. A run that an agent of the holder has started is part
   * of the holder's work and does not wait for it. The name of the run to wait for may be empty.
   */
  enter(run: string): Promise<{ readonly turn: Turn } | { readonly busy: string }>;
  /** The run that this one was last waiting for, in whichever process; null when it waits for none. */
  waitsFor(run: string): Promise<string | null>;
  stopWaiting(run: string): Promise<void>;
}

/** The right of one run to work in the folder. */
export interface Turn {
  /** Who worked there before; null when that is not known or does not matter. */
  readonly last: LastTurn | null;
  leave(): Promise<void>;
}

export interface LastTurn {
  readonly run: string;
  /** False when its process ended without leaving. */
  readonly hasLeft: boolean;
}

/** The text is null when the file exceeds the limit. */
export interface ReadText {
  readonly text: string | null;
}

export type FileMarks = Readonly<Record<string, string>>;

export interface NewFile {
  readonly path: string;
  readonly text: string;
}
