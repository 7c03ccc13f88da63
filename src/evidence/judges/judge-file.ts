import type { FileChange, Statement, LineRange } from "../claim.ts";
import { claimedPath } from "../claimed-path.ts";
import { namesFile, topFolderOf } from "../claims/knowledge-claims.ts";
import { isEverything, isPattern, mayBePattern, patternOf } from "../path-pattern.ts";
import type { ObservedChange, ObservedFile, ObservedHunk } from "../observations.ts";
import { counted, quote, linesInWords } from "../wording.ts";
import {
  type JudgeContext,
  type ClaimFinding,
  PRESENCE,
  TOO_MUCH,
  confirmed,
  diffProcedure,
  refuted,
  unread,
  unverifiable,
  type Tally,
} from "./judge-context.ts";

type FileStatement = Extract<Statement, { of: "file" }>;

/** A file was created, modified, deleted, or changed in any of these ways. */
export function judgeFile(about: FileStatement, context: JudgeContext): ClaimFinding {
  const claimed = claimedPath(about.path);
  if (!claimed.isSafe) return unread(claimed);
  const { path } = claimed;
  const file = context.observations.files.get(path);
  if (file === undefined) return unverifiable(PRESENCE, "It was not looked at.");
  const seen = context.index.get(path);
  // Git knows the link itself, wherever it leads.
  if (file.is === "outside" && seen === undefined) return refuted(PRESENCE, "The path leads out of the workspace.");
  if (!context.observations.isRepository || context.observations.base === null)
    return judgeByPresence(about, file, context);
  return seen === undefined
    ? judgeUnseen(about.change, claimed, file, context)
    : judgeChange(about, path, seen, context);
}

/** Git has no change of exactly this name. */
function judgeUnseen(
  change: FileChange,
  claimed: Extract<ReturnType<typeof claimedPath>, { isSafe: true }>,
  file: ObservedFile,
  context: JudgeContext,
): ClaimFinding {
  const { path } = claimed;
  const isFolder = file.is === "folder" || Object.values(context.index.tallyBelow(path)).some((count) => count > 0);
  if (isFolder) return judgeFolder(change, path, file, context);
  if (isPattern(path) || (file.is === "absent" && mayBePattern(path)))
    return judgePattern(change, patternOf(claimed), context);
  return claimed.isFolder ? judgeFolder(change, path, file, context) : judgeUnchanged(change, path, file, context);
}

/** Without git only the presence of a file can be judged. */
function judgeByPresence(
  { change, path }: FileStatement,
  { is }: ObservedFile,
  { observations }: JudgeContext,
): ClaimFinding {
  const isThere = is !== "absent" || mayBePattern(path);
  const why = observations.isRepository ? "there is no earlier state to compare with" : "this is no git repository";
  if (change === "deleted") {
    if (is !== "absent") return refuted(PRESENCE, "It is still there.");
    return unverifiable(PRESENCE, `It is not there; whether it ever was cannot be seen, because ${why}.`);
  }
  if (isThere || change === "changed")
    return unverifiable(PRESENCE, `What was done to it cannot be seen, because ${why}.`);
  return refuted(PRESENCE, "There is no such file.");
}

/** The claims that are true of each observed change. Calling a new file modified is true too. */
const TRUE_NAMES: Readonly<Record<ObservedChange["change"], readonly FileChange[]>> = {
  created: ["created", "modified", "changed"],
  modified: ["modified", "changed"],
  deleted: ["deleted", "changed"],
  renamed: ["created", "modified", "changed"],
};

function judgeChange(about: FileStatement, path: string, seen: ObservedChange, context: JudgeContext): ClaimFinding {
  const procedure = diffProcedure(context);
  const later = seen.change === "deleted" ? context.index.formerNames().get(path) : undefined;
  const fact = changeInWords(seen, later);
  const isTrue = TRUE_NAMES[seen.change].includes(about.change) || (later !== undefined && about.change === "modified");
  if (!isTrue) return refuted(procedure, fact);
  if (about.lines === null || seen.change === "deleted") return confirmed(procedure, fact);
  const isNew = seen.change === "created" || (seen.change === "renamed" && about.change === "created");
  return isNew ? judgeNewLines(about.lines, path, context) : judgeLines(about.lines, path, seen, context);
}

