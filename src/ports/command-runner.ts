/**
 * Runs a command of a gate to its end and leaves no process behind.
 *
 * 1. If the system has a sandbox, the command runs in it: it can change only its directory, it cannot see the
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
  /** Absolute. The only folder that the command can change; a `.git` in it is read-only. */
  readonly directory: string;
  /** Folders that it sees and cannot change. Where the kernel has layers, it may write there for itself. */
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

/** What gates can use on this machine, told without starting anything of theirs. */
export interface GateMachine {
  /** What keeps this command from working as a gate, as far as is known. */
  obstacles(gate: Pick<GateCommand, "command" | "inherit">): readonly GateObstacle[];
  /** What holds for every gate: there is no sandbox, or a line of the operator's list does not count. */
  notices(): Promise<readonly string[]>;
}

export interface GateObstacle {
  /** Completes the sentence "`cargo`, which gate test runs, ...". */
  readonly says: string;
  readonly hint: string;
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
