import { chmodSync, cpSync, existsSync, lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { AdoptableLog, AdoptedLog } from "../cli/terminal.ts";
import { openDatabase } from "../ports/sqlite.ts";
import { makeFolder } from "../runtime/make-folder.ts";
import { isProvablyGone, processName } from "../runtime/worker-name.ts";
import { AppError } from "../shared/app-error.ts";
import { plainReason } from "../shared/plain-reason.ts";
import { syncFolder } from "../stores/durable-file.ts";
import { backUp } from "../stores/sqlite/back-up.ts";
import { readablePlace } from "../stores/sqlite/connection.ts";
import { readLogId } from "../stores/sqlite/create-log.ts";
import { refusedHold } from "../stores/held-log.ts";
import { inspectSqliteLog } from "../stores/sqlite/move-sqlite.ts";
import { openSqliteLog } from "../stores/sqlite/open-sqlite-log.ts";
import { type KnownLogs, knownLogs } from "./known-logs.ts";
import { listSavedLogs } from "./saved-logs.ts";
import type { StatePlace } from "./state-folder.ts";
import { headsSeenAt, olderStateFolders, signerOf } from "./state-notices.ts";
import { SECRETS, knowledgeIn, logIn, refuseOpenFolder } from "./state-places.ts";

interface Adoption {
  readonly place: StatePlace;
  readonly configFolder: string;
  readonly known: KnownLogs;
  /** The file of the log. */
  readonly log: string;
  /** The state folder that it is the log of; null for a single file, such as a backup. */
  readonly folder: string | null;
  readonly isOwn: boolean;
}

/** Finds the log that can be taken over; nothing is changed until it is adopted. */
export function findAdoptableLog(
  place: StatePlace,
  directory: string,
  configFolder: string,
  source: string | null,
): AdoptableLog {
  const known = knownLogs(configFolder);
  const { log, folder } = source === null ? expectedSource(place, directory, known) : namedSource(directory, source);
  refuseLinks(log);
  const { id, runs, head } = lookAt(log);
  const { hold } = inspectSqliteLog(log);
  if (hold !== null) throw refusedHold(hold);
  const isOwn = id !== null && (known.has(id) || headsSeenAt(log, configFolder, place).some((seen) => seen.log === id));
  const adoption = { place, configFolder, known, log, folder, isOwn };
  const isInPlace = folder === place.stateFolder;
  return {
    place: folder ?? log,
    id,
    isOwn,
    runs,
    async adopt({ aside }) {
      if (isInPlace) return adoptInPlace(adoption);
      // A process that was killed right after it had adopted the log.
      if (id !== null && holds(place.stateFolder, id, head))
        return {
          stateFolder: place.stateFolder,
          keptAs: folder === null ? null : renameDatabases(folder),
          aside: null,
        };
      return takeOver(adoption, aside);
    },
  };
}

type Source = Pick<Adoption, "log" | "folder">;

function namedSource(directory: string, source: string): Source {
  const path = resolve(directory, source);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() === true && existsSync(logIn(path))) return { log: logIn(path), folder: path };
  if (found?.isFile() === true) return { log: path, folder: null };
  const hint = "Name a state folder with baton.db in it, or a backup of a log.";
  throw new AppError("no-match", `There is no log in ${path}.`, hint);
}

function expectedSource(place: StatePlace, directory: string, known: KnownLogs): Source {
  const { stateFolder } = place;
  const present = existsSync(logIn(stateFolder)) ? readLogId(logIn(stateFolder)) : "none";
  if (present === null || (present !== "none" && !known.has(present)))
    return { log: logIn(stateFolder), folder: stateFolder };
  const [folder, ...others] = [...olderStateFolders(place), ...listSavedLogs(place, directory)];
  if (folder !== undefined && others.length === 0) return { log: logIn(folder), folder };
  if (folder === undefined)
    throw new AppError("no-match", "There is no log to adopt.", "Name the folder: baton state adopt FOLDER.");
  const hint = `Name one: ${[folder, ...others].map((each) => `baton state adopt ${each}`).join(", ")}`;
  throw new AppError("no-match", "There are several logs that can be adopted.", hint);
}

/** A link could lead to anything, and change. */
function refuseLinks(log: string): void {
  for (const path of ["", "-wal", "-shm"].map((suffix) => `${log}${suffix}`)) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile())
      throw new AppError("not-trusted", `${path} is not a file, or it is a link.`, "Name a log that is a file.");
  }
}