/** `later` is the new name of a file that was renamed. */
function changeInWords({ change, from }: ObservedChange, later: string | undefined): string {
  switch (change) {
    case "created":
      return "It is new.";
    case "modified":
      return "It was there before and is modified.";
    case "deleted":
      return later === undefined ? "It was there before and is deleted." : `It was renamed to ${quote(later)}.`;
    case "renamed":
      return `It was renamed from ${quote(from ?? "another name")}.`;
  }
}

/** Two spellings of one name look the same to people and are two files to git. */
function spelledOtherwise(path: string): string {
  return `A changed file has this name in another Unicode form: ${quote(path)}. Whether it is meant cannot be told.`;
}

/** Changes after which the file exists. */
const ADDS: readonly FileChange[] = ["created", "modified"];

function judgeUnchanged(
  change: FileChange,
  path: string,
  { is, isIgnored }: ObservedFile,
  context: JudgeContext,
): ClaimFinding {
  const procedure = diffProcedure(context);
  switch (is) {
    case "absent":
      return judgeMissing(change, path, isIgnored, context);
    case "outside":
      return refuted(PRESENCE, "The path leads out of the workspace.");
    case "link":
      if (change === "deleted") return refuted(PRESENCE, "It is still there.");
      return unverifiable(procedure, "It is a link that did not change; what it leads to has another name.");
    case "file":
    case "folder":
    case "other":
      if (change === "deleted") return refuted(PRESENCE, "It is still there.");
      if (isIgnored) return unverifiable(procedure, "It is there, but git does not see its changes.");
      return refuted(procedure, "It is the same as before.");
  }
}

function judgeMissing(change: FileChange, path: string, isIgnored: boolean, context: JudgeContext): ClaimFinding {
  const procedure = diffProcedure(context);
  const alike = context.index.spelledLike(path);
  if (alike !== undefined) return unverifiable(procedure, spelledOtherwise(alike));
  if (isIgnored && !ADDS.includes(change))
    return unverifiable(procedure, "It is not there, and git would not have seen it go.");
  return refuted(procedure, "There is no such file, and there was none before.");
}

function judgeFolder(change: FileChange, folder: string, file: ObservedFile, context: JudgeContext): ClaimFinding {
  const below = context.index.tallyBelow(folder);
  return judgeSeveral(change, below, context, "below it") ?? judgeUnchangedFolder(change, file, context);
}

function judgeUnchangedFolder(
  change: FileChange,
  { is, isIgnored }: ObservedFile,
  context: JudgeContext,
): ClaimFinding {
  const procedure = diffProcedure(context);
  if (is === "outside") return refuted(PRESENCE, "The path leads out of the workspace.");
  if (change === "deleted" && is !== "absent") return refuted(PRESENCE, "It is still there.");
  if (isIgnored && !(is === "absent" && ADDS.includes(change)))
    return unverifiable(procedure, "Git does not see its changes.");
  if (is === "absent") return refuted(procedure, "There is no such folder, and nothing below it was changed.");
  return refuted(procedure, "Nothing below it was changed.");
}

function judgePattern(change: FileChange, pattern: string, context: JudgeContext): ClaimFinding {
  const procedure = diffProcedure(context);
  const matching = context.index.tallyMatching(pattern, context.effort);
  if (context.effort.left <= 0) return unverifiable(procedure, TOO_MUCH);
  const found = judgeSeveral(change, matching, context, "that match");
  if (found === null) return refuted(procedure, `No file was ${change} that matches it.`);
  return isEverything(pattern) ? unverifiable(procedure, "The pattern matches everything, so it says nothing.") : found;
}

/** Null when there is no such change at all. */
function judgeSeveral(change: FileChange, tally: Tally, context: JudgeContext, which: string): ClaimFinding | null {
  const kinds = Object.keys(TRUE_NAMES) as ObservedChange["change"][];
  const count = kinds.reduce((sum, kind) => sum + (TRUE_NAMES[kind].includes(change) ? tally[kind] : 0), 0);
  if (count === 0) return null;
  return confirmed(
    diffProcedure(context),
    `${counted(count, "file")} ${which} ${count === 1 ? "was" : "were"} ${change}.`,
  );
}

