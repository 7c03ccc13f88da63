import { refuseObserved } from "../../runtime/operations/resume-run.ts";
import { personOf } from "../../runtime/request-source.ts";
import { sendInput, ensureRetry } from "../../runtime/operations/send-input.ts";
import type { Command } from "../command.ts";
import { ensureRunTrusted, ensurePrograms } from "../ensure-trusted.ts";
import { FAIL_ON_OPTION, failOn } from "../end-code.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_END_OPTION, TRUST_RUN_OPTION } from "../shared-options.ts";
import { sendAndContinue } from "../drive-to-end.ts";

export const command: Command = {
  name: "retry",
  summary: "Continue a failed run from the agent where it failed",
  usage: "[RUN]",
  details: [
    "Without RUN: the newest run. Where a budget is used up, raise it first: `baton budget RUN --steps 80`.",
    "Exit code: 0 completed, or another process drives it, 1 failed or waiting for a person, 2 wrong usage, or the budget is",
    "used up, 3 nothing was started: a script of the agent that comes next is missing, the run is not trusted, or an agent asked; 130",
    "interrupted.",
  ],
  options: {
    note: { value: "TEXT", about: "What the agent should know." },
    ...JSON_END_OPTION,
    ...TRUST_RUN_OPTION,
    ...FAIL_ON_OPTION,
    ...HELP_OPTION,
  },
  run: async (invocation, terminal) => {
    const {
      operands: [name, ...more],
      text,
      has,
    } = invocation;
    if (more.length > 0) throw usage(command, "Name one run only.", "To add a note: --note 'YOUR WORDS'.");
    const by = personOf(await terminal.requestSource(), "`baton retry`");
    const input = { kind: "retry-run", by, note: text("note") ?? null } as const;
    return sendAndContinue(terminal, name, {
      json: has("json"),
      failOn: failOn(command, invocation),
      async check(row, engine) {
        refuseObserved(row);
        if (row.status !== "failed") throw usage(command, `Run ${row.run} is ${row.status}, not failed.`);
        await ensureRetry(engine.ports, row);
        await ensureRunTrusted(engine.ports, row, { command: "retry", given: text("trust") }, terminal);
        await ensurePrograms(engine, row, terminal, [input]);
      },
      send: (row, ports) => sendInput(ports, row.run, input),
    });
  },
};
