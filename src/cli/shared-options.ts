import { dirname, resolve } from "node:path";
import type { DialectName } from "../protocol/handoff.ts";
import { DIALECT_NAMES } from "../protocol/handoff-words.ts";
import { type Formats, NO_FORMATS, isBuiltin } from "../protocol/dialects/registry.ts";
import { DEFAULT_LIMITS } from "../protocol/limits.ts";
import type { ReadOptions } from "../protocol/reading.ts";
import type { Command, Invocation, Option } from "./command.ts";
import { formatFolder } from "../runtime/operations/format-folder.ts";
import type { FolderFormats, FormatFile } from "../runtime/operations/load-formats.ts";
import { type FoundFile, findFiles } from "./find-files.ts";
import { usage } from "./parse-arguments.ts";
import type { Terminal } from "./terminal.ts";

/** Options that mean the same in every command that reads handoffs. */
export const READ_OPTIONS = {
  dialect: {
    value: "DIALECT",
    offered: DIALECT_NAMES,
    about: "Read as this dialect, or as a format of your own, instead of recognising it.",
  },
  "max-bytes": { value: "N", about: `Refuse texts larger than this (default ${DEFAULT_LIMITS.bytes}).` },
} as const satisfies Readonly<Record<string, Option>>;

export const HELP_OPTION = { help: { about: "Show this help." } } as const satisfies Readonly<Record<string, Option>>;

/** Of the commands that go on with a stored run. */
export const NO_WAIT_OPTION = {
  "no-wait": { about: "Start nothing while another run works in the same folder; exit code 3." },
} as const;

export const TRUST_RUN_OPTION = {
  trust: { value: "HASH", about: "Trust the run and the files that it names if they have exactly this hash." },
} as const satisfies Readonly<Record<string, Option>>;

/** Of the commands that do something and have nothing else to print. */
export const JSON_DONE_OPTION = {
  json: { about: "Print what was done as JSON." },
} as const satisfies Readonly<Record<string, Option>>;

/** Of the commands that drive a stored run on, or say where it stands when another process does. */
export const JSON_END_OPTION = {
  json: { about: "Print how the run ends, or where it stands, as `baton status RUN --json` has it." },
} as const satisfies Readonly<Record<string, Option>>;

/** How a command reads handoffs. */
export interface CommandReading extends ReadOptions {
  readonly maxBytes: number;
  /** Of the working directory, and of all files that the command reads. */
  readonly formats: Formats;
  /** Those that hold for each file, by its path as it was given. */
  readonly formatsAt: ReadonlyMap<string, Formats>;
  /** Format files with errors that hold for a file, by its path. Absent unless the command copes with them. */
  readonly brokenAt?: ReadonlyMap<string, readonly FormatFile[]>;
}

/**
 * With the formats of the team's own that hold in the working directory, and where the files stand. A format with an
 * error that holds for one of the files stops the command, unless it copes with that: then it is in `brokenAt`.
 */
export async function readOptions(
  command: Pick<Command, "name">,
  invocation: Invocation,
  terminal: Pick<Terminal, "directory">,
  files: readonly FoundFile[] = [],
  copesWithBroken = false,
): Promise<CommandReading> {
  const { formats, formatsAt, brokenAt } = await formatsOf(terminal, files, copesWithBroken);
  const name = invocation.text("dialect");
  const dialect = name === undefined ? undefined : requireDialect(command, name, "--dialect", formats);
  const maxBytes = wholeNumber(command, invocation, "max-bytes") ?? DEFAULT_LIMITS.bytes;
  return {
    ...(dialect !== undefined && { dialect }),
    formats,
    formatsAt,
    brokenAt,
    limits: { bytes: maxBytes },
    maxBytes,
  };
}

/** The files that the operands name. Wrong usage is told before a file that is not there. */
export async function namedFiles(
  command: Pick<Command, "name">,
  invocation: Invocation,
  terminal: Pick<Terminal, "directory">,
): Promise<FoundFile[]> {
  try {
    return findFiles(invocation.operands);
  } catch (error) {
    await readOptions(command, invocation, terminal);
    throw error;
  }
}

