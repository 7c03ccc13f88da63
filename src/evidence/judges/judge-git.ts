import { isShortSha, objectionToSha, objectionToBranch } from "../claimed-name.ts";
import type { ObservedCommit, BranchWork, HeldFile, HeldFiles } from "../observations.ts";
import { counted, quote } from "../wording.ts";
import {
  type JudgeContext,
  type ClaimFinding,
  NO_PROCEDURE,
  NOT_OBSERVED,
  SHALLOW,
  TOO_SHORT,
  confirmed,
  refuted,
  unverifiable,
} from "./judge-context.ts";

const COMMIT_LOOKUP = "look the commit up in the repository";

/** A commit is in the history of HEAD, has this message, and was made since the base. */
export function judgeCommit(sha: string, message: string | null, context: JudgeContext): ClaimFinding {
  const { observations } = context;
  if (isShortSha(sha)) return unverifiable(NOT_OBSERVED, TOO_SHORT);
  const why = objectionToSha(sha);
  if (why !== null) return refuted(NOT_OBSERVED, `${quote(sha)} is not looked for: ${why}.`);
  if (!observations.isRepository) return unverifiable(NO_PROCEDURE, "Git does not rule here.");
  const seen = observations.commits.get(sha);
  if (seen === undefined) return unverifiable(COMMIT_LOOKUP, "It was not looked for.");
  if (seen === null) return notFound(COMMIT_LOOKUP, "The repository has no such commit.", context);
  if (message !== null && !isMessage(message, seen.message))
    return refuted(COMMIT_LOOKUP, `Its message is: ${quote(subjectOf(seen.message))}`);
  return seen.isInHead ? judgeInHistory(seen, context) : judgeElsewhere(seen.isOnTarget, context);
}

function judgeInHistory({ sha, isSinceBase }: ObservedCommit, { observations }: JudgeContext): ClaimFinding {
  const { base, baseCommit } = observations;
  if (base !== null && isSinceBase) return confirmed(COMMIT_LOOKUP, `It is in the history since ${base}.`);
  if (base === null || observations.commitsSinceBase === null)
    return unverifiable(COMMIT_LOOKUP, "It is in the history; whether this work made it cannot be seen.");
  return sha === baseCommit
    ? unverifiable(COMMIT_LOOKUP, `It is the commit that the work began with: ${base}.`)
    : unverifiable(COMMIT_LOOKUP, `It is in the history, but older than ${base}.`);
}

function judgeElsewhere(isOnTarget: boolean, context: JudgeContext): ClaimFinding {
  const { target } = context.observations;
  if (isOnTarget)
    return unverifiable(COMMIT_LOOKUP, `It is on ${target ?? "the target"}, but not in the history of the workspace.`);
  return notFound(COMMIT_LOOKUP, "The repository has it, but not in the history of the workspace's HEAD.", context);
}

function notFound(procedure: string, evidence: string, { observations }: JudgeContext): ClaimFinding {
  return observations.isShallow === true
    ? unverifiable(procedure, `${evidence} ${SHALLOW}`)
    : refuted(procedure, evidence);
}

/** True of the subject, the whole message, the start of the message, or a subject cut off with an ellipsis. */
function isMessage(claimed: string, message: string): boolean {
  const said = plain(claimed);
  const whole = plain(message);
  const subject = plain(subjectOf(message));
  if (said === subject || said === whole) return true;
  const cut = /^(.+?)\s*(?:\u2026|\.\.\.)$/.exec(said)?.[1];
  if (cut !== undefined) return subject.startsWith(cut);
  return said.length > subject.length && whole.startsWith(`${said} `) && said.startsWith(`${subject} `);
}

function plain(text: string): string {
  return text.normalize("NFC").replaceAll(/\s+/g, " ").trim();
}

/** For git the subject ends at the first empty line. */
function subjectOf(message: string): string {
  return (
    message
      .replaceAll("\r\n", "\n")
      .trim()
      .split(/\n\s*\n/)[0] ?? ""
  );
}

