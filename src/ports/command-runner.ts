/**
 * Runs a command of a gate to its end and leaves no process behind.
 *
 * 1. If the system has a sandbox, the command runs in it: it can write only to its directory, it cannot see the
 *    operator's home and state folder, and it has no network unless requested.
 * 2. A foreign command, which comes from a handoff, runs in the sandbox or not at all.
 * 3. Each limit ends the command, and the result names the limit. The result also names the sandbox.
 */
export interface CommandRunner {
  run(command: GateCommand): Promise<CommandResult>;
}

export interface GateCommand {
  readonly id: string;
  /** A program and its arguments. A foreign command is a single string, which a shell in the sandbox interprets. */
  readonly command: readonly string[];
  /** Whether the command comes from a handoff. */
  readonly foreign: boolean;
  /** Absolute. The only folder that the command can write; a `.git` in it is read-only. */
  readonly directory: string;
  /** Folders that are mounted read-only. */
  readonly bring: readonly BroughtFolder[];
  /** Variables that are set for the command. */
  readonly environment: Readonly<Record<string, string>>;
  /** Names of the operator's variables that are passed on. */
  readonly inherit: readonly string[];
  readonly network: boolean;
  /** Milliseconds. */
  readonly timeout: number;
  /** Maximum number of bytes that it may print. */
  readonly outputLimit: number;
  /** Maximum memory of all its processes together, in bytes. */
  readonly memory: number;
  /** Maximum number of processes at once. */
  readonly processes: number;
  /** Maximum number of bytes that its files may take. */
  readonly disk: number;
  readonly signal: AbortSignal;
}

export interface BroughtFolder {
  /** Absolute; its links must already be resolved. */
  readonly from: string;
  /** A path in the directory; or the same as `from`, to mount it at its own place. */
  readonly to: string;
}

export interface CommandResult {
  readonly end: CommandEnd;
  readonly exitCode: number | null;
  /** The end of its output, or why it did not run. */
  readonly output: string;
  readonly milliseconds: number;
  /** "bubblewrap", or that there was no sandbox, why, and which limits applied instead. */
  readonly sandbox: string;
}

/** `refused`: it required a sandbox, or requested something that no sandbox may grant. */
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
