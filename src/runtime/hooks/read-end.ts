import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

/** Twice the largest handoff: a line of JSON is longer than the text in it. Of no transcript more is read at once. */
const MAX_READ = 2 * 1_048_576;

interface FileEnd {
  /** The whole lines that were read. */
  readonly lines: readonly string[];
  /** What stands after them: the line that is being written, or one without an end. */
  readonly rest: string;
  /** Where the line after them begins. */
  readonly end: number;
  /** Whether lines between `from` and the first of these were passed over. */
  readonly hasGap: boolean;
}

/**
 * The lines of a file from `from` on, or only the last ones where that is too much; null when it cannot be read. A file
 * that is shorter is another one, and read from its beginning. Agents can write here: a pipe without a writer or a link
 * to an endless file must not block us.
 */
export function readEnd(path: string, from: number, read: (bytes: number) => void = () => undefined): FileEnd | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const about = fstatSync(file);
    if (!about.isFile()) return null;
    const wanted = from <= about.size ? from : 0;
    const begin = Math.max(wanted, about.size - MAX_READ);
    const bytes = Buffer.alloc(about.size - begin);
    const length = readSync(file, bytes, 0, bytes.length, begin);
    read(length);
    const last = bytes.subarray(0, length).lastIndexOf(NEWLINE) + 1;
    const lines = bytes.toString("utf8", 0, last).split("\n").slice(0, -1);
    const hasGap = begin > wanted;
    const rest = bytes.toString("utf8", last, length);
    return { lines: hasGap ? lines.slice(1) : lines, rest, end: begin + last, hasGap };
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}

const NEWLINE = 10;
