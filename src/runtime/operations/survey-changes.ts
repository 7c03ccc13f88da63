import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import {
  type NeededObservations,
  type Observations,
  type ObservedChange,
  ONLY_CHANGES,
} from "../../evidence/observations.ts";
import type { Base } from "../../ports/repository.ts";
import type { Dialect } from "../../protocol/dialect.ts";
import { fitsFileName } from "../../protocol/file-name-pattern.ts";
import { AppError } from "../../shared/app-error.ts";
import type { VerifyContext } from "../engine.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";
import type { FormatsByTrust, JudgedFormat } from "./formats-by-trust.ts";

/** The state that changes are compared with. */
export interface VerifyBase {
  /** Null before the first commit. */
  readonly commit: string | null;
  /** Description, with the reason. */
  readonly name: string;
  /** True when the operator named no base, so it may differ from where the work began. */
  readonly isGuessed: boolean;
}

interface Survey {
  readonly base: VerifyBase;
  /** The same with its files. */
  readonly state: Base;
  readonly observations: Observations;
  /** Files of handoffs, relative to the root, which do not count as work. */
  readonly own: readonly string[];
  readonly unexcused: readonly UnexcusedHandoff[];
}

/** A changed file that is a handoff of an own format, and counts as work all the same. */
export interface UnexcusedHandoff {
  readonly path: string;
  readonly format: JudgedFormat;
  /** Whether its name is usual for handoffs, or one that the format states. Otherwise a trusted format excuses it neither. */
  readonly isNamedSo: boolean;
}

/**
 * Finds the changes, and which of them are not work: the named handoffs and other changed handoff files. If there are
 * such others, the base is chosen again, because a commit that only adds a handoff is not work either.
 */
export async function surveyChanges(
  verifyContext: VerifyContext,
  revision: string | null,
  named: readonly string[],
  needs: NeededObservations,
  formats: FormatsByTrust,
): Promise<Survey> {
  const { ports, root } = verifyContext;
  const lookFrom = (base: Base): Promise<Observations> => looking(() => ports.repository.look(root, base, needs));
  const chosenBase = (own: readonly string[]) => chooseBase(verifyContext, revision, own, needs.commits);
  let base = await chosenBase(named);
  let observations = await lookFrom(base);
  let handoffs = await handoffsAmong(verifyContext, observations.changes, named, formats);
  if (revision === null && handoffs.excused.length > 0) {
    const better = await chosenBase([...named, ...handoffs.excused]);
    if (better.tree !== base.tree) {
      base = better;
      observations = await lookFrom(base);
      handoffs = await handoffsAmong(verifyContext, observations.changes, named, formats);
    }
  }
  const { excused, unexcused } = handoffs;
  return { base: described(base, revision), state: base, observations, own: [...named, ...excused], unexcused };
}

/** A file that may have changed. */
interface Placed {
  /** Absolute; null for a text that is not from a file. */
  readonly place: string | null;
}

/** The files that differ from the base. Files outside of the repository cannot be compared, and are kept. */
export async function changedFiles<T extends Placed>(
  verifyContext: VerifyContext,
  revision: string | null,
  files: readonly T[],
): Promise<{ readonly base: VerifyBase; readonly changed: readonly T[] }> {
  const { ports, root } = verifyContext;
  const base = await chooseBase(verifyContext, revision, fromRoot(files, root));
  const { changes } = await looking(() => ports.repository.look(root, base, ONLY_CHANGES));
  const changed = files.filter((file) => {
    const [path] = fromRoot([file], root);
    return path === undefined || changes.has(path);
  });
  return { base: described(base, revision), changed };
}

function described({ commit, name }: Base, revision: string | null): VerifyBase {
  return { commit, name, isGuessed: revision === null };
}

/** Paths relative to the root, of the files inside it. */
export function fromRoot(files: readonly Placed[], root: string): string[] {
  const top = realpathSync(root);
  return files.flatMap(({ place }) => {
    if (place === null) return [];
    const path = relative(top, realpathSync(place));
    return isAbsolute(path) || path.split(sep)[0] === ".." ? [] : [path.split(sep).join("/")];
  });
}

async function chooseBase(
  verifyContext: VerifyContext,
  revision: string | null,
  own: readonly string[],
  commits: readonly string[] = [],
): Promise<Base> {
  const { ports, root } = verifyContext;
  const base = await looking(() => ports.repository.chooseBase(root, revision, own, commits));
  if (base !== null) return base;
  const why = await looking(() => verifyContext.whyNoRepository());
  if (why !== null)
    throw new AppError("cannot-read", `The repository in ${root} cannot be used: ${why.says}.`, why.hint);
  const hint = "Claims are checked against git: run it inside a repository.";
  throw new AppError("cannot-read", `There is no git repository in ${root}.`, hint);
}

