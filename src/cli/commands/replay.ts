import { loadWorkflow } from "../../runtime/operations/load-workflow.ts";
import { replayRun } from "../../runtime/operations/replay-run.ts";
import { findRun } from "../../runtime/operations/tell-run.ts";
import { viewRun } from "../../runtime/operations/view-run.ts";
import { printJsonLines } from "../../shared/printable.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { display } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { printDifference } from "../print-difference.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "replay",
  summary: "Decide a run again from its log, also by a changed workflow",
  usage: "[RUN]",
  details: [
    "Every input of the log meets the state that was recorded, and what is decided now is compared with what was decided then.",
    "With --workflow another file decides: what would have been different? Nothing is run.",
    "Exit code: 0 all the same, 1 something differs.",
  ],
  options: {
    workflow: { value: "WORKFLOW", about: "Decide by this workflow instead of the one the run is pinned to." },
    json: { about: "As JSON." },
    ...HELP_OPTION,
  },
  run: replay,
};

async function replay({ operands: [name, ...more], text, has }: Invocation, terminal: Terminal): Promise<number> {
  if (more.length > 0) throw usage(command, "One run at a time.");
  const engine = await terminal.openExisting();
  try {
    const row = await findRun(engine.machine, name);
    const { workflow: pinned, entries } = await viewRun(engine.machine, row.run, row.workflow);
    const other = text("workflow");
    const workflow = other === undefined ? pinned : loadWorkflow(other).workflow;
    if (workflow === null)
      throw usage(command, `${other ?? ""} is no workflow that could be run.`, `baton check ${other ?? ""} tells why.`);
    const steps = replayRun(workflow, entries);
    const different = steps.filter((step) => !step.isSame);
    if (has("json")) terminal.out(printJsonLines({ run: row.run, inputs: steps.length, different }));
    else
      display(
        terminal,
        `${different.map(printDifference).join("")}${steps.length} inputs decided again, ${different.length === 0 ? "all the same" : `${different.length} differently`}.\n`,
      );
    return different.length === 0 ? EXIT.fine : EXIT.findings;
  } finally {
    await engine.close();
  }
}
