import { claimedPath } from "../claimed-path.ts";
import { isEverything, isPattern, mayBePattern, pathMatcher, patternOf } from "../path-pattern.ts";
import { counted, listed } from "../wording.ts";
import { type Court, type Finding, TOO_MUCH, confirmed, diffProcedure, refuted, unverifiable } from "./finding.ts";

interface AllChanges {
  readonly change: "created" | "any";
  readonly declared: readonly string[];
  readonly folders?: readonly string[];
}

/** No file changed that is not declared, by its name, its folder or a pattern. Files that git ignores are not seen. */
export function judgeAllChanges({ change, declared, folders = [] }: AllChanges, court: Court): Finding {
  const procedure = diffProcedure(court);
  if (!court.sightings.isRepository || court.sightings.base === null)
    return unverifiable(procedure, "There is no earlier state to compare with.");
  const safe = [...declared, ...featureFolders(folders, court)]
    .map(claimedPath)
    .flatMap((claimed) => (claimed.isSafe ? [patternOf(claimed)] : []));
  // What names everything names nothing in particular.
  const others = undeclared(
    change,
    safe.filter((path) => !isEverything(path)),
    court,
  );
  if (court.effort.left <= 0) return unverifiable(procedure, TOO_MUCH);
  if (others.length === 0) return confirmed(procedure, "Every changed file that git sees is listed.");
  const what = change === "created" ? "created" : "changed";
  return refuted(procedure, `${counted(others.length, "file")} ${what} and not listed: ${listed(others.sort())}.`);
}

/** A folder that is said to be the feature's is so where the handoff lies in it. */
function featureFolders(folders: readonly string[], { ownFiles }: Court): string[] {
  return folders.filter((folder) => {
    const claimed = claimedPath(folder);
    return claimed.isSafe && ownFiles.some((path) => path.startsWith(`${claimed.path}/`));
  });
}

/** The old name of a renamed file goes with its new one. */
function undeclared(change: AllChanges["change"], declared: readonly string[], court: Court): string[] {
  const isDeclared = declaration([...declared, ...court.ownFiles], court);
  const former = court.index.formerNames();
  const others: string[] = [];
  for (const [path, seen] of court.index.entries()) {
    if (change === "created" && seen.change !== "created") continue;
    if (!isDeclared(path) && !isDeclared(former.get(path) ?? path)) others.push(path);
  }
  return others;
}

function declaration(paths: readonly string[], { effort, index }: Court): (path: string) => boolean {
  const names = new Set(paths);
  const patterns = paths.filter((path) => isPattern(path) || (mayBePattern(path) && index.get(path) === undefined));
  const matchers = patterns.map((pattern) => pathMatcher(pattern, effort));
  return (path) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
      if (names.has(path.slice(0, end))) return true;
    return effort.left > 0 && matchers.some((matches) => matches(path));
  };
}
