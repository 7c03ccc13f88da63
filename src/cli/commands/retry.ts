import { ensureRetry } from "../../runtime/operations/ensure-retry.ts";
import { tellRun } from "../../runtime/operations/tell-run.ts";
import type { Command } from "../command.ts";
import { ensurePrograms } from "../ensure-programs.ts";
import { ensureRunTrusted } from "../ensure-run-trusted.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_END_OPTION, TRUST_RUN_OPTION } from "../shared-options.ts";
import { tellAndGoOn } from "../tell-and-go-on.ts";

export const command: Command = {
  name: "retry",
  summary: "Send a failed run on again, from the agent where it failed",
  usage: "[RUN]",
  details: [
    "The newest run when none is named. Budgets stay what they are: where one is used up, raise it in the workflow file",
    "and start a new run.",
    "Exit code: 0 completed, or another process drives it, 1 failed or waiting for a person, 2 wrong usage, or the budget is",
    "used up, 3 nothing was started: a script of the agent that comes next is missing, or the run is not trusted; 130",
    "interrupted.",
  ],
  options: {
    note: { value: "TEXT", about: "What the agent should know." },
    ...JSON_END_OPTION,
    ...TRUST_RUN_OPTION,
    ...HELP_OPTION,
  },
  run: async ({ operands: [name, ...more], text, has }, terminal) => {
    if (more.length > 0) throw usage(command, "One run at a time.", "Words go with --note 'YOUR WORDS'.");
    const told = { kind: "retry-run", by: terminal.user, note: text("note") ?? null } as const;
    return tellAndGoOn(terminal, name, {
      json: has("json"),
      async check(row, engine) {
        if (row.status !== "failed") throw usage(command, `Run ${row.run} is ${row.status}, not failed.`);
        await ensureRetry(engine.machine, row);
        await ensureRunTrusted(engine.machine, row, { command: "retry", given: text("trust") }, terminal);
        await ensurePrograms(engine, row, terminal, [told]);
      },
      tell: (row, machine) => tellRun(machine, row.run, told),
    });
  },
};
