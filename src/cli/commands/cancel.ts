import { findRun, tellRun } from "../../runtime/operations/tell-run.ts";
import type { Command } from "../command.ts";
import { tellAndGoOn } from "../tell-and-go-on.ts";
import { HELP_OPTION } from "../shared-options.ts";

export const command: Command = {
  name: "cancel",
  summary: "End a run and every agent that works in it",
  usage: "[RUN]",
  details: ["The newest run when none is named. What was accepted stays in the log."],
  options: { reason: { value: "TEXT", about: "Why; it is kept in the log." }, ...HELP_OPTION },
  run: async ({ operands: [name], text }, terminal) =>
    tellAndGoOn(terminal, async (machine) => {
      const row = await findRun(machine, name);
      await tellRun(machine, row.run, {
        kind: "cancel-run",
        by: terminal.user,
        reason: text("reason") ?? "no reason given",
      });
      return row.run;
    }),
};
