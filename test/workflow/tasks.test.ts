import { describe, expect, it } from "vitest";
import type { TaskDefinition } from "../../src/workflow/definition.ts";
import { HandDrivenRun, always, buildAgent, buildWorkflow, go } from "./build-workflow.ts";

const task = (id: string, more: Partial<TaskDefinition> = {}): TaskDefinition => ({
  id,
  name: id,
  priority: "medium",
  dependsOn: [],
  start: null,
  brief: "",
  ...more,
});

describe("002-R19: dependencies and parallel tasks", () => {
  const workflow = buildWorkflow([buildAgent("Worker")], { parallel: 2 });

  it("run in the order of their dependencies, then priority, then id, as many as there is room for", () => {
    const tasks = [
      task("task-10"),
      task("task-2"),
      task("task-3", { priority: "critical", dependsOn: ["task-2"] }),
      task("task-4", { priority: "high" }),
    ];
    const run = new HandDrivenRun(workflow, { tasks });
    const working = () =>
      Object.values(run.state.tasks)
        .flatMap(({ id, step }) => (step === null ? [] : [id]))
        .sort();
    expect(working()).toEqual(["task-2", "task-4"]);
    run.handIn({}, "task-2");
    expect(working()).toEqual(["task-3", "task-4"]);
    run.handIn({}, "task-4").handIn({}, "task-10").handIn({}, "task-3");
    expect(run.state.status).toBe("completed");
  });

  it("that a handoff names are compared with those of the run: unknown and incomplete ones are recorded (002-R09)", () => {
    const tasks = [task("a"), task("12"), task("c"), task("after", { dependsOn: ["c"] }), task("z")];
    const run = new HandDrivenRun(buildWorkflow([buildAgent("Worker")], { parallel: 4 }), { tasks });
    run.handIn({ depends_on: ["task-99"] }, "a");
    expect(run.last("dependencies-unmet")).toMatchObject({ task: "a", unknown: ["task-99"], unfinished: [] });
    run.handIn({ depends_on: ["a"] }, "12");
    expect(run.kinds()).not.toContain("dependencies-unmet");
    // `after` comes after `c`, so that it is affected; a task may be written with `task-`.
    run.handIn({ depends_on: ["task-12", "after", "z", "c"] }, "c");
    expect(run.last("dependencies-unmet")).toMatchObject({ task: "c", unknown: [], unfinished: ["z"] });
    expect(run.last("handoff-accepted").task).toBe("c");
  });

  it("that a handoff names mean nothing in a run without named tasks, or while its work waits", () => {
    expect(new HandDrivenRun(workflow).handIn({ depends_on: ["task-99"] }).kinds()).not.toContain("dependencies-unmet");
    const waiting = new HandDrivenRun(workflow, { tasks: [task("a"), task("b")] });
    expect(waiting.handIn({ outcome: "blocked", depends_on: ["b"] }, "a").kinds()).not.toContain("dependencies-unmet");
  });

  it("that wait for each other are found before anything runs, and named", () => {
    const run = new HandDrivenRun(workflow, {
      tasks: [task("a", { dependsOn: ["b"] }), task("b", { dependsOn: ["a"] })],
    });
    expect(run.state).toMatchObject({
      status: "failed",
      reason: "These tasks wait for each other: a needs b needs a.",
    });
    const missing = new HandDrivenRun(workflow, { tasks: [task("a", { dependsOn: ["constructor"] })] });
    expect(missing.state.reason).toContain("does not exist");
  });

  it("that can never start because another failed are explained", () => {
    const run = new HandDrivenRun(workflow, { tasks: [task("a"), task("b", { dependsOn: ["a"] })] });
    run.handIn({ outcome: "failed" }, "a").answer("fail");
    expect(run.state).toMatchObject({ status: "failed", reason: "Nothing can go on: b waits for a (failed)." });
  });

  it("003-R25: blockers hold the tasks they name until the task that reported them is done", () => {
    const one = buildWorkflow(
      [buildAgent("Worker", { routes: { done: always({ kind: "end" }), blocked: always({ kind: "person" }) } })],
      { parallel: 2 },
    );
    const run = new HandDrivenRun(one, { tasks: [task("a"), task("b", { dependsOn: [] }), task("c")] });
    run.handIn({ outcome: "blocked", blockers: [{ description: "no key", blocks: ["c"] }] }, "a");
    expect(run.state.tasks["c"]).toMatchObject({ status: "waiting", blockers: [{ by: "a", description: "no key" }] });
    run.handIn({}, "b");
    expect(run.state.tasks["c"]?.status).toBe("waiting");
    run.answer("retry", "the key is there").handIn({}, "a");
    expect(run.state.tasks["c"]).toMatchObject({ status: "working", blockers: [] });
  });
});

