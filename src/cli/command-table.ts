import type { Command } from "./command.ts";

/** Every command, loaded only when it is called: the command line starts fast. */
export const COMMANDS = {
  validate: () => import("./commands/validate.ts"),
  read: () => import("./commands/read.ts"),
  fix: () => import("./commands/fix.ts"),
  convert: () => import("./commands/convert.ts"),
  migrate: () => import("./commands/migrate.ts"),
  explain: () => import("./commands/explain.ts"),
  schema: () => import("./commands/schema.ts"),
  instructions: () => import("./commands/instructions.ts"),
  completion: () => import("./commands/completion.ts"),
} as const satisfies Readonly<Record<string, () => Promise<{ command: Command }>>>;

export type CommandName = keyof typeof COMMANDS;

export async function loadCommands(): Promise<Command[]> {
  const modules = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  return modules.map((module) => module.command);
}
