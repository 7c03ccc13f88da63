import type { Claim, Judgement, Statement } from "./claim.ts";
import {
  type JudgeContext,
  type ClaimFinding,
  NO_PROCEDURE,
  unverifiable,
  ChangeIndex,
  LedgerIndex,
} from "./judges/judge-context.ts";
import {
  judgeArtifact,
  judgeAllChanges,
  judgeCount,
  judgeFilesChanged,
  judgeFilesCounted,
  judgeLeftAlone,
  judgeUnlisted,
} from "./judges/judge-changes.ts";
import { judgeCommit, judgeCommitsAdded, judgeBranch, judgeMerge, judgeWorkspace } from "./judges/judge-git.ts";
import {
  judgeAllCommits,
  judgeAuthors,
  judgeDates,
  judgeHistoryKept,
  judgeOwnCommits,
  judgeWrittenAfter,
} from "./judges/judge-history.ts";
import { judgeCommitCount, judgeDuration, judgeLineCount, judgeRounds } from "./judges/judge-figures.ts";
import { judgeFile, judgePlace } from "./judges/judge-file.ts";
import { judgeFix, judgeResolved } from "./judges/judge-fix.ts";
import { judgePhase, judgeTime } from "./judges/judge-run.ts";
import { judgeTestsKept } from "./judges/judge-tests-kept.ts";
import { judgeTests, judgeTestsAdded, judgeCoverage, judgeCheck, judgeCommand } from "./judges/judge-results.ts";
import { isLockfile, isTestFile } from "./gate-files.ts";
import { judgeExclusions, judgeGateFiles, judgeGateFolders, judgeUntouched } from "./judges/judge-gate-files.ts";
import { limitedEffort } from "./path-pattern.ts";
import type { Evidence } from "./observations.ts";

/**
 * A judgement for every claim, in order. A claim is confirmed only by a procedure that would have refuted it if it were
 * false; what no procedure can decide is unverifiable, with the reason.
 */
export function judgeClaims(claims: readonly Claim[], evidence: Evidence): Judgement[] {
  const { changes } = evidence.observations;
  const context: JudgeContext = {
    ...evidence,
    index: new ChangeIndex(changes, evidence.ownFiles),
    issues: evidence.ledger && new LedgerIndex(evidence.ledger),
    effort: limitedEffort(changes.size),
  };
  return claims.map(({ kind, where, says, about, isImplied }) => ({
    kind,
    where,
    says,
    ...judge(about, context),
    ...(isImplied && { isImplied }),
  }));
}

type Of = Statement["of"];
type Judges = {
  readonly [Name in Of]: (about: Extract<Statement, { of: Name }>, context: JudgeContext) => ClaimFinding;
};

const JUDGES: Judges = {
  file: judgeFile,
  artifact: ({ pattern }, context) => judgeArtifact(pattern, context),
  "all-changes": judgeAllChanges,
  unlisted: judgeUnlisted,
  "left-alone": judgeLeftAlone,
  commit: ({ sha, message }, context) => judgeCommit(sha, message, context),
  "all-commits": judgeAllCommits,
  "own-commits": judgeOwnCommits,
  "history-kept": (_about, context) => judgeHistoryKept(context),
  "commit-authors": (_about, context) => judgeAuthors(context),
  "commit-dates": (_about, context) => judgeDates(context),
  "written-after": judgeWrittenAfter,
  lines: judgeLineCount,
  "commits-counted": judgeCommitCount,
  rounds: judgeRounds,
  duration: judgeDuration,
  "commits-added": ({ count }, context) => judgeCommitsAdded(count, context),
  "files-changed": ({ count }, context) => judgeFilesChanged(count, context),
  "files-counted": judgeFilesCounted,
  "tests-added": ({ count }, context) => judgeTestsAdded(count, context),
  branch: ({ name, isMerged }, context) => judgeBranch(name, isMerged, context),
  workspace: judgeWorkspace,
  merge: judgeMerge,
  place: judgePlace,
  source: ({ path, lines }, context) => judgePlace({ path, lines, isPast: true }, context),
  resolved: judgeResolved,
  fix: judgeFix,
  count: judgeCount,
  tests: ({ stated }, context) => judgeTests(stated, context),
  coverage: ({ measure, percent }, context) => judgeCoverage(measure, percent, context),
  check: ({ check, passed }, context) => judgeCheck(check, passed, context),
  command: judgeCommand,
  words: () => unverifiable(NO_PROCEDURE, "There is no procedure for this."),
  skill: () => unverifiable(NO_PROCEDURE, "It cannot be observed which skills were used."),
  phase: ({ name }, context) => judgePhase(name, context),
  time: ({ at }, context) => judgeTime(at, context),
  "gate-files": judgeGateFiles,
  "test-files": (_about, context) => judgeUntouched("test file", isTestFile, context),
  lockfile: (_about, context) => judgeUntouched("lockfile", isLockfile, context),
  "tests-kept": ({ gate }, context) => judgeTestsKept(gate, context),
  "gate-folders": judgeGateFolders,
  exclusions: judgeExclusions,
};

function judge(about: Statement, context: JudgeContext): ClaimFinding {
  const ask = JUDGES[about.of] as (about: Statement, context: JudgeContext) => ClaimFinding;
  return ask(about, context);
}
