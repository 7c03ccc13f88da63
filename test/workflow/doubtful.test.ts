import { describe, expect, it } from "vitest";
import { impliedClaims, isWorthTelling } from "../../src/evidence/claims/implied-claims.ts";
import { judgeClaims } from "../../src/evidence/judge-claims.ts";
import { listClaims } from "../../src/evidence/list-claims.ts";
import type { ObservedCommit, Observations } from "../../src/evidence/observations.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { remarksOf } from "../../src/workflow/remarks.ts";
import { sampleEvidence } from "../truth/sample-evidence.ts";
import { HandDrivenRun, buildAgent, buildWorkflow } from "./build-workflow.ts";

const BEGAN = 1_800_000_000_500;
const STEP = { startedAt: BEGAN, runStartedAt: BEGAN, phase: null, endsRun: false };

function told(handoff: Handoff, seen: Partial<Observations>): readonly { kind: string; text: string }[] {
  const said = listClaims(handoff);
  const claims = [...said, ...impliedClaims(handoff, said)];
  const judgements = judgeClaims(claims, sampleEvidence(seen, { step: STEP })).filter((judgement, at) =>
    isWorthTelling(claims[at] ?? { about: { of: "words" } }, judgement),
  );
  const workflow = buildWorkflow([buildAgent("Builder", { runner: buildAgent("Builder").runner })], {});
  const { state } = new HandDrivenRun(workflow).handIn(handoff, "main", { judgements });
  return remarksOf(workflow, state);
}

describe("a commit that the base has, claimed as work of the run", () => {
  const sha = "b".repeat(40);
  const handoff: Handoff = { dialect: "issue-xml", outcome: "done", work: { commits: [{ sha, message: "Begin" }] } };
  const commit = { sha, message: "Begin", parents: 0, isInHead: true, isSinceBase: false, isOnTarget: true };
  const at = (committedAt: number) => {
    const known: ObservedCommit = { ...commit, isInBase: true, committedAt };
    return told(handoff, { isBaseKnown: true, commits: new Map([[sha, known]]) });
  };

  it("is told when it is older than the run, however little", () => {
    expect(at(BEGAN - 600_000)).toMatchObject([{ kind: "refuted" }]);
    expect(at(BEGAN - 1500)).toMatchObject([
      { kind: "unproven", text: expect.stringContaining("1 commit older than the run: bbbbbbbb (Begin)") },
    ]);
  });

  it("is not told when an earlier step may have made it", () => {
    expect(at(BEGAN - 500)).toEqual([]);
  });
});

describe("a number of commits", () => {
  const handoff = (commits: number): Handoff => ({
    dialect: "pipeline-json",
    outcome: "done",
    metrics: { total_commits: commits },
  });
  const seen = { commitsSinceBase: 1, commitCounts: { inHead: 3, inAll: 3, sinceTarget: 0 } };

  it("is told when no reading of it fits", () => {
    expect(told(handoff(2), seen)).toMatchObject([
      { kind: "unproven", text: expect.stringContaining("3 commits in HEAD, 1 since the base.") },
    ]);
  });

  it.each([0, 1, 3])("is not told when one fits: %i", (commits) => {
    expect(told(handoff(commits), seen)).toEqual([]);
  });
});