/**
 * Agents may count merges and commits merged in from the target branch, or only their own; and they may leave out
 * commits with nothing but the handoff, which is written before it is committed.
 */
export function judgeCommitsAdded(count: number, context: JudgeContext): ClaimFinding {
  const { base, target, isShallow, commitsSinceBase: all, ownCommitsSinceBase } = context.observations;
  const procedure = `count the commits since ${base ?? "nothing"}`;
  if (all === null)
    return unverifiable(
      procedure,
      isShallow === true ? `They cannot be counted. ${SHALLOW}` : "There is no commit to count from.",
    );
  const own = ownCommitsSinceBase ?? all;
  const handing = handingOver(context);
  const others = own === all ? "" : `, ${own} without merges and what ${target ?? "the target"} has`;
  const only = handing === 0 ? "" : `, of which ${handing} only ${handing === 1 ? "brings" : "bring"} a handoff`;
  const evidence = `There ${all === 1 ? "is" : "are"} ${counted(all, "commit")}${others}${only}.`;
  const isTrue = [all, own].some((max) => count <= max && count >= max - handing);
  return isTrue ? confirmed(procedure, evidence) : refuted(procedure, evidence);
}

/** The number of commits with nothing but files of the handoff. */
function handingOver({ observations, ownFiles }: JudgeContext): number {
  const own = new Set(ownFiles);
  const isHandoff = (files: readonly string[]): boolean => files.length > 0 && files.every((path) => own.has(path));
  return (observations.ownCommitFiles ?? []).filter(isHandoff).length;
}

const BRANCH = "look at the branches of the repository";
const MERGE = "look the merge up on the target branch";

export function judgeBranch(name: string, isMerged: boolean, context: JudgeContext): ClaimFinding {
  const { observations } = context;
  const why = objectionToBranch(name);
  if (why !== null) return refuted(NOT_OBSERVED, `This branch is not looked for: ${why}.`);
  if (!observations.isRepository) return unverifiable(NO_PROCEDURE, "Git does not rule here.");
  const seen = observations.branches.get(name);
  if (seen === undefined) return unverifiable(BRANCH, "It was not looked for.");
  if (seen.isCurrent) return confirmed(BRANCH, "The workspace is on it.");
  if (seen.exists) return judgeOtherBranch(isMerged, seen.work, context);
  if (isMerged) return unverifiable(BRANCH, "It does not exist; it may have been removed after the merge.");
  if (observations.isShallow === true) return unverifiable(BRANCH, `It is not here. ${SHALLOW}`);
  return refuted(BRANCH, `There is no such branch; the workspace is ${whereabouts(context)}.`);
}

function whereabouts({ observations }: JudgeContext): string {
  const { branch } = observations.head;
  return branch === null ? "on no branch" : `on branch ${quote(branch)}`;
}

/** For a branch that is not checked out: its commits or its files may still contain the work. */
function judgeOtherBranch(isMerged: boolean, work: BranchWork | undefined, context: JudgeContext): ClaimFinding {
  const { commitsSinceBase: since, isShallow, head } = context.observations;
  const where = `It exists, but the workspace is ${whereabouts(context)}`;
  if (work === undefined || since === null || isMerged) return unverifiable(BRANCH, `${where}.`);
  const isThere = since > 0 && (work.missing === 0 || work.isPassed);
  if (head.branch === null && isThere)
    return confirmed(BRANCH, "The workspace is on no branch, and its work is on this one.");
  const evidence = lackOf(work, since, context);
  return evidence === null || isShallow === true
    ? unverifiable(BRANCH, `${where}.`)
    : refuted(BRANCH, `${where}, ${evidence}.`);
}

