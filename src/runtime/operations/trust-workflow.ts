import { appendFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunRow } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { AppError } from "../../shared/app-error.ts";
import { isRecord } from "../../shared/json-value.ts";
import { plainReason } from "../../shared/plain-reason.ts";
import { codec } from "../../workflow/stored/codec.ts";
import { makeFolder } from "../make-folder.ts";
import { listCommands } from "./list-commands.ts";
import type { LoadedWorkflow } from "./load-workflow.ts";
import { hashOfDefinition } from "./start-run.ts";

/**
 * Whether a workflow file may run its commands, by the hash of its content. The list is stored outside of every
 * repository, so that a repository cannot trust itself.
 */
export function isTrusted({ hash, isShipped }: Pick<LoadedWorkflow, "hash" | "isShipped">, folder: string): boolean {
  return isShipped || Object.hasOwn(readTrusted(folder), hash);
}

export function trustWorkflow({ hash, path }: Pick<LoadedWorkflow, "hash" | "path">, folder: string, at: number): void {
  writing(join(folder, FILE), () => {
    makeFolder(folder);
    underLock(join(folder, LOCK), () => {
      const trusted = { ...readTrusted(folder), [hash]: { path, at: new Date(at).toISOString() } };
      const temporary = join(folder, `trusted.${process.pid}.tmp`);
      writeFileSync(temporary, `${JSON.stringify(trusted, null, 2)}\n`, { mode: 0o600 });
      renameSync(temporary, join(folder, FILE));
    });
  });
}

/** An empty database is used as the lock: the system releases it when the process dies. */
function underLock(path: string, work: () => void): void {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite");
  const lock = new DatabaseSync(path, { timeout: LOCK_TIMEOUT });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    work();
  } finally {
    lock.close();
  }
}

/**
 * Whether a stored run may run its commands: the operator has started or trusted this run with this definition. The
 * log may have been adopted from somebody else, and commands of the shipped workflows name files of the repository, so neither the
 * definition nor its origin alone is sufficient.
 */
export function isRunKnown(run: string, pin: string, folder: string): boolean {
  try {
    return readFileSync(join(folder, RUNS), "utf8").split("\n").includes(`${run} ${pin}`);
  } catch {
    return false;
  }
}

/** Appends one short line atomically: concurrent processes do not overwrite each other's entries. */
export function rememberRun(run: string, pin: string, folder: string): void {
  if (isRunKnown(run, pin, folder)) return;
  writing(join(folder, RUNS), () => {
    makeFolder(folder);
    appendFileSync(join(folder, RUNS), `${run} ${pin}\n`, { mode: 0o600 });
  });
}

/** The definition that a run is pinned to, verified against the pin. */
export async function readPinned(
  { log }: Pick<Ports, "log">,
  { run, workflow: pin }: Pick<RunRow, "run" | "workflow">,
): Promise<{ readonly name: string; readonly commands: readonly string[] }> {
  const stored = await log.workflow(pin);
  if (stored === null) throw damaged(`The workflow of run ${run} is missing from the store.`);
  if (hashOfDefinition(stored) !== pin) throw damaged(`The stored workflow of run ${run} was changed.`);
  const workflow = codec.decodeWorkflow(stored, `The workflow of run ${run}`);
  return { name: workflow.name, commands: listCommands(workflow) };
}

/** A run without commands is always trusted; any other needs the operator's confirmation. */
export async function isRunTrusted(
  ports: Pick<Ports, "log">,
  row: Pick<RunRow, "run" | "workflow">,
  folder: string,
): Promise<boolean> {
  const { commands } = await readPinned(ports, row);
  return commands.length === 0 || isRunKnown(row.run, row.workflow, folder);
}

function damaged(message: string): AppError {
  return new AppError("damaged-state", message, "Restore a backup, or start a new run: baton run.");
}

const FILE = "trusted.json";
const RUNS = "trusted-runs";
const LOCK = "trusted.lock";
const LOCK_TIMEOUT = 10_000;

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

/** An unreadable file trusts nothing. */
function readTrusted(folder: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(folder, FILE), "utf8"));
    return isRecord(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
