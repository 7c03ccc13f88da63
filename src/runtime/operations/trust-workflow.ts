import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunRow } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import { plainReason } from "../../shared/plain-reason.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { makeFolder } from "../make-folder.ts";
import { listCommands } from "./list-commands.ts";
import type { LoadedWorkflow } from "./load-workflow.ts";
import { pinOf } from "./start-run.ts";

/**
 * Which workflow files may run their commands, by the hash of their content. Kept outside of every
 * repository: what is in one must not be able to trust itself.
 */
export function isTrusted({ hash, isShipped }: Pick<LoadedWorkflow, "hash" | "isShipped">, folder: string): boolean {
  return isShipped || Object.hasOwn(readTrusted(folder), hash);
}

export function trustWorkflow({ hash, path }: Pick<LoadedWorkflow, "hash" | "path">, folder: string, at: number): void {
  const trusted = { ...readTrusted(folder), [hash]: { path, at: new Date(at).toISOString() } };
  writing(join(folder, FILE), () => {
    makeFolder(folder);
    const temporary = join(folder, `trusted.${process.pid}.tmp`);
    writeFileSync(temporary, `${JSON.stringify(trusted, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, join(folder, FILE));
  });
}

/**
 * Whether a stored run may run its commands: the operator has started or trusted this run with this definition.
 * The store it is read from lies in the repository, and commands of the workflows that come along name files of
 * the repository, so neither the definition alone nor where it came from is enough.
 */
export function isRunKnown(run: string, pin: string, folder: string): boolean {
  try {
    return readFileSync(join(folder, RUNS), "utf8").split("\n").includes(`${run} ${pin}`);
  } catch {
    return false;
  }
}

/** One short line each, appended at once: many processes start runs, and none forgets what another has trusted. */
export function rememberRun(run: string, pin: string, folder: string): void {
  if (isRunKnown(run, pin, folder)) return;
  writing(join(folder, RUNS), () => {
    makeFolder(folder);
    appendFileSync(join(folder, RUNS), `${run} ${pin}\n`, { mode: 0o600 });
  });
}

/** The definition that a run is pinned to: the very one that its pin was made of. */
export async function readPinned(
  { log }: Pick<Machine, "log">,
  { run, workflow: pin }: Pick<RunRow, "run" | "workflow">,
): Promise<{ readonly name: string; readonly commands: readonly string[] }> {
  const stored = (await log.workflow(pin)) as unknown as Workflow | null;
  if (stored === null) throw damaged(`The workflow of run ${run} is missing from the store.`);
  if (pinOf(stored) !== pin) throw damaged(`The stored workflow of run ${run} was changed.`);
  try {
    return { name: stored.name, commands: listCommands(stored) };
  } catch {
    throw damaged(`The stored workflow of run ${run} cannot be understood.`);
  }
}

/** A run without commands harms nobody; any other needs the operator's word. */
export async function isRunTrusted(
  machine: Pick<Machine, "log">,
  row: Pick<RunRow, "run" | "workflow">,
  folder: string,
): Promise<boolean> {
  const { commands } = await readPinned(machine, row);
  return commands.length === 0 || isRunKnown(row.run, row.workflow, folder);
}

function damaged(message: string): AppError {
  return new AppError("damaged-state", message, "Restore a backup, or start a new run: baton run.");
}

const FILE = "trusted.json";
const RUNS = "trusted-runs";

function writing(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new AppError(
      "cannot-write",
      `${path} cannot be written: ${plainReason(error)}.`,
      "Check the folder, or set XDG_CONFIG_HOME.",
    );
  }
}

/** Unreadable is not trusted. */
function readTrusted(folder: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, FILE), "utf8"));
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
