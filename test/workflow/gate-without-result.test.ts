import { describe, expect, it } from "vitest";
import type { ReportGate } from "../../src/workflow/input.ts";
import { HandDrivenRun, always, buildAgent, buildGate, buildWorkflow, go } from "./build-workflow.ts";

const NO_REPORT = "exit code 0, but it wrote no test report that can be used (out.xml: the gate has not written it)";

function run(more: Parameters<typeof buildGate>[1] = {}): HandDrivenRun {
  const builder = buildAgent("Builder", { gates: ["tests"], routes: { done: go("Tester") } });
  const tester = buildAgent("Tester", { routes: { done: always({ kind: "end" }) } });
  return new HandDrivenRun(buildWorkflow([builder, tester], { gates: { tests: buildGate("tests", more) } }));
}

function endGate(driven: HandDrivenRun, more: Partial<ReportGate> = {}): HandDrivenRun {
  const effect = driven.effects.find(({ kind }) => kind === "run-gate");
  if (effect?.kind !== "run-gate") throw new Error("no gate runs");
  const report = { passed: true, message: "exit code 0", output: "", milliseconds: 5, figures: null, judgements: [] };
  return driven.tell({ kind: "report-gate", gateRun: effect.gateRun, ...report, ...more });
}

const unusable = { passed: false, isUnusable: true, message: NO_REPORT } as const;

describe("a gate without a result", () => {
  it("passes nothing: its agent is told once, then a person is asked", () => {
    const driven = endGate(run().handIn({}), unusable);
    expect(driven.started).toEqual([]);
    expect(driven.last("gate-failed")).toMatchObject({ gate: "tests", isUnusable: true });
    driven.fireNext();
    expect(driven.effects).toMatchObject([
      { kind: "start-agent", agent: "Builder", reason: { note: expect.stringContaining("wrote no test report") } },
    ]);
    endGate(driven.handIn({}), unusable);
    expect(driven.last("ask-opened").ask).toMatchObject({
      title: `Gate tests has no result: ${NO_REPORT}`,
      choices: ["retry", "continue", "fail"],
    });
    driven.answer("continue");
    expect(driven.started).toEqual(["Tester"]);
    expect(driven.state.waived).toMatchObject([{ what: "gate", name: "tests", by: "ada" }]);
  });

  it.each([{ kind: "go", to: "Tester" }, { kind: "end" }] as const)(
    "is not passed over by a workflow that goes on after a failure (%o)",
    (failed) => {
      const driven = endGate(run({ failed }).handIn({}), unusable);
      endGate(driven.fireNext().handIn({}), unusable);
      expect(driven.started).toEqual([]);
      expect(driven.last("ask-opened").ask.kind).toBe("escalation");
    },
  );

  it("is told of once more after the gate has passed, and also when the agent was tried again before", () => {
    const driven = endGate(run().handIn({}), { passed: false, message: "exit code 1" });
    driven.fireNext();
    endGate(driven.handIn({}), unusable);
    expect(driven.fireNext().started).toEqual(["Builder"]);
  });
});
