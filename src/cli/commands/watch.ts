import type { Command, Invocation } from "../command.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";
import { watchAll } from "../watch-all.ts";
import { watchRun } from "../watch-run.ts";

export const command: Command = {
  name: "watch",
  summary: "Follow a run that another process drives, or all of them",
  usage: "[RUN]",
  details: [
    "Without RUN: the newest run. Ends when the run ends or waits for a person; Ctrl-C only stops watching.",
    "On a terminal, the state of the run stays below the events; elsewhere each event is a plain line.",
    "Exit code: 0 completed without open blocking issues; 1 failed, waiting for a person or not driven by any process; 130",
    "interrupted. With --all, 0 when every run that was watched has completed so.",
  ],
  options: {
    all: { about: "One line for each run that has not ended, until no process drives any of them." },
    json: { about: "One JSON record for each event of one run, {at, event}, one on each line." },
    ...HELP_OPTION,
  },
  run: watch,
};

async function watch(invocation: Invocation, terminal: Terminal): Promise<number> {
  const { operands } = invocation;
  if (operands.length > 1) throw usage(command, "Name one run only; --all watches every run.");
  if (operands.length === 1 && invocation.has("all")) throw usage(command, "Name a run or --all, not both.");
  if (invocation.has("json") && invocation.has("all")) throw usage(command, "--json follows one run, and not --all.");
  const engine = await terminal.openExisting();
  try {
    if (invocation.has("all")) return await watchAll(engine, terminal);
    return await watchRun(engine, operands[0], terminal, invocation.has("json"));
  } finally {
    await engine.close();
  }
}
