import type { Situation } from "../../ports/agent.ts";
import type { Forge } from "../../ports/forge.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import type { BuiltinName } from "../../workflow/definition.ts";

/** What an agent that comes along is told: data, and no prose that it would have to understand. */
export interface BuiltinJob {
  readonly name: BuiltinName;
  readonly options: JsonRecord;
  /** Its name in the workflow. */
  readonly agent: string;
  readonly attempt: string;
  readonly prompt: string;
  readonly situation: Situation;
  readonly workspace: string;
  readonly root: string;
  readonly stateFolder: string;
}

/** What it works with. */
export interface BuiltinTools {
  readonly forge: Forge;
  /** Git in a folder: its output, or an error. `accepts` are the exit codes that are answers. */
  readonly git: (directory: string, args: readonly string[], accepts?: readonly number[]) => Promise<GitAnswer>;
  /** On the project as it was before the run. */
  readonly run: (command: CheckCommand) => Promise<CheckResult>;
  /** On what agents wrote: in the sandbox, if there is one. */
  readonly runHeld: (command: CheckCommand) => Promise<CheckResult>;
  /** Whether nothing of a run can still be at work. */
  readonly isRunOver: (run: string) => Promise<boolean>;
  readonly now: () => number;
  /** A line for people to see. */
  readonly tell: (line: string) => void;
}

export interface GitAnswer {
  readonly code: number;
  readonly output: string;
}

export interface CheckCommand {
  readonly name: string;
  readonly command: readonly string[];
  readonly directory: string;
  readonly timeout: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Whether what is held may reach other machines. */
  readonly network?: boolean;
}

export interface CheckResult {
  readonly passed: boolean;
  /** `exit code 1`, or why there is none. */
  readonly message: string;
  /** The end of what it printed. */
  readonly output: string;
  /** What held it. */
  readonly sandbox?: string;
}

/** The work cannot be done here, and trying again does not help: a person has to know. */
export class BuiltinFailure extends Error {
  readonly kind: string;
  readonly advice: string;

  constructor(kind: string, message: string, advice: string) {
    super(message);
    this.kind = kind;
    this.advice = advice;
  }
}
