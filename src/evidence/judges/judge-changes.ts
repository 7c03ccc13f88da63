import { claimedPath } from "../claimed-path.ts";
import { isEverything, mayBePattern, patternOf, isPattern, pathMatcher } from "../path-pattern.ts";
import { counted, listed } from "../wording.ts";
import {
  type JudgeContext,
  type ClaimFinding,
  NOT_OBSERVED,
  PRESENCE,
  confirmed,
  diffProcedure,
  refuted,
  unverifiable,
  TOO_MUCH,
  type Tally,
} from "./judge-context.ts";
import type { Statement } from "../claim.ts";
import type { ObservedChange } from "../observations.ts";

const PATTERN = "match the pattern with the files of the workspace";

/** An output was made: a file, a folder, or files that match a pattern. An unchanged file may be someone else's work. */
export function judgeArtifact(pattern: string, context: JudgeContext): ClaimFinding {
  const claimed = claimedPath(pattern);
  if (!claimed.isSafe) return refuted(NOT_OBSERVED, `This path is not looked at: ${claimed.why}.`);
  const { path } = claimed;
  if (path === ".") return unverifiable(NOT_OBSERVED, "It is the whole workspace, so it says nothing.");
  const file = context.observations.files.get(path);
  if (file === undefined) return unverifiable(PRESENCE, "It was not looked at.");
  if (file.is === "absent")
    return mayBePattern(path) ? judgeMatches(patternOf(claimed), context) : refuted(PRESENCE, "There is no such file.");
  if (file.is === "outside") return refuted(PRESENCE, "The path leads out of the workspace.");
  if (claimed.isFolder && file.is !== "folder") return refuted(PRESENCE, "It is no folder.");
  return judgePresent(path, file.isIgnored, context);
}

function judgePresent(path: string, isIgnored: boolean, context: JudgeContext): ClaimFinding {
  const { index, observations } = context;
  if (observations.base === null) return unverifiable(PRESENCE, "It is there; whether it was made now cannot be seen.");
  const isChanged = index.get(path) !== undefined || Object.values(index.tallyBelow(path)).some((count) => count > 0);
  if (isChanged) return confirmed(diffProcedure(context), "It is there, and new or changed.");
  if (isIgnored) return unverifiable(PRESENCE, "It is there, but git does not see its changes.");
  return unverifiable(diffProcedure(context), "It is there, but it was the same before.");
}

function judgeMatches(pattern: string, { observations }: JudgeContext): ClaimFinding {
  const seen = observations.matches.get(pattern);
  if (seen === undefined) return unverifiable(PATTERN, "Files that match it were not looked for.");
  if (seen.count === 0) return refuted(PATTERN, "No file matches it.");
  if (seen.isEverything || isEverything(pattern))
    return unverifiable(PATTERN, "The pattern matches everything, so it says nothing.");
  const evidence = `It matches ${counted(seen.count, "file")}, of which ${seen.changed} changed.`;
  return seen.changed > 0 ? confirmed(PATTERN, evidence) : unverifiable(PATTERN, evidence);
}

interface AllChanges {
  readonly change: "created" | "any";
  readonly declared: readonly string[];
  readonly folders?: readonly string[];
}

/** No file changed that is not declared, by its name, its folder or a pattern. Files that git ignores are not seen. */
export function judgeAllChanges({ change, declared, folders = [] }: AllChanges, context: JudgeContext): ClaimFinding {
  const procedure = diffProcedure(context);
  if (!context.observations.isRepository || context.observations.base === null)
    return unverifiable(procedure, "There is no earlier state to compare with.");
  const safe = [...declared, ...featureFolders(folders, context)]
    .map(claimedPath)
    .flatMap((claimed) => (claimed.isSafe ? [patternOf(claimed)] : []));
  // A pattern that matches everything declares nothing.
  const others = undeclared(
    change,
    safe.filter((path) => !isEverything(path)),
    context,
  );
  if (context.effort.left <= 0) return unverifiable(procedure, TOO_MUCH);
  if (others.length === 0) return confirmed(procedure, "Every changed file that git sees is listed.");
  const what = change === "created" ? "created" : "changed";
  return refuted(procedure, `${counted(others.length, "file")} ${what} and not listed: ${listed(others.sort())}.`);
}

