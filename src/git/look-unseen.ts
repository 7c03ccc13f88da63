import type { ChangeSight } from "../evidence/sightings.ts";
import { nestedRepositories } from "./look-changes.ts";
import type { PresentFile } from "./look-files.ts";
import type { Shadow } from "./shadow.ts";

/** Paths whose changes git does not see. Only of those that show no change it matters. */
export async function unseenAmong(
  shadow: Shadow,
  present: ReadonlyMap<string, PresentFile>,
  changes: ReadonlyMap<string, ChangeSight>,
): Promise<Set<string>> {
  // One path behind a link would have git refuse to answer for all.
  const asked = [...present].filter(([path, { is, isHidden }]) => is !== "outside" && !isHidden && !changes.has(path));
  const ignored = await ignoredAmong(
    shadow,
    asked.map(([path]) => path),
  );
  const folders = asked.flatMap(([path, { is }]) => (is === "folder" && !ignored.has(path) ? [path] : []));
  return new Set([...ignored, ...(await bareAmong(shadow, folders, changes))]);
}

async function ignoredAmong(shadow: Shadow, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const ignored = await checkIgnored(shadow, paths);
  if (ignored !== null) return ignored;
  // One path in a repository within ours has git refuse for all, too. What is in there is not seen.
  const nested = await nestedRepositories(shadow);
  const isWithin = (path: string): boolean => nested.some((folder) => isBelow(path, folder));
  const others = await checkIgnored(
    shadow,
    paths.filter((path) => !isWithin(path)),
  );
  if (others === null) throw new Error("git does not tell which files are ignored");
  return new Set([...others, ...paths.filter(isWithin)]);
}

/** Null when git does not answer. */
async function checkIgnored(shadow: Shadow, paths: readonly string[]): Promise<Set<string> | null> {
  if (paths.length === 0) return new Set();
  const { code, output } = await shadow.git({
    args: ["check-ignore", "-z", "--stdin"],
    input: `${paths.join("\0")}\0`,
  });
  return code > MATCHES_NONE ? null : new Set(output.split("\0"));
}

const MATCHES_NONE = 1;

/** Folders in which git knows no file: they are empty, or all that is in them is ignored. */
async function bareAmong(
  shadow: Shadow,
  folders: readonly string[],
  changes: ReadonlyMap<string, ChangeSight>,
): Promise<string[]> {
  if (folders.length === 0) return [];
  const output = await shadow.answer({ args: ["ls-files", "-z"] });
  const known = new Set(["."]);
  for (const path of [...output.split("\0"), ...changes.keys()])
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) known.add(path.slice(0, end));
  return folders.filter((folder) => !known.has(folder));
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
