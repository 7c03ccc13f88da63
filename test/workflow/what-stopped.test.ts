import { describe, expect, it } from "vitest";
import { HandDrivenRun, always, buildAgent, buildWorkflow } from "./build-workflow.ts";

const blockers = [{ description: "No disk", resolution: "Buy one" }, { description: "No power" }];

describe("who has to decide about work that stopped", () => {
  it.each(["failed", "needs-fixes"] as const)("is told what its handoff says of it (%s)", (outcome) => {
    const run = new HandDrivenRun(buildWorkflow([buildAgent("Worker")])).handIn({ outcome, blockers });
    expect(run.last("ask-opened").ask).toMatchObject({
      kind: "escalation",
      details: ["No disk (suggested: Buy one)", "No power"],
    });
  });

  it("is told of an error and what its author suggests", () => {
    const error = { type: "Conflict", message: "It conflicts", details: "in a.ts", suggested_action: "Rebase" };
    const run = new HandDrivenRun(buildWorkflow([buildAgent("Worker")])).handIn({
      outcome: "failed",
      error: { ...error, recoverable: false },
    });
    const { ask } = run.last("ask-opened");
    expect([ask.title, ask.details]).toEqual(["It conflicts", ["in a.ts", "suggested: Rebase"]]);
  });

  it("reads in the end of the task why it failed, where its handoff has no summary (003-R15)", () => {
    const worker = buildAgent("Worker", { routes: { failed: always({ kind: "fail" }) } });
    const run = new HandDrivenRun(buildWorkflow([worker])).handIn({ outcome: "failed", blockers });
    expect(run.last("task-finished").reason).toBe("Worker failed: No disk");
  });
});
