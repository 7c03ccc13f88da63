import { DIALECT_NAMES } from "../protocol/handoff-words.ts";
import { COMMANDS, type CommandName, loadCommands } from "./command-table.ts";
import { fitLines } from "./fit-lines.ts";
import { wrapWords } from "./fit-text.ts";

export async function printHelp(width: number): Promise<string> {
  const commands = await loadCommands();
  return fitLines(
    `baton: checked handoffs between coding agents

Usage: baton COMMAND [OPTIONS]

Commands:
${commands.map((command) => `  ${command.name.padEnd(13)} ${command.summary}`).join("\n")}
  help          Show this, or the help of a command
  version       Print the version

Dialects: ${DIALECT_NAMES.join(", ")}, or a format of your own (baton format).
Data goes to standard output, everything else to standard error. Times are in UTC.
Exit codes: 0 fine, 1 findings, 2 wrong usage, 3 configuration or I/O, 130 interrupted.
\`baton COMMAND --help\` tells more.
`,
    width,
  );
}

export async function printCommandHelp(name: CommandName, width: number): Promise<string> {
  const { command } = await COMMANDS[name]();
  const options = Object.entries(command.options).map(
    ([option, { value, about }]) => `  ${`--${option}${value === undefined ? "" : ` ${value}`}`.padEnd(22)} ${about}`,
  );
  const details = width === Infinity ? command.details : paragraphs(command.details);
  return fitLines(
    `${command.summary}.

${wrapWords(`Usage: baton ${command.name} ${command.usage}`.trimEnd(), width, "Usage: ".length).join("\n")}

${details.join("\n")}

Options:
${options.join("\n")}
`,
    width,
  );
}

/** A sentence that goes on in the next line is put together: it is broken elsewhere on this screen. */
function paragraphs(lines: readonly string[]): string[] {
  const found: string[] = [];
  for (const line of lines) {
    const last = found.at(-1) ?? "";
    const goesOn = /[^.:!?]$/.test(last) && /^\S/.test(line);
    if (goesOn) found[found.length - 1] = `${last} ${line}`;
    else found.push(line);
  }
  return found;
}
