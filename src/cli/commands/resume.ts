import { findRetryRefusal } from "../../runtime/operations/ensure-retry.ts";
import { claimRun, isDriven } from "../../runtime/operations/resume-run.ts";
import { findRun } from "../../runtime/operations/tell-run.ts";
import type { Engine } from "../../runtime/engine.ts";
import { printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { driveToEnd, printStanding } from "../drive-to-end.ts";
import { ensurePrograms } from "../ensure-programs.ts";
import { ensureRunTrusted } from "../ensure-run-trusted.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_END_OPTION, TRUST_RUN_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "resume",
  summary: "Go on with a run that was interrupted, crashed or waited",
  usage: "[RUN]",
  details: [
    "RUN is its id or the beginning of it; the newest run when none is named.",
    "A run that came with the repository and was not started by you runs no command before you trust it.",
    "Exit code: 0 completed, or another process drives it, 1 failed or waiting for a person, 2 wrong usage, 3 nothing was",
    "started: a script of the agent that comes next is missing, or the run is not trusted; 130 interrupted.",
  ],
  options: {
    ...JSON_END_OPTION,
    quiet: { about: "Show no progress." },
    ...TRUST_RUN_OPTION,
    ...HELP_OPTION,
  },
  run: resume,
};

async function resume(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 1) throw usage(command, "One run at a time.");
  const engine = await terminal.openExisting();
  try {
    const row = await findRun(engine.machine, invocation.operands[0]);
    if (row.finished) {
      const helps = row.status === "failed" ? ` ${await whatHelps(engine, row)}` : "";
      say(terminal, `${printable(`Run ${row.run} has ended: ${row.status}.${helps}`)}\n`);
      if (invocation.has("json")) await printStanding(engine, row.run, terminal);
      return row.status === "completed" ? EXIT.fine : EXIT.findings;
    }
    await ensureRunTrusted(engine.machine, row, { command: "resume", given: invocation.text("trust") }, terminal);
    if (!isDriven(row, engine.machine.clock.now())) await ensurePrograms(engine, row, terminal);
    const lease = await claimRun(engine.machine, row.run);
    if (lease === null) {
      say(terminal, `Another process drives run ${row.run}. baton watch ${row.run} shows it.\n`);
      if (invocation.has("json")) await printStanding(engine, row.run, terminal);
      return EXIT.fine;
    }
    return await driveToEnd(engine, lease, terminal, { json: invocation.has("json"), quiet: invocation.has("quiet") });
  } finally {
    await engine.close();
  }
}

async function whatHelps({ machine }: Engine, row: Awaited<ReturnType<typeof findRun>>): Promise<string> {
  const refusal = await findRetryRefusal(machine, row);
  return refusal === null ? `baton retry ${row.run} tries again.` : refusal.help;
}
