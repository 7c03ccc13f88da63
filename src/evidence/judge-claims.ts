import type { Claim, Judgement, Statement } from "./claim.ts";
import { ChangeIndex } from "./judges/change-index.ts";
import { type Court, type Finding, NO_PROCEDURE, unverifiable } from "./judges/finding.ts";
import { judgeAllChanges } from "./judges/judge-all-changes.ts";
import { judgeArtifact } from "./judges/judge-artifact.ts";
import { judgeBranch, judgeMerge } from "./judges/judge-branch.ts";
import { judgeCheck, judgeCommand } from "./judges/judge-check.ts";
import { judgeCommit, judgeCommitsAdded } from "./judges/judge-commit.ts";
import { judgeCount, judgeFilesChanged, judgeFilesCounted } from "./judges/judge-count.ts";
import { judgeCoverage } from "./judges/judge-coverage.ts";
import { judgeFile } from "./judges/judge-file.ts";
import { judgeFix, judgeResolved } from "./judges/judge-ledger.ts";
import { judgePlace } from "./judges/judge-place.ts";
import { judgeTests, judgeTestsAdded } from "./judges/judge-tests.ts";
import { judgePhase, judgeTime } from "./judges/judge-time.ts";
import { judgeWorkspace } from "./judges/judge-workspace.ts";
import { LedgerIndex } from "./judges/ledger-index.ts";
import { limitedEffort } from "./path-pattern.ts";
import type { Scene } from "./sightings.ts";

/**
 * A judgement for every claim, in order. Confirmed is only what a procedure has shown that would have refuted it,
 * were it false; what nobody can know is unverifiable, with the reason.
 */
export function judgeClaims(claims: readonly Claim[], scene: Scene): Judgement[] {
  const { changes } = scene.sightings;
  const court: Court = {
    ...scene,
    index: new ChangeIndex(changes),
    issues: scene.ledger && new LedgerIndex(scene.ledger),
    effort: limitedEffort(changes.size),
  };
  return claims.map(({ kind, where, says, about }) => ({ kind, where, says, ...judge(about, court) }));
}

type Of = Statement["of"];
type Judges = { readonly [Name in Of]: (about: Extract<Statement, { of: Name }>, court: Court) => Finding };

const JUDGES: Judges = {
  file: judgeFile,
  artifact: ({ pattern }, court) => judgeArtifact(pattern, court),
  "all-changes": judgeAllChanges,
  commit: ({ sha, message }, court) => judgeCommit(sha, message, court),
  "commits-added": ({ count }, court) => judgeCommitsAdded(count, court),
  "files-changed": ({ count }, court) => judgeFilesChanged(count, court),
  "files-counted": judgeFilesCounted,
  "tests-added": ({ count }, court) => judgeTestsAdded(count, court),
  branch: ({ name, isMerged }, court) => judgeBranch(name, isMerged, court),
  workspace: judgeWorkspace,
  merge: judgeMerge,
  place: judgePlace,
  source: ({ path, lines }, court) => judgePlace({ path, lines, isPast: true }, court),
  resolved: ({ id }, court) => judgeResolved(id, court),
  fix: ({ location }, court) => judgeFix(location, court),
  count: judgeCount,
  tests: ({ stated }, court) => judgeTests(stated, court),
  coverage: ({ measure, percent }, court) => judgeCoverage(measure, percent, court),
  check: ({ check, passed }, court) => judgeCheck(check, passed, court),
  command: judgeCommand,
  words: () => unverifiable(NO_PROCEDURE, "There is no procedure for this."),
  skill: () => unverifiable(NO_PROCEDURE, "Nobody can see which skills were used."),
  phase: ({ name }, court) => judgePhase(name, court),
  time: ({ at }, court) => judgeTime(at, court),
};

function judge(about: Statement, court: Court): Finding {
  const ask = JUDGES[about.of] as (about: Statement, court: Court) => Finding;
  return ask(about, court);
}