/** Reports a failure of git as a problem of the environment, not as a bug of baton. */
async function looking<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new AppError("cannot-read", `The repository cannot be looked at: ${message}.`, "Check that git works here.");
  }
}

interface ChangedHandoffs {
  /** They do not count as work and need not be declared. */
  readonly excused: readonly string[];
  readonly unexcused: readonly UnexcusedHandoff[];
}

/**
 * Changed files that are handoffs themselves, in addition to the named ones. To prevent hiding a change inside a
 * handoff, only valid handoffs are excused whose names are usual for handoffs and reports, so that no other tool reads
 * them. A format of the repository could describe any file as a handoff: only one that the operator trusts excuses
 * its handoffs, under the names that it states as well.
 */
async function handoffsAmong(
  { ports, root }: VerifyContext,
  changes: ReadonlyMap<string, ObservedChange>,
  named: readonly string[],
  formatsAt: FormatsByTrust,
): Promise<ChangedHandoffs> {
  const known = new Set(named);
  const changed = [...changes].flatMap(([path, { change }]) => (change === "deleted" || known.has(path) ? [] : [path]));
  const excused: string[] = [];
  const unexcused: UnexcusedHandoff[] = [];
  let reads = 0;
  // Those with usual names come first: they are not left unread because of others.
  for (const path of changed
    .filter(isNoToolFile)
    .sort((left, right) => Number(isReport(right)) - Number(isReport(left)))) {
    const formats = (await formatsAt(path)).filter(({ dialect }) => mayHold(path, dialect));
    if ((!isReport(path) && formats.length === 0) || ++reads > MAX_READ) continue;
    const text = (await ports.workspace.read(root, path, LARGEST))?.text;
    if (typeof text !== "string") continue;
    const found = isReport(path) && isHandoff(text, path) ? "excused" : ownHandoff(text, path, formats);
    if (found === "excused") excused.push(path);
    else if (found !== null) unexcused.push(found);
  }
  return { excused, unexcused };
}

const MAX_READ = 500;
const LARGEST = 1_048_576;

/** Not in a hidden folder, and no name in capitals such as README.md and AGENTS.md: tools read those. */
function isNoToolFile(path: string): boolean {
  const parts = path.split("/");
  return !parts.some((part) => part.startsWith(".")) && !/^[A-Z_-]+\.\w+$/.test(parts.at(-1) ?? "");
}

function isReport(path: string): boolean {
  const name = path.split("/").at(-1) ?? "";
  return /\.(?:md|markdown|txt)$/i.test(name) || /handoff[^/]*\.(?:json|xml|ya?ml)$/i.test(name);
}

/** A legacy summary without a handoff block is parsed leniently, which is not sufficient here. */
function isHandoff(text: string, path: string): boolean {
  const { valid, handoffs, diagnostics } = readHandoffs(text, { path, scan: true });
  return valid && handoffs.length > 0 && diagnostics.every(({ code }) => code !== "legacy-summary");
}

/** Whether a file of this name can be a handoff of the format; most changed files are not worth reading. */
function mayHold(path: string, dialect: Dialect): boolean {
  const ending = { json: /\.json$/i, yaml: /\.ya?ml$/i, xml: /\.xml$/i }[dialect.syntax];
  return (
    isReport(path) || ending.test(path) || (dialect.stands?.files ?? []).some((pattern) => fitsFileName(path, pattern))
  );
}

function ownHandoff(text: string, path: string, formats: readonly JudgedFormat[]): "excused" | UnexcusedHandoff | null {
  for (const format of formats.toSorted((left, right) => Number(right.isTrusted) - Number(left.isTrusted))) {
    const { dialect, isTrusted } = format;
    const { valid, handoffs } = readHandoffs(text, { path, scan: true, formats: [dialect] });
    if (!valid || handoffs.length === 0 || handoffs.some((read) => read.dialect !== dialect.name)) continue;
    const isNamedSo = isReport(path) || isStatedName(path, dialect);
    return isTrusted && isNamedSo ? "excused" : { path, format, isNamedSo };
  }
  return null;
}

/** A pattern such as `*.json` is true of every file of other tools. */
function isStatedName(path: string, dialect: Dialect): boolean {
  const names = (dialect.stands?.files ?? []).filter((pattern) => /[^*.]{2}/.test(pattern.replace(/\.\w+$/, "")));
  return names.some((pattern) => fitsFileName(path, pattern));
}
