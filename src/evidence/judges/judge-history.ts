import { epochOf } from "../../shared/utc-time.ts";
import { objectionToSha } from "../claimed-name.ts";
import type { Statement } from "../claim.ts";
import type { NewCommit, ObservedCommit, ObservedHistory } from "../observations.ts";
import { counted, listed, quote } from "../wording.ts";
import { type ClaimFinding, type JudgeContext, confirmed, doubtful, refuted, unverifiable } from "./judge-context.ts";
import { CLOCK_TOLERANCE, MIDNIGHT, durationInWords, zoneTolerance } from "./judge-run.ts";

const ANCESTRY = "look for the base commit in the history of HEAD";
const NEW_COMMITS = "read the commits since the base";
const NOTHING_NOTED = "No run noted how it was before.";

export function judgeHistoryKept({ observations }: JudgeContext): ClaimFinding {
  const kept = observations.history?.isBaseKept ?? null;
  if (kept === null) return unverifiable(ANCESTRY, NOTHING_NOTED);
  if (kept) return confirmed(ANCESTRY, "It is there.");
  const base = quote((observations.baseCommit ?? "").slice(0, 8));
  return refuted(ANCESTRY, `HEAD no longer contains ${base}: it was amended, rebased or left for another branch.`);
}

/**
 * A commit that was picked or rebased keeps its author and the date of its first making, so another author is told only
 * of commits that were first made since the work began.
 */
export function judgeAuthors({ observations }: JudgeContext): ClaimFinding {
  const history = observations.history;
  if (history === undefined || history.since === null || history.accounts.length === 0)
    return unverifiable(NEW_COMMITS, "It is not known which account commits here.");
  const since = history.since - CLOCK_TOLERANCE;
  const known = new Set(history.accounts.map((account) => account.toLowerCase()));
  const isKnown = (account: string): boolean => known.has(account.toLowerCase());
  const foreign = history.commits.flatMap((commit) => {
    if (!isKnown(commit.committer)) return [`${named(commit)} was committed by ${commit.committer}`];
    return isKnown(commit.author) || commit.authoredAt < since
      ? []
      : [`${named(commit)} has the author ${commit.author}`];
  });
  if (foreign.length === 0) return confirmed(NEW_COMMITS, "They are.");
  return refuted(NEW_COMMITS, `${listed(foreign, MAX_TOLD)}; the account is ${listed(history.accounts, MAX_TOLD)}.`);
}

/** Only the committer's date counts: the author's is kept when a commit is picked or rebased. */
export function judgeDates({ observations }: JudgeContext): ClaimFinding {
  const history = observations.history;
  if (history === undefined) return unverifiable(NEW_COMMITS, NOTHING_NOTED);
  const wrong = history.commits.flatMap((commit) => wrongDate(commit, history));
  if (wrong.length > 0) return refuted(NEW_COMMITS, `${listed(wrong, MAX_TOLD)}.`);
  return history.since === null ? unverifiable(NEW_COMMITS, NOTHING_NOTED) : confirmed(NEW_COMMITS, "They were.");
}

function wrongDate(commit: NewCommit, { since, now }: ObservedHistory): string[] {
  const { committedAt } = commit;
  if (committedAt > now + CLOCK_TOLERANCE)
    return [`${named(commit)} is dated ${durationInWords(committedAt - now)} in the future`];
  return since !== null && committedAt < since - CLOCK_TOLERANCE
    ? [`${named(commit)} is dated ${durationInWords(since - committedAt)} before the work began`]
    : [];
}

interface Shas {
  readonly shas: readonly string[];
}

/**
 * A commit that brings nothing but the handoff cannot be listed in it. Where the listed ones are not in this history, as
 * after a squash, it says nothing about them.
 */
