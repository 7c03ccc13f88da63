import type { FileChange, Statement } from "../claim.ts";
import { claimedPath } from "../claimed-path.ts";
import { isEverything, isPattern, mayBePattern, patternOf } from "../path-pattern.ts";
import type { ChangeSight, FileSight } from "../sightings.ts";
import { counted, quote } from "../wording.ts";
import type { Tally } from "./change-index.ts";
import {
  type Court,
  type Finding,
  ON_SIGHT,
  PRESENCE,
  TOO_MUCH,
  confirmed,
  diffProcedure,
  refuted,
  unverifiable,
} from "./finding.ts";
import { judgeLines, judgeNewLines } from "./judge-lines.ts";

type FileStatement = Extract<Statement, { of: "file" }>;

/** A file was created, modified, deleted, or changed in any of these ways. */
export function judgeFile(about: FileStatement, court: Court): Finding {
  const claimed = claimedPath(about.path);
  if (!claimed.isSafe) return refuted(ON_SIGHT, `Nobody looks at this path: ${claimed.why}.`);
  const { path } = claimed;
  const sight = court.sightings.files.get(path);
  if (sight === undefined) return unverifiable(PRESENCE, "Nobody looked at it.");
  if (!court.sightings.isRepository || court.sightings.base === null) return judgeByPresence(about, sight, court);
  const seen = court.index.get(path);
  if (seen !== undefined) return judgeChange(about, path, seen, court);
  const isFolder = sight.is === "folder" || Object.values(court.index.tallyBelow(path)).some((count) => count > 0);
  if (isFolder) return judgeFolder(about.change, path, sight, court);
  if (isPattern(path) || (sight.is === "absent" && mayBePattern(path)))
    return judgePattern(about.change, patternOf(claimed), court);
  return claimed.isFolder ? judgeFolder(about.change, path, sight, court) : judgeUnchanged(about.change, sight, court);
}

/** Without git, a file that is not there is all that can be seen. */
function judgeByPresence({ change, path }: FileStatement, { is }: FileSight, { sightings }: Court): Finding {
  const isThere = is !== "absent" || mayBePattern(path);
  const why = sightings.isRepository ? "there is no earlier state to compare with" : "git does not rule here";
  if (change === "deleted") {
    if (is !== "absent") return refuted(PRESENCE, "It is still there.");
    return unverifiable(PRESENCE, `It is not there; whether it ever was cannot be seen, because ${why}.`);
  }
  if (isThere || change === "changed")
    return unverifiable(PRESENCE, `What was done to it cannot be seen, because ${why}.`);
  return refuted(PRESENCE, "There is no such file.");
}

/** What each change that was seen may truly be called. A new file was modified too: its author says less than is so. */
const TRUE_NAMES: Readonly<Record<ChangeSight["change"], readonly FileChange[]>> = {
  created: ["created", "modified", "changed"],
  modified: ["modified", "changed"],
  deleted: ["deleted", "changed"],
  renamed: ["created", "modified", "changed"],
};

function judgeChange(about: FileStatement, path: string, seen: ChangeSight, court: Court): Finding {
  const procedure = diffProcedure(court);
  const former = seen.change === "deleted" ? court.index.formerNames().get(path) : undefined;
  const fact = former === undefined ? IN_WORDS[seen.change] : `It was renamed to ${quote(former)}.`;
  const isTrue =
    TRUE_NAMES[seen.change].includes(about.change) || (former !== undefined && about.change === "modified");
  if (!isTrue) return refuted(procedure, fact);
  if (about.lines === null || seen.change === "deleted") return confirmed(procedure, fact);
  const isNew = seen.change === "created" || (seen.change === "renamed" && about.change === "created");
  return isNew ? judgeNewLines(about.lines, path, court) : judgeLines(about.lines, path, seen, court);
}

const IN_WORDS: Readonly<Record<ChangeSight["change"], string>> = {
  created: "It is new.",
  modified: "It was there before and is modified.",
  deleted: "It was there before and is gone.",
  renamed: "It is a file that had another name before.",
};

/** What was created or modified is there. */
const ADDS: readonly FileChange[] = ["created", "modified"];

function judgeUnchanged(change: FileChange, { is, isIgnored }: FileSight, court: Court): Finding {
  const procedure = diffProcedure(court);
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
    default:
      if (change === "deleted") return refuted(PRESENCE, "It is still there.");
      if (isIgnored) return unverifiable(procedure, "It is there, but git does not see its changes.");
      return refuted(procedure, "It is the same as before.");
  }
}

function judgeFolder(change: FileChange, folder: string, sight: FileSight, court: Court): Finding {
  const below = court.index.tallyBelow(folder);
  return judgeSeveral(change, below, court, "below it") ?? judgeUnchangedFolder(change, sight, court);
}

function judgeUnchangedFolder(change: FileChange, { is, isIgnored }: FileSight, court: Court): Finding {
  const procedure = diffProcedure(court);
  if (is === "outside") return refuted(PRESENCE, "The path leads out of the workspace.");
  if (change === "deleted" && is !== "absent") return refuted(PRESENCE, "It is still there.");
  if (isIgnored && !(is === "absent" && ADDS.includes(change)))
    return unverifiable(procedure, "Git does not see its changes.");
  if (is === "absent") return refuted(procedure, "There is no such folder, and nothing below it was changed.");
  return refuted(procedure, "Nothing below it was changed.");
}

function judgePattern(change: FileChange, pattern: string, court: Court): Finding {
  const procedure = diffProcedure(court);
  const matching = court.index.tallyMatching(pattern, court.effort);
  if (court.effort.left <= 0) return unverifiable(procedure, TOO_MUCH);
  const found = judgeSeveral(change, matching, court, "that match");
  if (found === null) return refuted(procedure, `No file was ${change} that matches it.`);
  return isEverything(pattern) ? unverifiable(procedure, "The pattern matches everything, so it says nothing.") : found;
}

/** Null when there is no such change at all. */
function judgeSeveral(change: FileChange, tally: Tally, court: Court, which: string): Finding | null {
  const count = SEEN_CHANGES.filter((seen) => TRUE_NAMES[seen].includes(change)).reduce(
    (sum, seen) => sum + tally[seen],
    0,
  );
  if (count === 0) return null;
  return confirmed(
    diffProcedure(court),
    `${counted(count, "file")} ${which} ${count === 1 ? "was" : "were"} ${change}.`,
  );
}

const SEEN_CHANGES = ["created", "modified", "deleted", "renamed"] as const;
