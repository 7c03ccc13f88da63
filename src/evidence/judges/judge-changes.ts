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
  unread,
  unverifiable,
  TOO_MUCH,
  type Tally,
} from "./judge-context.ts";
import type { Statement } from "../claim.ts";
import type { ObservedChange, ObservedFile } from "../observations.ts";

const PATTERN = "match the pattern with the files of the workspace";

/** An output was made: a file, a folder, or files that match a pattern. An unchanged file may be someone else's work. */
export function judgeArtifact(pattern: string, context: JudgeContext): ClaimFinding {
  const claimed = claimedPath(pattern);
  if (!claimed.isSafe) return unread(claimed);
  const { path } = claimed;
  if (path === ".") return unverifiable(NOT_OBSERVED, "It is the whole workspace, so it says nothing.");
  const file = context.observations.files.get(path);
  if (file === undefined) return unverifiable(PRESENCE, "It was not looked at.");
  if (file.is === "absent")
    return mayBePattern(path) ? judgeMatches(patternOf(claimed), context) : refuted(PRESENCE, "There is no such file.");
  if (file.is === "outside") return refuted(PRESENCE, "The path leads out of the workspace.");
  if (claimed.isFolder && file.is !== "folder") return refuted(PRESENCE, "It is no folder.");
  return judgePresent(path, file, context);
}

function judgePresent(path: string, { isIgnored, few }: ObservedFile, context: JudgeContext): ClaimFinding {
  const { index, observations } = context;
  if (observations.base === null) return unverifiable(PRESENCE, "It is there; whether it was made now cannot be seen.");
  const isChanged = index.get(path) !== undefined || Object.values(index.tallyBelow(path)).some((count) => count > 0);
  if (isChanged) return confirmed(diffProcedure(context), "It is there, and new or changed.");
  if (isIgnored) return unverifiable(PRESENCE, "It is there, but git does not see its changes.");
  const isOwn = few?.every((name) => context.ownFiles.includes(name)) === true;
  if (isOwn && few.length > 0) return refuted(PRESENCE, "Nothing is in it but the handoff itself.");
  return unverifiable(diffProcedure(context), "It is there, but it was the same before.");
}

function judgeMatches(pattern: string, { observations, ownFiles, index, effort }: JudgeContext): ClaimFinding {
  const seen = observations.matches.get(pattern);
  if (seen === undefined) return unverifiable(PATTERN, "Files that match it were not looked for.");
  if (seen.count === 0) return refuted(PATTERN, "No file matches it.");
  if (seen.isEverything || isEverything(pattern))
    return unverifiable(PATTERN, "The pattern matches everything, so it says nothing.");
  // Files of the handoff itself may match, and are no output.
  const own = ownFiles.filter((path) => index.get(path) !== undefined).filter(pathMatcher(pattern, effort)).length;
  if (effort.left <= 0) return unverifiable(PATTERN, TOO_MUCH);
  const changed = Math.max(0, seen.changed - own);
  const evidence = `It matches ${counted(seen.count, "file")}, of which ${changed} changed.`;
  return changed > 0 ? confirmed(PATTERN, evidence) : unverifiable(PATTERN, evidence);
}

interface AllChanges {
  readonly change: "created" | "existing" | "any";
  readonly declared: readonly string[];
  readonly folders?: readonly string[];
  /** Those that are said to be new. */
  readonly created?: readonly string[];
  /** Commits whose files count as declared. */
  readonly shas?: readonly string[];
}

/** No file changed that is not declared, by its name, its folder or a pattern. Files that git ignores are not seen. */
export function judgeAllChanges(about: AllChanges, context: JudgeContext): ClaimFinding {
  const procedure = diffProcedure(context);
  const found = undeclared(about, context);
  if (typeof found === "string") return unverifiable(procedure, found);
  const { others, odd, locks, former } = found;
  const what = about.change === "created" ? "created" : "changed";
  if (others.length > 0)
    return refuted(
      procedure,
      `${counted(others.length, "file")} ${what} and not listed: ${listed(others, MAX_NAMES)}.`,
    );
  if (former.length > 0)
    return unnamed(procedure, `A file that is listed as created was renamed: ${listed(former, MAX_NAMES)}.`);
  if (odd.length > 0)
    return unnamed(procedure, `A handoff cannot name with certainty what else ${what}: ${listed(odd, MAX_NAMES)}.`);
  if (locks.length > 0)
    return unnamed(procedure, `Only files that package managers write are not listed: ${listed(locks, MAX_NAMES)}.`);
  return confirmed(procedure, "Every changed file that git sees is listed.");
}

const MAX_NAMES = 30;

function unnamed(procedure: string, evidence: string): ClaimFinding {
  return { ...unverifiable(procedure, evidence), isUnnamed: true };
}

/** The format has no list for these changes, so their absence from it is no untruth; but they are told. */
export function judgeUnlisted(about: AllChanges, context: JudgeContext): ClaimFinding {
  const procedure = diffProcedure(context);
  const found = undeclared(about, context);
  if (typeof found === "string") return unverifiable(procedure, found);
  const all = [...found.others, ...found.odd, ...found.locks];
  if (all.length === 0) return confirmed(procedure, "No file changed that the handoff does not name.");
  return unnamed(procedure, `${counted(all.length, "file")} changed and not named: ${listed(all, MAX_NAMES)}.`);
}

/** What the listed commits of this work have changed: who lists a commit has named its files. */
function filesOfCommits(shas: readonly string[], { observations }: JudgeContext): string[] {
  const told = new Set(shas.flatMap((sha) => observations.commits.get(sha)?.sha ?? []));
  const commits = observations.history?.commits ?? [];
  return commits.flatMap(({ sha, files }) => (told.has(sha) ? (files ?? []) : []));
}

