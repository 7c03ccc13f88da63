import { acquireToResume, isDriven, refuseObserved } from "../../runtime/operations/resume-run.ts";
import { findChangedWorkflow } from "../../runtime/operations/workflow-changed.ts";
import { findRun, findRetryRefusal } from "../../runtime/operations/send-input.ts";
import { viewRun } from "../../runtime/operations/view-run.ts";
import type { Engine } from "../../runtime/engine.ts";
import { shown } from "../../shared/json-value.ts";
import { printable } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { driveToEnd, printRunStatus } from "../drive-to-end.ts";
import { ensureRunTrusted, ensurePrograms } from "../ensure-trusted.ts";
import { FAIL_ON_OPTION, endCode, failOn } from "../end-code.ts";
import { EXIT } from "../exit-code.ts";
import { say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { HELP_OPTION, JSON_END_OPTION, NO_WAIT_OPTION, TRUST_RUN_OPTION } from "../shared-options.ts";
import { followToEnd } from "../follow-to-end.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "resume",
  summary: "Continue a run that was interrupted, crashed or waited",
  usage: "[RUN]",
  details: [
    "RUN is its id or the beginning of it. Without RUN: the newest run.",
    "A run that you did not start on this machine runs no command until you trust it.",
    "Exit code: 0 completed, or another process drives it, 1 failed or waiting for a person, 2 wrong usage, 3 nothing was",
    "started: a script of the agent that comes next is missing, the run is not trusted, or --no-wait and",
    "another run works in the folder; 130 interrupted.",
  ],
  options: {
    ...JSON_END_OPTION,
    quiet: { about: "Show no progress." },
    ...FAIL_ON_OPTION,
    ...NO_WAIT_OPTION,
    ...TRUST_RUN_OPTION,
    ...HELP_OPTION,
  },
  run: resume,
};

async function resume(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 1) throw usage(command, "Name one run only.");
  const { has } = invocation;
  const waits = !has("no-wait");
  const style = { json: has("json"), quiet: has("quiet"), failOn: failOn(command, invocation), waits };
  const engine = await terminal.openExisting();
  try {
    const row = await findRun(engine.ports, invocation.operands[0]);
    refuseObserved(row);
    if (row.finished) {
      const helps = row.status === "failed" ? ` ${await whatHelps(engine, row)}` : "";
      const reason = shown(row.summary["reason"] ?? "");
      const why = reason === "" ? "" : ` (${reason})`;
      say(terminal, `${printable(`Run ${row.run} has ended: ${row.status}${why}.${helps}`)}\n`);
      if (invocation.has("json")) await printRunStatus(engine, row.run, terminal);
      return endCode((await viewRun(engine.ports, row.run, row.workflow)).view, style.failOn);
    }
    if (engine.shared !== undefined) {
      await engine.shared.wake(row.run);
      return await followToEnd(engine, row.run, terminal, style);
    }
    await ensureRunTrusted(engine.ports, row, { command: "resume", given: invocation.text("trust") }, terminal);
    if (!isDriven(row, engine.ports.clock.now())) await ensurePrograms(engine, row, terminal);
    await tellChangedWorkflow(engine, row, terminal);
    const lease = await acquireToResume(engine.ports, row.run);
    if (lease === null) {
      say(terminal, `Another process drives run ${row.run}; \`baton watch ${row.run}\` follows it.\n`);
      if (invocation.has("json")) await printRunStatus(engine, row.run, terminal);
      return EXIT.fine;
    }
    return await driveToEnd(engine, lease, terminal, style);
  } finally {
    await engine.close();
  }
}

async function whatHelps({ ports }: Engine, row: Awaited<ReturnType<typeof findRun>>): Promise<string> {
  const refusal = await findRetryRefusal(ports, row);
  return refusal === null ? `\`baton retry ${row.run}\` tries again.` : refusal.help;
}

/** The run goes on as it began, whatever became of the file. */
async function tellChangedWorkflow(
  engine: Engine,
  row: Awaited<ReturnType<typeof findRun>>,
  terminal: Terminal,
): Promise<void> {
  const changed = await findChangedWorkflow(engine, row);
  if (changed === null) return;
  const { file, how } = changed;
  const what = how === "changed" ? "has changed" : how === "gone" ? "is gone" : "has changed and cannot be run now";
  const next = how === "changed" ? ` \`baton run ${file}\` starts a new run with the changed file.` : "";
  const lines = `${file} ${what} since run ${row.run} was started. The run keeps its own version.${next}`;
  say(terminal, `${printable(lines)}\n`);
}
