import { closeSession } from "../../runtime/operations/close-session.ts";
import { isDriven, isObserved } from "../../runtime/operations/resume-run.ts";
import { accountOf } from "../../runtime/request-source.ts";
import { sendInput } from "../../runtime/operations/send-input.ts";
import type { Command } from "../command.ts";
import { isRunAllowed } from "../ensure-trusted.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_END_OPTION } from "../shared-options.ts";
import { sendAndContinue } from "../drive-to-end.ts";

export const command: Command = {
  name: "cancel",
  summary: "Stop a run and every agent that works in it",
  usage: "[RUN]",
  details: [
    "Without RUN: the newest run. Accepted handoffs stay in the log, and the worktree of the run stays on the disk.",
    "Of a session that is watched it only notes that it is over: its client is not told, and may go on with it.",
    "Exit code: 0 cancelled, or sent to the process that drives it; 1 it had already ended; 2 there is nothing to cancel.",
  ],
  options: {
    reason: { value: "TEXT", about: "Why; stored in the log." },
    ...JSON_END_OPTION,
    ...HELP_OPTION,
  },
  run: async ({ operands: [name, ...more], text, has }, terminal) => {
    if (more.length > 0) throw usage(command, "Name one run only.", "To add a reason: --reason 'YOUR WORDS'.");
    return sendAndContinue(terminal, name, {
      wanted: "cancelled",
      json: has("json"),
      check(row) {
        if (row.finished)
          throw usage(command, `Run ${row.run} has ended: ${row.status}.`, `baton status ${row.run} shows it.`);
      },
      async send(row, ports) {
        const by = accountOf(await terminal.requestSource());
        const reason = text("reason") ?? "no reason given";
        if (isObserved(row)) return closeSession(ports, row, { by, reason });
        return sendInput(ports, row.run, { kind: "cancel-run", by, reason });
      },
      // Processing the input means driving the run, and that may start a gate again before it ends.
      async stay(row, ports) {
        if (isObserved(row)) return `Session ${row.run} is closed here. Its client was not told.\n`;
        if (await isRunAllowed(ports, row, terminal)) return null;
        if (isDriven(row, ports.clock.now())) return `Sent. Another process drives run ${row.run}.\n`;
        return `Saved, and nothing was run: the commands of run ${row.run} are not trusted here. The run ends when it is resumed.\n`;
      },
    });
  },
};
