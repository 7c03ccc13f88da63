import { driveRun } from "../runtime/drive-run.ts";
import type { Engine } from "../runtime/engine.ts";
import type { startRun } from "../runtime/operations/start-run.ts";
import { findRun } from "../runtime/operations/send-input.ts";
import { viewRun } from "../runtime/operations/view-run.ts";
import { eventsOf, readEntries } from "../runtime/read-log.ts";
import { printJsonLines } from "../shared/printable.ts";
import type { failOn } from "./end-code.ts";
import { EXIT } from "./exit-code.ts";
import { say } from "./fit-lines.ts";
import { liveView } from "./live-view.ts";
import { runRecord, driveStatusOf } from "./drive-status.ts";
import { type DriveStyle, tellEnd } from "./tell-end.ts";
import type { Terminal } from "./terminal.ts";
import { followToEnd } from "./follow-to-end.ts";
import { acquireToResume } from "../runtime/operations/resume-run.ts";

type Lease = Awaited<ReturnType<typeof startRun>>;

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
  return tellEnd(engine, lease.run, signal.aborted, terminal, style);
}

/** Prints the state of a run that is not driven here as JSON. */
export async function printRunStatus({ ports }: Engine, run: string, terminal: Terminal): Promise<void> {
  const row = await findRun(ports, run);
  const { view } = await viewRun(ports, row.run, row.workflow);
  terminal.out(printJsonLines(runRecord(view, await driveStatusOf(ports, row))));
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
    const style = { json: order.json, quiet: false, wanted: order.wanted, failOn: order.failOn };
    if (staying === null && engine.shared !== undefined) return await followToEnd(engine, row.run, terminal, style);
    const lease = staying === null ? await acquireToResume(ports, row.run) : null;
    if (lease !== null) return await driveToEnd(engine, lease, terminal, style);
    say(terminal, staying ?? `Sent. Another process drives run ${row.run}; \`baton watch ${row.run}\` follows it.\n`);
    if (order.json) await printRunStatus(engine, row.run, terminal);
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}
