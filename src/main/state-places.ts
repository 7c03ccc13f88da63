import { accessSync, chmodSync, constants, existsSync, lstatSync, type Stats } from "node:fs";
import { basename, join } from "node:path";
import { makeFolder } from "../runtime/make-folder.ts";
import { AppError } from "../shared/app-error.ts";
import { createLog, readLogId } from "../stores/sqlite/create-log.ts";
import type { KnownLogs } from "./known-logs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Where the files of a state are. */
export interface StatePlaces {
  readonly log: StateFile;
  readonly knowledge: StateFile;
  /** What was decided on the times of schedules. */
  readonly schedules: string;
  /** A folder for what git is to note. */
  readonly git: string;
  close(): Promise<void>;
}

interface StateFile {
  readonly path: string;
  readonly isReadOnly: boolean;
}

const [LOG, KNOWLEDGE, SCHEDULES] = ["baton.db", "knowledge.db", "schedules.db"] as const;

/** Made by a program for its operator: whoever knows them can act in the operator's name. */
export const SECRETS: readonly string[] = ["server-token", "submit-secret", "webhook-secret"];

const FILES = [KNOWLEDGE, ...SECRETS, "ports.db", SCHEDULES, `${SCHEDULES}-journal`] as const;
const FOLDERS = [
  "webhooks",
  "submissions",
  "validations",
  "forge",
  "git",
  "attempts",
  "workspaces",
  "servers",
  "turns",
] as const;

/** What is believed when it is there, besides the log. */
const BELIEVED = [...FILES, ...FOLDERS];

export function logIn(stateFolder: string): string {
  return join(stateFolder, LOG);
}

export function knowledgeIn(stateFolder: string): string {
  return join(stateFolder, KNOWLEDGE);
}

export function schedulesIn(stateFolder: string): string {
  return join(stateFolder, SCHEDULES);
}

/** The state is made where there is none. `known` is null where nothing is noted, as in tests of the store. */
export function madePlaces(stateFolder: string, known: KnownLogs | null): StatePlaces {
  prepareFolder(stateFolder);
  const log = logIn(stateFolder);
  if (known === null) return placesIn(stateFolder);
  if (statsOf(log) === null) {
    refuseWithoutLog(stateFolder);
    createLog(log, (id) => known.add(id, stateFolder, "made"));
  }
  refuseForeign(stateFolder, known);
  return placesIn(stateFolder);
}

/**
 * Nothing is made: a file that is not there is an empty one in a folder of ours, gone when it is closed. A state that
 * may not be written is read.
 */
export function existingPlaces(stateFolder: string, known: KnownLogs | null): StatePlaces {
  refuseOpenFolder(stateFolder);
  const isThere = statsOf(logIn(stateFolder)) !== null;
  if (isThere) {
    if (known !== null) refuseForeign(stateFolder, known);
    if ([stateFolder, logIn(stateFolder)].every(canBeWritten)) return placesIn(stateFolder);
  }
  const spare = temporaryFolder("baton-state-");
  const fileOf = (name: string): StateFile =>
    isThere && statsOf(join(stateFolder, name)) !== null
      ? { path: join(stateFolder, name), isReadOnly: true }
      : { path: join(spare.path, name), isReadOnly: false };
  return {
    log: fileOf(LOG),
    knowledge: fileOf(KNOWLEDGE),
    schedules: fileOf(SCHEDULES).path,
    git: join(spare.path, "git"),
    close: () => spare.remove(),
  };
}

/** A folder of the state for what is no log, made where there is none. */
export function preparedFolder(stateFolder: string, name: (typeof FOLDERS)[number]): string {
  prepareFolder(stateFolder);
  return join(stateFolder, name);
}

function placesIn(folder: string): StatePlaces {
  const fileOf = (name: string): StateFile => ({ path: join(folder, name), isReadOnly: false });
  return {
    log: fileOf(LOG),
    knowledge: fileOf(KNOWLEDGE),
    schedules: schedulesIn(folder),
    git: join(folder, "git"),
    close: () => Promise.resolve(),
  };
}

/** Without following a link. Null only when it is not there: what may not be looked at must not pass for nothing. */
function statsOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    const hint = "Mend its permissions, or set BATON_STATE to the folder that is meant.";
    throw new AppError("cannot-read", `The state ${path} cannot be read: ${code ?? String(error)}.`, hint);
  }
}

function canBeWritten(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** For the owner alone. */
function prepareFolder(folder: string): void {
  try {
    if (statsOf(folder) === null) makeFolder(folder);
    refuseOpenFolder(folder);
    chmodSync(folder, 0o700);
    accessSync(folder, constants.W_OK);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const hint = "Set BATON_STATE to a folder that can be written.";
    const what = existsSync(folder) ? "written" : "made";
    throw new AppError("cannot-write", `The state folder ${folder} cannot be ${what}: ${code ?? String(error)}.`, hint);
  }
}

/**
 * A folder that another user owns or can write, and files that are links, could be anybody's. A folder without a log
 * that others can write is made the owner's alone before the first one is created.
 */
export function refuseOpenFolder(folder: string): void {
  const found = statsOf(folder);
  if (found === null) return;
  if (!found.isDirectory()) throw unbelievable(folder, "is not a folder, or it is a link");
  refuseOwner(folder, found);
  const hasLog = statsOf(logIn(folder)) !== null;
  if (hasLog && (found.mode & 0o022) !== 0)
    throw unbelievable(folder, "can be written by other users", `If nobody has: chmod 700 '${folder}'`);
  const databases = [LOG, KNOWLEDGE].flatMap((name) => [name, `${name}-wal`, `${name}-shm`]);
  for (const name of [...databases, ...FILES]) refuseOther(join(folder, name), "file");
  for (const name of FOLDERS) refuseOther(join(folder, name), "folder");
}

function refuseOther(path: string, wanted: "file" | "folder"): void {
  const found = statsOf(path);
  if (found === null) return;
  const isWanted = wanted === "file" ? found.isFile() : found.isDirectory();
  if (!isWanted) throw unbelievable(path, `is not a ${wanted}, or it is a link`, `Remove it: rm '${path}'`);
  refuseOwner(path, found);
}

function refuseOwner(path: string, { uid }: Stats): void {
  if (uid !== (process.getuid?.() ?? uid)) throw unbelievable(path, "belongs to another user");
}

function unbelievable(path: string, why: string, how = "Set BATON_STATE to a folder of your own."): AppError {
  return new AppError("not-trusted", `The state in ${path} is not used: it ${why}.`, how);
}

/** Knowledge or secrets without their log were put there by somebody else, or their log was deleted. */
function refuseWithoutLog(folder: string): void {
  const [found] = BELIEVED.filter((name) => statsOf(join(folder, name)) !== null);
  // Another process may have made the log, and these, in the meantime.
  if (found === undefined || statsOf(logIn(folder)) !== null) return;
  throw new AppError(
    "not-trusted",
    `The state folder ${folder} holds ${found} but no log: its log was deleted, or it was not made here.`,
    `Put a backup of the log there as ${LOG}, or move the folder away to begin a new log.`,
  );
}

function refuseForeign(folder: string, known: KnownLogs): void {
  const id = readLogId(logIn(folder));
  if (id !== null && known.has(id)) return;
  throw new AppError(
    "not-trusted",
    `The log in ${folder} was neither made nor adopted by you: it is not read.`,
    `If you know where it comes from: baton state adopt. Else move the folder ${basename(folder)} away.`,
  );
}
