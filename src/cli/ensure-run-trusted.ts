import type { Engine } from "../runtime/engine.ts";
import { listCommands } from "../runtime/operations/list-commands.ts";
import { pinOf } from "../runtime/operations/start-run.ts";
import { isPinTrusted, trustPin } from "../runtime/operations/trust-workflow.ts";
import type { findRun } from "../runtime/operations/tell-run.ts";
import { AppError } from "../shared/app-error.ts";
import type { Workflow } from "../workflow/definition.ts";
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
  given: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const { workflow, commands } = await readPinned(machine, row);
  if (isHarmless(row, commands, terminal)) return;
  const title = `Run ${row.run}`;
  if (given !== row.workflow) {
    if (!terminal.isInteractive() || given !== undefined) {
      terminal.note(`${title} would run these commands on your machine:\n${printCommands(commands)}`);
      throw new AppError(
        "not-trusted",
        `${title} was not started by you here, and its commands are not trusted: nothing was run.`,
        `Look at them (above), then: baton resume ${row.run} --trust ${row.workflow}`,
      );
    }
    await askForTrust(title, "this run", commands, terminal);
  }
  rememberPin(workflow, row.workflow, terminal);
}

/** The same question without asking anybody. */
export async function isRunTrusted(machine: Machine, row: Row, terminal: Terminal): Promise<boolean> {
  const { commands } = await readPinned(machine, row);
  return isHarmless(row, commands, terminal);
}

/** A run that the operator starts may go on later. Where that cannot be kept, it has to be said again then. */
export function rememberPin(workflow: Workflow, pin: string, terminal: Terminal): void {
  try {
    trustPin(pin, workflow.name, terminal.configFolder, Date.now());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (!isPinTrusted(pin, terminal.configFolder))
      terminal.note(`${error.message}\nTo go on with this run later needs: --trust ${pin}\n`);
  }
}

function isHarmless(row: Row, commands: readonly string[], terminal: Terminal): boolean {
  return commands.length === 0 || isPinTrusted(row.workflow, terminal.configFolder);
}

/** The definition that a run is pinned to, which must be the one that its pin was made of. */
async function readPinned(machine: Machine, row: Row): Promise<{ workflow: Workflow; commands: string[] }> {
  const workflow = (await machine.log.workflow(row.workflow)) as unknown as Workflow | null;
  if (workflow === null) throw damaged(`The workflow of run ${row.run} is missing from the store.`);
  if (pinOf(workflow) !== row.workflow) throw damaged(`The stored workflow of run ${row.run} was changed.`);
  try {
    return { workflow, commands: listCommands(workflow) };
  } catch {
    throw damaged(`The stored workflow of run ${row.run} cannot be understood.`);
  }
}

function damaged(message: string): AppError {
  return new AppError("damaged-state", message, "Restore a backup, or start a new run: baton run.");
}
