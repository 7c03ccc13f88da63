/** Runs a command of the workflow itself, a gate, to its end; no process of it is left. */
export interface CommandRunner {
  run(command: GateCommand): Promise<CommandResult>;
}

export interface GateCommand {
  readonly id: string;
  readonly command: readonly string[];
  readonly directory: string;
  readonly timeout: number;
  readonly outputLimit: number;
  readonly signal: AbortSignal;
}

export interface CommandResult {
  readonly end: "exited" | "timed-out" | "flooded" | "could-not-start" | "stopped";
  readonly exitCode: number | null;
  /** The end of what it printed. */
  readonly output: string;
  readonly milliseconds: number;
}
