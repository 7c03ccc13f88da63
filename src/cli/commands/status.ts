import { findRun, listRuns } from "../../runtime/operations/send-input.ts";
import {
  describeIdle,
  remarkCounts,
  runItem,
  statusWord,
  summariseRemarks,
} from "../../runtime/operations/list-runs.ts";
import { type HookStatus, lookAtHooks } from "../../runtime/operations/look-at-hooks.ts";
import type { ScheduleList } from "../../runtime/operations/list-schedules.ts";
import { scheduleFiles } from "../../runtime/schedules/schedule-files.ts";
import { viewRun } from "../../runtime/operations/view-run.ts";
import { count } from "../../shared/count.ts";
import { printable, printJsonLines } from "../../shared/printable.ts";
import { isRecord, shown } from "../../shared/json-value.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { display, say } from "../fit-lines.ts";
import { usage } from "../parse-arguments.ts";
import { paint } from "../paint.ts";
import { printRun } from "../print-run.ts";
import { type RunDriveStatus, askNotes, askRecords, runRecord, driveStatusOf } from "../drive-status.ts";
import { HELP_OPTION } from "../shared-options.ts";
import { noteGivenUp } from "../follow-to-end.ts";
import type { Terminal } from "../terminal.ts";

export const command: Command = {
  name: "status",
  summary: "Show the state of all runs, or of one run in full",
  usage: "[RUN]",
  details: [
    "Without RUN: the newest runs, with the questions that wait for you.",
    "In the JSON every question has `answered`: an answer that was not processed yet, or null; and every run has",
    "`driven`: whether a process works on it now, and `waits_for`: the run that works in the same folder meanwhile, or null.",
    "A session of a client is `watched` until the client tells its end; `idle_since` says when its last sign came, if that",
    "is an hour ago or longer.",
    "`schedules` has the times at which `baton serve` starts runs: `items` with `next` and `last`, and `notices`.",
    "`hooks` tells which hooks of clients were `heard` of, which `failed`, and in `notices` what is not checked.",
  ],
  options: {
    json: { about: "Print JSON." },
    all: { about: "List every run." },
    where: { about: "Print the folder in which the state is." },
    ...HELP_OPTION,
  },
  run: status,
};

const LISTED = 20;
const MAX_LISTED = 1_000_000;

