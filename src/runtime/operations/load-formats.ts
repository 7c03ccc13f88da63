import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Diagnostic } from "../../protocol/diagnostic.ts";
import { FORMAT_LIMITS } from "../../protocol/format-file/field-keys.ts";
import type { DescribedDialect } from "../../protocol/format-file/described-dialect.ts";
import { openFormat } from "../../protocol/format-file/open-format.ts";
import { AppError } from "../../shared/app-error.ts";
import { plainReason } from "../../shared/plain-reason.ts";
import type { PinnedFormat } from "../../workflow/definition.ts";
import { FORMATS_FOLDER, FORMAT_FILE, formatFolder } from "./format-folder.ts";

/** A format file as it was read. */
export interface FormatFile {
  /** From the folder whose formats these are, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Null when the file has an error. */
  readonly dialect: DescribedDialect | null;
  readonly diagnostics: readonly Diagnostic[];
  /** The file itself, and the schema that it points to. */
  readonly files: readonly string[];
}

const MAX_FILES = 50;

/** The format files of a folder, in the order of their names. */
function formatPaths(folder: string): string[] {
  const inFolder = namesIn(join(folder, FORMATS_FOLDER)).filter((name) => name.endsWith(".format.yaml"));
  if (inFolder.length > MAX_FILES)
    throw new AppError(
      "cannot-read",
      `${FORMATS_FOLDER} holds more than ${MAX_FILES} formats.`,
      "Keep those that are used.",
    );
  const own = lstatSync(join(folder, FORMAT_FILE), { throwIfNoEntry: false }) === undefined ? [] : [FORMAT_FILE];
  return [...own, ...inFolder.map((name) => `${FORMATS_FOLDER}/${name}`)];
}

/** YAML files of the folder for formats that are none by their names: they are not read, and who wrote them may think so. */
export function strayFormats(folder: string): string[] {
  return namesIn(join(folder, FORMATS_FOLDER))
    .filter((name) => /\.ya?ml$/.test(name) && !name.endsWith(".format.yaml"))
    .map((name) => `${FORMATS_FOLDER}/${name}`);
}

function namesIn(folder: string): string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(folder).sort();
}

/** Reads them all. Each is told apart from the others and from the five. */
export function readFormatFiles(folder: string, paths: readonly string[] = formatPaths(folder)): FormatFile[] {
  const alone = paths.map((path) => readFormatFile(folder, path, []));
  const dialects = alone.flatMap(({ dialect }) => (dialect === null ? [] : [dialect]));
  return alone.map((file) =>
    file.dialect === null
      ? file
      : readFormatFile(
          folder,
          file.path,
          dialects.filter((other) => other !== file.dialect),
        ),
  );
}

function readFormatFile(folder: string, path: string, others: readonly DescribedDialect[]): FormatFile {
  const text = readRegular(join(folder, path), path);
  const schemas: string[] = [];
  const { dialect, diagnostics } = openFormat(text, {
    others,
    readSchema: (schema) => {
      const place = relative(folder, join(folder, dirname(path), schema))
        .split(sep)
        .join("/");
      const found = readInside(folder, place);
      if (found !== null) schemas.push(place);
      return found;
    },
  });
  return { path, text, dialect, diagnostics, files: [path, ...schemas] };
}

/** The formats of a folder: those that can be used, and the files of those that have an error. */
export interface FolderFormats {
  readonly usable: readonly DescribedDialect[];
  readonly broken: readonly FormatFile[];
}

/** Messages name the files from `here`, or from the folder itself where that lies above. */
export function readFolderFormats(folder: string, here: string): FolderFormats {
  const before = relative(here, folder).split(sep).join("/");
  const isAbove = before === "" || /^\.\.(?:\/\.\.)*$/.test(before);
  const files = readFormatFiles(folder).map((file) => (isAbove ? file : { ...file, path: `${before}/${file.path}` }));
  return {
    usable: files.flatMap(({ dialect }) => (dialect === null ? [] : [dialect])),
    broken: files.filter(({ dialect }) => dialect === null),
  };
}

/** The formats that hold in a folder, ready for use. A format with an error stops the command: it would judge wrongly. */
export function openFormats(folder: string, here: string): readonly DescribedDialect[] {
  const { usable, broken } = readFolderFormats(folder, here);
  for (const file of broken) requireUsable(file);
  return usable;
}

/** The formats for a workflow of this folder, as a run is pinned to them. Paths are from the root of the repository. */
export function pinFormats(directory: string): Readonly<Record<string, PinnedFormat>> {
  const folder = formatFolder(directory);
  if (folder === null) return {};
  const before = relative(repositoryRoot(folder), folder).split(sep).join("/");
  const pinned = readFormatFiles(folder).map((file): [string, PinnedFormat] => {
    const { name, described } = requireUsable(file);
    const files = file.files.map((path) => (before === "" ? path : `${before}/${path}`));
    return [name, { files, description: described.source }];
  });
  return Object.fromEntries(pinned);
}

function repositoryRoot(from: string): string {
  for (let folder = from; dirname(folder) !== folder; folder = dirname(folder))
    if (existsSync(join(folder, ".git"))) return folder;
  return from;
}

/** A format with an error would judge wrongly. */
export function requireUsable({ path, dialect, diagnostics }: FormatFile): DescribedDialect {
  if (dialect !== null) return dialect;
  const error = diagnostics.find(({ severity }) => severity === "error");
  const { line = 1, column = 1 } = error?.range.start ?? {};
  throw new AppError(
    "cannot-read",
    `${path}:${line}:${column}: ${error?.message ?? "The format cannot be used."}`,
    `${error?.hint ?? ""} \`baton format check\` lists everything that is wrong with it.`.trim(),
  );
}

/** A link could lead to any file of the machine, and its text would be shown. */
function readRegular(place: string, path: string): string {
  try {
    const file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const about = fstatSync(file);
      if (!about.isFile()) throw new AppError("cannot-read", `${path} is not a regular file.`, "Name a format file.");
      // One byte over the limit is enough to be refused as too large, with the usual words.
      return readFileSync(file)
        .subarray(0, FORMAT_LIMITS.bytes + 1)
        .toString("utf8");
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ELOOP" ? "it is a link" : plainReason(error);
    throw new AppError("cannot-read", `${path} cannot be read: ${why}.`, "A format file is a regular file.");
  }
}

/** A file inside the folder, whatever links lead to it; null when there is none. */
function readInside(folder: string, path: string): string | null {
  try {
    const place = realpathSync(join(folder, path));
    if (!place.startsWith(join(realpathSync(folder), sep))) return null;
    return readRegular(place, path);
  } catch {
    return null;
  }
}
