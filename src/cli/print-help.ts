import { DIALECT_NAMES } from "../protocol/handoff.ts";
import { COMMANDS, type CommandName, loadCommands } from "./command-table.ts";

export async function printHelp(): Promise<string> {
  const commands = await loadCommands();
  return `baton: checked handoffs between coding agents

Usage: baton COMMAND [OPTIONS]

Commands:
${commands.map((command) => `  ${command.name.padEnd(13)} ${command.summary}`).join("\n")}
  help          Show this, or the help of a command
  version       Print the version

Dialects: ${DIALECT_NAMES.join(", ")}.
Data goes to standard output, everything else to standard error.
Exit codes: 0 fine, 1 findings, 2 wrong usage, 3 configuration or I/O, 130 interrupted.
\`baton COMMAND --help\` tells more.
`;
}

export async function printCommandHelp(name: CommandName): Promise<string> {
  const { command } = await COMMANDS[name]();
  const options = Object.entries(command.options).map(
    ([option, { value, about }]) => `  ${`--${option}${value === undefined ? "" : ` ${value}`}`.padEnd(22)} ${about}`,
  );
  return `${command.summary}.

Usage: ${`baton ${command.name} ${command.usage}`.trimEnd()}

${command.details.join("\n")}

Options:
${options.join("\n")}
`;
}