async function status(invocation: Invocation, terminal: Terminal): Promise<number> {
  if (invocation.operands.length > 1) throw usage(command, "Name one run only.");
  if (invocation.has("where")) return printPlace(invocation, terminal);
  const engine = await terminal.openExisting();
  try {
    const [name] = invocation.operands;
    if (name === undefined) return await list(engine, invocation, terminal);
    const row = await findRun(engine.ports, name);
    const { view } = await viewRun(engine.ports, row.run, row.workflow);
    const style = { colour: terminal.colour.out, width: terminal.columns, room: terminal.room.out };
    const driveStatus = await driveStatusOf(engine.ports, row);
    terminal.out(
      invocation.has("json")
        ? printJsonLines(runRecord(view, driveStatus))
        : printRun(view, Date.now(), style, driveStatus),
    );
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}

async function printPlace({ operands, has }: Invocation, terminal: Terminal): Promise<number> {
  if (operands.length > 0) throw usage(command, "--where is about all runs.");
  const { stateFolder, hasLog, notes } = await terminal.whereState();
  for (const note of notes) say(terminal, `baton: ${printable(note)}\n`);
  terminal.out(
    has("json") ? printJsonLines({ state_folder: stateFolder, has_log: hasLog, notes }) : `${stateFolder}\n`,
  );
  return EXIT.fine;
}

type Row = Awaited<ReturnType<typeof listRuns>>[number];

async function list(
  engine: Awaited<ReturnType<Terminal["openEngine"]>>,
  invocation: Invocation,
  terminal: Terminal,
): Promise<number> {
  const rows = await listRuns(engine.ports, invocation.has("all") ? MAX_LISTED : LISTED);
  const runs: [Row, RunDriveStatus][] = [];
  for (const row of rows) runs.push([row, await driveStatusOf(engine.ports, row)]);
  const hooks = await hooksOf(engine.stateFolder, terminal);
  const schedules = await schedulesOf(engine, terminal);
  const givenUp = await givenUpIn(engine);
  if (invocation.has("json"))
    terminal.out(
      printJsonLines({ runs: runs.map(([row, each]) => asRecord(row, each)), hooks, schedules, given_up: givenUp }),
    );
  else if (rows.length === 0) say(terminal, "There is no run yet. `baton run` starts one.\n");
  else {
    display(terminal, `${worstFirst(rows)}\n`);
    for (const [row, each] of runs) display(terminal, printRow(row, each, terminal.colour.out));
  }
  if (schedules.items.length > 0 && !invocation.has("json")) {
    const { printSchedules } = await import("../print-schedules.ts");
    display(terminal, printSchedules(schedules));
  }
  for (const { says, fix } of [...givenUp.map(noteGivenUp), ...hooks.notices, ...schedules.notices])
    say(terminal, `${printable(`${says} ${fix}`)}\n`);
  return EXIT.fine;
}

/** Only where workers drive runs. */
async function givenUpIn({ shared }: Awaited<ReturnType<Terminal["openEngine"]>>): Promise<readonly string[]> {
  return shared === undefined ? [] : shared.givenUp();
}

async function hooksOf(stateFolder: string, terminal: Terminal): Promise<HookStatus> {
  const { root, mark } = await terminal.repositoryInfo();
  const { configFolder } = terminal;
  return lookAtHooks({ root, mark, stateFolder, configFolder, settings: () => terminal.doctorMachine() });
}

/** Where no file has schedules, nothing is loaded that reads them. */
async function schedulesOf(
  engine: Awaited<ReturnType<Terminal["openEngine"]>>,
  terminal: Terminal,
): Promise<ScheduleList> {
  const place = { configFolder: terminal.configFolder, repositoryInfo: await terminal.repositoryInfo() };
  if (scheduleFiles(place).length === 0) return { items: [], notices: [] };
  const { listSchedules } = await import("../../runtime/operations/list-schedules.ts");
  return listSchedules({ ...place, engine, now: engine.ports.clock.now() });
}

/** How many of the listed runs stand how, the worst first. */
function worstFirst(rows: readonly Row[]): string {
  const counts = STANDINGS.map(([words, is]) => [words, rows.filter(is).length] as const);
  return counts.flatMap(([words, found]) => (found === 0 ? [] : [`${found} ${words}`])).join(", ");
}

const STANDINGS: readonly (readonly [string, (row: Row) => boolean])[] = [
  ["failed", ({ status: word }) => word === "failed"],
  ["completed with open blocking issues", (row) => row.status === "completed" && remarkCounts(row.summary).open > 0],
  ["ended with something unchecked", (row) => row.status === "completed" && isUnchecked(row)],
  ["waiting for a person", ({ status: word }) => word === "waiting"],
  ["cancelled", ({ status: word }) => word === "cancelled"],
  ["running", ({ status: word }) => word === "running"],
  ["watched", ({ status: word }) => word === "watched"],
  ["completed", (row) => row.status === "completed" && remarkCounts(row.summary).open === 0 && !isUnchecked(row)],
];

/** A session in which no handoff was read, or not all of them. */
function isUnchecked({ summary }: Row): boolean {
  return remarkCounts(summary).unchecked > 0;
}

function asRecord(row: Row, driveStatus: RunDriveStatus): object {
  const { run, name, status: word, createdAt, updatedAt, summary } = row;
  const { asks } = summary;
  return {
    run,
    workflow: name,
    status: word,
    created_at: createdAt,
    updated_at: updatedAt,
    ...summary,
    idle_since: runItem(row, Date.now()).idle_since,
    driven: driveStatus.isDriven,
    waits_for: driveStatus.waitsFor,
    asks: Array.isArray(asks) ? askRecords(asks.filter(isRecord), driveStatus) : [],
  };
}

function printRow(row: Row, driveStatus: RunDriveStatus, colour: boolean): string {
  const when = new Date(row.createdAt).toISOString().replace("T", " ").slice(0, 19);
  const { is_observed: isObserved } = runItem(row, Date.now());
  // An answer that was not processed yet says so already.
  const hasDriver = row.finished || driveStatus.isDriven || driveStatus.answers.size > 0;
  const remarks = summariseRemarks(remarkCounts(row.summary));
  const notes = [
    ...askNotes(row, driveStatus),
    ...(hasDriver || isObserved ? [] : ["not driven"]),
    ...(remarks === "" ? [] : [remarks]),
  ];
  const steps = `step ${shown(row.summary["steps"] ?? 0)}`;
  const where = isObserved ? sessionNotes(row) : `${steps}, round ${shown(row.summary["iteration"] ?? 1)}`;
  const word = paint(statusWord(row.status, isObserved).padEnd(9), toneOf(row), colour);
  return `${printable(row.run)}  ${word}  ${when}  ${printable(row.name)}  ${printable([where, ...notes].join(", "))}\n`;
}

/** How far a session is, which has no rounds: its agents, and what is not well. */
function sessionNotes(row: Row): string {
  const { tasks, tasks_done: done, agents, failed_agents: failed, idle_since: idle } = runItem(row, Date.now());
  const notes = [
    tasks === 0 ? "no agent has handed over" : `${done} of ${count(tasks, "agent")} handed over`,
    ...(agents.length === 0 ? [] : [`${agents.join(", ")} ${idle === null ? "at work" : "not heard of since"}`]),
    ...(failed.length === 0 ? [] : [`no valid handoff of ${failed.join(", ")}`]),
    ...(idle === null ? [] : [describeIdle(idle)]),
  ];
  return notes.join(", ");
}

function toneOf({ status: word, finished, summary }: Row): "good" | "bad" | "warning" | "person" | "plain" {
  if (word === "completed") return summariseRemarks(remarkCounts(summary)) === "" ? "good" : "warning";
  if (word === "waiting") return "person";
  return finished ? "bad" : "plain";
}
