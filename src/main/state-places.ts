import { accessSync, chmodSync, constants, existsSync, statSync, writeFileSync } from "node:fs";
import { join, dirname, resolve } from "node:path";
import { makeFolder } from "../runtime/make-folder.ts";
import { AppError } from "../shared/app-error.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Where the files of a state are. */
export interface StatePlaces {
  readonly log: StateFile;
  readonly knowledge: StateFile;
  /** A folder for what git is to note. */
  readonly git: string;
  close(): Promise<void>;
}

interface StateFile {
  readonly path: string;
  readonly isReadOnly: boolean;
}

const [LOG, KNOWLEDGE] = ["baton.db", "knowledge.db"] as const;

export function logIn(stateFolder: string): string {
  return join(stateFolder, LOG);
}

/** The state is made where there is none. */
export function madePlaces(stateFolder: string): StatePlaces {
  prepareFolder(stateFolder);
  return placesIn(stateFolder);
}

/**
 * Nothing is made: a file that is not there is an empty one in a folder of ours, gone when it is closed. A state that
 * may not be written is read.
 */
export function existingPlaces(stateFolder: string): StatePlaces {
  const isThere = isReadable(stateFolder, LOG);
  if (isThere && [stateFolder, logIn(stateFolder)].every(canBeWritten)) return placesIn(stateFolder);
  const spare = temporaryFolder("baton-state-");
  const fileOf = (name: string): StateFile =>
    isReadable(stateFolder, name)
      ? { path: join(stateFolder, name), isReadOnly: true }
      : { path: join(spare.path, name), isReadOnly: false };
  return {
    log: fileOf(LOG),
    knowledge: fileOf(KNOWLEDGE),
    git: join(spare.path, "git"),
    close: () => spare.remove(),
  };
}

function placesIn(folder: string): StatePlaces {
  const fileOf = (name: string): StateFile => ({ path: join(folder, name), isReadOnly: false });
  return { log: fileOf(LOG), knowledge: fileOf(KNOWLEDGE), git: join(folder, "git"), close: () => Promise.resolve() };
}

/** False only when it is not there: what may not be looked at must not pass for nothing. */
function isReadable(folder: string, name: string): boolean {
  try {
    statSync(join(folder, name));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return false;
    const hint = "Mend its permissions, or set BATON_STATE to the folder that is meant.";
    throw new AppError("cannot-read", `The state folder ${folder} cannot be read: ${code ?? String(error)}.`, hint);
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

/** Ours alone, and nothing that git should see. */
function prepareFolder(folder: string): void {
  try {
    makeFolder(folder);
    chmodSync(folder, 0o700);
    const ignore = join(folder, ".gitignore");
    if (!existsSync(ignore)) writeFileSync(ignore, "*\n");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const hint = "Set BATON_STATE to a folder that can be written.";
    const what = existsSync(folder) ? "written" : "made";
    throw new AppError("cannot-write", `The state folder ${folder} cannot be ${what}: ${code ?? String(error)}.`, hint);
  }
}

/** The nearest folder upwards with a repository in it; the folder itself when there is none. */
export function findRoot(directory: string): string {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return resolve(directory);
  }
}
