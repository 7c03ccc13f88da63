import { realpathSync } from "node:fs";
import { isAbsolute, relative, sep } from "node:path";
import type { Needs, Sightings } from "../../evidence/sightings.ts";
import type { Base } from "../../ports/repository.ts";
import { AppError } from "../../shared/app-error.ts";
import type { Inspection } from "../inspection.ts";
import { handoffsAmong } from "./handoffs-among.ts";

/** What changes are counted from. */
export interface VerifyBase {
  /** Null before the first commit. */
  readonly commit: string | null;
  /** In words, with the reason. */
  readonly name: string;
  /** Nobody has said it, so it can be another place than where the work began. */
  readonly isGuessed: boolean;
}

interface Survey {
  readonly base: VerifyBase;
  readonly sightings: Sightings;
  /** Files that handing over itself makes, from the root. */
  readonly own: readonly string[];
}

/**
 * What has changed, and which of it is no work: the handoffs that were named, and others that changed as well. Where
 * the work began is found once more when there are such others: what only brought a handoff is no work either.
 */
export async function survey(
  inspection: Inspection,
  revision: string | null,
  named: readonly string[],
  needs: Needs,
): Promise<Survey> {
  const { machine, root } = inspection;
  const lookFrom = (base: Base): Promise<Sightings> => looking(() => machine.repository.look(root, base, needs));
  let base = await chooseBase(inspection, revision, named);
  let sightings = await lookFrom(base);
  let own = [...named, ...(await handoffsAmong(inspection, sightings.changes, named))];
  if (revision === null && own.length > named.length) {
    const better = await chooseBase(inspection, revision, own);
    if (better.tree !== base.tree) {
      base = better;
      sightings = await lookFrom(base);
      own = [...named, ...(await handoffsAmong(inspection, sightings.changes, named))];
    }
  }
  return { base: described(base, revision), sightings, own };
}

/** A file that may have changed. */
interface Placed {
  /** Absolute; null for a text that came in another way. */
  readonly place: string | null;
}

/** Those of the files that differ from the base; what is in no repository could not be compared, and stays. */
export async function changedFiles<T extends Placed>(
  inspection: Inspection,
  revision: string | null,
  files: readonly T[],
): Promise<{ readonly base: VerifyBase; readonly changed: readonly T[] }> {
  const { machine, root } = inspection;
  const base = await chooseBase(inspection, revision, fromRoot(files, root));
  const { changes } = await looking(() => machine.repository.look(root, base, ONLY_CHANGES));
  const changed = files.filter((file) => {
    const [path] = fromRoot([file], root);
    return path === undefined || changes.has(path);
  });
  return { base: described(base, revision), changed };
}

const ONLY_CHANGES: Needs = {
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

/** Paths from the root, of what lies in it. */
export function fromRoot(files: readonly Placed[], root: string): string[] {
  const top = realpathSync(root);
  return files.flatMap(({ place }) => {
    if (place === null) return [];
    const path = relative(top, realpathSync(place));
    return isAbsolute(path) || path.split(sep)[0] === ".." ? [] : [path.split(sep).join("/")];
  });
}

async function chooseBase(inspection: Inspection, revision: string | null, own: readonly string[]): Promise<Base> {
  const { machine, root } = inspection;
  const base = await looking(() => machine.repository.chooseBase(root, revision, own));
  if (base !== null) return base;
  const why = await looking(() => inspection.whyNoRepository());
  if (why !== null)
    throw new AppError("cannot-read", `The repository in ${root} cannot be used: ${why.says}.`, why.hint);
  const hint = "Claims are checked against git: run it inside a repository.";
  throw new AppError("cannot-read", `There is no git repository in ${root}.`, hint);
}

/** What git cannot do is the machine's trouble, and no fault of ours. */
async function looking<T>(look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new AppError("cannot-read", `The repository cannot be looked at: ${message}.`, "Check that git works here.");
  }
}
