import { randomBytes } from "node:crypto";
import { migrateNotes, migrationPrompt } from "../../protocol/migrate-notes.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import { shownPath, noteReport, oneOperand } from "../check-file.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { readInput } from "../read-input.ts";
import { HELP_OPTION, READ_OPTIONS, formatsFor, readOptions } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import { writeFileSafely } from "../write-file.ts";

export const command: Command = {
  name: "migrate",
  summary: "Turn free-form handoff notes into a task-yaml handoff",
  usage: "FILE|- [--write | --prompt]",
  details: [
    "Takes only what the notes say plainly. What the format demands and they do not state is marked as a gap, never invented.",
    "Prints the `## Handoff` section. --prompt prints the prompt that asks the agent for the rest.",
    "--write puts the section into the task file, with its gaps: `baton validate` tells where each is until it is filled.",
    "Exit code: 0 when the section is valid, 1 when something is left for a person.",
  ],
  options: {
    write: { about: "Put the section into the file, gaps and all." },
    prompt: { about: "Print the prompt that asks the agent to structure the notes." },
    json: { about: "Print everything as JSON." },
    "max-bytes": READ_OPTIONS["max-bytes"],
    ...HELP_OPTION,
  },
  run: migrate,
};

async function migrate(invocation: Invocation, terminal: Terminal): Promise<number> {
  const path = oneOperand(command, invocation);
  if (path === "-" && invocation.has("write"))
    throw usage(command, "--write needs a file; standard input cannot be written.");
  const options = await readOptions(command, invocation, terminal, [{ path, named: true }]);
  const input = readInput(path, options.maxBytes, terminal);
  if (input.refused !== null) {
    say(terminal, `${printable(shownPath(path))}: ${input.refused.message} ${input.refused.hint}\n`);
    return EXIT.findings;
  }
  if (invocation.has("prompt")) {
    terminal.out(migrationPrompt(input.text, randomBytes(16).toString("hex")));
    return EXIT.fine;
  }
  const migration = migrateNotes(input.text, { formats: formatsFor(path, options), ...(path !== "-" && { path }) });
  const whole = isWhole(migration);
  const write = invocation.has("write") && migration.placeable && migration.text !== input.text;
  if (write) writeFileSafely(path, migration.text);
  if (invocation.has("json")) terminal.out(printJsonLines({ ...migration, written: write }));
  else await show(path, input.text, migration, { written: write, wanted: invocation.has("write") }, terminal);
  return whole ? EXIT.fine : EXIT.findings;
}

/** More are only counted. */
const MAX_TOLD = 1000;

function isWhole({ valid, diagnostics }: ReturnType<typeof migrateNotes>): boolean {
  return valid && !diagnostics.some(({ severity }) => severity === "error");
}

async function show(
  path: string,
  source: string,
  migration: ReturnType<typeof migrateNotes>,
  { written, wanted }: { readonly written: boolean; readonly wanted: boolean },
  terminal: Terminal,
): Promise<void> {
  if (!written) terminal.out(migration.section);
  for (const { field, text, line } of migration.taken.slice(0, MAX_TOLD))
    say(terminal, `taken: ${field} from line ${line}: ${printable(text.slice(0, 100))}\n`);
  const more = migration.taken.length - MAX_TOLD;
  if (more > 0) say(terminal, `taken: ${more} more values; --json lists them all\n`);
  if (migration.diagnostics.length > 0) {
    const report = {
      path: shownPath(path),
      dialect: "task-yaml",
      valid: migration.valid,
      skipped: false,
      handoffs: 0,
      diagnostics: migration.diagnostics,
      text: source,
    };
    await noteReport(report, terminal);
  }
  const name = printable(shownPath(path));
  const gaps = migration.gaps.length;
  if (written && gaps > 0)
    say(terminal, `${name}: the handoff section was written with ${gaps} ${gaps === 1 ? "gap" : "gaps"} to fill in.\n`);
  else if (written) say(terminal, `${name}: the handoff section was written.\n`);
  else if (wanted && !isWhole(migration))
    say(terminal, `${name}: nothing was written, because of the errors; --prompt asks for the rest.\n`);
}
