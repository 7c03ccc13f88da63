import { driveRun } from "../runtime/drive-run.ts";
import type { Engine } from "../runtime/engine.ts";
import type { startRun } from "../runtime/operations/start-run.ts";
import { findRun } from "../runtime/operations/tell-run.ts";
import { type RunView, eventsOf, viewRun } from "../runtime/operations/view-run.ts";
import { printable, printJsonLines } from "../shared/printable.ts";
import { EXIT } from "./exit-code.ts";
import { say } from "./fit-lines.ts";
import { liveView } from "./live-view.ts";
import { printRun } from "./print-run.ts";
import { runRecord, standingOf } from "./run-standing.ts";
import type { Terminal } from "./terminal.ts";

type Lease = Awaited<ReturnType<typeof startRun>>;

export interface DriveStyle {
  readonly json: boolean;
  readonly quiet: boolean;
  /** The end that was asked for, unless it is to complete. */
  readonly wanted?: "cancelled" | undefined;
}

/** Drives a run in the foreground, shows it, and says where it stands at the end. */
export async function driveToEnd(engine: Engine, lease: Lease, terminal: Terminal, style: DriveStyle): Promise<number> {
  // A run is not lost with the terminal that shows it.
  terminal.outliveReaders();
  const signal = terminal.interruption();
  const past = async () => eventsOf(await engine.machine.log.entries(lease.run));
  const live = await liveView(terminal, past, style.quiet);
  try {
    await driveRun(engine.machine, lease, { leaveParked: true, watch: (news) => live.show(news), signal });
  } finally {
    live.end();
  }
  const row = await findRun(engine.machine, lease.run);
  const { view } = await viewRun(engine.machine, row.run, row.workflow);
  const shape = { colour: terminal.colour.out, width: terminal.columns, room: terminal.room.out };
  const standing = await standingOf(engine.machine, row);
  terminal.out(style.json ? printJsonLines(runRecord(view, standing)) : printRun(view, Date.now(), shape, standing));
  if (signal.aborted) {
    say(terminal, `\nInterrupted; nothing is lost. baton resume ${lease.run} goes on.\n`);
    return EXIT.interrupted;
  }
  if (!style.json) say(terminal, whatNext(view));
  terminal.note(await worktreeLeft(engine, view.run, view.status));
  return view.status === (style.wanted ?? "completed") ? EXIT.fine : EXIT.findings;
}

/** Where a run stands that is not driven here, for whoever asked for JSON. */
export async function printStanding({ machine }: Engine, run: string, terminal: Terminal): Promise<void> {
  const row = await findRun(machine, run);
  const { view } = await viewRun(machine, row.run, row.workflow);
  terminal.out(printJsonLines(runRecord(view, await standingOf(machine, row))));
}

function whatNext({ run, status, retry_refused: refused }: RunView): string {
  if (status === "waiting") return `\nThe run waits for a person. Answer as shown above, then: baton resume ${run}\n`;
  if (status === "failed" && refused !== null) return `\nbaton log ${run} tells how it came to this.\n`;
  if (status === "failed")
    return `\nbaton log ${run} tells how it came to this; baton retry ${run} tries again where it failed.\n`;
  return `\nbaton log ${run} tells everything that happened; baton replay ${run} decides it all again.\n`;
}

/**
 * What was done is not in the user's own files, so it is told where it is. With a cancelled run nobody goes on, and
 * what was worked there may still be wanted: it is for the user to throw away, with a command that is to be copied
 * whole.
 */
async function worktreeLeft({ machine, stateFolder }: Engine, run: string, status: string): Promise<string> {
  const path = `worktrees/${run}`;
  if (!(await machine.workspace.has(stateFolder, path))) return "";
  const folder = `${stateFolder}/${path}`;
  if (status !== "cancelled") return `${printable(`What its agents did is in its worktree: ${folder}`)}\n`;
  const remove = `git worktree remove --force ${shellWord(folder)} && git branch -D baton/${run}`;
  const lines = [`Its worktree stays, with what is in it: ${folder}`, `To throw it away: ${remove}`];
  return `${lines.map(printable).join("\n")}\n`;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
