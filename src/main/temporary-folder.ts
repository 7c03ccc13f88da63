import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../shared/app-error.ts";

export interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** For us alone. It goes with the process at the latest: a command whose reader has gone away ends at once. */
export function temporaryFolder(beginning: string): TemporaryFolder {
  const path = makeFolder(beginning);
  const removeNow = (): void => rmSync(path, { recursive: true, force: true });
  process.once("exit", removeNow);
  return {
    path,
    async remove() {
      await rm(path, { recursive: true, force: true });
      process.off("exit", removeNow);
    },
  };
}

function makeFolder(beginning: string): string {
  try {
    return realpathSync(mkdtempSync(join(tmpdir(), beginning)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `No temporary folder can be made in ${tmpdir()}: ${code ?? String(error)}.`;
    throw new AppError("cannot-write", message, "Set TMPDIR to a folder that can be written.");
  }
}
