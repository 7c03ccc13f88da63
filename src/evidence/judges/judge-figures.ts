import type { Statement } from "../claim.ts";
import type { LineCount, Observations, ObservedLines } from "../observations.ts";
import { counted } from "../wording.ts";
import {
  type ClaimFinding,
  type JudgeContext,
  NO_PROCEDURE,
  confirmed,
  diffProcedure,
  doubtful,
  refuted,
  unverifiable,
} from "./judge-context.ts";

type Lines = Extract<Statement, { of: "lines" }>;

/** Diffs of one change differ a little from tool to tool. */
const TOLERANCE = 1.1;
const SLACK = 5;

/**
 * A number of lines. Some count the step, some the branch, the run or every commit; with tests, lock files and
 * documents or without; blank lines or not. Only a number above all of these is refuted, and only an equal one is
 * confirmed.
 */
export function judgeLineCount({ measure, count }: Lines, context: JudgeContext): ClaimFinding {
  const { lines } = context.observations;
  const procedure = `count the lines of ${diffProcedure(context)}`;
  if (lines === undefined) return unverifiable(procedure, "There is no earlier state to compare with.");
  const [first = ZERO] = subsetsOf(lines, context);
  const sums = [...subsetsOf(lines, context), ...lines.others];
  const readings = sums.flatMap((sum) => VALUES[measure](sum));
  if (measure === "written") readings.push(...(lines.all === null ? [] : [lines.all]));
  const evidence = `${counted(first.added, "line")} added, ${first.removed} removed.`;
  if (readings.includes(count)) return confirmed(procedure, evidence);
  const max = Math.max(0, ...readings);
  if (count <= (max === 0 ? 0 : max * TOLERANCE + SLACK))
    return unverifiable(procedure, `${evidence} It may leave out some of them, such as tests or blank lines.`);
  if (measure === "written" && lines.all === null)
    return unverifiable(procedure, `${evidence} It may count the whole project, whose lines were not counted.`);
  return refuted(procedure, evidence);
}

const ZERO: LineCount = { added: 0, removed: 0 };

const VALUES: Readonly<Record<Lines["measure"], (sum: LineCount) => number[]>> = {
  added: ({ added }) => [added],
  removed: ({ removed }) => [removed],
  changed: ({ added, removed }) => [added + removed, added, Math.max(added, removed)],
  written: ({ added, removed }) => [added, added - removed, added + removed],
};

/** The sum of all changed files first, then without some kinds of files. */
function subsetsOf({ files }: ObservedLines, { ownFiles }: JudgeContext): LineCount[] {
  const own = new Set(ownFiles);
  const counts = [...files].filter(([path]) => !own.has(path));
  const without = (...kinds: readonly RegExp[]): LineCount =>
    sumOf(counts.filter(([path]) => !kinds.some((kind) => kind.test(path))).map(([, count]) => count));
  return [
    without(),
    without(TESTS),
    without(LOCKS),
    without(DOCUMENTS),
    without(TESTS, LOCKS),
    without(TESTS, DOCUMENTS),
    without(LOCKS, DOCUMENTS),
    without(TESTS, LOCKS, DOCUMENTS),
    sumOf([...files.values()]),
  ];
}

const TESTS = /(?:^|\/)(?:tests?|__tests__|spec|e2e)\/|[._-](?:test|spec)\.[^/]+$|(?:^|\/)test_[^/]+$|_test\.[^/]+$/i;
const LOCKS = /(?:^|\/)(?:[^/]*[.-]lock(?:\.[^/]+)?|package-lock\.json|npm-shrinkwrap\.json|go\.sum|[^/]*\.lockb?)$/i;
const DOCUMENTS = /\.(?:md|mdx|rst|txt|adoc)$/i;

function sumOf(counts: readonly LineCount[]): LineCount {
  return counts.reduce(
    (sum, { added, removed }) => ({ added: sum.added + added, removed: sum.removed + removed }),
    ZERO,
  );
}

