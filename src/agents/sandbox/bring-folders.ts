import { lstatSync, mkdirSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import type { BroughtFolder } from "../../ports/command-runner.ts";
import { isBelow, isFolder, realOf } from "./sandbox-view.ts";

/** A folder that a gate is brought, with both its places checked. */
export interface CheckedFolder {
  readonly from: string;
  readonly to: string;
  /** Folders that have to be made for it, and be removed again; the deepest first. */
  readonly missing: readonly string[];
}

/**
 * Where brought folders come to lie; a text says what is wrong with one. Somebody hostile may have prepared the
 * directory: a link on the way would make the mount, and the folder that is made for it, land elsewhere.
 */
export function checkBrought(directory: string, brought: readonly BroughtFolder[]): CheckedFolder[] | string {
  const checked: CheckedFolder[] = [];
  for (const { from, to } of brought) {
    const real = isAbsolute(from) && isFolder(from) ? realOf(from) : null;
    if (real === null) return `the folder ${from}, which is to be brought, does not exist`;
    if (!isPlain(from, to, real)) return `${from} cannot be brought: it is a link, or one is on the way there`;
    if (to === from) {
      checked.push({ from: real, to: from, missing: [] });
      continue;
    }
    const place = resolve(directory, to);
    if (isAbsolute(to) || !isBelow(place, directory)) return `${from} cannot be brought to ${to}: that is elsewhere`;
    const missing = missingOf(directory, place);
    if (missing === null) return `${from} cannot be brought to ${to}: there is a link or a file on the way`;
    checked.push({ from: real, to: place, missing });
  }
  return checked;
}

/**
 * Where agents work they could replace `node_modules` by a link to the operator's keys. Of the path only what comes
 * before the part that both places share, or else before the last name, may be a link: that is the operator's.
 */
function isPlain(from: string, to: string, real: string): boolean {
  const shared = from.endsWith(`${sep}${to}`) ? to : basename(from);
  const root = realOf(from.slice(0, -shared.length));
  return root !== null && join(root, shared) === real;
}

/** Null when something on the way is not a folder. */
function missingOf(directory: string, place: string): string[] | null {
  const missing: string[] = [];
  for (let part = place; part !== directory; part = dirname(part)) {
    const stats = lstatSync(part, { throwIfNoEntry: false });
    if (stats === undefined) missing.push(part);
    else if (!stats.isDirectory()) return null;
  }
  return missing;
}

/** The empty places that the mounts needed. The gate may have put a link on the way there: that one is not followed. */
export function removePlaces(checked: readonly CheckedFolder[]): void {
  for (const place of checked.flatMap(({ missing }) => missing))
    if (realOf(dirname(place)) === dirname(place)) quietly(() => rmdirSync(place));
}

/** Without a sandbox nothing can be mounted: links do, and are taken away again. */
export function linkFolders(checked: readonly CheckedFolder[]): () => void {
  const links = checked.filter(({ missing, to }) => missing.includes(to));
  const made = links.filter(({ from, to }) =>
    quietly(() => {
      mkdirSync(dirname(to), { recursive: true });
      symlinkSync(from, to, "dir");
    }),
  );
  return () => {
    for (const { from, to } of made) quietly(() => void (readlinkSync(to) === from && unlinkSync(to)));
    removePlaces(made);
  };
}

/** The place where a brought program really is. */
export function placeBefore(path: string, checked: readonly CheckedFolder[]): string {
  const holder = checked.find(({ to }) => isBelow(path, to));
  return holder === undefined ? path : join(holder.from, path.slice(holder.to.length));
}

function quietly(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
