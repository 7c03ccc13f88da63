import type { LineRange, Statement } from "../claim.ts";
import { claimedPath } from "../claimed-path.ts";
import type { ObservedChange, ObservedHunk, ObservedLedger } from "../observations.ts";
import { quote, readPlace } from "../wording.ts";
import {
  type ClaimFinding,
  type JudgeContext,
  LEDGER_LOOKUP,
  NO_PROCEDURE,
  PRESENCE,
  ChangeIndex,
  confirmed,
  diffProcedure,
  refuted,
  unread,
  unverifiable,
} from "./judge-context.ts";

/**
 * An issue was fixed at this place. In a run it is an issue of the run (001-R26), and its file has changed since the
 * issue was found; without a run, since the base. A fix of an issue that does not block is less than a fix of one that
 * does: its claim is one about the ledger.
 */
export function judgeFix({ location, issue }: Extract<Statement, { of: "fix" }>, context: JudgeContext): ClaimFinding {
  const place = readPlace(location);
  const claimed = claimedPath(place.path);
  if (!claimed.isSafe) return issue === undefined ? unread(claimed) : NOT_OF_RUN;
  const { path } = claimed;
  const { issues } = context;
  if (issue !== undefined) return judgeListed(path, place.lines, issue.id, context);
  if (issues === null) return judgeSince(path, place.lines, baseOf(context), context);
  const here = issuesAt(path, place.lines, context);
  if (here.length === 0)
    return issues.hasSomeWithoutFile
      ? unverifiable(LEDGER_LOOKUP, "No issue of the run is in this file, but some do not say where they are.")
      : { ...refuted(LEDGER_LOOKUP, "No issue of the run is in this file."), kind: "ledger" };
  return judgeIssues(path, place.lines, here, context);
}

function judgeIssues(
  path: string,
  lines: LineRange | null,
  issues: readonly ObservedLedger[],
  context: JudgeContext,
): ClaimFinding {
  const blocking = issues.filter(({ isBlocking }) => isBlocking);
  const meant = blocking.length > 0 ? blocking : issues;
  const found = bestOf(meant.map((issue) => judgeIssue(path, lines, issue, context)));
  if (blocking.length === 0)
    return found.verdict === "refuted"
      ? { ...found, kind: "ledger" }
      : unverifiable(LEDGER_LOOKUP, "Issues of the run are in this file, but none that blocks.");
  const [first] = blocking;
  return {
    ...found,
    evidence: `${found.evidence} It is for ${quote(first?.id ?? "")} at ${quote(first?.location ?? "")}.`,
  };
}

/**
 * A handoff may also list issues that were found and fixed in one step, and those that others have fixed: these are no
 * fixes of its author. The issue may be fixed where the run knows it to be, and not at the place in the handoff.
 */
function judgeListed(path: string, lines: LineRange | null, id: string | null, context: JudgeContext): ClaimFinding {
  const known = id === null ? issuesNear(path, lines, context) : [context.issues?.find(id) ?? []].flat();
  const own = known.filter(({ isRetold }) => isRetold !== true);
  if (own.length === 0 || own.length < known.length) return NOT_OF_RUN;
  const found = judgeIssues(path, lines, own, context);
  const isChanged = own.some((issue) => hasChangedAt(issue, context));
  return found.verdict === "refuted" && isChanged
    ? unverifiable(LEDGER_LOOKUP, "It has not changed there, but where the issue was found.")
    : found;
}

const NOT_OF_RUN = unverifiable(LEDGER_LOOKUP, "It is no issue of the run that is waiting to be fixed by this agent.");

function hasChangedAt({ location, tree }: ObservedLedger, { sinceFinding }: JudgeContext): boolean {
  const claimed = claimedPath(readPlace(location ?? "").path);
  return claimed.isSafe && sinceFinding?.get(tree ?? "")?.has(claimed.path) === true;
}

/** The issue may be resolved by a change anywhere, but not without any. */
export function judgeResolved(
  { id, isListed }: Extract<Statement, { of: "resolved" }>,
  { issues, sinceFinding, ownFiles }: JudgeContext,
): ClaimFinding {
  if (issues === null) return unverifiable(NO_PROCEDURE, "There is no run whose issues could be looked up.");
  const known = issues.find(id);
  if (known === undefined)
    return isListed
      ? unverifiable(LEDGER_LOOKUP, "It is an issue of this handoff.")
      : refuted(LEDGER_LOOKUP, `The run has no issue ${quote(id)}.`);
  const since = known.isRetold === true ? undefined : sinceFinding?.get(known.tree ?? "");
  if (since !== undefined && [...since.keys()].every((path) => ownFiles.includes(path)))
    return {
      ...refuted(SINCE_FINDING, "No file has changed since the issue was found."),
      ...(known.isBlocking && { kind: "fix" }),
    };
  return unverifiable(LEDGER_LOOKUP, "The run has this issue; only the next review can tell whether it is resolved.");
}

const SINCE_FINDING = "git diff against the state when the issue was found";

/** The issues in the file; those near the claimed lines if there are any. */
function issuesAt(path: string, lines: LineRange | null, context: JudgeContext): readonly ObservedLedger[] {
  const near = issuesNear(path, lines, context);
  return near.length > 0 ? near : issuesIn(path, context);
}