export function judgeAllCommits({ shas }: Shas, { observations, ownFiles }: JudgeContext): ClaimFinding {
  const { history, commits } = observations;
  if (history === undefined || !history.isWhole || observations.isShallow === true)
    return unverifiable(NEW_COMMITS, "Not all commits since the base are known.");
  const seen = shas.map((sha) => commits.get(sha) ?? null);
  const isOfHistory = shas.length === 0 ? history.since !== null : seen.every((commit) => commit?.isSinceBase === true);
  if (!isOfHistory) return unverifiable(NEW_COMMITS, "The listed commits are not those of this history.");
  const told = new Set(seen.flatMap((commit) => commit?.sha ?? []));
  const own = new Set(ownFiles);
  const others = history.commits.filter(
    ({ sha, files }) => !told.has(sha) && !(files !== null && files.every((path) => own.has(path))),
  );
  if (others.length === 0) return confirmed(NEW_COMMITS, "All are listed.");
  return refuted(
    NEW_COMMITS,
    `${counted(others.length, "commit")} not listed: ${listed(others.map(named), MAX_TOLD)}.`,
  );
}

/** In a run the commits of earlier steps may be meant; what is older than the run is nobody's work in it. */
export function judgeOwnCommits({ shas }: Shas, context: JudgeContext): ClaimFinding {
  const { observations, step } = context;
  const procedure = "compare the commits with what the work began with";
  if (observations.isBaseKnown !== true || observations.isShallow === true)
    return unverifiable(procedure, "Where the work began is not known.");
  const began = step === null ? null : (step.runStartedAt ?? step.startedAt);
  // Git notes whole seconds.
  const older = seenCommits(shas, context).filter(
    ({ isInBase, isSinceBase, committedAt = 0 }) =>
      isInBase === true && !isSinceBase && (began === null || committedAt < began - (began % SECOND)),
  );
  if (older.length === 0) return confirmed(procedure, "None of them is older.");
  const what = step === null ? (observations.base ?? "the base") : "the run";
  const evidence = `${counted(older.length, "commit")} older than ${what}: ${listed(older.map(named), MAX_TOLD)}.`;
  const isSure = began === null || older.some(({ committedAt = 0 }) => committedAt < began - CLOCK_TOLERANCE);
  return isSure ? refuted(procedure, evidence) : doubtful(procedure, evidence);
}

/** Who names a commit by its id has seen it, and so writes later. Dates without a time of day look invented. */
export function judgeWrittenAfter(
  { at, shas }: Extract<Statement, { of: "written-after" }>,
  context: JudgeContext,
): ClaimFinding {
  const procedure = "compare the time of the handoff with those of the commits";
  const time = epochOf(at);
  if (time === null || MIDNIGHT.test(at)) return unverifiable(procedure, "It gives no time of day.");
  const later = seenCommits(shas, context).filter(
    ({ committedAt }) => committedAt !== undefined && committedAt > time + CLOCK_TOLERANCE + zoneTolerance(at),
  );
  const [first] = later;
  if (first === undefined) return confirmed(procedure, "It is not older than any of them.");
  const by = durationInWords((first.committedAt ?? time) - time);
  return refuted(
    procedure,
    `${listed(later.map(named), MAX_TOLD)} ${later.length === 1 ? "is" : "are"} younger than the handoff, by ${by}.`,
  );
}

const SECOND = 1000;

function seenCommits(shas: readonly string[], { observations }: JudgeContext): ObservedCommit[] {
  return shas.flatMap((sha) => (objectionToSha(sha) === null ? (observations.commits.get(sha) ?? []) : []));
}

const MAX_TOLD = 5;

function named(commit: Pick<NewCommit, "sha" | "subject"> | Pick<ObservedCommit, "sha" | "message">): string {
  const subject = "subject" in commit ? commit.subject : (commit.message.trim().split("\n", 1)[0] ?? "");
  return `${commit.sha.slice(0, 8)} (${subject.length > 60 ? `${subject.slice(0, 60)}\u2026` : subject})`;
}
