import { isDriven } from "../../runtime/operations/resume-run.ts";
import { tellRun } from "../../runtime/operations/tell-run.ts";
import type { Command } from "../command.ts";
import { isRunTrusted } from "../ensure-run-trusted.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_END_OPTION } from "../shared-options.ts";
import { tellAndGoOn } from "../tell-and-go-on.ts";

export const command: Command = {
  name: "cancel",
  summary: "End a run and every agent that works in it",
  usage: "[RUN]",
  details: [
    "The newest run when none is named. What was accepted stays in the log, and so does the worktree of a run that has one.",
    "Exit code: 0 cancelled, or told to whoever drives it, 1 it had ended otherwise before, 2 there is nothing to cancel.",
  ],
  options: {
    reason: { value: "TEXT", about: "Why; it is kept in the log." },
    ...JSON_END_OPTION,
    ...HELP_OPTION,
  },
  run: async ({ operands: [name, ...more], text, has }, terminal) => {
    if (more.length > 0) throw usage(command, "One run at a time.", "Words go with --reason 'YOUR WORDS'.");
    return tellAndGoOn(terminal, name, {
      wanted: "cancelled",
      json: has("json"),
      check(row) {
        if (row.finished)
          throw usage(command, `Run ${row.run} has ended: ${row.status}.`, `baton status ${row.run} shows it.`);
      },
      tell: (row, machine) =>
        tellRun(machine, row.run, {
          kind: "cancel-run",
          by: terminal.user,
          reason: text("reason") ?? "no reason given",
        }),
      // To take it in is to drive the run, and that may start a gate again before it ends.
      async stay(row, machine) {
        if (await isRunTrusted(machine, row, terminal)) return null;
        if (isDriven(row, machine.clock.now())) return `Told. Another process drives run ${row.run}.\n`;
        return `Told, and nothing was run: the commands of run ${row.run} are not trusted here. Whoever goes on with it ends it.\n`;
      },
    });
  },
};
