import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { makeFolder } from "../runtime/make-folder.ts";
import { isRecord } from "../shared/json-value.ts";
import { writeSynced } from "../stores/durable-file.ts";
import type { SaveDatabase } from "../stores/sqlite/connection.ts";
import { saveDatabase } from "../stores/sqlite/database-files.ts";
import type { StatePlace } from "./state-folder.ts";
import { knowledgeIn, logIn } from "./state-places.ts";

/** Saves databases whose files vanished, each time into a new folder of the operator. */
interface StateSaver {
  readonly saveLog: SaveDatabase;
  readonly saveKnowledge: SaveDatabase;
}

const NOTE = "saved.json";

export function stateSaver(place: StatePlace): StateSaver {
  let folder: string | null = null;
  const save = (database: DatabaseSync, table: string, fileIn: (stateFolder: string) => string): string | null => {
    if (database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined) return null;
    folder ??= newFolder(place);
    saveDatabase(database, fileIn(folder));
    return `\`baton state adopt ${folder}\` takes it as the state again`;
  };
  return {
    saveLog: (database) => save(database, "runs", logIn),
    saveKnowledge: (database) => save(database, "facts", knowledgeIn),
  };
}

/** Its note says whose state it was. */
function newFolder({ savedFolder, root, mainRoot, stateFolder }: StatePlace): string {
  makeFolder(savedFolder);
  const time = new Date().toISOString().replaceAll(/[:.]/g, "-");
  for (let number = 1; ; number++) {
    const folder = join(savedFolder, `${time}-${process.pid}-${number}`);
    if (existsSync(folder)) continue;
    mkdirSync(folder, { mode: 0o700 });
    writeSynced(join(folder, NOTE), `${JSON.stringify({ root, mainRoot, stateFolder }, null, 2)}\n`);
    return folder;
  }
}

/** Folders with a saved log of this repository, or of one that was here, oldest first. */
export function listSavedLogs(place: StatePlace, directory: string): string[] {
  return namesIn(place.savedFolder)
    .sort()
    .map((name) => join(place.savedFolder, name))
    .filter((folder) => existsSync(logIn(folder)) && belongsTo(folder, place, directory));
}

function belongsTo(folder: string, place: StatePlace, directory: string): boolean {
  try {
    const note: unknown = JSON.parse(readFileSync(join(folder, NOTE), "utf8"));
    if (!isRecord(note)) return false;
    const { root, mainRoot, stateFolder } = note;
    const isInside = [root, mainRoot].some((path) => typeof path === "string" && contains(path, directory));
    return stateFolder === place.stateFolder || isInside;
  } catch {
    return false;
  }
}

function contains(folder: string, path: string): boolean {
  const way = relative(realOf(folder), realOf(path));
  return way === "" || !(way.startsWith("..") || way.startsWith("/"));
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