/** Where there are none, nothing is loaded. */
export async function formatsHere(
  terminal: Pick<Terminal, "directory">,
  paths: readonly string[] = [],
): Promise<Formats> {
  const files = paths.map((path) => ({ path, named: true }));
  return (await formatsOf(terminal, files)).formats;
}

/** A file has the formats of the nearest folder above it that has some; without any, those of the working directory. */
async function formatsOf(
  { directory }: Pick<Terminal, "directory">,
  files: readonly FoundFile[],
  copesWithBroken = false,
): Promise<Pick<CommandReading, "formats" | "formatsAt"> & { readonly brokenAt: BrokenFormats }> {
  const here = formatFolder(directory);
  const folders = new Map<string, string | null>([[directory, here]]);
  const folderAbove = (path: string): string | null => {
    const place = path === "-" ? directory : dirname(resolve(directory, path));
    const known = folders.get(place);
    if (known !== undefined) return known;
    const found = formatFolder(place) ?? here;
    folders.set(place, found);
    return found;
  };
  const above = files.map(({ path }) => [path, folderAbove(path)] as const);
  const wanted = new Set([...folders.values()].filter((folder) => folder !== null));
  if (wanted.size === 0) return { formats: NO_FORMATS, formatsAt: new Map(), brokenAt: new Map() };
  const { readFolderFormats, requireUsable } = await import("../runtime/operations/load-formats.ts");
  const opened = new Map([...wanted].map((folder) => [folder, readFolderFormats(folder, directory)]));
  const holding = above.map(([path, folder]) => [path, opened.get(folder ?? "") ?? NONE] as const);
  // Those of the working directory hold for no file where each file has others nearer.
  const needed = files.length === 0 ? [...opened.values()] : holding.map(([, found]) => found);
  if (!copesWithBroken) for (const { broken } of needed) broken.forEach(requireUsable);
  return {
    formats: [...opened.values()].flatMap(({ usable }) => usable),
    formatsAt: new Map(holding.map(([path, { usable }]) => [path, usable])),
    brokenAt: new Map(holding.map(([path, { broken }]) => [path, broken])),
  };
}

type BrokenFormats = NonNullable<CommandReading["brokenAt"]>;

const NONE: FolderFormats = { usable: [], broken: [] };

/** The formats for one file; a dialect that was named may be one of another folder. */
export function formatsFor(path: string, { formats, formatsAt, dialect }: CommandReading): Formats {
  const own = formatsAt.get(path) ?? formats;
  const isKnown = dialect === undefined || isBuiltin(dialect) || own.some(({ name }) => name === dialect);
  return isKnown ? own : formats;
}

export function wholeNumber(
  command: Pick<Command, "name">,
  invocation: Invocation,
  option: string,
): number | undefined {
  const text = invocation.text(option);
  if (text === undefined) return undefined;
  if (!/^\d{1,12}$/.test(text)) throw usage(command, `--${option} is a whole number; found "${text}".`);
  return Number(text);
}

export function dialectOperand(command: Pick<Command, "name">, { operands }: Invocation): string | undefined {
  if (operands.length > 1) throw usage(command, `One dialect at a time; found ${operands.length}.`);
  return operands[0];
}

/** `others` are words that this command takes in the place of a dialect. */
export function requireDialect(
  command: Pick<Command, "name">,
  name: string | undefined,
  what: string,
  formats: Formats = NO_FORMATS,
  others: readonly string[] = [],
): DialectName {
  const dialects = [...DIALECT_NAMES, ...formats.map((format) => format.name)];
  const known = [...dialects, ...others].join(", ");
  if (name === undefined) throw usage(command, `${what} is missing: one of ${known}.`);
  const found = dialects.find((candidate) => candidate === name);
  if (found === undefined) throw usage(command, `There is no dialect "${name}".`, `It is one of ${known}.`);
  return found;
}
