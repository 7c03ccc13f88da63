import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import type { NeededObservations, Observations, ObservedChange } from "../../evidence/observations.ts";
import type { Base } from "../../ports/repository.ts";
import { AppError } from "../../shared/app-error.ts";
import type { VerifyContext } from "../engine.ts";
import { readHandoffs } from "../../protocol/read-handoff.ts";

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
  readonly observations: Observations;
  /** Files of handoffs, relative to the root, which do not count as work. */
  readonly own: readonly string[];
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
): Promise<Survey> {
  const { ports, root } = verifyContext;
  const lookFrom = (base: Base): Promise<Observations> => looking(() => ports.repository.look(root, base, needs));
  let base = await chooseBase(verifyContext, revision, named);
  let observations = await lookFrom(base);
  let own = [...named, ...(await handoffsAmong(verifyContext, observations.changes, named))];
  if (revision === null && own.length > named.length) {
    const better = await chooseBase(verifyContext, revision, own);
    if (better.tree !== base.tree) {
      base = better;
      observations = await lookFrom(base);
      own = [...named, ...(await handoffsAmong(verifyContext, observations.changes, named))];
    }
  }
  return { base: described(base, revision), observations, own };
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

const ONLY_CHANGES: NeededObservations = {
  paths: [],
  lengths: [],
  hunks: [],
  patterns: [],
  commits: [],
  branches: [],
  changes: true,
};

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
): Promise<Base> {
  const { ports, root } = verifyContext;
  const base = await looking(() => ports.repository.chooseBase(root, revision, own));
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

/**
 * Changed files that are handoffs themselves, in addition to the named ones. They do not count as work and need not be
 * declared. To prevent hiding a change inside a handoff, only valid handoffs count whose names are usual for handoffs
 * and reports, so that no other tool reads them.
 */
async function handoffsAmong(
  { ports, root }: VerifyContext,
  changes: ReadonlyMap<string, ObservedChange>,
  named: readonly string[],
): Promise<string[]> {
  const known = new Set(named);
  const candidates = [...changes].filter(([path, { change }]) => change !== "deleted" && isReport(path));
  const found: string[] = [];
  for (const [path] of candidates.filter(([name]) => !known.has(name)).slice(0, MAX_READ)) {
    const text = (await ports.workspace.read(root, path, LARGEST))?.text;
    if (typeof text === "string" && isHandoff(text, path)) found.push(path);
  }
  return found;
}

const MAX_READ = 500;
const LARGEST = 1_048_576;

/** Excludes hidden folders and names in capitals such as README.md and AGENTS.md, because tools read them. */
function isReport(path: string): boolean {
  const parts = path.split("/");
  const name = parts.at(-1) ?? "";
  if (parts.some((part) => part.startsWith(".")) || /^[A-Z_-]+\.\w+$/.test(name)) return false;
  return /\.(?:md|markdown|txt)$/i.test(name) || /handoff[^/]*\.(?:json|xml|ya?ml)$/i.test(name);
}

/** A legacy summary without a handoff block is parsed leniently, which is not sufficient here. */
function isHandoff(text: string, path: string): boolean {
  const { valid, handoffs, diagnostics } = readHandoffs(text, { path });
  return valid && handoffs.length > 0 && diagnostics.every(({ code }) => code !== "legacy-summary");
}
