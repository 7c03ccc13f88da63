import { tellRun } from "../../runtime/operations/tell-run.ts";
import type { Command } from "../command.ts";
import { ensureRunTrusted } from "../ensure-run-trusted.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, TRUST_RUN_OPTION } from "../shared-options.ts";
import { tellAndGoOn } from "../tell-and-go-on.ts";

export const command: Command = {
  name: "retry",
  summary: "Send a failed run on again, from the agent where it failed",
  usage: "[RUN]",
  details: ["The newest run when none is named. Budgets stay what they are."],
  options: { note: { value: "TEXT", about: "What the agent should know." }, ...TRUST_RUN_OPTION, ...HELP_OPTION },
  run: async ({ operands: [name], text }, terminal) =>
    tellAndGoOn(terminal, name, {
      async check(row, machine) {
        if (row.status !== "failed") throw usage(command, `Run ${row.run} is ${row.status}, not failed.`);
        await ensureRunTrusted(machine, row, { command: "retry", given: text("trust") }, terminal);
      },
      tell: (row, machine) =>
        tellRun(machine, row.run, { kind: "retry-run", by: terminal.user, note: text("note") ?? null }),
    }),
};
