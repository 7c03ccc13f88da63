import { findRun, listRuns } from "../../runtime/operations/tell-run.ts";
import { viewRun } from "../../runtime/operations/view-run.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import { isRecord, shown } from "../../shared/json-value.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { display, say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { paint } from "../paint.ts";
import { printRun } from "../print-run.ts";
import { type RunStanding, askNotes, askRecords, runRecord, standingOf } from "../run-standing.ts";
import { HELP_OPTION } from "../shared-options.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "status",
  summary: "Show where the runs stand, or one of them in full",
  usage: "[RUN]",
  details: [
    "Without RUN the newest runs are listed, with what waits for you.",
    "In the JSON every question has `answered`: what was said and nobody has taken in yet, or null; and every run has",
    "`driven`: whether a process works on it now.",
  ],
  options: { json: { about: "As JSON." }, all: { about: "List every run." }, ...HELP_OPTION },
  run: status,
};

const LISTED = 20;
const MOST_LISTED = 1_000_000;

async function status(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 1) throw usage(command, "One run at a time.");
  const engine = await terminal.openExisting();
  try {
    const [name] = invocation.operands;
    if (name === undefined) return await list(engine, invocation, terminal);
    const row = await findRun(engine.machine, name);
    const { view } = await viewRun(engine.machine, row.run, row.workflow);
    const style = { colour: terminal.colour.out, width: terminal.columns, room: terminal.room.out };
    const standing = await standingOf(engine.machine, row);
    terminal.out(
      invocation.has("json") ? printJsonLines(runRecord(view, standing)) : printRun(view, Date.now(), style, standing),
    );
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}

type Row = Awaited<ReturnType<typeof listRuns>>[number];

async function list(
  engine: Awaited<ReturnType<Terminal["openEngine"]>>,
  invocation: Invocation,
  terminal: Terminal,
): Promise<number> {
  const rows = await listRuns(engine.machine, invocation.has("all") ? MOST_LISTED : LISTED);
  const runs: [Row, RunStanding][] = [];
  for (const row of rows) runs.push([row, await standingOf(engine.machine, row)]);
  if (invocation.has("json")) terminal.out(printJsonLines({ runs: runs.map(([row, each]) => asRecord(row, each)) }));
  else if (rows.length === 0) say(terminal, "There is no run yet. `baton run` starts one.\n");
  else for (const [row, each] of runs) display(terminal, printRow(row, each, terminal.colour.out));
  return EXIT.fine;
}

function asRecord({ run, name, status: word, createdAt, updatedAt, summary }: Row, standing: RunStanding): object {
  const { asks } = summary;
  return {
    run,
    workflow: name,
    status: word,
    created_at: createdAt,
    updated_at: updatedAt,
    ...summary,
    driven: standing.isDriven,
    asks: Array.isArray(asks) ? askRecords(asks.filter(isRecord), standing) : [],
  };
}

function printRow(row: Row, standing: RunStanding, colour: boolean): string {
  const when = new Date(row.createdAt).toISOString().replace("T", " ").slice(0, 19);
  // An answer that waits says it already.
  const hasDriver = row.finished || standing.isDriven || standing.answers.size > 0;
  const notes = [...askNotes(row, standing), ...(hasDriver ? [] : ["nobody drives it"])];
  const where = `step ${shown(row.summary["steps"])}, round ${shown(row.summary["iteration"])}`;
  const word = paint(row.status.padEnd(9), toneOf(row), colour);
  return `${printable(row.run)}  ${word}  ${when}  ${printable(row.name)}  ${printable([where, ...notes].join(", "))}\n`;
}

function toneOf({ status: word, finished }: Row): "good" | "bad" | "person" | "plain" {
  if (word === "completed") return "good";
  if (word === "waiting") return "person";
  return finished ? "bad" : "plain";
}
