import { createHash, hash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { isAbsolute, join, sep } from "node:path";
import { AppError } from "../shared/app-error.ts";
import { isRecord } from "../shared/json-value.ts";
import { plainReason } from "../shared/plain-reason.ts";
import type { Workflow } from "../workflow/definition.ts";
import { type NamedFile, coveredName, filesNamedIn, formatFilesOf } from "../workflow/file/named-files.ts";
import type { TrustedFile } from "../workflow/input.ts";

/** A file of the repository that a workflow names, as it is now. */
export interface CoveredFile extends TrustedFile {
  readonly bytes: Uint8Array;
}

/** Where files are looked for: the folder in which agents work, and the repository that absolute paths may lead into. */
interface LookedAt {
  readonly directory: string;
  readonly root: string;
}

/**
 * What trust covers, besides the workflow itself: every file of the repository that its commands and prompts name, by
 * content, and the files of its formats. A link counts with the content that it leads to. What these files load is not
 * covered.
 */
export function coveredFiles(workflow: Workflow, root: string): CoveredFile[] {
  return readNamed([...filesNamedIn(workflow), ...formatFilesOf(workflow)], { directory: root, root });
}

/** Those of the named files that exist, in the order of their names. */
export function readNamed(named: readonly NamedFile[], { directory, root }: LookedAt): CoveredFile[] {
  const found = named.flatMap((file): CoveredFile[] => {
    if (isAbsolute(file.path) && !file.path.startsWith(join(root, sep))) return [];
    const bytes = readRegular(isAbsolute(file.path) ? file.path : join(directory, file.path), file.path);
    if (bytes === null) return [];
    const part = file.part === "scripts" ? scriptsIn(bytes) : bytes;
    return [{ path: coveredName(file), hash: hash("sha256", part, "hex"), bytes: part }];
  });
  return found.sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** The one hash for `--trust`: of the workflow and of every file that it covers. */
export function trustHash(workflow: string, files: readonly TrustedFile[]): string {
  const parts = [VERSION, workflow, ...files.flatMap(({ path, hash: content }) => [path, content])];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

const VERSION = "baton trust 1";

/** Larger than any script; a program of this size does not belong into a repository. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Null when there is no file. What is neither a file nor a folder could be something else each time it is read. */
function readRegular(path: string, name: string): Buffer | null {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (ABSENT.has(code)) return null;
    throw cannotCover(name, `cannot be read: ${plainReason(error)}`);
  }
  try {
    const about = fstatSync(descriptor);
    if (about.isDirectory()) return null;
    if (!about.isFile()) throw cannotCover(name, "is not a regular file");
    if (about.size > MAX_BYTES) throw cannotCover(name, "is larger than 256 MB");
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** ERR_INVALID_ARG_VALUE: a word with a NUL byte. */
const ABSENT = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "ERR_INVALID_ARG_VALUE"]);

function cannotCover(name: string, why: string): AppError {
  const hint = "The workflow names it, so its content has to be known before anything is run.";
  return new AppError("not-trusted", `${name} ${why}: it cannot be trusted.`, hint);
}

/** What is in package.json besides its scripts changes with every dependency, and decides nothing here. */
function scriptsIn(bytes: Buffer): Buffer {
  try {
    const parsed: unknown = JSON.parse(bytes.toString("utf8"));
    if (!isRecord(parsed)) return bytes;
    return Buffer.from(`${JSON.stringify(parsed["scripts"] ?? {}, null, 2)}\n`);
  } catch {
    return bytes;
  }
}
