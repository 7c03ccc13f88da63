import type { Engine } from "../../runtime/engine.ts";
import type { AppError } from "../../shared/app-error.ts";
import type { Invocation } from "../command.ts";
import { usage } from "../parse-arguments.ts";
import type { Terminal } from "../terminal.ts";

/** One thing that `baton knowledge` does. */
export interface Subcommand {
  readonly name: string;
  /** After its name. */
  readonly usage: string;
  readonly about: string;
  /** Those of the command that mean something here. */
  readonly options: readonly string[];
  /** Whether it has something to write where there is no state yet. */
  readonly makesState?: boolean;
  /** The operands are those after its name. */
  run(invocation: Invocation, engine: Engine, terminal: Terminal): Promise<number>;
}

export const KNOWLEDGE = { name: "knowledge" } as const;

export function wrongUse(message: string, hint?: string): AppError {
  return usage(KNOWLEDGE, message, hint);
}

export function oneFact({ operands: [id, ...more] }: Invocation, name: string): string {
  if (id === undefined || more.length > 0) throw wrongUse(`baton knowledge ${name} takes the id of one fact.`);
  return id;
}
