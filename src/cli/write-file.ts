import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  appendFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { AppError } from "../shared/app-error.ts";
import { reason } from "./read-input.ts";
import type { Terminal } from "./terminal.ts";

/** Replaces a file as a whole or not at all: temporary name, fsync, rename, fsync of the folder. */
export function writeFileSafely(path: string, text: string): void {
  const target = realpathSync(path);
  const temporary = join(dirname(target), `.baton-${process.pid}-${Math.trunc(performance.now() * 1000)}.tmp`);
  try {
    const file = openSync(temporary, "wx", 0o600);
    try {
      writeFileSync(file, text);
      // Set here, for the mode that a file is opened with loses what the umask takes away.
      fchmodSync(file, statSync(target).mode & 0o7777);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, target);
    syncFolder(dirname(target));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new AppError(
      "cannot-write",
      `${path} cannot be written: ${reason(error)}.`,
      "Check its permissions and the free space.",
    );
  }
}

/** Fails if the file exists. */
export function writeNewFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx", flush: true });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    throw new AppError(
      isThere ? "wrong-usage" : "cannot-write",
      `${path} ${isThere ? "exists already" : `cannot be written: ${reason(error)}`}.`,
      isThere
        ? "Nothing is overwritten: choose another name."
        : "Check the folder, its permissions and the free space.",
    );
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Appends to the summary that a CI job shows at its end. False where there is none. */
export function appendSummary({ summaryFile }: Terminal, markdown: string): boolean {
  if (summaryFile === null) return false;
  try {
    appendFileSync(summaryFile, `${markdown}\n`);
    return true;
  } catch (error) {
    throw new AppError(
      "cannot-write",
      `The summary of the job cannot be written: ${reason(error)}.`,
      "GITHUB_STEP_SUMMARY names a file that can be appended to.",
    );
  }
}

/** GitHub takes at most 1 MiB from a step, and nothing of what is larger. */
export const MAX_STEP_SUMMARY = 1_000_000;
