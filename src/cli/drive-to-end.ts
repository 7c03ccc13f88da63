import { driveRun } from "../runtime/drive-run.ts";
import type { Engine } from "../runtime/engine.ts";
import type { startRun } from "../runtime/operations/start-run.ts";
import { findRun } from "../runtime/operations/send-input.ts";
import { type RunView, viewRun } from "../runtime/operations/view-run.ts";
import { eventsOf, readEntries } from "../runtime/read-log.ts";
import { printable, printJsonLines } from "../shared/printable.ts";
import { endCode, type failOn } from "./end-code.ts";
import { EXIT } from "./exit-code.ts";
import { say } from "./fit-lines.ts";
import { liveView } from "./live-view.ts";
import { printRun } from "./print-run.ts";
import { runRecord, driveStatusOf } from "./drive-status.ts";
import type { Terminal } from "./terminal.ts";
import { acquireToResume } from "../runtime/operations/resume-run.ts";

type Lease = Awaited<ReturnType<typeof startRun>>;

interface DriveStyle {
  readonly json: boolean;
  readonly quiet: boolean;
  /** False when the user does not want to wait for another run in the same folder. */
  readonly waits?: boolean;
  /** The end that the user asked for; completed unless given. */
  readonly wanted?: "cancelled" | undefined;
  /** What makes a completed run end with 1. */
  readonly failOn?: ReturnType<typeof failOn> | undefined;
}

/** Drives a run in the foreground, shows it, and prints its state at the end. */
export async function driveToEnd(engine: Engine, lease: Lease, terminal: Terminal, style: DriveStyle): Promise<number> {
  // A run is not lost with the terminal that shows it.
  terminal.outliveReaders();
  const signal = terminal.interruption();
  const past = async () => eventsOf(await readEntries(engine.ports.log, lease.run));
  const live = await liveView(terminal, past, style.quiet);
  try {
    const waits = style.waits ?? true;
    await driveRun(engine.ports, lease, { leaveParked: true, watch: (news) => live.show(news), signal, waits });
  } finally {
    live.end();
  }
  const row = await findRun(engine.ports, lease.run);
  const { view } = await viewRun(engine.ports, row.run, row.workflow);
  const shape = { colour: terminal.colour.out, width: terminal.columns, room: terminal.room.out };
  const driveStatus = await driveStatusOf(engine.ports, row);
  terminal.out(
    style.json ? printJsonLines(runRecord(view, driveStatus)) : printRun(view, Date.now(), shape, driveStatus),
  );
  if (signal.aborted) {
    say(terminal, `\nInterrupted; nothing is lost. Continue with \`baton resume ${lease.run}\`.\n`);
    return EXIT.interrupted;
  }
  if (!style.json) say(terminal, whatNext(view));
  terminal.note(await worktreeLeft(engine, view.run, view.status));
  if (style.wanted !== undefined) return view.status === style.wanted ? EXIT.fine : EXIT.findings;
  return endCode(view, style.failOn);
}

/** Prints the state of a run that is not driven here as JSON. */
export async function printRunStatus({ ports }: Engine, run: string, terminal: Terminal): Promise<void> {
  const row = await findRun(ports, run);
  const { view } = await viewRun(ports, row.run, row.workflow);
  terminal.out(printJsonLines(runRecord(view, await driveStatusOf(ports, row))));
}

function whatNext({ run, status, retry_refused: refused }: RunView): string {
  if (status === "waiting") return `\nThe run waits for a person. Answer as shown above, then: baton resume ${run}\n`;
  if (status === "failed" && refused !== null) return `\n\`baton log ${run}\` shows what happened.\n`;
  if (status === "failed")
    return `\n\`baton log ${run}\` shows what happened; \`baton retry ${run}\` tries again where it failed.\n`;
  return `\n\`baton log ${run}\` shows what happened; \`baton replay ${run}\` decides it again.\n`;
}

/**
 * The work of a run with a worktree is not in the user's own files, so the path is printed. A cancelled run does not
 * continue, but its work may still be wanted: the user deletes it with a command that can be copied.
 */
async function worktreeLeft({ ports }: Engine, run: string, status: string): Promise<string> {
  const folder = await ports.workspace.worktree(run);
  if (folder === null) return "";
  if (status !== "cancelled") return `${printable(`What its agents did is in its worktree: ${folder}`)}\n`;
  const remove = `git worktree remove --force ${shellWord(folder)} && git branch -D baton/${run}`;
  const lines = [`Its worktree stays, with what is in it: ${folder}`, `To throw it away: ${remove}`];
  return `${lines.map(printable).join("\n")}\n`;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

type Machine = Engine["ports"];
type Row = Awaited<ReturnType<typeof findRun>>;

interface InputToSend {
  /** Throws before anything is sent. */
  readonly check: (row: Row, engine: Engine) => Promise<void> | void;
  readonly send: (row: Row, ports: Machine) => Promise<unknown>;
  /** The end that the user asked for; completed unless given. */
  readonly wanted?: "cancelled";
  readonly failOn?: ReturnType<typeof failOn>;
  /** The message that is printed instead of continuing; null to continue. */
  readonly stay?: (row: Row, ports: Machine) => Promise<string | null>;
  /** Whether the end or the state of the run is printed as JSON. */
  readonly json: boolean;
}

/** Sends an input to a run and, if no other process drives it, continues it here. */
export async function sendAndContinue(
  terminal: Terminal,
  name: string | undefined,
  order: InputToSend,
): Promise<number> {
  const engine = await terminal.openExisting();
  try {
    const { ports } = engine;
    const row = await findRun(ports, name);
    await order.check(row, engine);
    await order.send(row, ports);
    const staying = (await order.stay?.(row, ports)) ?? null;
    const isOurs = staying === null && engine.shared === undefined;
    const lease = isOurs ? await acquireToResume(ports, row.run) : null;
    const style = { json: order.json, quiet: false, wanted: order.wanted, failOn: order.failOn };
    if (lease !== null) return await driveToEnd(engine, lease, terminal, style);
    say(terminal, staying ?? sent(engine, row.run));
    if (order.json) await printRunStatus(engine, row.run, terminal);
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}

function sent({ shared }: Engine, run: string): string {
  const who = shared === undefined ? `Another process drives run ${run}` : `A worker goes on with run ${run}`;
  return `Sent. ${who}; \`baton watch ${run}\` follows it.\n`;
}
