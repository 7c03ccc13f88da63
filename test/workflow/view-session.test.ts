import { describe, expect, it } from "vitest";
import type { RunView } from "../../src/runtime/operations/view-run.ts";
import { viewOf } from "../../src/runtime/operations/view-session.ts";
import { HandDrivenRun, buildAgent, buildWorkflow, go } from "./build-workflow.ts";

const workflow = buildWorkflow([
  buildAgent("One", { routes: { done: go("Two") } }),
  buildAgent("Two", { retry: { most: 0, delay: 0 } }),
  buildAgent("Three"),
]);

/** Looked at after each input, as somebody does who follows it. */
function follow(run: HandDrivenRun, ...inputs: ((run: HandDrivenRun) => unknown)[]): string[] {
  let view: RunView | null = viewOf(run, null, run.history);
  for (const input of inputs) {
    input(run);
    view = viewOf(run, view, run.events);
  }
  return view.agents.map(({ status }) => status);
}

describe("a run that is followed", () => {
  it("shows who has not started, who works and who has handed over", () => {
    expect(follow(new HandDrivenRun(workflow))).toEqual(["working", "not-started", "not-started"]);
    expect(follow(new HandDrivenRun(workflow), (run) => run.handIn({}))).toEqual(["done", "working", "not-started"]);
  });

  it("shows who was stopped when it is cancelled", () => {
    const cancel = (run: HandDrivenRun) => run.tell({ kind: "cancel-run", by: "me", reason: "enough" });
    expect(follow(new HandDrivenRun(workflow), (run) => run.handIn({}), cancel)).toEqual([
      "done",
      "stopped",
      "not-started",
    ]);
  });

  it("shows who has failed when a person lets it fail", () => {
    const crash = (run: HandDrivenRun) => run.end("crashed", "main", { message: "exit code 7" });
    const run = new HandDrivenRun(workflow);
    const fail = () => {
      const [ask] = Object.keys(run.state.asks);
      if (ask !== undefined) run.tell({ kind: "answer", ask, choice: "fail", text: null, by: "me" });
    };
    expect(follow(run, () => run.handIn({}), crash, crash, crash, crash, fail)).toEqual([
      "done",
      "failed",
      "not-started",
    ]);
    expect(run.state.status).toBe("failed");
  });
});
