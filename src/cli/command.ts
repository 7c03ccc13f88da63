import type { AppError } from "../shared/app-error.ts";
import type { Terminal } from "./terminal.ts";

/** One command of the command line: its help is made from this. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** After `baton NAME`. */
  readonly usage: string;
  readonly details: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** Words of which one comes first. */
  readonly subcommands?: readonly string[];
  /** For a command whose caller cannot take a refusal: gives the exit code. */
  onWrongUsage?(error: AppError, terminal: Terminal): number;
  run(invocation: Invocation, terminal: Terminal, loadCommands: () => Promise<readonly Command[]>): Promise<number>;
}

export interface Option {
  readonly about: string;
  /** Name of its value; a switch has none. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** Words that completion offers, where others are allowed, too. */
  readonly offered?: readonly string[];
}

export interface Invocation {
  readonly operands: readonly string[];
  /** The last value of an option. */
  readonly text: (option: string) => string | undefined;
  /** Every value of an option that may be given several times. */
  readonly texts: (option: string) => readonly string[];
  readonly has: (option: string) => boolean;
}