/** A diff among equal lines may begin a little above or below the edit; many count the empty end of a file as a line. */
const NEARBY = 3;
const EMPTY_END = 1;

/** Every line of a new file is new. */
function judgeNewLines(lines: LineRange, path: string, context: JudgeContext): ClaimFinding {
  const procedure = diffProcedure(context);
  const length = lengthOf(path, context);
  const objection = objectionTo(lines, length);
  if (objection !== null) return refuted(procedure, objection);
  if (length === null) return unverifiable(procedure, "The file is new; its lines could not be counted.");
  return confirmed(procedure, `The file is new and has ${counted(length, "line")}.`);
}

/**
 * Whether these lines of a changed file changed, in the line numbers of now or of before: an edit further up moves the
 * lines below it, so numbers that were noted earlier are right too.
 */
function judgeLines(
  lines: LineRange,
  path: string,
  { change, hunks }: ObservedChange,
  context: JudgeContext,
): ClaimFinding {
  const procedure = diffProcedure(context);
  const now = lengthOf(path, context);
  const before = hunks === null ? now : lengthBefore(now, hunks);
  const objection = objectionTo(lines, now === null || before === null ? null : Math.max(now, before));
  if (objection !== null) return refuted(procedure, objection);
  if (hunks === null) return unverifiable(procedure, "The file changed; which lines could not be seen.");
  if (hasLines(now, lines) && hunks.some((hunk) => touches(hunk, lines)))
    return confirmed(procedure, shareInWords(lines, hunks));
  const earlier = hunks.flatMap((hunk) => hunk.before ?? []);
  if (hasLines(before, lines) && earlier.some((hunk) => touches(hunk, lines)))
    return confirmed(procedure, `${shareInWords(lines, earlier)} Their numbers are those of the old text.`);
  if (hunks.length > 0) return refuted(procedure, `The file changed elsewhere: ${hunksInWords(hunks)}.`);
  if (change === "renamed") return unverifiable(procedure, "The file was renamed and not a line of it changed.");
  return refuted(procedure, "The file changed, but not a line of its text.");
}

type Span = Pick<ObservedHunk, "first" | "count">;

/** How many of the claimed lines changed: a range of a whole file may hold a single edit. */
function shareInWords({ first, last }: LineRange, hunks: readonly Span[]): string {
  const changed = hunks.reduce((sum, hunk) => {
    const end = Math.min(hunk.first + hunk.count - 1, last);
    return sum + Math.max(0, end - Math.max(hunk.first, first) + 1);
  }, 0);
  const all = last - first + 1;
  if (changed === all) return all === 1 ? "This line changed." : `All ${all} lines changed.`;
  if (changed > 0) return `${changed} of ${all} lines changed.`;
  const isRemoval = hunks.some((hunk) => hunk.count === 0 && hunk.first >= first - 1 && hunk.first <= last);
  return isRemoval
    ? `0 of ${counted(all, "line")} changed; lines were removed there.`
    : `0 of ${counted(all, "line")} changed; the change is right beside.`;
}

function lengthBefore(now: number | null, hunks: readonly ObservedHunk[]): number | null {
  return now === null
    ? null
    : hunks.reduce((length, { count, before }) => length - count + (before?.count ?? count), now);
}

function hasLines(length: number | null, { last }: LineRange): boolean {
  return length === null || last <= length + EMPTY_END;
}

function lengthOf(path: string, { observations }: JudgeContext): number | null {
  return observations.files.get(path)?.lines ?? null;
}

function objectionTo({ first, last }: LineRange, length: number | null): string | null {
  if (first < 1 || last < first) return "That is no range of lines.";
  return length !== null && last > length + EMPTY_END
    ? `The file changed, but it has only ${counted(length, "line")}.`
    : null;
}

function touches({ first, count }: Span, lines: LineRange): boolean {
  const last = count === 0 ? first + 1 : first + count - 1;
  return first <= lines.last + NEARBY && last >= lines.first - NEARBY;
}

