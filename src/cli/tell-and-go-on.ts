import type { Engine } from "../runtime/engine.ts";
import { claimRun } from "../runtime/operations/resume-run.ts";
import { findRun } from "../runtime/operations/tell-run.ts";
import { driveToEnd, printStanding } from "./drive-to-end.ts";
import { EXIT } from "./exit-code.ts";
import { say } from "./fit-lines.ts";
import type { Terminal } from "./terminal.ts";

type Machine = Engine["machine"];
type Row = Awaited<ReturnType<typeof findRun>>;

export interface Telling {
  /** Says no before anything is told. */
  readonly check: (row: Row, engine: Engine) => Promise<void> | void;
  readonly tell: (row: Row, machine: Machine) => Promise<unknown>;
  /** The end that was asked for, unless it is to complete. */
  readonly wanted?: "cancelled";
  /** What is said instead of going on; null goes on. */
  readonly stay?: (row: Row, machine: Machine) => Promise<string | null>;
  /** How the run ends, or where it stands, is printed as JSON. */
  readonly json: boolean;
}

/** Tells a run something and, when nobody else drives it, drives it on here. */
export async function tellAndGoOn(terminal: Terminal, name: string | undefined, telling: Telling): Promise<number> {
  const engine = await terminal.openExisting();
  try {
    const { machine } = engine;
    const row = await findRun(machine, name);
    await telling.check(row, engine);
    await telling.tell(row, machine);
    const staying = (await telling.stay?.(row, machine)) ?? null;
    const lease = staying === null ? await claimRun(machine, row.run) : null;
    const style = { json: telling.json, quiet: false, wanted: telling.wanted };
    if (lease !== null) return await driveToEnd(engine, lease, terminal, style);
    say(terminal, staying ?? `Told. Another process drives run ${row.run}; baton watch ${row.run} shows it.\n`);
    if (telling.json) await printStanding(engine, row.run, terminal);
    return EXIT.fine;
  } finally {
    await engine.close();
  }
}