describe("003-R25: a task that another holds up", () => {
  const routes = { done: always({ kind: "end" }), blocked: always({ kind: "fail" }) } as const;
  const block = (run: HandDrivenRun) =>
    run.handIn({ outcome: "blocked", blockers: [{ description: "no key", blocks: ["b"] }] }, "a");
  const held = () =>
    block(new HandDrivenRun(buildWorkflow([buildAgent("Worker", { routes })]), { tasks: [task("a"), task("b")] }));

  it("starts when a person says that what blocks it is gone", () => {
    const run = held();
    expect(run.last("ask-opened").ask).toMatchObject({ kind: "blocked", task: "b", details: ["no key (a)"] });
    run.answer("resolved");
    expect(run.state.tasks["b"]).toMatchObject({ blockers: [], step: { agent: "Worker", reason: { kind: "first" } } });
  });

  it("is held up once by what is reported twice", () => {
    const two = { done: always({ kind: "end" }), blocked: always({ kind: "person" }) } as const;
    const tasks = [task("a"), task("b")];
    const run = block(new HandDrivenRun(buildWorkflow([buildAgent("Worker", { routes: two })]), { tasks }));
    block(run.answer("retry"));
    expect(run.state.tasks["b"]?.blockers).toEqual([{ description: "no key", by: "a" }]);
  });

  it("is asked about again when the run is tried again and the other fails as before", () => {
    const run = held().answer("fail");
    expect(run.state.status).toBe("failed");
    block(run.tell({ kind: "retry-run", by: "ada", note: null }));
    expect(run.state.tasks["b"]?.blockers).toHaveLength(1);
    expect(run.last("ask-opened").ask).toMatchObject({ id: "q2", kind: "blocked", task: "b" });
    expect(run.answer("resolved").started).toEqual(["Worker"]);
  });

  it("waits for what it depends on, also when the run is tried again", () => {
    const tasks = [task("a"), task("b", { dependsOn: ["c"] }), task("c")];
    const run = block(new HandDrivenRun(buildWorkflow([buildAgent("Worker", { routes })]), { tasks }));
    run.handIn({ outcome: "blocked" }, "c").answer("fail").tell({ kind: "retry-run", by: "ada", note: null });
    run.handIn({}, "a");
    expect(run.state.tasks).toMatchObject({ b: { status: "waiting", blockers: [] }, c: { status: "working" } });
    run.handIn({ outcome: "blocked" }, "c");
    expect(run.state.reason).toBe("Nothing can go on: b waits for c (failed).");
  });
});

