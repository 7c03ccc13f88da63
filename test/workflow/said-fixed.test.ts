import { describe, expect, it } from "vitest";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { composePrompt } from "../../src/workflow/compose-prompt.ts";
import { remarksOf } from "../../src/workflow/remarks.ts";
import { HandDrivenRun, type ListedIssue, always, buildAgent, buildGate, buildWorkflow, go } from "./build-workflow.ts";

const issue = (id: string, more: Partial<ListedIssue> = {}): ListedIssue => ({
  id,
  severity: "high",
  category: "bug",
  location: `src/${id}.ts:3`,
  description: `problem ${id}`,
  status: "open",
  ...more,
});
const found = (...ids: string[]) => ({
  outcome: "needs-fixes" as const,
  findings: { issues: ids.map((id) => issue(id)) },
});
const loopTo = (to: string) => always({ kind: "loop", to });

/** Reviewer, fixer, reviewer again; or the end after the fixer. */
function review(fixer: Parameters<typeof buildAgent>[1] = {}, more: Parameters<typeof buildWorkflow>[1] = {}) {
  return buildWorkflow(
    [
      buildAgent("Reviewer", { routes: { done: always({ kind: "end" }), "needs-fixes": loopTo("Fixer") } }),
      buildAgent("Fixer", { routes: { done: go("Reviewer") }, ...fixer }),
    ],
    more,
  );
}

type Findings = NonNullable<Handoff["findings"]>;
const ENDS = { routes: { done: always({ kind: "end" as const }) } };

