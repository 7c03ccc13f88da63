import { createHash, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../ports/sqlite.ts";
import type { LastTurn, Turn, Workspace } from "../ports/workspace.ts";
import { hasShape } from "../protocol/find-mismatch.ts";
import { type Shape, data } from "../protocol/shape.ts";
import type { JsonRecord } from "../shared/json-value.ts";
import { outerRuns } from "./process-group/marker-file.ts";

/**
 * Lets one run at a time work in a folder, over all processes. The kernel holds the lock, as SQLite takes it on an
 * empty file: it is free again however its holder ends. The names beside it are for messages, and tell the next run
 * which one has not left by itself.
 */
export function workspaceTurns(
  folderOf: (run: string) => Promise<string>,
  stateFolder: string,
): Pick<Workspace, "enter" | "waitsFor" | "stopWaiting"> {
  const folder = join(stateFolder, "turns");
  const held = new Map<string, Turn>();
  const waiting = new Map<string, string>();
  const waitingFile = (run: string): string => join(folder, `${run}.waits.json`);
  const stopWaiting = (run: string): void => {
    if (waiting.delete(run)) rmSync(waitingFile(run), { force: true });
  };
  return {
    async enter(run) {
      const own = held.get(run);
      if (own !== undefined) return { turn: own };
      const directory = await realpath(await folderOf(run));
      makeFolderIn(folder);
      const place = join(folder, createHash("sha256").update(directory).digest("hex").slice(0, 16));
      const lastFile = `${place}.json`;
      const lock = takeLock(`${place}.lock`);
      const last = readNote(lastShape, lastFile);
      if (lock === null && last !== null && outerRuns().includes(last.run))
        return { turn: { last: null, leave: () => Promise.resolve() } };
      if (lock === null) {
        const busy = last?.run ?? "";
        if (waiting.get(run) !== busy) writeNote(waitingFile(run), { for: busy });
        waiting.set(run, busy);
        return { busy };
      }
      writeNote(lastFile, { run, hasLeft: false });
      stopWaiting(run);
      const turn: Turn = {
        last,
        leave() {
          held.delete(run);
          try {
            writeNote(lastFile, { run, hasLeft: true });
          } finally {
            lock.close();
          }
          return Promise.resolve();
        },
      };
      held.set(run, turn);
      return { turn };
    },
    waitsFor: (run) => Promise.resolve(readNote(waitingShape, waitingFile(run))?.for ?? null),
    stopWaiting: (run) => Promise.resolve(stopWaiting(run)),
  };
}

/** A state that was deleted must not come back as an empty one. */
function makeFolderIn(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

const SQLITE_BUSY = 5;

/** Null while another connection has it, of this process or another one. */
function takeLock(path: string): DatabaseSync | null {
  const database = openDatabase(path, { timeout: 0 });
  try {
    // Nothing is written: the file stays empty, and a holder that is killed leaves nothing to be mended.
    database.exec("BEGIN IMMEDIATE");
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return null;
    throw error;
  }
}

const lastShape: Shape<LastTurn> = data.record({ run: data.text(), hasLeft: data.boolean() });
const waitingShape = data.record({ for: data.text() });

function readNote<T>(shape: Shape<T>, path: string): T | null {
  try {
    const note: unknown = JSON.parse(readFileSync(path, "utf8"));
    return hasShape(shape, note) ? note : null;
  } catch {
    return null;
  }
}

function writeNote(path: string, note: JsonRecord): void {
  const temporary = `${path}.${randomUUID()}`;
  writeFileSync(temporary, JSON.stringify(note), { mode: 0o600 });
  renameSync(temporary, path);
}