interface LogHead {
  readonly position: number;
  readonly hash: string;
}

/** Whether the present log is the same one and has everything that this head stands for. */
function holds(stateFolder: string, id: string, head: LogHead | null): boolean {
  const log = logIn(stateFolder);
  if (!existsSync(log) || readLogId(log) !== id) return false;
  const database = openDatabase(log, { readOnly: true, timeout: 10_000 });
  try {
    return head === null || headAt(database, head.position)?.hash === head.hash;
  } finally {
    database.close();
  }
}

/** The entry at this position, or the last one. */
function headAt(database: DatabaseSync, position: number | null): LogHead | null {
  const select = "SELECT position, lower(hex(hash)) AS hash FROM entries";
  const row =
    position === null
      ? database.prepare(`${select} ORDER BY position DESC LIMIT 1`).get()
      : database.prepare(`${select} WHERE position = ?`).get(position);
  return row === undefined ? null : { position: Number(row["position"]), hash: String(row["hash"]) };
}

interface LogLook {
  readonly id: string | null;
  readonly runs: number;
  /** Null for an empty log. */
  readonly head: LogHead | null;
}

/** Reads without changing anything. A log that a process works on cannot be taken over. */
function lookAt(log: string): LogLook {
  const id = readLogId(log);
  const database = openDatabase(readablePlace(log), { readOnly: true, timeout: 10_000 });
  try {
    database.exec("PRAGMA trusted_schema = OFF");
    const driven = database.prepare("SELECT worker FROM runs WHERE finished = 0 AND leased_until > ?").all(Date.now());
    if (driven.some(({ worker }) => typeof worker === "string" && !isProvablyGone(worker))) throw inUse(log);
    const runs = Number(database.prepare("SELECT count(*) AS runs FROM runs").get()?.["runs"] ?? 0);
    return { id, runs, head: headAt(database, null) };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("damaged-state", `${log} is not a log of Baton: ${plainReason(error)}.`, "Name another one.");
  } finally {
    database.close();
  }
}

function inUse(log: string): AppError {
  return new AppError("conflict", `A process works on a run of ${log}.`, "Wait until it has ended, then say it again.");
}

async function adoptInPlace({ place, known, log, isOwn }: Adoption): Promise<AdoptedLog> {
  const { stateFolder } = place;
  chmodSync(stateFolder, 0o700);
  refuseOpenFolder(stateFolder);
  const id = await verify(log);
  const aside = isOwn ? null : setForeignAside(stateFolder);
  known.add(id, stateFolder, "adopted");
  return { stateFolder, keptAs: null, aside };
}

/** Of a log that somebody else made, only what `copyBeside` takes: the rest is known to them, or says where to work. */
function setForeignAside(stateFolder: string): string | null {
  const names = readdirSync(stateFolder).filter(
    (name) => !/^(?:(?:baton|knowledge)\.db|forge$|run-[\w-]+\.log$)/.test(name),
  );
  if (names.length === 0) return null;
  const aside = asideOf(stateFolder);
  makeFolder(aside);
  for (const name of names) renameSync(join(stateFolder, name), join(aside, name));
  return aside;
}

/** The id of the log; it is migrated. A chain that is broken is refused. */
async function verify(path: string): Promise<string> {
  const log = openSqliteLog(path);
  try {
    const broken = await log.findBreak();
    if (broken !== null)
      throw new AppError("damaged-state", `The log is damaged: ${broken.message}.`, "Restore a backup of it.");
  } finally {
    await log.close();
  }
  return readLogId(path) ?? "";
}

/**
 * Everything is copied beside the state folder first, and gets its name in one step: a crash leaves the state as it was,
 * or the adopted one. The files that were copied stay, the databases under another name.
 */
