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
    "The newest run when none is named. Ends when the run ends or waits for a person; Ctrl-C only stops watching.",
    "On a terminal, where the run is stays below what happens; elsewhere each event is a plain line.",
    "Exit code: 0 completed, 1 failed, waiting for a person or driven by nobody, 130 interrupted. With --all, 0 when",
    "every run that was watched has completed.",
  ],
  options: {
    all: { about: "One line for each run that is not over, until nobody drives any of them." },
    json: { about: "One JSON record a line for each event, {at, event}, as it happens; of one run." },
    ...HELP_OPTION,
  },
  run: watch,
};

async function watch(invocation: Invocation, terminal: Terminal): Promise<number> {
  const { operands } = invocation;
  if (operands.length > 1) throw usage(command, "One run at a time; --all watches every run.");
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
