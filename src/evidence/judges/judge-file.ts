import type { FileChange, Statement, LineRange } from "../claim.ts";
import { claimedPath } from "../claimed-path.ts";
import { isEverything, isPattern, mayBePattern, patternOf } from "../path-pattern.ts";
import type { ObservedChange, ObservedFile, ObservedHunk } from "../observations.ts";
import { counted, quote, linesInWords } from "../wording.ts";
import {
  type JudgeContext,
  type ClaimFinding,
  NOT_OBSERVED,
  PRESENCE,
  TOO_MUCH,
  confirmed,
  diffProcedure,
  refuted,
  unverifiable,
  type Tally,
} from "./judge-context.ts";

type FileStatement = Extract<Statement, { of: "file" }>;

/** A file was created, modified, deleted, or changed in any of these ways. */
export function judgeFile(about: FileStatement, context: JudgeContext): ClaimFinding {
  const claimed = claimedPath(about.path);
  if (!claimed.isSafe) return refuted(NOT_OBSERVED, `This path is not looked at: ${claimed.why}.`);
  const { path } = claimed;
  const file = context.observations.files.get(path);
  if (file === undefined) return unverifiable(PRESENCE, "It was not looked at.");
  if (!context.observations.isRepository || context.observations.base === null)
    return judgeByPresence(about, file, context);
  const seen = context.index.get(path);
  if (seen !== undefined) return judgeChange(about, path, seen, context);
  const isFolder = file.is === "folder" || Object.values(context.index.tallyBelow(path)).some((count) => count > 0);
  if (isFolder) return judgeFolder(about.change, path, file, context);
  if (isPattern(path) || (file.is === "absent" && mayBePattern(path)))
    return judgePattern(about.change, patternOf(claimed), context);
  return claimed.isFolder
    ? judgeFolder(about.change, path, file, context)
    : judgeUnchanged(about.change, file, context);
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
  const former = seen.change === "deleted" ? context.index.formerNames().get(path) : undefined;
  const fact = former === undefined ? IN_WORDS[seen.change] : `It was renamed to ${quote(former)}.`;
  const isTrue =
    TRUE_NAMES[seen.change].includes(about.change) || (former !== undefined && about.change === "modified");
  if (!isTrue) return refuted(procedure, fact);
  if (about.lines === null || seen.change === "deleted") return confirmed(procedure, fact);
  const isNew = seen.change === "created" || (seen.change === "renamed" && about.change === "created");
  return isNew ? judgeNewLines(about.lines, path, context) : judgeLines(about.lines, path, seen, context);
}

const IN_WORDS: Readonly<Record<ObservedChange["change"], string>> = {
  created: "It is new.",
  modified: "It was there before and is modified.",
  deleted: "It was there before and is gone.",
  renamed: "It is a file that had another name before.",
};

/** Changes after which the file exists. */
const ADDS: readonly FileChange[] = ["created", "modified"];

function judgeUnchanged(change: FileChange, { is, isIgnored }: ObservedFile, context: JudgeContext): ClaimFinding {
  const procedure = diffProcedure(context);
  switch (is) {
    case "absent":
      if (isIgnored && !ADDS.includes(change))
        return unverifiable(procedure, "It is not there, and git would not have seen it go.");
      return refuted(procedure, "There is no such file, and there was none before.");
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
  if (hasLines(now, lines) && hunks.some((hunk) => touches(hunk, lines))) return confirmed(procedure, CHANGED);
  const isBefore = hunks.some((hunk) => hunk.before !== undefined && touches(hunk.before, lines));
  if (isBefore && hasLines(before, lines))
    return confirmed(procedure, `${CHANGED} Their numbers are those of the old text.`);
  if (hunks.length > 0) return refuted(procedure, `The file changed elsewhere: ${hunksInWords(hunks)}.`);
  if (change === "renamed") return unverifiable(procedure, "The file was renamed and not a line of it changed.");
  return refuted(procedure, "The file changed, but not a line of its text.");
}

const CHANGED = "These lines changed.";

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

function touches({ first, count }: Pick<ObservedHunk, "first" | "count">, lines: LineRange): boolean {
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
}

/** A file has these lines, now or, where that may be meant, before. */
export function judgePlace(place: Place, context: JudgeContext): ClaimFinding {
  const claimed = claimedPath(place.path);
  if (!claimed.isSafe) return refuted(NOT_OBSERVED, `This path is not looked at: ${claimed.why}.`);
  const { path } = claimed;
  const file = context.observations.files.get(path);
  if (file === undefined) return unverifiable(PRESENCE, "It was not looked at.");
  const hasChanged = context.index.get(path) !== undefined;
  switch (file.is) {
    case "absent":
      return judgeAbsent(place, hasChanged, context);
    case "outside":
      return refuted(PRESENCE, "The path leads out of the workspace.");
    case "file":
      return judgeRange(place, file.lines, hasChanged || context.observations.base === null);
    case "folder":
    case "link":
    case "other":
      return judgeOther(place, file.is);
  }
}

function judgeAbsent({ isPast }: Place, hasChanged: boolean, { observations }: JudgeContext): ClaimFinding {
  if (hasChanged) return unverifiable(PRESENCE, "The file was deleted; its old content is not looked at.");
  if (isPast && observations.base === null) return unverifiable(PRESENCE, "The file is not there now.");
  return refuted(PRESENCE, "There is no such file.");
}

function judgeOther({ lines }: Place, is: ObservedFile["is"]): ClaimFinding {
  if (lines === null) return confirmed(PRESENCE, `The ${is === "other" ? "special file" : is} is there.`);
  if (is === "folder") return refuted(PRESENCE, "It is a folder and has no lines.");
  return unverifiable(PRESENCE, `It is a ${is === "link" ? "link" : "special file"} and is not opened.`);
}

function judgeRange({ lines, isPast }: Place, length: number | null, mayHaveChanged: boolean): ClaimFinding {
  if (lines === null) return confirmed(PRESENCE, "The file is there.");
  if (lines.first < 1 || lines.last < lines.first) return refuted(PRESENCE, "That is no range of lines.");
  if (length === null) return unverifiable(PRESENCE, "The file is there; its lines could not be counted.");
  if (lines.last <= length + EMPTY_END) return confirmed(PRESENCE, `The file has ${counted(length, "line")}.`);
  const evidence = `The file has only ${counted(length, "line")}, not ${linesInWords(lines)}`;
  if (isPast && mayHaveChanged) return unverifiable(PRESENCE, `${evidence}; it may have had more before.`);
  return refuted(PRESENCE, `${evidence}.`);
}
