import { describe, expect, it } from "vitest";
import type { Judgement } from "../../src/evidence/claim.ts";
import { DEFAULT_POLICY } from "../../src/evidence/policy.ts";
import { remarksOf } from "../../src/workflow/remarks.ts";
import { HandDrivenRun, always, buildAgent, buildGate, buildWorkflow, go } from "./build-workflow.ts";

const CHANGED: Judgement = {
  kind: "gate-files",
  where: "gates",
  says: "No file that defines a gate was changed.",
  verdict: "refuted",
  procedure: "git diff against the state before the step",
  evidence: 'What defines a gate was changed: package.json: scripts.test was "vitest run", is "true".',
  isImplied: true,
};
const { isImplied: _implied, ...STATED } = CHANGED;
const FALSE_TESTS: Judgement = {
  ...STATED,
  kind: "test",
  where: "metrics.tests",
  says: "Tests: 5 passed.",
  evidence: "2 of 5 failed.",
};

function run(verify = DEFAULT_POLICY, repairs = 2): HandDrivenRun {
  const builder = buildAgent("Builder", { gates: ["tests"], routes: { done: go("Tester") }, verify, repairs });
  const tester = buildAgent("Tester", { routes: { done: always({ kind: "end" }) } });
  return new HandDrivenRun(buildWorkflow([builder, tester], { gates: { tests: buildGate("tests") } }));
}

function endGate(driven: HandDrivenRun, judgements: readonly Judgement[] = [], passed = true): HandDrivenRun {
  const effect = driven.effects.find(({ kind }) => kind === "run-gate");
  if (effect?.kind !== "run-gate") throw new Error("no gate runs");
  const report = { message: "exit code 0", output: "", milliseconds: 5, figures: null };
  return driven.tell({ kind: "report-gate", gateRun: effect.gateRun, passed, ...report, judgements });
}

describe("a refuted claim whose policy is ask", () => {
  it("stops the work before its gates until a person accepts it, and is told at the end", () => {
    const driven = run().handIn({}, "main", { judgements: [CHANGED] });
    expect(driven.effects.filter(({ kind }) => kind === "run-gate")).toEqual([]);
    expect(driven.last("ask-opened").ask).toMatchObject({
      kind: "claims",
      choices: ["approve", "reject", "fail"],
      details: [CHANGED.evidence],
    });
    driven.answer("approve");
    expect(driven.last("claims-waived")).toMatchObject({
      agent: "Builder",
      by: "ada",
      claims: [{ kind: "gate-files" }],
    });
    expect(endGate(driven).started).toEqual(["Tester"]);
    driven.handIn({});
    expect(remarksOf(driven.workflow, driven.state)).toEqual([
      { kind: "waived", text: `Builder: ${CHANGED.evidence} (accepted by ada)` },
    ]);
    expect(driven.last("run-completed").remarks).toMatchObject({ open: 0, waived: 1, refuted: 0, unknown: 0 });
  });

  it("goes back with the evidence and the person's words, however often it was sent back before", () => {
    const driven = run(DEFAULT_POLICY, 0);
    for (let round = 0; round < 3; round++) {
      driven.handIn({}, "main", { judgements: [CHANGED] }).answer("reject", "Leave the script alone.");
      expect(driven.effects).toMatchObject([{ kind: "start-agent", agent: "Builder", reason: { kind: "repair" } }]);
      const { problems } = driven.last("handoff-refused");
      expect(problems.map(({ message }) => message)).toEqual(["ada says: Leave the script alone.", CHANGED.evidence]);
    }
    expect(new Set(driven.history.flatMap((event) => (event.kind === "step-started" ? [event.step] : []))).size).toBe(
      1,
    );
  });

  it("can end the task", () => {
    const driven = run()
      .handIn({}, "main", { judgements: [CHANGED] })
      .answer("fail");
    expect(driven.last("task-finished")).toMatchObject({ status: "failed" });
  });

  it("is asked once: the same evidence of the same agent is not asked again, other evidence is", () => {
    const driven = run()
      .handIn({}, "main", { judgements: [CHANGED] })
      .answer("approve");
    endGate(driven, [], false).fireNext();
    driven.handIn({}, "main", { judgements: [CHANGED] });
    expect(driven.effects).toMatchObject([{ kind: "run-gate" }]);
    endGate(driven, [], false);
    driven.answer("retry");
    driven.handIn({}, "main", { judgements: [{ ...CHANGED, evidence: "Another change." }] });
    expect(driven.last("ask-opened").ask.details).toEqual(["Another change."]);
  });

  it("is asked about when a gate has settled it, and the gates after it run once it is accepted", () => {
    const driven = run({ ...DEFAULT_POLICY, test: "ask" }).handIn({});
    endGate(driven, [FALSE_TESTS]);
    expect(driven.started).toEqual([]);
    expect(driven.last("ask-opened").ask.details).toEqual(["Not true: Tests: 5 passed. 2 of 5 failed."]);
    expect(driven.answer("approve").started).toEqual(["Tester"]);
  });

  it("is compared with the state before the agent's first step, also when a person was asked between its steps", () => {
    const driven = run();
    driven.end("crashed", "main", { isPermanent: true }).answer("retry");
    const task = driven.state.tasks["main"];
    expect(task?.began["Builder"]).toBe("s2");
    expect(task?.since["Builder"]).toBe("s1");
  });
});
