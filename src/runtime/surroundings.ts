/** The repository that a command stands in, as far as it matters before a run. Nothing is written there. */
export interface Surroundings {
  /** Absolute; where agents work unless they have a worktree. */
  readonly root: string;
  /**
   * Which of these files the last commit has, each with git's mode of it, which is that of the link where a folder on
   * its way is one; null where git cannot tell.
   */
  committed(paths: readonly string[]): Promise<ReadonlyMap<string, string> | null>;
  /**
   * Which of these files git is told to leave out: such files are made, by a build or an installation. Null where git
   * cannot tell.
   */
  ignored(paths: readonly string[]): Promise<ReadonlySet<string> | null>;
}
