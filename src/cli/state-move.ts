import { personOf } from "../runtime/request-source.ts";
import { printable, printJsonLines } from "../shared/printable.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { say } from "./fit-lines.ts";
import { usage } from "./parse-arguments.ts";
import type { MovedState, Terminal } from "./terminal.ts";

/** `baton state move`: to a database, or back into files. */
export async function moveStore(command: Command, invocation: Invocation, terminal: Terminal): Promise<number> {
  personOf(await terminal.requestSource(), "`baton state move`");
  const to = storeIn(command, invocation.text("to"));
  const moved = await terminal.moveState({
    to,
    urlFile: invocation.text("url-file") ?? null,
    progress: (what) => (terminal.hasScreen() ? terminal.note(`${printable(what)}\n`) : undefined),
    notify: (message) => terminal.note(`baton: ${printable(message)}\n`),
  });
  say(terminal, `${printable(describe(moved))}\n`);
  for (const { table, rows, hash } of moved.tables)
    terminal.note(`${table.padEnd(COLUMN)} ${String(rows).padStart(NUMBERS)}  ${hash.slice(0, SHOWN)}\n`);
  say(terminal, `${ADVICE[to]}\n`);
  if (invocation.has("json")) {
    const { kind, log, from, verdict, tables, milliseconds } = moved;
    terminal.out(printJsonLines({ kind, log, from, to: moved.to, verdict, milliseconds, tables: [...tables] }));
  }
  return EXIT.fine;
}

const COLUMN = 12;
const NUMBERS = 9;
const SHOWN = 16;

function storeIn(command: Command, to: string | undefined): "postgres" | "sqlite" {
  if (to === "postgres" || to === "sqlite") return to;
  if (to?.startsWith("postgres") === true)
    throw usage(
      command,
      "An address on the command line can be seen by every process.",
      "Write --to postgres, and give the address in BATON_STORE or in a file: --url-file FILE.",
    );
  throw usage(command, "Write --to postgres or --to sqlite.");
}

function describe({ kind, log, from, to, verdict, milliseconds, tables }: MovedState): string {
  if (kind === "there") return `The state is in ${to} already: log ${log} was moved there before.`;
  if (kind === "finished") return `The move to ${to}, which was interrupted, has ended: log ${log} is the state there.`;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const seconds = (milliseconds / 1_000).toFixed(1);
  return (
    `Log ${log} was moved from ${from} to ${to} in ${seconds} s: ${rows} rows, each table with the same count and the ` +
    `same hash, and the audit says ${verdict} of both. What was left is a copy that is no longer written.`
  );
}

const ADVICE = {
  postgres: "From now on BATON_STORE has to name the database for every command, and `baton worker` drives the runs.",
  sqlite: "From now on BATON_STORE has to be unset for this repository, and this machine drives the runs.",
} as const;
