import { findRun } from "../../runtime/operations/send-input.ts";
import { eventLine } from "../../runtime/operations/view-run.ts";
import { readShownEntries, readWholeEntries } from "../../runtime/read-log.ts";
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
  summary: "Print everything that happened in a run",
  usage: "[RUN]",
  details: ["Without RUN: the newest run. --json prints the stored entries with their hashes, one on each line."],
  options: { json: { about: "One JSON record on each line." }, ...HELP_OPTION },
  run: log,
};

async function log({ operands: [name, ...more], has }: Invocation, terminal: Terminal): Promise<number> {
  if (more.length > 0) throw usage(command, "Name one run only.");
  const engine = await terminal.openExisting();
  try {
    const { ports } = engine;
    const { run } = await findRun(ports, name);
    if (has("json")) {
      // A pruned run still has its hashes.
      for (const entry of await readShownEntries(ports.log, run)) terminal.out(`${printJson(entry)}\n`);
      return EXIT.fine;
    }
    for (const { event, at } of await readWholeEntries(ports.log, run)) {
      const line = event === null ? null : eventLine(event);
      if (line === null) continue;
      const time = new Date(at).toISOString().slice(11, 23);
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
