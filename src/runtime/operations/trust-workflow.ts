import { realpathSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { RunRow } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { AppError } from "../../shared/app-error.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { filesNamedIn, formatFilesOf } from "../../workflow/file/named-files.ts";
import { codec } from "../../workflow/stored/codec.ts";
import { type CoveredFile, coveredFiles, readNamed, trustHash } from "../covered-files.ts";
import type { RepositoryInfo } from "../engine.ts";
import { describeFileChange } from "../find-untrusted.ts";
import { formatFolder } from "./format-folder.ts";
import { filesOfFormat } from "./formats-by-trust.ts";
import { listCommands } from "./list-commands.ts";
import { readFormatFiles } from "./load-formats.ts";
import type { LoadedWorkflow } from "./load-workflow.ts";
import { readState } from "./send-input.ts";
import { hashOfDefinition } from "./start-run.ts";
import {
  type TrustEntry,
  type TrustedRun,
  type Withdrawn,
  addTrusted,
  addTrustedRun,
  readTrusted,
  readTrustedRuns,
  seenTexts,
  withdrawTrusted,
} from "./trust-store.ts";

type Place = Pick<RepositoryInfo, "root" | "mark">;

/** What an operator is asked to trust: a workflow and the files of the repository that it names, for this repository. */
export interface TrustSubject {
  /** As the operator calls it. */
  readonly path: string;
  /** What names it on the command line. */
  readonly operand: string;
  /** The one hash for `--trust`. */
  readonly hash: string;
  readonly files: readonly CoveredFile[];
  readonly entry: TrustEntry;
  readonly text: string;
}

export function trustSubject(loaded: LoadedWorkflow, { root, mark }: Place): TrustSubject {
  const { path, text, operand } = loaded;
  const files = coveredBy(loaded, root);
  const hash = trustHash(loaded.hash, files);
  const entry = {
    hash,
    repository: root,
    mark,
    workflow: loaded.file === undefined ? operand : nameInRoot(loaded.file, root),
    content: loaded.hash,
    files: files.map((file) => ({ path: file.path, hash: file.hash })),
    at: new Date().toISOString(),
  };
  return { path, operand, hash, files, entry, text };
}

/**
 * The same for a format file by itself, with the schema that it points to. It lets nothing run: `baton verify` then knows
 * its handoffs.
 */
export function formatSubject(path: string, { root, mark }: Place): TrustSubject {
  const folder = formatFolder(dirname(realOf(path)));
  const format =
    folder === null ? undefined : readFormatFiles(folder).find((one) => isSameFile(folder, one.path, path));
  if (folder === null || format === undefined)
    throw new AppError(
      "cannot-read",
      `${path} is no format that holds here.`,
      "`baton format list` names those that do.",
    );
  if (format.dialect === null)
    throw new AppError("cannot-read", `${path} cannot be used.`, "`baton format check` shows what is wrong.");
  const name = nameInRoot(path, root);
  const all = filesOfFormat(format.files, realOf(folder), realOf(root));
  const content = all.find((file) => file.path === name)?.hash ?? "";
  const files = all.filter((file) => file.path !== name);
  const hash = trustHash(content, files);
  const stored = files.map((file) => ({ path: file.path, hash: file.hash }));
  const at = new Date().toISOString();
  const entry = { hash, repository: root, mark, workflow: name, content, files: stored, at };
  return { path, operand: path, hash, files, entry, text: format.text };
}

function isSameFile(folder: string, path: string, other: string): boolean {
  return realOf(join(folder, path)) === realOf(other);
}

/** The files of the workflow, and those of the formats that its section `sessions` names. */
function coveredBy({ workflow, sessions }: LoadedWorkflow, root: string): CoveredFile[] {
  const own = workflow === null ? [] : coveredFiles(workflow, root);
  const known = new Set(own.map(({ path }) => path));
  const formats = readNamed(formatFilesOf(sessions ?? {}), { directory: root, root });
  const added = formats.filter(({ path }) => !known.has(path));
  return [...own, ...added].sort((left, right) => (left.path < right.path ? -1 : 1));
}

/** From the root of the repository; a file elsewhere has its whole path. */
function nameInRoot(file: string, root: string): string {
  const path = relative(realOf(root), realOf(file));
  return path === ".." || path.startsWith(`..${sep}`) ? realOf(file) : path;
}

function realOf(path: string): string {
  try {
    return realpathSync(resolve(path));
  } catch {
    return resolve(path);
  }
}

export function isTrusted({ entry }: TrustSubject, folder: string): boolean {
  return readTrusted(folder).some(({ hash, mark }) => hash === entry.hash && mark === entry.mark);
}

export function trustWorkflow({ entry, files, text }: TrustSubject, folder: string): void {
  addTrusted(entry, [Buffer.from(text), ...files.map(({ bytes }) => bytes)], folder);
}

/** What is different since this workflow was last trusted here, a paragraph each; null when it never was. */
export function changesSinceTrusted({ entry, files, text }: TrustSubject, folder: string): string[] | null {
  const isSame = ({ mark, workflow }: TrustEntry): boolean => mark === entry.mark && workflow === entry.workflow;
  const last = readTrusted(folder).findLast(isSame);
  if (last === undefined) return null;
  const own = { path: entry.workflow, hash: entry.content, bytes: Buffer.from(text) };
  const now = new Map([own, ...files].map((file) => [file.path, file]));
  const before = new Map([{ path: last.workflow, hash: last.content }, ...last.files].map((file) => [file.path, file]));
  const paths = [...new Set([...now.keys(), ...before.keys()])];
  return paths.flatMap((path) => {
    const [is, was] = [now.get(path), before.get(path)?.hash];
    if (is?.hash === was) return [];
    return [describeFileChange(path, { was, before: was === undefined ? null : seenTexts(folder).find(was), is })];
  });
}

/** Forgets what a name means: a workflow of this repository, a hash, or a run. */
export function withdrawTrust(name: string, { root, mark }: Place, folder: string): Withdrawn {
  const isHash = /^[0-9a-f]{8,64}$/.test(name);
  return withdrawTrusted(folder, (all, known) => {
    const entries = all.filter(
      (entry) =>
        (isHash && entry.hash.startsWith(name)) ||
        (entry.mark === mark && (entry.workflow === name || entry.workflow === nameInRoot(name, root))),
    );
    const hashes = new Set(entries.map(({ hash }) => hash));
    const runs = known.filter(({ run, hash }) => run === name || hashes.has(hash) || (isHash && hash.startsWith(name)));
    return { entries, runs };
  });
}

/**
 * Whether a stored run may run its commands: the operator has started or trusted this run with this definition and its
 * files. The log may have been adopted from somebody else, so neither the definition nor its origin alone is sufficient.
 */
export function isRunKnown(run: string, pin: string, folder: string): boolean {
  return readTrustedRuns(folder).some((known) => known.run === run && known.pin === pin);
}

export function rememberRun(run: TrustedRun, folder: string): void {
  if (!isRunKnown(run.run, run.pin, folder)) addTrustedRun(run, folder);
}

/** The definition that a run is pinned to, verified against the pin. */
export async function readPinned(
  { log }: Pick<Ports, "log">,
  { run, workflow: pin }: Pick<RunRow, "run" | "workflow">,
): Promise<{ readonly workflow: Workflow; readonly commands: readonly string[] }> {
  const stored = await log.workflow(pin);
  if (stored === null) throw damaged(`The workflow of run ${run} is missing from the store.`);
  if (hashOfDefinition(stored) !== pin) throw damaged(`The stored workflow of run ${run} was changed.`);
  const workflow = codec.decodeWorkflow(stored, `The workflow of run ${run}`);
  return { workflow, commands: listCommands(workflow) };
}

export interface RunTrust {
  readonly hash: string;
  readonly files: readonly CoveredFile[];
}

/** What is trusted when a stored run goes on: its definition, and the files that it names where it works. */
export async function trustOfRun(
  ports: Pick<Ports, "workspace">,
  { run, workflow: pin }: Pick<RunRow, "run" | "workflow">,
  workflow: Workflow,
): Promise<RunTrust> {
  const root = await ports.workspace.prepare(run, "in-place");
  const directory = (await ports.workspace.worktree(run)) ?? root;
  const files = readNamed(filesNamedIn(workflow), { directory, root: directory });
  return { hash: trustHash(pin, files), files };
}

/** What is different from what the run was trusted with, a paragraph each. */
export async function changesOfRun(ports: Ports, run: string, files: readonly CoveredFile[]): Promise<string[]> {
  const state = await readState(ports, run);
  // It has not begun, or asks by itself.
  if (state.run === "" || Object.values(state.asks).some((ask) => ask.files !== undefined)) return [];
  const trusted = new Map((state.trusted ?? []).map(({ path, hash }) => [path, hash]));
  return files.flatMap((is) => {
    const was = trusted.get(is.path);
    const before = was === undefined ? null : (ports.seenTexts?.find(was) ?? null);
    return was === is.hash ? [] : [describeFileChange(is.path, { was, before, is })];
  });
}

/** A run without commands is always trusted; any other needs the operator's confirmation. */
export async function isRunTrusted(
  ports: Pick<Ports, "log">,
  row: Pick<RunRow, "run" | "workflow">,
  folder: string,
): Promise<boolean> {
  const { commands } = await readPinned(ports, row);
  return commands.length === 0 || isRunKnown(row.run, row.workflow, folder);
}

function damaged(message: string): AppError {
  return new AppError("damaged-state", message, "Restore a backup, or start a new run: baton run.");
}
