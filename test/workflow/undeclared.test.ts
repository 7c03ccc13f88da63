import { describe, expect, it } from "vitest";
import { impliedClaims, isWorthTelling } from "../../src/evidence/claims/implied-claims.ts";
import { judgeClaims } from "../../src/evidence/judge-claims.ts";
import { listClaims } from "../../src/evidence/list-claims.ts";
import type { NewCommit, ObservedChange, ObservedCommit, Observations } from "../../src/evidence/observations.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { remarksOf } from "../../src/workflow/remarks.ts";
import { sampleEvidence } from "../truth/sample-evidence.ts";
import { HandDrivenRun, buildAgent, buildWorkflow } from "./build-workflow.ts";

const DONE = { outcome: "done" } as const;
const EMPTY: Handoff = { ...DONE, dialect: "pipeline-json", work: { artifacts: [] } };
const runner = { runner: buildAgent("Builder").runner };

function ended(
  handoff: Handoff,
  seen: Partial<Observations>,
  more: Parameters<typeof buildAgent>[1] = {},
  known: Parameters<typeof sampleEvidence>[1] = {},
) {
  const said = listClaims(handoff);
  const claims = [...said, ...impliedClaims(handoff, said)];
  const judgements = judgeClaims(claims, sampleEvidence(seen, known)).filter((judgement, at) =>
    isWorthTelling(claims[at] ?? { about: { of: "words" } }, judgement),
  );
  const workflow = buildWorkflow([buildAgent("Builder", { ...runner, ...more })], {});
  const { state } = new HandDrivenRun(workflow).handIn(handoff, "main", { judgements });
  return { state, remarks: remarksOf(workflow, state) };
}

function changed(...paths: readonly string[]): Pick<Observations, "changes"> {
  return {
    changes: new Map(paths.map((path): [string, ObservedChange] => [path, { change: "modified", hunks: null }])),
  };
}

describe("a changed file that the handoff does not name", () => {
  it.each(["pipeline-json", "issue-xml", "phase-yaml"] as const)("is told at the end of the run: %s", (dialect) => {
    const { state, remarks } = ended({ ...DONE, dialect }, changed("src/tax.mjs"));
    expect(state).toMatchObject({ status: "completed", reason: "done, but changed files missing from 1 handoff" });
    const text = "Builder does not name all that it changed: 1 file changed and not named: src/tax.mjs.";
    expect(remarks).toEqual([{ kind: "undeclared", text }]);
  });

  it("is told when its name cannot be declared, or when only a package manager would write it", () => {
    const odd = new Map<string, ObservedChange>([["-rf.mjs", { change: "created", hunks: null }]]);
    expect(ended(EMPTY, { changes: odd }).remarks).toMatchObject([{ kind: "undeclared" }]);
    expect(ended(EMPTY, changed("package-lock.json")).remarks).toMatchObject([{ kind: "undeclared" }]);
  });

  it("is told when it is the old name of a renamed file that is listed as created", () => {
    const changes = new Map<string, ObservedChange>([
      ["GUIDE.md", { change: "renamed", hunks: null, from: "README.md" }],
      ["README.md", { change: "deleted", hunks: null }],
    ]);
    const listing = (work: Handoff["work"]) => ended({ ...DONE, dialect: "task-yaml", work }, { changes }).remarks;
    const created = [{ path: "GUIDE.md", purpose: "Describes the shop" }];
    expect(listing({ created })).toMatchObject([
      { kind: "undeclared", text: expect.stringMatching(/README\.md \(now GUIDE\.md\)/) },
    ]);
    expect(listing({ created, modified: [{ path: "README.md", change_type: "delete" }] })).toEqual([]);
    expect(listing({ modified: [{ path: "GUIDE.md", change_type: "modify" }] })).toEqual([]);
  });

  it("is a warning in a run where the handoff brings findings and no work of its own", () => {
    const handoff: Handoff = { ...DONE, dialect: "issue-xml", findings: { review: { status: "approved" } } };
    const step = { agent: "Reviewer", phase: null, isLast: false, startedAt: 1_799_999_000_000 };
    const { remarks } = ended(handoff, changed("src/tax.mjs"), {}, { step });
    const text = "Builder: 1 file changed and not named: src/tax.mjs.";
    expect(remarks).toEqual([{ kind: "refuted", text }]);
    expect(ended(handoff, {}, {}, { step }).remarks).toEqual([]);
  });

  it("is not told where the policy only records it", () => {
    const verify = { ...buildAgent("Builder").verify, undeclared: "record" } as never;
    expect(ended(EMPTY, changed("src/tax.mjs"), { verify }).remarks).toEqual([]);
  });
});

describe("a changed file is named", () => {
  it("by a list, with the lock file beside or above a listed manifest", () => {
    const files = ["packages/a/package.json", "packages/a/yarn.lock", "package-lock.json"];
    const work = { artifacts: [{ path: "packages/a/package.json" }] };
    const seen = { ...changed(...files), files: new Map() };
    expect(ended({ ...EMPTY, work }, seen).remarks).toEqual([]);
    expect(ended({ ...EMPTY, work }, { ...seen, ...changed(...files, "packages/b/yarn.lock") }).remarks).toHaveLength(
      1,
    );
  });

  it("by the place of a fix", () => {
    const findings = { fixes: [{ location: "src/tax.mjs:2", description: "Rounded" }] };
    expect(ended({ ...EMPTY, findings }, changed("src/tax.mjs")).remarks).toEqual([]);
  });

  it("by a listed commit of this work, and not by another one", () => {
    const sha = "b".repeat(40);
    const made = { sha, subject: "Lower taxes", author: "a@b", committer: "a@b", authoredAt: 1, committedAt: 1 };
    const commit: NewCommit = { ...made, files: ["src/tax.mjs"] };
    const known: ObservedCommit = {
      sha,
      message: "Lower taxes",
      parents: 1,
      isInHead: true,
      isSinceBase: true,
      isOnTarget: false,
    };
    const history = { isBaseKept: true, since: 1, now: 2, accounts: [], isWhole: true };
    const handoff: Handoff = { ...DONE, dialect: "issue-xml", work: { commits: [{ sha, message: "Lower taxes" }] } };
    const seen = { ...changed("src/tax.mjs"), commits: new Map([[sha, known]]), commitsSinceBase: 1 };
    expect(ended(handoff, { ...seen, history: { ...history, commits: [commit] } }).remarks).toEqual([]);
    const other = { ...history, commits: [{ ...commit, files: ["src/cart.mjs"] }] };
    expect(ended(handoff, { ...seen, history: other }).remarks).toMatchObject([{ kind: "undeclared" }]);
  });
});