const COMMIT_COUNT = "count the commits";

/** Commits of a branch that was merged and deleted cannot be counted any more. */
export function judgeCommitCount(
  { count, isMerged }: Extract<Statement, { of: "commits-counted" }>,
  { observations, step }: JudgeContext,
): ClaimFinding {
  const { commitsSinceBase, ownCommitsSinceBase, commitCounts } = observations;
  if (commitCounts === undefined) return unverifiable(COMMIT_COUNT, "There are no commits that could be counted.");
  const { sinceTarget, inHead, inAll } = commitCounts;
  const evidence = `${counted(inHead, "commit")} in HEAD, ${commitsSinceBase ?? "unknown"} since the base.`;
  if ([commitsSinceBase, ownCommitsSinceBase, sinceTarget, inHead].includes(count))
    return confirmed(COMMIT_COUNT, evidence);
  if (observations.isShallow === true || (count <= inAll && (step === null || isBetween(count, observations))))
    return unverifiable(COMMIT_COUNT, `${evidence} It does not say which ones are meant.`);
  if (count <= inAll) return doubtful(COMMIT_COUNT, `${evidence} It does not say which other ones are meant.`);
  if (isMerged) return unverifiable(COMMIT_COUNT, `${evidence} Those of a merged branch may be gone.`);
  return refuted(COMMIT_COUNT, evidence);
}

/** Some leave out merges, or commits that bring nothing but a handoff; and there may be a branch to count from. */
function isBetween(count: number, { commitsSinceBase, commitCounts }: Observations): boolean {
  const { sinceTarget = null } = commitCounts ?? {};
  return count <= Math.max(commitsSinceBase ?? 0, sinceTarget ?? 0);
}

const NO_RUN = unverifiable(NO_PROCEDURE, "There is no run that would know it.");
const ROUND_COUNT = "compare with the rounds and steps of the run";

export function judgeRounds(
  { count, isOfRun }: Extract<Statement, { of: "rounds" }>,
  { step }: JudgeContext,
): ClaimFinding {
  const run = step?.run;
  if (run === undefined) return NO_RUN;
  const evidence = `The run is in round ${run.iteration}, its task in round ${run.round}, with ${counted(run.steps, "step")}.`;
  if ([run.iteration, run.iteration - 1, run.round, run.round - 1].includes(count))
    return confirmed(ROUND_COUNT, evidence);
  if (count > run.steps && isOfRun) return refuted(ROUND_COUNT, evidence);
  return unverifiable(ROUND_COUNT, `${evidence} It may count something else.`);
}

const MINUTE = 60_000;
const RUN_CLOCK = "compare with the clock of the run";

/**
 * How long something took: no longer than the run, in any reading. A cycle may have begun before the run, but it is
 * not much shorter than the time that agents have worked.
 */
export function judgeDuration(
  { readings, unit, isCycle }: Extract<Statement, { of: "duration" }>,
  { step, now }: JudgeContext,
): ClaimFinding {
  const run = step?.run;
  if (run === undefined || step === null) return NO_RUN;
  const [whole, own] = [now - run.startedAt, now - step.startedAt];
  const evidence = `The run began ${seconds(whole)} ago, the step ${seconds(own)} ago.`;
  const isNear = (time: number): boolean =>
    readings.some((reading) => Math.abs(reading - time) <= Math.max(time * 0.1, 2_000));
  if (isNear(whole) || isNear(own)) return confirmed(RUN_CLOCK, evidence);
  const [shortest, longest] = [Math.min(...readings), Math.max(...readings)];
  if (isCycle && longest + unit < run.worked / 2)
    return refuted(RUN_CLOCK, `Agents alone have worked ${seconds(run.worked)} in this run.`);
  if (!isCycle && shortest > whole * 1.5 + Math.max(MINUTE, unit)) return refuted(RUN_CLOCK, evidence);
  return unverifiable(RUN_CLOCK, `${evidence} It does not say what was timed.`);
}

function seconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}
