import type { Engine } from "../runtime/engine.ts";
import { isRunKnown, readPinned, rememberRun } from "../runtime/operations/trust-workflow.ts";
import type { findRun } from "../runtime/operations/tell-run.ts";
import { AppError } from "../shared/app-error.ts";
import { printable } from "../shared/printable.ts";
import { askForTrust, printCommands } from "./ensure-trusted.ts";
import type { Terminal } from "./terminal.ts";

type Row = Pick<Awaited<ReturnType<typeof findRun>>, "run" | "workflow">;
type Machine = Engine["machine"];

/**
 * The commands of a stored run go on only when the operator has started it or trusts exactly its definition:
 * the store lies in the repository, and may have come with it.
 */
export async function ensureRunTrusted(
  machine: Machine,
  row: Row,
  { command, given }: { readonly command: string; readonly given: string | undefined },
  terminal: Terminal,
): Promise<void> {
  const { commands } = await readPinned(machine, row);
  if (isHarmless(row, commands, terminal)) return;
  const title = `Run ${row.run}`;
  if (given !== row.workflow) {
    if (!terminal.isInteractive() || given !== undefined) {
      terminal.note(`${printable(title)} would run these commands on your machine:\n${printCommands(commands)}`);
      throw new AppError(
        "not-trusted",
        `${title} was not started by you here, and its commands are not trusted: nothing was run.`,
        `Look at them (above), then: baton ${command} ${row.run} --trust ${row.workflow}`,
      );
    }
    await askForTrust(title, "this run", commands, terminal);
  }
  rememberTrust(row.run, row.workflow, terminal);
}

/** The same question without asking anybody. */
export async function isRunTrusted(machine: Machine, row: Row, terminal: Terminal): Promise<boolean> {
  const { commands } = await readPinned(machine, row);
  return isHarmless(row, commands, terminal);
}

/** A run that the operator starts may go on later. Where that cannot be kept, it has to be said again then. */
export function rememberTrust(run: string, pin: string, terminal: Terminal): void {
  try {
    rememberRun(run, pin, terminal.configFolder);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    terminal.note(`${error.message}\nTo go on with this run later needs: --trust ${pin}\n`);
  }
}

function isHarmless({ run, workflow: pin }: Row, commands: readonly string[], terminal: Terminal): boolean {
  return commands.length === 0 || isRunKnown(run, pin, terminal.configFolder);
}
