import { findRun, wholeEntries } from "../../runtime/operations/tell-run.ts";
import { eventLine, eventsOf } from "../../runtime/operations/view-run.ts";
import { defuseLogCommands, printable, printJson } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { display } from "../fit-lines.ts";
import { MARKS, paint } from "../paint.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "log",
  summary: "Tell everything that happened in a run",
  usage: "[RUN]",
  details: [
    "The newest run when none is named. --json prints the entries as they are stored, one a line, with their hashes.",
  ],
  options: { json: { about: "One JSON record a line." }, ...HELP_OPTION },
  run: log,
};

async function log({ operands: [name, ...more], has }: Invocation, terminal: Terminal): Promise<number> {
  if (more.length > 0) throw usage(command, "One run at a time.");
  const engine = await terminal.openExisting();
  try {
    const { machine } = engine;
    const { run } = await findRun(machine, name);
    // Hashes are there when nothing else is any more.
    const entries = has("json") ? await machine.log.entries(run) : await wholeEntries(machine, run);
    for (const entry of entries) {
      if (has("json")) terminal.out(`${printJson(entry)}\n`);
      const [event] = eventsOf([entry]);
      const line = event === undefined || has("json") ? null : eventLine(event);
      if (line === null) continue;
      const time = new Date(entry.at).toISOString().slice(11, 23);
      const text = defuseLogCommands(printable(`${MARKS[line.tone]} ${line.text}`.replaceAll(/\s+/g, " ")));
      display(
        terminal,
        `${paint(time, "quiet", terminal.colour.out)}  ${paint(text, line.tone, terminal.colour.out)}\n`,
      );
    }
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}