function hunksInWords(hunks: readonly ObservedHunk[]): string {
  const shown = hunks
    .slice(0, 5)
    .map(({ first, count }) => (count <= 1 ? `line ${first}` : `lines ${first}-${first + count - 1}`));
  return hunks.length > 5 ? `${shown.join(", ")} and ${hunks.length - 5} more places` : shown.join(", ");
}

interface Place {
  readonly path: string;
  readonly lines: LineRange | null;
  /** The place may have existed only before the work. */
  readonly isPast: boolean;
  /** The text may be the name of something else. */
  readonly isNamed?: true;
}

/** A file has these lines, now or, where that may be meant, before. */
export function judgePlace(place: Place, context: JudgeContext): ClaimFinding {
  const claimed = claimedPath(place.path);
  if (!claimed.isSafe) return unread(place.isNamed ? { ...claimed, mayBeName: true } : claimed);
  const { path } = claimed;
  const file = context.observations.files.get(path);
  if (file === undefined) return unverifiable(PRESENCE, "It was not looked at.");
  switch (file.is) {
    case "absent":
      return judgeAbsent(place, path, context);
    case "outside":
      return refuted(PRESENCE, "The path leads out of the workspace.");
    case "file":
      return judgeRange(place, file.lines, longestBefore(path, file.lines, context));
    case "folder":
    case "link":
    case "other":
      return judgeOther(place, file.is);
  }
}

function mayBeElsewhere(place: Place, path: string, { observations }: JudgeContext): boolean {
  if (!place.isNamed) return false;
  if (!namesFile(place)) return true;
  const top = topFolderOf(path);
  return top !== path && observations.files.get(top)?.is !== "folder";
}

function judgeAbsent(place: Place, path: string, context: JudgeContext): ClaimFinding {
  if (context.index.get(path) !== undefined)
    return unverifiable(PRESENCE, "The file was deleted; its old content is not looked at.");
  if (mayBeElsewhere(place, path, context))
    return unverifiable(PRESENCE, "There is no such file in the project; it may be the name of something else.");
  if (place.isPast && context.observations.base === null) return unverifiable(PRESENCE, "The file is not there now.");
  return refuted(PRESENCE, "There is no such file.");
}

function judgeOther({ lines }: Place, is: ObservedFile["is"]): ClaimFinding {
  if (lines === null) return confirmed(PRESENCE, `The ${is === "other" ? "special file" : is} is there.`);
  if (is === "folder") return refuted(PRESENCE, "It is a folder and has no lines.");
  return unverifiable(PRESENCE, `It is a ${is === "link" ? "link" : "special file"} and is not opened.`);
}

/**
 * The most lines that the file can sensibly have had before or during the work: twice as many as all old and all new
 * lines together, and some more. Null when nothing is known of it.
 */
function longestBefore(path: string, now: number | null, { index, observations }: JudgeContext): number | null {
  if (observations.base === null || now === null) return null;
  const seen = index.get(path);
  if (seen === undefined) return now;
  const removed = seen.hunks?.reduce((sum, { count, before }) => sum + (before?.count ?? count), 0);
  return removed === undefined ? null : 2 * (now + removed) + MORE_LINES;
}

const MORE_LINES = 100;

function judgeRange({ lines, isPast }: Place, length: number | null, longest: number | null): ClaimFinding {
  if (lines === null) return confirmed(PRESENCE, "The file is there.");
  if (lines.first < 1 || lines.last < lines.first) return refuted(PRESENCE, "That is no range of lines.");
  if (length === null) return unverifiable(PRESENCE, "The file is there; its lines could not be counted.");
  if (lines.last <= length + EMPTY_END) return confirmed(PRESENCE, `The file has ${counted(length, "line")}.`);
  const evidence = `The file has only ${counted(length, "line")}, not ${linesInWords(lines)}`;
  if (isPast && (longest === null || lines.last <= longest))
    return unverifiable(PRESENCE, `${evidence}; it may have had more before.`);
  return refuted(PRESENCE, `${evidence}.`);
}