function issuesNear(path: string, lines: LineRange | null, context: JudgeContext): readonly ObservedLedger[] {
  return issuesIn(path, context).filter(({ location }) => {
    const at = readPlace(location ?? "").lines;
    return lines !== null && at !== null && isNear({ first: at.first, count: 1 }, lines);
  });
}

/** The issues in the file, under its name now or before. */
function issuesIn(path: string, { issues, index }: JudgeContext): readonly ObservedLedger[] {
  const names = [path, index.get(path)?.from, index.formerNames().get(path)];
  return names.flatMap((name) => (name === undefined ? [] : (issues?.inFile(name) ?? [])));
}

/** A fix may answer any of the issues, so the most favourable verdict counts. */
function bestOf(findings: readonly ClaimFinding[]): ClaimFinding {
  const order = ["confirmed", "unverifiable", "refuted"];
  const [best] = findings.toSorted((left, right) => order.indexOf(left.verdict) - order.indexOf(right.verdict));
  return best ?? unverifiable(NO_PROCEDURE, "No issue of the run is in this file.");
}

/** The state that a place is compared with, and what has changed since. */
interface Since {
  readonly index: ChangeIndex;
  readonly procedure: string;
  /** False when the place may have changed before, and after the issue was found. */
  readonly isFinding: boolean;
}

function baseOf(context: JudgeContext): Since | null {
  const { isRepository, base } = context.observations;
  if (!isRepository || base === null) return null;
  return { index: context.index, procedure: diffProcedure(context), isFinding: true };
}

/** An issue of which the state at its finding is not known is compared with the state before the step. */
function judgeIssue(
  path: string,
  lines: LineRange | null,
  { tree }: ObservedLedger,
  context: JudgeContext,
): ClaimFinding {
  const changes = tree === undefined ? undefined : context.sinceFinding?.get(tree);
  if (changes !== undefined)
    return judgeSince(
      path,
      lines,
      {
        index: new ChangeIndex(changes, context.ownFiles),
        procedure: SINCE_FINDING,
        isFinding: true,
      },
      context,
    );
  const base = baseOf(context);
  return judgeSince(path, lines, base && { ...base, isFinding: false }, context);
}

function judgeSince(path: string, lines: LineRange | null, since: Since | null, context: JudgeContext): ClaimFinding {
  if (since === null) return unverifiable(NO_PROCEDURE, "There is no earlier state to compare with.");
  const { index, procedure } = since;
  const seen = index.get(path);
  const renamed = index.formerNames().get(path);
  if (seen !== undefined)
    return judgeTouched(lines, (renamed === undefined ? null : index.get(renamed)) ?? seen, procedure);
  if (Object.values(index.tallyBelow(path)).some((count) => count > 0))
    return unverifiable(procedure, "It is a folder, and files below it changed.");
  return judgeUntouched(path, lines, since, context);
}

function judgeTouched(lines: LineRange | null, seen: ObservedChange, procedure: string): ClaimFinding {
  if (seen.change === "deleted") return confirmed(procedure, "The file is gone.");
  if (seen.change === "created") return confirmed(procedure, "The file is new.");
  if (seen.change === "renamed" && seen.hunks?.length === 0)
    return unverifiable(procedure, "The file was renamed and not a line of it changed.");
  if (lines === null) return confirmed(procedure, "The file changed.");
  if (seen.hunks === null) return unverifiable(procedure, "The file changed; which lines could not be seen.");
  const isChanged = seen.hunks.some(
    (hunk) => isNear(hunk, lines) || (hunk.before !== undefined && isNear(hunk.before, lines)),
  );
  return isChanged
    ? confirmed(procedure, "The file changed near the place.")
    : unverifiable(procedure, "The file changed, but not near the place.");
}

/** As far apart as two reports of one issue may be. */
const NEARBY = 10;

function isNear({ first, count }: Pick<ObservedHunk, "first" | "count">, lines: LineRange): boolean {
  const last = count === 0 ? first + 1 : first + count - 1;
  return first <= lines.last + NEARBY && last >= lines.first - NEARBY;
}

function judgeUntouched(
  path: string,
  lines: LineRange | null,
  { procedure, isFinding }: Since,
  { observations, issues }: JudgeContext,
): ClaimFinding {
  const file = observations.files.get(path);
  if (file === undefined) return unverifiable(PRESENCE, "It was not looked at.");
  if (file.is === "outside") return refuted(PRESENCE, "The path leads out of the workspace.");
  if (file.is === "link") return unverifiable(procedure, "It is a link; what it leads to has another name.");
  if (file.isIgnored) return unverifiable(procedure, "Git does not see its changes.");
  if (file.is === "absent") {
    const isNamed = lines !== null && issues === null && !/[\s,;:]/.test(path);
    return isNamed
      ? refuted(procedure, "There is no such file, and there was none before.")
      : unverifiable(procedure, "There is no file of this name, now or before.");
  }
  if (!isFinding)
    return unverifiable(
      procedure,
      "It is the same as before the step; what it was when the issue was found is not known.",
    );
  const what = file.is === "folder" ? "Nothing below it has changed" : "The file has not changed";
  return refuted(procedure, `${what} since ${issues === null ? "then" : "the issue was found"}.`);
}