describe("an issue that its fixer calls fixed", () => {
  const WORDS: readonly (readonly [string, Findings])[] = [
    ["by its id", { resolved: ["A"] }],
    ["by its place", { fixes: [{ location: "src/A.ts:3", description: "mended" }] }],
    ["as an issue with the status fixed", { issues: [issue("A", { status: "fixed" })] }],
    ["as an issue with the status wontfix", { issues: [issue("A", { status: "wontfix" })] }],
  ];
  for (const [how, findings] of WORDS)
    it(`is open until its finder looks again, when it is called so ${how}`, () => {
      const run = new HandDrivenRun(review()).handIn(found("A")).handIn({ findings });
      expect(run.last("fix-claimed")).toMatchObject({ id: "A", by: "Fixer" });
      expect(run.state.ledger["A"]).toMatchObject({ status: "open", claimed: { by: "Fixer" } });
      expect(run.handIn({}).state.ledger["A"]).toMatchObject({ status: "fixed" });
      expect(run.state).toMatchObject({ status: "completed", reason: "done" });
    });

  it("blocks the end of a run in which its finder never looks again", () => {
    const run = new HandDrivenRun(review(ENDS)).handIn(found("A")).handIn({ findings: { resolved: ["A"] } });
    expect(run.state).toMatchObject({ status: "completed", reason: "done, but 1 blocking issue open" });
    expect(remarksOf(run.workflow, run.state)).toEqual([
      {
        kind: "open",
        text: "high issue A is open: Fixer says that it is fixed, and Reviewer has not looked again: problem A",
      },
    ]);
  });

  it("counts as open in conditions", () => {
    const gates = { clean: buildGate("clean", { command: [], require: null }) };
    const run = new HandDrivenRun(review({}, { gates })).handIn(found("A")).handIn({ findings: { resolved: ["A"] } });
    const prompt = composePrompt(
      run.workflow,
      run.state,
      run.state.tasks["main"]!,
      run.state.tasks["main"]!.step!.reason,
      {
        nonce: "n",
        file: null,
        packet: "",
      },
    );
    expect(prompt).toContain('"said_to_be_fixed_by": "Fixer"');
    expect(prompt).toContain("count as fixed when you report them no more");
  });

  it("is no news when its finder finds it again: the number of open issues tells whether the loop gets anywhere", () => {
    const run = new HandDrivenRun(review()).handIn(found("A", "B")).handIn({ findings: { resolved: ["A", "B"] } });
    run.handIn(found("A"));
    expect(run.started).toEqual(["Fixer"]);
    expect(run.state.ledger["A"]).toMatchObject({ status: "open", reopened: 0 });
    expect(run.state.ledger["A"]).not.toHaveProperty("claimed");
    run.handIn({ findings: { resolved: ["A"] } }).handIn(found("A"));
    expect(run.last("loop-ended")).toMatchObject({ end: "capped" });
  });

  it("is not given to a fixer again before its finder has looked", () => {
    const agents = [
      buildAgent("Fixer", { routes: { done: go("Tester") } }),
      buildAgent("Tester", { routes: { done: go("Reviewer"), "needs-fixes": loopTo("Fixer") } }),
      buildAgent("Reviewer", { routes: { done: always({ kind: "end" }), "needs-fixes": loopTo("Fixer") } }),
    ];
    const run = new HandDrivenRun(buildWorkflow(agents)).handIn({}).handIn({}).handIn(found("R1"));
    run.handIn({ findings: { resolved: ["R1"] } }).handIn(found("T1"));
    expect(run.effects).toMatchObject([{ agent: "Fixer", reason: { kind: "loop", issues: ["T1"] } }]);
  });

  it("cannot be taken over from its finder by the fixer's own report", () => {
    const run = new HandDrivenRun(review({ gates: ["lint"] }, { gates: { lint: buildGate("lint") } })).handIn(
      found("A"),
    );
    run.handIn({ outcome: "done-with-warnings", findings: { issues: [issue("A")] } });
    const report = { kind: "report-gate", output: "", milliseconds: 1, figures: null, judgements: [] } as const;
    const { gateRun } = run.effects[0] as { gateRun: string };
    run.tell({ ...report, gateRun, passed: false, message: "no" }).fireNext();
    expect(run.started).toEqual(["Fixer"]);
    run.handIn({});
    expect(run.state.ledger["A"]).toMatchObject({ status: "open" });
    expect(run.state.ledger["A"]).not.toHaveProperty("seenBy");
  });

  it("cannot be taken over by an agent that gets it without a loop", () => {
    const agents = [
      buildAgent("Reviewer", { routes: { done: always({ kind: "end" }), "needs-fixes": go("Fixer") } }),
      buildAgent("Fixer", {
        routes: { done: always({ kind: "end" }), "done-with-warnings": go("Fixer"), "needs-fixes": loopTo("Planner") },
      }),
      buildAgent("Planner", { routes: { done: go("Fixer") } }),
    ];
    for (const outcome of ["done-with-warnings", "needs-fixes"] as const) {
      const run = new HandDrivenRun(buildWorkflow(agents)).handIn(found("A"));
      run.handIn({ outcome, findings: { issues: [issue("A")] } });
      if (run.started.includes("Planner")) run.handIn({});
      expect(run.started).toEqual(["Fixer"]);
      run.handIn({});
      expect(run.state.ledger["A"]).toMatchObject({ status: "open" });
      expect(run.state.reason).toBe("done, but 1 blocking issue open");
    }
  });

  it("is not given back to its fixer, who reported it first, when another agent has found it", () => {
    const agents = [
      buildAgent("One", { routes: { "done-with-warnings": go("Two"), done: always({ kind: "end" }) } }),
      buildAgent("Two", { routes: { "needs-fixes": loopTo("One"), done: go("One") } }),
    ];
    const own: Partial<Handoff> = { outcome: "done-with-warnings", findings: { issues: [issue("A")] } };
    const run = new HandDrivenRun(buildWorkflow(agents)).handIn(own).handIn(found("A")).handIn(own);
    expect(run.state.ledger["A"]).toMatchObject({ seenBy: "Two" });
  });

  it("is closed by a gate that proves the check whose failure it is", () => {
    const workflow = review({ ...ENDS, gates: ["lint"] }, { gates: { lint: buildGate("lint") } });
    const run = new HandDrivenRun(workflow).handIn({
      outcome: "needs-fixes",
      findings: { failures: [{ type: "lint", description: "2 errors" }], issues: [issue("A", { category: "lint" })] },
    });
    run.handIn({});
    const { gateRun } = run.effects[0] as { gateRun: string };
    const report = { kind: "report-gate", output: "", milliseconds: 1, figures: null, judgements: [] } as const;
    run.tell({ ...report, gateRun, passed: true, message: "passed" });
    expect(Object.values(run.state.ledger).map(({ id, status }) => `${id} ${status}`)).toEqual([
      "A open",
      "Reviewer-2 fixed",
    ]);
    expect(run.state.reason).toBe("done, but 1 blocking issue open");
  });
});
