import { lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProvablyGone, processName } from "../runtime/worker-name.ts";
import { AppError } from "../shared/app-error.ts";

interface TemporaryFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * For us alone. It goes with the process at the latest: a command whose reader has gone away ends at once. What a
 * killed one has left goes with the next.
 */
export function temporaryFolder(beginning: string): TemporaryFolder {
  sweep(beginning);
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

/** Only folders of this user whose name tells a process that is certainly no more. Whatever cannot be done is left. */
function sweep(beginning: string): void {
  try {
    for (const name of readdirSync(tmpdir())) {
      const path = join(tmpdir(), name);
      if (name.startsWith(beginning) && isProvablyGone(name.slice(beginning.length)) && isOurs(path))
        rmSync(path, { recursive: true, force: true });
    }
  } catch {
    // It is for the sake of order, and no reason not to go on.
  }
}

function isOurs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.();
}

function makeFolder(beginning: string): string {
  try {
    return realpathSync(mkdtempSync(join(tmpdir(), `${beginning}${processName(Date.now())}-`)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const message = `No temporary folder can be made in ${tmpdir()}: ${code ?? String(error)}.`;
    throw new AppError("cannot-write", message, "Set TMPDIR to a folder that can be written.");
  }
}
