import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { AppError } from "../../shared/app-error.ts";
import { reason } from "../read-input.ts";

/** A new file, piece by piece; none is left when something goes wrong on the way. */
export async function writeExport(path: string, pieces: AsyncIterable<string>): Promise<void> {
  const file = openNew(path);
  try {
    for await (const piece of pieces) writeWhole(file, Buffer.from(piece, "utf8"));
    fsyncSync(file);
  } catch (error) {
    rmSync(path, { force: true });
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    throw cannotWrite(path, error);
  } finally {
    closeSync(file);
  }
}

function writeWhole(file: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

/** What agents said is nobody else's business. */
function openNew(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw cannotWrite(path, error);
    throw new AppError("wrong-usage", `${path} exists already.`, "Nothing is overwritten: choose another name.");
  }
}

function cannotWrite(path: string, error: unknown): AppError {
  const hint = "Check the folder, its permissions and the free space.";
  const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
  const why = isMissing ? "its folder is not there" : reason(error);
  return new AppError("cannot-write", `${path} cannot be written: ${why}.`, hint);
}