/** Without a run it is not known whose changes they are. */
export function judgeLeftAlone(about: AllChanges, context: JudgeContext): ClaimFinding {
  const found = judgeUnlisted(about, context);
  const isKnown = found.verdict === "unverifiable" && context.step !== null && context.effort.left > 0;
  return isKnown && context.observations.base !== null ? refuted(found.procedure, found.evidence) : found;
}

/** A claimed feature folder counts only if the handoff itself is in it. */
function featureFolders(folders: readonly string[], { ownFiles }: JudgeContext): string[] {
  return folders.filter((folder) => {
    const claimed = claimedPath(folder);
    return claimed.isSafe && ownFiles.some((path) => path.startsWith(`${claimed.path}/`));
  });
}

interface Undeclared {
  readonly others: readonly string[];
  /** Names that cannot be declared, or are declared in another Unicode form. */
  readonly odd: readonly string[];
  /** Files that package managers write, and whose manifest is not declared either. */
  readonly locks: readonly string[];
  /** Old names of files that are said to be new and were renamed. */
  readonly former: readonly string[];
}

/** Changed files that are not declared, in order, with what became of them; or why that is not known. */
function undeclared(about: AllChanges, context: JudgeContext): Undeclared | string {
  const { isRepository, base } = context.observations;
  if (!isRepository || base === null) return "There is no earlier state to compare with.";
  const groupOf = grouping(about, context);
  const groups = { others: [] as string[], odd: [] as string[], locks: [] as string[], former: [] as string[] };
  for (const [path, seen] of changesOf(about.change, context)) {
    const group = groupOf(path);
    if (group !== null) groups[group].push(`${path}${fateInWords(seen, context.index.formerNames().get(path))}`);
  }
  if (context.effort.left <= 0) return TOO_MUCH;
  for (const group of Object.values(groups)) group.sort();
  return groups;
}

/** Null for what is declared. The old name of a renamed file is told with the new one, and declared with it. */
function grouping(about: AllChanges, context: JudgeContext): (path: string) => keyof Undeclared | null {
  const { declared, folders = [], created = [], shas = [] } = about;
  const patterns = safePatterns([...declared, ...featureFolders(folders, context)]);
  const isListed = declaration([...patterns, ...context.ownFiles], context);
  const committed = new Set(filesOfCommits(shas, context));
  const isDeclared = (path: string): boolean => committed.has(path) || isListed(path);
  const isOdd = oddNames(declared);
  const hasManifest = declaredManifests(isDeclared, context);
  const isNew = new Set(safePatterns(created));
  return (path) => {
    if (isDeclared(path)) return null;
    const later = context.index.formerNames().get(path);
    if (later !== undefined) return isNew.has(later) ? "former" : null;
    if (isOdd(path)) return "odd";
    if (LOCK.test(path)) return hasManifest(path) ? null : "locks";
    return "others";
  };
}

function changesOf(wanted: AllChanges["change"], { index }: JudgeContext): [string, ObservedChange][] {
  return [...index.entries()].filter(
    ([, { change }]) => wanted === "any" || (change === "created") === (wanted === "created"),
  );
}

/** Without what is not looked at, and without a pattern that matches everything, which declares nothing. */
function safePatterns(paths: readonly string[]): string[] {
  return paths
    .map(claimedPath)
    .flatMap((claimed) => (claimed.isSafe ? [patternOf(claimed)] : []))
    .filter((path) => !isEverything(path));
}

/** Names that are not looked at, that are no text, or that are declared in another Unicode form. */
function oddNames(declared: readonly string[]): (path: string) => boolean {
  const spelled = new Set(declared.map((path) => path.normalize("NFC")));
  return (path) => !claimedPath(path).isSafe || path.includes("\ufffd") || spelled.has(path.normalize("NFC"));
}

/** `later` is the new name of a file that was renamed. */
function fateInWords({ change, from }: ObservedChange, later: string | undefined): string {
  if (change === "deleted") return later === undefined ? " (deleted)" : ` (now ${later})`;
  return change === "renamed" ? ` (renamed from ${from ?? "another name"})` : "";
}

const LOCK =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|deno\.lock|Cargo\.lock|go\.sum|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|Gemfile\.lock|composer\.lock|mix\.lock|pubspec\.lock|Package\.resolved|packages\.lock\.json|gradle\.lockfile|flake\.lock)$/;

/** Tells whether a package manager has written a file because a manifest beside or below it changed, which is declared. */
function declaredManifests(isDeclared: (path: string) => boolean, { index }: JudgeContext): (lock: string) => boolean {
  let folders: Set<string> | null = null;
  return (lock) => {
    folders ??= new Set(
      [...index.entries()].flatMap(([path]) => (MANIFEST.test(path) && isDeclared(path) ? foldersAbove(path) : [])),
    );
    return folders.has(lock.slice(0, lock.lastIndexOf("/") + 1));
  };
}

/** Each with a slash at its end; the root is empty. */
function foldersAbove(path: string): string[] {
  return ["", ...[...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1))];
}

const MANIFEST =
  /(?:^|\/)(?:package\.json|deno\.jsonc?|pnpm-workspace\.yaml|Cargo\.toml|go\.mod|pyproject\.toml|Pipfile|Gemfile|[^/]+\.gemspec|composer\.json|mix\.exs|pubspec\.yaml|Package\.swift|[^/]+\.[cf]sproj|Directory\.Packages\.props|build\.gradle(?:\.kts)?|libs\.versions\.toml|flake\.nix)$/;

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
