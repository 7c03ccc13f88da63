import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SessionView } from "../../src/runtime/operations/view-run.ts";
import { type RunView, runView } from "../../src/views/run-view.ts";
import type { AttemptRecord } from "../../src/workflow/attempt-record.ts";
import { HandDrivenRun, buildAgent, buildWorkflow, go } from "./build-workflow.ts";

const workflow = buildWorkflow([
  buildAgent("One", { routes: { done: go("Two") } }),
  buildAgent("Two", { retry: { most: 0, delay: 0 } }),
  buildAgent("Three"),
]);

/** Two tasks at once, whose agents come back, fail and call each other. */
const branching = buildWorkflow(
  [
    buildAgent("One", { routes: { done: go("Two"), "needs-fixes": go("One"), failed: go("Three") } }),
    buildAgent("Two", { routes: { done: go("One"), failed: go("Three") }, retry: { most: 0, delay: 0 } }),
    buildAgent("Three"),
  ],
  { parallel: 2 },
);
const TASKS = ["a", "b"].map(
  (id) => ({ id, name: id, priority: "medium", dependsOn: [], start: null, brief: "" }) as const,
);

const RECORD: AttemptRecord = {
  prompt: { nonce: "n", sha256: "0".repeat(64), bytes: 9 },
  packet: null,
  output: null,
  takeover: { firstInput: 5, input: 5, inputBeforeChange: null, changes: 0, reads: null },
};

const MOVES: readonly ((run: HandDrivenRun) => unknown)[] = [
  ...TASKS.flatMap(({ id }) => [
    (run: HandDrivenRun) => run.handIn({}, id, { record: RECORD }),
    (run: HandDrivenRun) => run.handIn({ outcome: "needs-fixes" }, id),
    (run: HandDrivenRun) => run.end("finished", id, { record: RECORD }),
    (run: HandDrivenRun) => run.end("crashed", id, { record: RECORD }),
    (run: HandDrivenRun) => run.end("lost", id),
  ]),
  (run) => Object.keys(run.state.timers).length > 0 && run.fireNext(),
  (run) => run.answer("fail"),
  (run) => run.answer("retry"),
  (run) => run.tell({ kind: "cancel-run", by: "me", reason: "enough" }),
];

/** Looked at after each input, as somebody does who follows it. */
function follow(run: HandDrivenRun, ...inputs: ((run: HandDrivenRun) => unknown)[]): string[] {
  const followed = new SessionView();
  let view: RunView = followed.after(run, run.history);
  for (const input of inputs) {
    input(run);
    view = followed.after(run, run.events);
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

  it("shows who was at work and was stopped, also to somebody who came in between", () => {
    const run = new HandDrivenRun(workflow).handIn({}).end("crashed");
    const late = new SessionView();
    late.after(run, run.events);
    run.tell({ kind: "cancel-run", by: "me", reason: "enough" });
    expect(late.after(run, run.events).agents[1]).toMatchObject({ name: "Two", status: "stopped" });
  });

  it("shows that an agent has failed whose second visit gave no handoff, while others go on", () => {
    const again = buildWorkflow([
      buildAgent("One", {
        routes: { "needs-fixes": go("One"), failed: go("Two") },
        retry: { most: 0, delay: 0 },
      }),
      buildAgent("Two"),
    ]);
    const handIn = (run: HandDrivenRun) => run.handIn({ outcome: "needs-fixes" });
    const crash = (run: HandDrivenRun) => run.end("crashed");
    expect(follow(new HandDrivenRun(again), handIn, crash)).toEqual(["failed", "working"]);
  });

  it("counts the attempts nobody watched, and tells what taking over has cost, over all looks", () => {
    const run = new HandDrivenRun(branching, { tasks: TASKS });
    const followed = new SessionView();
    const look = (): [number, number] => {
      const { unwatched_attempts: unwatched, takeovers } = followed.after(run, run.events);
      return [unwatched, takeovers.length];
    };
    expect(look()).toEqual([0, 0]);
    run.end("lost", "a", { usage: { milliseconds: 0, tokens: null, money: null } });
    expect(look()).toEqual([1, 0]);
    run.handIn({}, "b", { record: RECORD });
    expect(look()).toEqual([1, 1]);
    run.tell({ kind: "cancel-run", by: "me", reason: "enough" });
    // Both tasks had one at work: what was lost had been tried again.
    expect(look()).toEqual([3, 1]);
  });

  it("looks at every moment as it does to somebody who reads its log from the beginning", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...MOVES), { maxLength: 14 }), (moves) => {
        const run = new HandDrivenRun(branching, { tasks: TASKS });
        const followed = new SessionView();
        let seen = 0;
        for (const move of [() => undefined, ...moves]) {
          move(run);
          const view = followed.after(run, run.history.slice(seen));
          expect(view).toEqual(runView(branching, run.state, run.history));
          seen = run.history.length;
        }
      }),
      { numRuns: 300 },
    );
  });
});
