/** The folder that agents work in, and a folder of our own for each attempt. */
export interface Workspace {
  /** Absolute path of where the agents of a run work; made when it does not exist. */
  prepare(run: string, kind: "in-place" | "worktree"): Promise<string>;
  /** Puts the worktree of a run that is done away, if nothing in it would be lost; also when it is gone already. */
  release(run: string): Promise<void>;
  /** Absolute path of our own folder for an attempt. */
  scratch(run: string, attempt: string): Promise<string>;
  /** Notes how files look before an attempt, so that afterwards a new one can be told from an old one. */
  look(directory: string, paths: readonly string[]): Promise<FileMarks>;
  /**
   * Replaces a file by what is made of its text, at once; null leaves it alone, and a path that leads outside too. When
   * somebody else writes it meanwhile, the change is asked for again. `locked` holds a lock beside it, `NAME.lock`.
   */
  rewrite(
    directory: string,
    path: string,
    change: (text: string | null) => string | null,
    locked?: boolean,
  ): Promise<void>;
  /** The text of the first of these files that was written since; null when none was. Never follows a link out. */
  readNew(directory: string, paths: readonly string[], before: FileMarks, limit: number): Promise<NewFile | null>;
  /** A file; null when it is not there or leads elsewhere. */
  read(directory: string, path: string, limit: number): Promise<ReadText | null>;
  /** Whether there is a folder that leads nowhere else. */
  has(directory: string, path: string): Promise<boolean>;
  /** Another text when anything in the folder was changed; of one that is not there always the same. */
  fingerprint(directory: string, path: string): Promise<string>;
  /** An empty folder of our own; whatever was there is gone. */
  fresh(run: string, name: string): Promise<string>;
  remove(folder: string): Promise<void>;
}

/** Null beyond the limit. */
export interface ReadText {
  readonly text: string | null;
}

export type FileMarks = Readonly<Record<string, string>>;

export interface NewFile {
  readonly path: string;
  readonly text: string;
}
