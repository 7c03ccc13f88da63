import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { DEFAULT_LIMITS } from "../protocol/limits.ts";

/** The text of a file that agents can replace; null when it is none that can be read. A pipe would block us. */
export function readPlainFile(path: string): string | null {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const about = fstatSync(file);
      return about.isFile() && about.size <= DEFAULT_LIMITS.bytes ? readFileSync(file, "utf8") : null;
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}