/** A claimed feature folder counts only if the handoff itself is in it. */
function featureFolders(folders: readonly string[], { ownFiles }: JudgeContext): string[] {
  return folders.filter((folder) => {
    const claimed = claimedPath(folder);
    return claimed.isSafe && ownFiles.some((path) => path.startsWith(`${claimed.path}/`));
  });
}

/** The old name of a renamed file is declared with its new one. */
function undeclared(change: AllChanges["change"], declared: readonly string[], context: JudgeContext): string[] {
  const isDeclared = declaration([...declared, ...context.ownFiles], context);
  const former = context.index.formerNames();
  const others: string[] = [];
  for (const [path, seen] of context.index.entries()) {
    if (change === "created" && seen.change !== "created") continue;
    if (!isDeclared(path) && !isDeclared(former.get(path) ?? path)) others.push(path);
  }
  return others;
}

function declaration(paths: readonly string[], { effort, index }: JudgeContext): (path: string) => boolean {
  const names = new Set(paths);
  const patterns = paths.filter((path) => isPattern(path) || (mayBePattern(path) && index.get(path) === undefined));
  const matchers = patterns.map((pattern) => pathMatcher(pattern, effort));
  return (path) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1))
      if (names.has(path.slice(0, end))) return true;
    return effort.left > 0 && matchers.some((matches) => matches(path));
  };
}

/** Compares a number with the length of its list. */
export function judgeCount({ stated, listed: found, isWhole }: Extract<Statement, { of: "count" }>): ClaimFinding {
  const procedure = "count what the handoff lists";
  if (stated === found) return confirmed(procedure, `It lists ${found}.`);
  if (!isWhole && stated > found)
    return unverifiable(procedure, `It accounts for ${found}; the others may be skipped.`);
  return refuted(procedure, `It lists ${found}, not ${stated}.`);
}

/** A renamed file may be counted as one file or as two. */
export function judgeFilesChanged(count: number, context: JudgeContext): ClaimFinding {
  return judgeNumber(count, context, ({ created, modified, deleted, renamed }) => {
    const all = created + modified + deleted + renamed;
    return { least: all - renamed, max: all };
  });
}

export function judgeFilesCounted(
  { change, count }: Extract<Statement, { of: "files-counted" }>,
  context: JudgeContext,
): ClaimFinding {
  return judgeNumber(count, context, (counts) => {
    if (change === "deleted") return { least: counts.deleted - counts.renamed, max: counts.deleted };
    return { least: counts[change], max: counts[change] + counts.renamed };
  });
}

interface Bounds {
  readonly least: number;
  readonly max: number;
}

/** True if the number fits all changes or only the committed ones: some agents count before they go on. */
function judgeNumber(count: number, context: JudgeContext, bound: (counts: Tally) => Bounds): ClaimFinding {
  const procedure = diffProcedure(context);
  const { base, committed } = context.observations;
  if (base === null) return unverifiable(procedure, "There is no earlier state to compare with.");
  const all = bound(countChanges(context.index.entries(), context));
  const settled = committed === undefined ? all : bound(countChanges(committed.entries(), context));
  const isSame = settled.least === all.least && settled.max === all.max;
  const also = isSame ? "" : `; ${inWords(settled)} committed`;
  const evidence = `There ${all.max === 1 ? "is" : "are"} ${inWords(all)}${also}.`;
  const isTrue = [all, settled].some(({ least, max }) => count >= least && count <= max);
  return isTrue ? confirmed(procedure, evidence) : refuted(procedure, evidence);
}

function inWords({ least, max }: Bounds): string {
  return `${least === max ? "" : `${least} or, with names before and after, `}${counted(max, "file")}`;
}

/** Leaves out the files of the handoff itself. The former name of a renamed file counts as deleted. */
function countChanges(changes: Iterable<[string, ObservedChange]>, { ownFiles }: JudgeContext): Tally {
  const counts = { created: 0, modified: 0, deleted: 0, renamed: 0 };
  const own = new Set(ownFiles);
  for (const [path, { change }] of changes) if (!own.has(path)) counts[change]++;
  return counts;
}
