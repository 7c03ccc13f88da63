import type { Engine } from "../runtime/engine.ts";
import { isDriven } from "../runtime/operations/resume-run.ts";
import { listUnfinished } from "../runtime/operations/send-input.ts";
import { shown } from "../shared/json-value.ts";
import { printable } from "../shared/printable.ts";
import { rowCode } from "./end-code.ts";
import { EXIT } from "./exit-code.ts";
import { say } from "./fit-lines.ts";
import { cutTo } from "./fit-text.ts";
import { paint, printDuration } from "./paint.ts";
import { askNotes, driveStatusOf } from "./drive-status.ts";
import { Screen } from "./screen.ts";
import type { Terminal } from "./terminal.ts";
import { POLL_INTERVAL, START_TIMEOUT, pause } from "./watch-run.ts";

type Row = Awaited<ReturnType<typeof listUnfinished>>[number];

interface Shown {
  readonly row: Row;
  /** What it asks, and what was answered. */
  readonly notes: readonly string[];
}

/** More lines than a screen has would only scroll away. */
const MAX_DRAWN = 30;

/** A line for each run that has not ended and for each that ends meanwhile, until no process drives any of them. */
export async function watchAll(engine: Engine, terminal: Terminal): Promise<number> {
  const signal = terminal.interruption();
  const { ports } = engine;
  const rows = new Map<string, Row>();
  const show = terminal.hasScreen() ? drawn(terminal) : plain(terminal);
  let drivenAt = Date.now();
  for (;;) {
    for (const row of await listUnfinished(ports)) rows.set(row.run, row);
    for (const { run, finished } of rows.values()) {
      const row = finished ? null : await ports.log.run(run);
      if (row !== null) rows.set(run, row);
    }
    show.rows(await Promise.all([...rows.values()].map((row) => withNotes(ports, row))));
    const open = [...rows.values()].filter(({ finished, status }) => !finished && status !== "waiting");
    if (open.some((row) => isDriven(row, ports.clock.now()))) drivenAt = Date.now();
    const isLeft = open.length === 0 || Date.now() - drivenAt > START_TIMEOUT;
    if (signal.aborted || isLeft) break;
    await pause(POLL_INTERVAL, signal);
  }
  show.end();
  return conclude([...rows.values()], signal.aborted, terminal);
}

async function withNotes(ports: Engine["ports"], row: Row): Promise<Shown> {
  return { row, notes: askNotes(row, await driveStatusOf(ports, row)) };
}

function conclude(rows: readonly Row[], isInterrupted: boolean, terminal: Terminal): number {
  if (rows.length === 0) say(terminal, "No run is active. `baton run` starts one.\n");
  if (isInterrupted) return EXIT.interrupted;
  return Math.max(EXIT.fine, ...rows.map(rowCode));
}

interface Show {
  rows(rows: readonly Shown[]): void;
  end(): void;
}

/** A line whenever a run has moved. */
function plain(terminal: Terminal): Show {
  const said = new Map<string, string>();
  return {
    rows(rows) {
      for (const { row, notes } of rows) {
        const text = describe(row, notes);
        if (said.get(row.run) === text) continue;
        said.set(row.run, text);
        const time = new Date(row.updatedAt).toISOString().slice(11, 19);
        terminal.out(`${time}  ${paint(text, toneOf(row), terminal.colour.out)}\n`);
      }
    },
    end: () => undefined,
  };
}

/** All of them, drawn again and again; what stands there at the end stays. */
function drawn(terminal: Terminal): Show {
  const screen = new Screen(terminal);
  let last: string[] = [];
  return {
    rows(rows) {
      const { colour, columns } = terminal;
      last = rows.slice(0, MAX_DRAWN).map(({ row, notes }) => {
        const elapsed = printDuration((row.finished ? row.updatedAt : Date.now()) - row.createdAt);
        return paint(cutTo(`${elapsed.padStart(12)}  ${describe(row, notes)}`, columns - 1), toneOf(row), colour.notes);
      });
      const more = rows.length - last.length;
      screen.show([], more > 0 ? [...last, `and ${more} more: baton status --all`] : last);
    },
    end() {
      screen.end();
      screen.show(last, []);
    },
  };
}

function describe({ run, name, status, summary }: Row, notes: readonly string[]): string {
  const agents = Array.isArray(summary["agents"]) ? summary["agents"].map(shown).join(", ") : "";
  const parts = [
    `step ${shown(summary["steps"] ?? 0)}`,
    `round ${shown(summary["iteration"] ?? 1)}`,
    ...(agents === "" ? [] : [agents]),
    ...notes,
  ];
  return printable(`${run}  ${status.padEnd(9)}  ${name}  ${parts.join(", ")}`);
}

function toneOf({ status, finished }: Row): "good" | "bad" | "person" | "plain" {
  if (status === "completed") return "good";
  if (status === "waiting") return "person";
  return finished ? "bad" : "plain";
}
