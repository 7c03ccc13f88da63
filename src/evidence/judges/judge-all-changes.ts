import { claimedPath } from "../claimed-path.ts";
import { type Effort, isEverything, isPattern, pathMatcher } from "../path-pattern.ts";
import { counted, listed } from "../wording.ts";
import { type Court, type Finding, TOO_MUCH, confirmed, diffProcedure, refuted, unverifiable } from "./finding.ts";

interface AllChanges {
  readonly change: "created" | "any";
  readonly declared: readonly string[];
}

/** No file changed that is not declared, by its name, its folder or a pattern. Files that git ignores are not seen. */
export function judgeAllChanges({ change, declared }: AllChanges, court: Court): Finding {
  const procedure = diffProcedure(court);
  if (!court.sightings.isRepository || court.sightings.base === null)
    return unverifiable(procedure, "There is no earlier state to compare with.");
  const safe = declared.map(claimedPath).flatMap((claimed) => (claimed.isSafe ? [claimed.path] : []));
  if (safe.some(isEverything)) return unverifiable(procedure, "The list names everything, so it leaves nothing out.");
  const others = undeclared(change, safe, court);
  if (court.effort.left <= 0) return unverifiable(procedure, TOO_MUCH);
  if (others.length === 0) return confirmed(procedure, "Every changed file that git sees is listed.");
  const what = change === "created" ? "created" : "changed";
  return refuted(procedure, `${counted(others.length, "file")} ${what} and not listed: ${listed(others.sort())}.`);
}

/** The old name of a renamed file goes with its new one. */
function undeclared(change: AllChanges["change"], declared: readonly string[], court: Court): string[] {
  const isDeclared = declaration([...declared, ...court.ownFiles], court.effort);
  const former = court.index.formerNames();
  const others: string[] = [];
  for (const [path, seen] of court.index.entries()) {
    if (change === "created" && seen.change !== "created") continue;
    if (!isDeclared(path) && !isDeclared(former.get(path) ?? path)) others.push(path);
  }
  return others;
}

function declaration(paths: readonly string[], effort: Effort): (path: string) => boolean {
  const names = new Set(paths);
  const matchers = paths.filter(isPattern).map((pattern) => pathMatcher(pattern, effort));
  return (path) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
      if (names.has(path.slice(0, end))) return true;
    return effort.left > 0 && matchers.some((matches) => matches(path));
  };
}