/** Why the branch cannot contain any of the work; null when it may. */
function lackOf(work: BranchWork, since: number, context: JudgeContext): string | null {
  const files = heldOf(work.held, context);
  if (files.includes("now")) return null;
  if (since === 0) return lackOfUncommitted(work, files, context);
  const { target, head, base } = context.observations;
  const isOnTarget = head.branch === null || head.branch === target;
  // After a squash with conflicts, commits and texts of the branch differ from those of the merge.
  const mayBeThere = isOnTarget && (files.includes("other") || work.isElsewhere);
  if (work.missing < since || mayBeThere) return null;
  return `and it has none of the ${counted(since, "commit")} since ${base ?? "then"}`;
}

function lackOfUncommitted(
  { isElsewhere }: BranchWork,
  files: readonly HeldFile[],
  context: JudgeContext,
): string | null {
  const isKnown = files.length > 0 && !files.includes("other") && !isElsewhere;
  return isKnown && context.observations.head.branch !== null ? "where the work is, not committed" : null;
}

/** Leaves out files of the handoff and nested repositories. */
function heldOf(held: HeldFiles, { ownFiles }: JudgeContext): HeldFile[] {
  const own = new Set(ownFiles);
  return [...held].flatMap(([path, how]) => (own.has(path) || path.endsWith("/") ? [] : [how]));
}

interface Merge {
  readonly sha: string | null;
  readonly strategy: string | null;
}

export function judgeMerge({ sha, strategy }: Merge, context: JudgeContext): ClaimFinding {
  const { observations } = context;
  if (sha === null) return unverifiable(NO_PROCEDURE, "It names no commit that could be looked for.");
  if (isShortSha(sha)) return unverifiable(NOT_OBSERVED, TOO_SHORT);
  const why = objectionToSha(sha);
  if (why !== null) return refuted(NOT_OBSERVED, `${quote(sha)} is not looked for: ${why}.`);
  if (!observations.isRepository) return unverifiable(NO_PROCEDURE, "Git does not rule here.");
  const seen = observations.commits.get(sha);
  if (seen === undefined) return unverifiable(MERGE, "It was not looked for.");
  if (seen === null) return notFound(MERGE, "The repository has no such commit.", context);
  if (strategy !== null) return judgeStrategy(strategy, seen.parents, context);
  if (observations.target === null) return unverifiable(MERGE, "The target branch is not known.");
  if (!seen.isOnTarget) return notFound(MERGE, `It is not on ${observations.target}.`, context);
  return judgeHeld(seen, observations.target, context);
}

/**
 * A commit on the target is the merge when it contains every changed file. Others may have changed the same files, so
 * only a commit in which all of them are as in the base is refuted.
 */
function judgeHeld(seen: ObservedCommit, target: string, context: JudgeContext): ClaimFinding {
  const files = heldOf(seen.held ?? new Map(), context);
  if (files.length === 0) return confirmed(MERGE, `It is on ${target}.`);
  const held = files.filter((how) => how === "now").length;
  const all = counted(files.length, "changed file");
  if (seen.isInBase === true) return lacking(`It is on ${target}, but older than the work.`, context);
  if (held === files.length) return confirmed(MERGE, `It is on ${target} and has the ${all} as they are now.`);
  const isLacking = !seen.isSinceBase && files.every((how) => how === "before");
  if (isLacking)
    return lacking(`It is on ${target}, but has none of the work: the ${all} are there as before.`, context);
  return unverifiable(MERGE, `It is on ${target} and has ${held} of the ${all} as they are now.`);
}

/** In a run, the merge may contain an earlier step whose files this step did not change. */
function lacking(evidence: string, { step }: JudgeContext): ClaimFinding {
  return step === null
    ? refuted(MERGE, evidence)
    : unverifiable(MERGE, `${evidence} The work of an earlier step may be meant.`);
}

