import { describe, expect, it } from "vitest";
import { runView, retryRefusal } from "../../src/views/run-view.ts";
import { HandDrivenRun, buildAgent, buildWorkflow, go } from "./build-workflow.ts";

describe("budgets", () => {
  const agents = [
    buildAgent("One", { routes: { done: go("Two") }, cost: { tokens: 600, money: 1 } }),
    buildAgent("Two", { cost: { tokens: 600, money: 1 } }),
  ];
  const budget = { wall: null, agent: null, tokens: null, money: null, steps: 100 };

  it("refuse a step before it is paid for", () => {
    const run = new HandDrivenRun(buildWorkflow(agents, { budget: { ...budget, tokens: 1_000 } }));
    run.handIn({}, "main", { usage: { milliseconds: 1, tokens: 500, money: null } });
    expect(run.started).toEqual([]);
    expect(run.last("budget-refused")).toMatchObject({ budget: "tokens", agent: "Two" });
    expect(run.state.status).toBe("failed");
  });

  it("let as many steps work as there are, with their repairs, and not one more", () => {
    const run = new HandDrivenRun(buildWorkflow(agents, { budget: { ...budget, steps: 2 } })).handIn({});
    expect(run.started).toEqual(["Two"]);
    expect(run.end("finished").started).toEqual(["Two"]);
    expect(run.handIn({}).state).toMatchObject({ status: "completed", steps: 2 });
    const short = new HandDrivenRun(buildWorkflow(agents, { budget: { ...budget, steps: 1 } }));
    expect(short.started).toEqual(["One"]);
    expect(short.handIn({}).last("budget-refused")).toMatchObject({ budget: "steps", agent: "Two" });
  });

  it("that end the run leave nobody at work, not even who was to start at the same time", () => {
    const task = (id: string) => ({ id, name: id, priority: "medium", dependsOn: [], start: null, brief: "" }) as const;
    const workflow = buildWorkflow(agents, { parallel: 2, budget: { ...budget, steps: 1 } });
    const run = new HandDrivenRun(workflow, { tasks: [task("a"), task("b")] });
    expect(run.state).toMatchObject({ status: "failed", tasks: { a: { status: "failed" }, b: { status: "waiting" } } });
    expect(run.effects).toEqual([]);
  });

  it("keep a cost that is not known apart from zero", () => {
    const run = new HandDrivenRun(buildWorkflow(agents, { budget: { ...budget, tokens: 1_000 } })).handIn({});
    expect(run.state.spent).toMatchObject({ tokens: 0, unknownTokens: 1, possibleTokens: 600 });
    expect(run.last("budget-refused").budget).toBe("tokens");
  });

  it("add up money as people do", () => {
    const cost = { tokens: null, money: 0.1 };
    const three = [
      buildAgent("One", { routes: { done: go("Two") }, cost }),
      buildAgent("Two", { routes: { done: go("Three") }, cost }),
      buildAgent("Three", { routes: { done: go("Four") }, cost }),
      buildAgent("Four"),
    ];
    const run = new HandDrivenRun(buildWorkflow(three, { budget: { ...budget, money: 0.3 } })).handIn({}).handIn({});
    expect(run.started).toEqual(["Three"]);
    expect(run.handIn({}).last("budget-refused").why).toBe("0.3 of 0.3 money are spent or promised.");
  });

  it("tell what was spent beyond them, and nothing where there is none", () => {
    const usage = { milliseconds: 1, tokens: 700, money: 2 };
    const over = new HandDrivenRun(buildWorkflow(agents, { budget: { ...budget, tokens: 650, money: 1.5 } }));
    over.handIn({}, "main", { usage });
    expect(over.history.flatMap((event) => (event.kind === "budget-overrun" ? [event.why] : []))).toEqual([
      "700 of 650 tokens were spent.",
      "2 of 1.5 were spent.",
    ]);
    const free = new HandDrivenRun(buildWorkflow(agents)).handIn({}, "main", { usage });
    expect(free.kinds()).not.toContain("budget-overrun");
    expect(free.started).toEqual(["Two"]);
  });

  it("hold for a run that is tried again: its time goes on from where it began", () => {
    const routes = { failed: [{ when: null, action: { kind: "fail" } as const }] };
    const workflow = buildWorkflow([buildAgent("One", { routes })], { budget: { ...budget, wall: 50_000 } });
    const run = new HandDrivenRun(workflow).handIn({ outcome: "failed" });
    run.now += 10_000;
    run.tell({ kind: "retry-run", by: "ada", note: null });
    expect(run.effects).toMatchObject([{ kind: "start-agent", timeout: 40_000 }]);
    expect(run.fireNext().state).toMatchObject({ status: "failed", endedAt: run.state.startedAt + 50_000 });
    expect(run.tell({ kind: "retry-run", by: "ada", note: null }).last("budget-refused").why).toBe(
      "the run may take 50000 ms and has taken 50000.",
    );
  });

  it("give an attempt no more time than is left", () => {
    const run = new HandDrivenRun(buildWorkflow(agents, { budget: { ...budget, wall: 50_000, agent: 20_000 } }));
    expect(run.effects[0]).toMatchObject({ timeout: 20_000 });
    run.handIn({}, "main", { usage: { milliseconds: 15_000, tokens: 1, money: 0 } });
    expect(run.effects[0]).toMatchObject({ timeout: 5_000 });
    expect(run.fireNext().state).toMatchObject({ status: "failed" });
    expect(run.effects).toMatchObject([{ kind: "stop-agent" }]);
  });

  it("tell what helps a run that a retry would not, and nothing where one may", () => {
    const steps = new HandDrivenRun(buildWorkflow(agents, { budget: { ...budget, steps: 1 } })).handIn({});
    expect(retryRefusal(steps.workflow, steps.state, steps.now)).toEqual({
      why: "The budget of run run does not allow a retry: 1 of 1 steps are used up.",
      help: "Raise the budget of this run first: `baton budget run --steps LIMIT`.",
    });
    const time = new HandDrivenRun(buildWorkflow(agents, { budget: { ...budget, wall: 50_000 } })).fireNext();
    expect(time.state.status).toBe("failed");
    expect(runView(time.workflow, time.state, time.history).retry_refused).toContain("baton budget run --wall");

    const other = new HandDrivenRun(buildWorkflow(agents, { budget: { ...budget, wall: 50_000 } }));
    expect(retryRefusal(other.workflow, other.state, other.now)).toBeNull();
    other.end("crashed", "main", { isPermanent: true }).answer("fail");
    expect(other.state.status).toBe("failed");
    expect(runView(other.workflow, other.state, other.history).retry_refused).toBeNull();
    expect(retryRefusal(other.workflow, other.state, other.now + 60_000)?.help).toContain("baton budget run --wall");
  });
});
