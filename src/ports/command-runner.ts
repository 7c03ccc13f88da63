/**
 * Runs a command of the workflow itself, a gate, to its end; no process of it is left.
 *
 * 1. Where the system has a sandbox the command runs in it: only its directory can be written, the home and the
 *    state folder of the operator cannot be seen, there is no network unless it was asked for.
 * 2. A foreign command, one that a handoff brought, runs in the sandbox or not at all.
 * 3. Each limit ends it, and the result says which one. The result says also what held it.
 */
export interface CommandRunner {
  run(command: GateCommand): Promise<CommandResult>;
}

export interface GateCommand {
  readonly id: string;
  /** A program and its arguments. A foreign command is one text, which a shell in the sandbox reads. */
  readonly command: readonly string[];
  /** Whether a handoff brought it. */
  readonly foreign: boolean;
  /** Absolute. The only folder that it can write; a repository's `.git` in it can only be read. */
  readonly directory: string;
  /** Folders that it finds read-only. */
  readonly bring: readonly BroughtFolder[];
  /** Variables of its own. */
  readonly environment: Readonly<Record<string, string>>;
  /** Names of variables of the operator that it is given too. */
  readonly inherit: readonly string[];
  readonly network: boolean;
  /** Milliseconds. */
  readonly timeout: number;
  /** Most bytes that it may print. */
  readonly outputLimit: number;
  /** Most bytes of memory that all its processes may use together. */
  readonly memory: number;
  /** Most processes at once. */
  readonly processes: number;
  /** Most bytes that the files it writes may take. */
  readonly disk: number;
  readonly signal: AbortSignal;
}

export interface BroughtFolder {
  /** Absolute; no link that somebody could have put there. */
  readonly from: string;
  /** A path in the directory; or the same as `from`, to be seen where it is. */
  readonly to: string;
}

export interface CommandResult {
  readonly end: CommandEnd;
  readonly exitCode: number | null;
  /** The end of what it printed, or why it did not run. */
  readonly output: string;
  readonly milliseconds: number;
  /** What held it: "bubblewrap", or that there was no sandbox, why, and which limits held instead. */
  readonly sandbox: string;
}

/** `refused`: it would have needed a sandbox, or asked for what no sandbox may give. */
export type CommandEnd =
  | "exited"
  | "timed-out"
  | "flooded"
  | "out-of-memory"
  | "out-of-disk"
  | "too-many-processes"
  | "could-not-start"
  | "refused"
  | "stopped";