/** A merge commit has two parents; a squashed or rebased commit has one, and these two cannot be told apart. */
function judgeStrategy(strategy: string, parents: number, { observations }: JudgeContext): ClaimFinding {
  const wanted = PARENTS.get(strategy.trim().toLowerCase());
  const evidence = `The commit has ${counted(parents, "parent")}.`;
  if (wanted === undefined) return unverifiable(MERGE, `${evidence} What this strategy leaves behind is not known.`);
  const isTrue = wanted === "one" ? parents === 1 : parents >= 2;
  if (isTrue) return confirmed(MERGE, evidence);
  // The first commit of a repository has no parent.
  return parents === 0 && observations.isShallow === true
    ? unverifiable(MERGE, `${evidence} ${SHALLOW}`)
    : refuted(MERGE, evidence);
}

const PARENTS: ReadonlyMap<string, "one" | "several"> = new Map([
  ["merge", "several"],
  ["merge-commit", "several"],
  ["merge commit", "several"],
  ["squash", "one"],
  ["rebase", "one"],
  ["fast-forward", "one"],
]);

interface Workspace {
  readonly path: string | null;
  readonly type: string | null;
  readonly port: string | null;
}

const WORKSPACE = "compare with the workspace that is looked at";

/** Only this workspace is looked at; a claim about another one cannot be judged. */
export function judgeWorkspace({ path, type, port }: Workspace, context: JudgeContext): ClaimFinding {
  if (port !== null) return judgePort(port, context.port);
  const isThis = path === null ? null : isThisWorkspace(path, context.observations.workspace.path);
  if (type !== null) return judgeType(type, isThis, context);
  if (path === null || /\p{Cc}/u.test(path)) return refuted(NOT_OBSERVED, "That is no path.");
  if (isThis === true) return confirmed(WORKSPACE, "It is the workspace.");
  return unverifiable(WORKSPACE, `Another workspace is looked at: ${quote(context.observations.workspace.path)}.`);
}

/** An absolute path in the workspace, or a relative path from a folder beside it. */
function isThisWorkspace(path: string, workspace: string): boolean {
  const root = normal(workspace);
  if (/^(?:\/|[A-Za-z]:)/.test(path)) {
    const claimed = normal(path);
    return claimed === root || (claimed !== null && root !== null && claimed.startsWith(`${root}/`));
  }
  return [root, parentOf(root)].some((from) => from !== null && root !== null && normal(`${from}/${path}`) === root);
}

function parentOf(path: string | null): string | null {
  return path === null ? null : `${path}/..`;
}

/** Resolves `.`, `..` and double slashes; null when the path leads above the root. */
function normal(path: string): string | null {
  const names: string[] = [];
  for (const name of path.replaceAll("\\", "/").split("/")) {
    if (name === "..") {
      if (names.pop() === undefined) return null;
    } else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

function judgeType(type: string, isThis: boolean | null, { observations }: JudgeContext): ClaimFinding {
  const { isLinkedWorktree } = observations.workspace;
  const evidence = isLinkedWorktree ? "It is a linked worktree." : "It is no linked worktree.";
  if (isThis === false) return unverifiable(WORKSPACE, "Another workspace is looked at.");
  if (!observations.isRepository) return unverifiable(NO_PROCEDURE, "Git does not rule here.");
  if (type !== "worktree" && type !== "in-place")
    return unverifiable(NO_PROCEDURE, "This type cannot be told from here.");
  return (type === "worktree") === isLinkedWorktree ? confirmed(WORKSPACE, evidence) : refuted(WORKSPACE, evidence);
}

function judgePort(port: string, leased: string | null): ClaimFinding {
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;
  if (number < 1 || number > 65_535) return refuted(NOT_OBSERVED, "A port is a number from 1 to 65535.");
  if (leased === null) return unverifiable(NO_PROCEDURE, "No port was leased to this run.");
  const evidence = `The port leased to the run is ${leased}.`;
  return String(number) === leased
    ? confirmed("compare with the lease", evidence)
    : refuted("compare with the lease", evidence);
}
