import { closeSync, constants, fstatSync, openSync, readFileSync, readdirSync, writeSync } from "node:fs";
import { join } from "node:path";
import { hasShape } from "../../protocol/find-mismatch.ts";
import { type HeardCall, heardCallShape } from "../../views/hook-notices.ts";
import { makeFolder } from "../make-folder.ts";

/**
 * What the hooks of clients have told, in a folder of the state: one file for the last call of each client and event,
 * and one for the last call of each client that failed. Every client goes on in silence where its hook is missing, not
 * trusted or broken, so what was not heard of is told by `baton status`, the page and `baton doctor`.
 */
const FOLDER = "heard";

/** Notes a call. It replaces the last one of the same client and event; one that failed is kept besides. */
export function noteHeard(stateFolder: string, heard: HeardCall): void {
  const folder = join(stateFolder, FOLDER);
  const { client, event, says, result } = heard;
  const text = JSON.stringify({ ...heard, event: event.slice(0, 80), says: says.slice(0, 500) });
  makeFolder(folder);
  replace(join(folder, `${plainName(client)}.${plainName(event)}.json`), text);
  if (result === "failed" || result === "unusable") replace(join(folder, `${plainName(client)}.failed`), text);
}

/** The last call of each client and event, the newest first. Files that are not whole are left out. */
export function readHeard(stateFolder: string): HeardCall[] {
  return readAll(stateFolder, ".json");
}

/** The last call of each client that failed. */
export function readFailedCalls(stateFolder: string): HeardCall[] {
  return readAll(stateFolder, ".failed");
}

function readAll(stateFolder: string, ending: string): HeardCall[] {
  const folder = join(stateFolder, FOLDER);
  const names = namesIn(folder).filter((name) => name.endsWith(ending));
  const calls = names.flatMap((name) => readCall(join(folder, name)) ?? []);
  return calls.sort((left, right) => right.at - left.at);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

const MAX_BYTES = 4_096;

/** Agents can write here: a pipe without a writer or a link to an endless file must not block us. */
function readCall(path: string): HeardCall | null {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const about = fstatSync(file);
      if (!about.isFile() || about.size > MAX_BYTES) return null;
      const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
      return hasShape(heardCallShape, parsed) ? parsed : null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

function plainName(word: string): string {
  return word.replaceAll(/[^A-Za-z0-9-]/g, "").slice(0, 40) || "unknown";
}

/** In one write over what was there, as it is done at every call: all records fill up to the same length. */
function replace(path: string, text: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  try {
    const bytes = Buffer.alloc(MAX_BYTES, " ");
    bytes.write(text);
    writeSync(file, bytes, 0, bytes.length, 0);
  } finally {
    closeSync(file);
  }
}
