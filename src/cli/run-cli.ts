import { AppError } from "../shared/app-error.ts";
import type { Command, Invocation } from "./command.ts";
import { COMMANDS, type CommandName, loadCommands } from "./command-table.ts";
import { EXIT, EXIT_OF } from "./exit-code.ts";
import { parseArguments, usage, guessWord } from "./parse-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Runs one command line and gives its exit code; nothing is thrown. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(args, terminal);
  } catch (error) {
    const known =
      error instanceof AppError ? error : (await import("../runtime/explain-store-error.ts")).explainStoreError(error);
    if (known === null) throw error;
    // It may contain file names that an agent chose.
    const { defuseLines, printable } = await import("../shared/printable.ts");
    const { wrapWords } = await import("./fit-text.ts");
    const lines = [`baton: ${printable(known.message)}`, `       ${printable(known.hint)}`];
    const shown = lines.flatMap((line) => wrapWords(line, terminal.room.notes, "baton: ".length));
    terminal.note(`${defuseLines(shown)}\n`);
    return EXIT_OF[known.code];
  }
}

async function dispatch(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  if (name === "--version" || name === "-V" || name === "-v" || name === "version") {
    terminal.out(`${terminal.version}\n`);
    return EXIT.fine;
  }
  if (name === undefined || name === "--help" || name === "-h" || name === "help")
    return help(
      rest.find((word) => word !== "--help" && word !== "-h"),
      terminal,
      name === undefined,
    );
  if (!isCommand(name)) throw unknownCommand(name);
  const { command } = await COMMANDS[name]();
  const invocation = parseOrRefuse(command, rest, terminal);
  if (typeof invocation === "number") return invocation;
  return invocation.has("help") ? help(name, terminal, false) : command.run(invocation, terminal, loadCommands);
}

/** The exit code where the command answers wrong usage by itself. */
function parseOrRefuse(command: Command, rest: readonly string[], terminal: Terminal): Invocation | number {
  try {
    return parseArguments(command, rest);
  } catch (error) {
    if (!(error instanceof AppError) || command.onWrongUsage === undefined) throw error;
    return command.onWrongUsage(error, terminal);
  }
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

function unknownCommand(name: string): AppError {
  const near = guessWord(name, Object.keys(COMMANDS));
  return usage(
    { name },
    `There is no command "${name}".`,
    near === null
      ? "`baton help` lists the commands."
      : `Did you mean \`baton ${near}\`? \`baton help\` lists the commands.`,
  );
}

/** Help is data when asked for, and a note with exit code 2 when nothing was asked. */
async function help(name: string | undefined, terminal: Terminal, nothingAsked: boolean): Promise<number> {
  const { printCommandHelp, printHelp } = await import("./print-help.ts");
  if (name !== undefined && !isCommand(name)) throw unknownCommand(name);
  const width = nothingAsked ? terminal.room.notes : terminal.room.out;
  const text = name === undefined ? await printHelp(width) : await printCommandHelp(name, width);
  if (nothingAsked) terminal.note(text);
  else terminal.out(text);
  return nothingAsked ? EXIT.usage : EXIT.fine;
}
