import { isDriven } from "../../runtime/operations/resume-run.ts";
import { findRun } from "../../runtime/operations/tell-run.ts";
import { eventLine, eventsOf } from "../../runtime/operations/view-run.ts";
import { printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { MARKS, paint } from "../paint.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "watch",
  summary: "Follow a run that another process drives",
  usage: "[RUN]",
  details: [
    "The newest run when none is named. Ends when the run ends or waits for a person; Ctrl-C only stops watching.",
    "Exit code: 0 completed, 1 failed, waiting for a person or driven by nobody, 130 interrupted.",
  ],
  options: HELP_OPTION,
  run: watch,
};

const LOOK_AGAIN = 200;
/** A process in the background that is just starting may take as long. */
const PATIENCE = 5_000;

async function watch({ operands: [name] }: Invocation, terminal: Terminal): Promise<number> {
  const signal = terminal.interruption();
  const engine = await terminal.openEngine();
  try {
    const { run } = await findRun(engine.machine, name);
    let seen = 0;
    let drivenAt = Date.now();
    for (;;) {
      const row = await findRun(engine.machine, run);
      for (const entry of await engine.machine.log.entries(run, seen)) {
        seen = entry.sequence;
        for (const event of eventsOf([entry])) show(event, entry.at, terminal);
      }
      if (row.finished) return row.status === "completed" ? EXIT.fine : EXIT.findings;
      if (row.status === "waiting") return waits(run, terminal);
      if (signal.aborted) return EXIT.interrupted;
      if (isDriven(row, engine.machine.clock.now())) drivenAt = Date.now();
      else if (Date.now() - drivenAt > PATIENCE) return nobodyDrives(run, terminal);
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN));
    }
  } finally {
    await engine.close();
  }
}

function show(event: Parameters<typeof eventLine>[0], at: number, terminal: Terminal): void {
  const line = eventLine(event);
  if (line === null) return;
  const text = printable(`${MARKS[line.tone]} ${line.text}`.replaceAll(/\s+/g, " "));
  terminal.out(`${new Date(at).toISOString().slice(11, 19)}  ${paint(text, line.tone, terminal.colour.out)}\n`);
}

function waits(run: string, terminal: Terminal): number {
  terminal.note(`Run ${run} waits for a person: baton status ${run}\n`);
  return EXIT.findings;
}

function nobodyDrives(run: string, terminal: Terminal): number {
  terminal.note(`Nobody drives run ${run}: baton resume ${run} goes on.\n`);
  return EXIT.findings;
}