describe("tasks at once", () => {
  it("do not answer for each other's issues", () => {
    const agents = [
      buildAgent("Builder", { routes: { done: go("Tester") } }),
      buildAgent("Tester", {
        routes: { done: always({ kind: "end" }), "needs-fixes": always({ kind: "loop", to: "Builder" }) },
      }),
    ];
    const run = new HandDrivenRun(buildWorkflow(agents, { parallel: 2 }), { tasks: [task("a"), task("b")] });
    run.handIn({}, "a").handIn({}, "b");
    const issue = (id: string) => ({ id, severity: "high" as const, description: `bug ${id}`, location: `${id}.ts:1` });
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("A")] } }, "a");
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("B")] } }, "b");
    expect(run.last("loop-began").issues).toEqual(["B"]);
  });

  it("go on when the loop of another fails", () => {
    const loop = { limit: 1, blocking: ["high"], stuck: "fail", capped: "fail" } as const;
    const routes = { done: always({ kind: "end" }), "needs-fixes": always({ kind: "loop", to: "Worker" }) };
    const workflow = buildWorkflow([buildAgent("Worker", { routes, loop })], { parallel: 2 });
    const run = new HandDrivenRun(workflow, { tasks: [task("a"), task("b")] });
    run.handIn({ outcome: "needs-fixes", findings: { issues: [{ id: "A", severity: "high" }] } }, "a");
    expect(run.state).toMatchObject({
      status: "running",
      tasks: { a: { status: "failed" }, b: { status: "working" } },
    });
    run.handIn({}, "b");
    expect(run.state).toMatchObject({ status: "failed", reason: "a: Task a is in its round 1, of at most 1." });
  });

  it("may each count their issues from one", () => {
    const agents = [
      buildAgent("Builder", { routes: { done: go("Tester") } }),
      buildAgent("Tester", {
        routes: { done: always({ kind: "end" }), "needs-fixes": always({ kind: "loop", to: "Builder" }) },
      }),
    ];
    const run = new HandDrivenRun(buildWorkflow(agents, { parallel: 2 }), { tasks: [task("a"), task("b")] });
    run.handIn({}, "a").handIn({}, "b");
    const bug = (words: string) => ({
      id: "BUG-1",
      severity: "high" as const,
      description: words,
      location: `${words}.ts:1`,
    });
    run.handIn({ outcome: "needs-fixes", findings: { issues: [bug("sum")] } }, "a");
    run.handIn({ outcome: "needs-fixes", findings: { issues: [bug("rounding")] } }, "b");
    expect(run.last("loop-began").issues).toEqual(["BUG-1@b"]);
    expect(run.state.ledger["BUG-1@b"]).toMatchObject({ task: "b", description: "rounding" });
    run.handIn({ findings: { resolved: ["BUG-1"] } }, "b");
    expect(run.state.ledger["BUG-1"]).not.toHaveProperty("claimed");
    expect(run.state.ledger["BUG-1@b"]).toMatchObject({ status: "open", claimed: { by: "Builder" } });
    run.handIn({ outcome: "needs-fixes", findings: { issues: [{ ...bug("slow"), id: "BUG-2" }] } }, "b");
    expect(run.state.ledger).toMatchObject({ "BUG-1": { status: "open" }, "BUG-1@b": { status: "fixed" } });
    run.handIn({}, "b");
    run.handIn({ outcome: "needs-fixes", findings: { issues: [bug("rounding")] } }, "b");
    expect(run.state.ledger["BUG-1@b"]).toMatchObject({ status: "open", reopened: 1 });
    expect(run.last("loop-ended")).toMatchObject({ task: "b", end: "recurring", goesOn: false });
  });

  it("wait for a budget that is only promised to others", () => {
    const agents = [buildAgent("Worker", { timeout: 1_000 })];
    const budget = { wall: null, agent: 1_500, tokens: null, money: null, steps: 10 };
    const run = new HandDrivenRun(buildWorkflow(agents, { parallel: 2, budget }), {
      tasks: [task("a"), task("b"), task("c")],
    });
    expect(run.started).toEqual(["Worker", "Worker"]);
    expect(run.state.tasks["c"]?.status).toBe("waiting");
    run.handIn({}, "a", { usage: { milliseconds: 100, tokens: null, money: null } });
    expect(run.started).toEqual(["Worker"]);
  });

  it("that were asked about when the run failed go on when it is tried again", () => {
    const budget = { wall: 1_000, agent: null, tokens: null, money: null, steps: 10 };
    const run = new HandDrivenRun(buildWorkflow([buildAgent("One")], { mode: "supervised", budget })).fireNext();
    expect(run.state).toMatchObject({ status: "failed", tasks: { main: { status: "failed" } } });
  });
});
