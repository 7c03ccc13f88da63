import { NO_LIMITS, renderJournal, USUAL_LIMITS, writeJournal } from "../../runtime/operations/write-journal.ts";
import { defuseLines, printable, printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "journal",
  summary: "Print the journal of the project: runs, tasks, decisions, blockers, files, warnings",
  usage: "[RUN]",
  details: [
    "Markdown, made anew from the log and from what is known; no agent writes in it. RUN is the current run of the",
    "journal, the newest when none is named. Of very long lists the newest are written down, and how many more there",
    "are.",
  ],
  options: {
    all: { about: "Every task, file and fact, however many there are." },
    json: { about: "Print JSON." },
    ...HELP_OPTION,
  },
  run: journal,
};

async function journal(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 1) throw usage(command, "Name one run only.");
  const engine = await terminal.openExisting();
  try {
    const limits = invocation.has("all") ? NO_LIMITS : USUAL_LIMITS;
    const written = await writeJournal(engine, invocation.operands[0], limits);
    if (invocation.has("json")) terminal.out(printJsonLines({ journal: written }));
    else if (written === null) say(terminal, "There is no run yet. `baton run` starts one.\n");
    else terminal.out(printLines(renderJournal(written)));
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}

function printLines(text: string): string {
  return defuseLines(text.split("\n").map(printable));
}