async function takeOver(adoption: Adoption, mayMoveAside: boolean): Promise<AdoptedLog> {
  const { place, known, log, folder } = adoption;
  const { stateFolder } = place;
  refuseExistingState(stateFolder, mayMoveAside);
  const staging = `${stateFolder}.adopting-${processName(Date.now())}-x`;
  removeUnfinished(stateFolder);
  try {
    makeFolder(staging);
    await backUp(log, logIn(staging));
    const id = await verify(logIn(staging));
    if (folder !== null) await copyBeside(adoption, folder, staging);
    known.add(id, stateFolder, "adopted");
    const aside = moveAside(stateFolder);
    renameSync(staging, stateFolder);
    syncFolder(dirname(stateFolder));
    await carryHead(adoption, id);
    return { stateFolder, keptAs: folder === null ? null : renameDatabases(folder), aside };
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new AppError(
      "cannot-write",
      `The log was not adopted: ${error.message}.`,
      "Nothing was changed; say it again.",
    );
  }
}

/** Copies that a killed process has left. */
function removeUnfinished(stateFolder: string): void {
  const prefix = `${basename(stateFolder)}.adopting-`;
  const names = existsSync(dirname(stateFolder)) ? readdirSync(dirname(stateFolder)) : [];
  for (const name of names.filter((each) => each.startsWith(prefix) && isProvablyGone(each.slice(prefix.length))))
    rmSync(join(dirname(stateFolder), name), { recursive: true, force: true });
}

/** What is left of a state whose log is gone is moved aside without asking. */
function refuseExistingState(stateFolder: string, mayMoveAside: boolean): void {
  if (!existsSync(logIn(stateFolder))) return;
  if (!mayMoveAside)
    throw new AppError(
      "conflict",
      `There is a state already in ${stateFolder}, and two logs cannot be joined.`,
      "`baton state adopt --aside` moves the present one to a folder beside it; BATON_STATE can still name it there.",
    );
  lookAt(logIn(stateFolder));
}

function moveAside(stateFolder: string): string | null {
  if (!existsSync(stateFolder) || readdirSync(stateFolder).length === 0) return null;
  const aside = asideOf(stateFolder);
  renameSync(stateFolder, aside);
  return aside;
}

function asideOf(stateFolder: string): string {
  return `${stateFolder}.before-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
}

/** What only its operator may have made. */
const OWN = [...SECRETS, "webhooks", "submissions", "validations", "ports.db", "schedules.db", "git", "attempts"];

/** Links are left out, and copies of gates, which are made again. */
async function copyBeside({ isOwn, place }: Adoption, folder: string, staging: string): Promise<void> {
  if (existsSync(knowledgeIn(folder))) {
    refuseLinks(knowledgeIn(folder));
    await backUp(knowledgeIn(folder), knowledgeIn(staging));
  }
  const logs = readdirSync(folder).filter((name) => /^run-[\w-]+\.log$/.test(name));
  for (const name of [...(isOwn ? OWN : []), "forge", ...logs].filter((each) => existsSync(join(folder, each))))
    cpSync(join(folder, name), join(staging, name), {
      recursive: true,
      filter: (path) => !lstatSync(path).isSymbolicLink() && !/\/attempts\/[^/]+\/gate-/.test(path),
    });
  noteWorktrees(folder, staging, place);
}

/** Worktrees stay where they are. Older versions noted a complete one by a file beside it. */
function noteWorktrees(folder: string, staging: string, { workFolder, mainRoot }: StatePlace): void {
  const worktrees = join(folder, "worktrees");
  const isWork = folder === workFolder || dirname(folder) === mainRoot;
  const ready = isWork && existsSync(worktrees) ? readdirSync(worktrees) : [];
  for (const [, run = ""] of ready
    .flatMap((name) => [/^([\w-]+)\.ready$/.exec(name)])
    .filter((each) => each !== null)) {
    makeFolder(join(staging, "workspaces"));
    writeFileSync(join(staging, "workspaces", `${run}.worktree`), `${join(worktrees, run)}\n`, { mode: 0o600 });
  }
}

/** So that a log whose end was cut off since is still found out. */
async function carryHead({ configFolder, place, log }: Adoption, id: string): Promise<void> {
  const [head] = headsSeenAt(log, configFolder, place).filter((seen) => seen.log === id);
  if (head !== undefined) await signerOf(place, configFolder).accept(head);
}

/** Null when the folder cannot be written: then they stay. */
function renameDatabases(folder: string): string | null {
  try {
    for (const path of [logIn(folder), knowledgeIn(folder)])
      for (const suffix of ["-shm", "-wal", ""])
        if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${path}.adopted${suffix}`);
    return `${logIn(folder)}.adopted`;
  } catch {
    return null;
  }
}
