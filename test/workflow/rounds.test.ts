import { describe, expect, it } from "vitest";
import { composePrompt } from "../../src/workflow/compose-prompt.ts";
import { parseCondition } from "../../src/workflow/parse-condition.ts";
import { remarksOf } from "../../src/workflow/remarks.ts";
import { HandDrivenRun, always, buildAgent, buildGate, buildWorkflow, go } from "./build-workflow.ts";

const loopTo = (to: string) => always({ kind: "loop", to });
const bug = (id: string) => ({
  outcome: "needs-fixes" as const,
  findings: { issues: [{ id, severity: "high" as const, location: `src/${id}.ts:1`, description: `problem ${id}` }] },
});

/** Builder, tester, end; the tester may send the work back. */
function pipeline(tester: Parameters<typeof buildAgent>[1] = {}, more: Parameters<typeof buildWorkflow>[1] = {}) {
  const routes = { done: always({ kind: "end" }), "needs-fixes": loopTo("Builder") };
  const agents = [
    buildAgent("Builder", { routes: { done: go("Tester") } }),
    buildAgent("Tester", { routes, ...tester }),
  ];
  return buildWorkflow(agents, more);
}

describe("the limit of rounds", () => {
  it("belongs to each task: what one task uses is not taken from another", () => {
    const tasks = ["a", "b", "c", "d", "e"].map((id) => ({
      id,
      name: id,
      priority: "medium" as const,
      dependsOn: [],
      start: null,
      brief: "",
    }));
    const run = new HandDrivenRun(pipeline(), { tasks });
    for (const { id } of tasks) {
      expect(run.handIn({}, id).handIn(bug("B"), id).started).toEqual(["Builder"]);
      run.handIn({}, id).handIn({}, id);
    }
    expect(run.state).toMatchObject({ status: "completed", iteration: 6, tasks: { e: { round: 2 } } });
  });

  it("counts the loops of all agents of a task together", () => {
    const routes = { "needs-fixes": loopTo("Builder") };
    const agents = [
      buildAgent("Builder", { routes: { done: go("Tester") } }),
      buildAgent("Tester", { routes: { ...routes, done: go("Reviewer") } }),
      buildAgent("Reviewer", { routes: { ...routes, done: always({ kind: "end" }) } }),
    ];
    const run = new HandDrivenRun(buildWorkflow(agents)).handIn({}).handIn(bug("A")).handIn({}).handIn({});
    run.handIn(bug("B")).handIn({}).handIn({}).handIn(bug("C"));
    expect(run.last("loop-ended")).toMatchObject({ asker: "Reviewer", end: "capped" });
  });

  it("is told apart in conditions: iteration is the task's round, run.iteration the run's", () => {
    const { condition: when } = parseCondition("iteration == 1 and run.iteration == 2");
    const done = [{ when, action: { kind: "fail" } as const }, ...always({ kind: "end" })];
    const tasks = ["a", "b"].map((id) => ({ ...TASK, id, name: id }));
    const run = new HandDrivenRun(pipeline({ routes: { done, "needs-fixes": loopTo("Builder") } }), { tasks });
    run.handIn({}, "a").handIn(bug("A"), "a").handIn({}, "a").handIn({}, "a").handIn({}, "b").handIn({}, "b");
    expect(run.state.tasks).toMatchObject({ a: { status: "done", round: 2 }, b: { status: "failed", round: 1 } });
  });
});

const TASK = { priority: "medium", dependsOn: [], start: null, brief: "" } as const;

describe("a person at the end of a loop", () => {
  const loop = { limit: 1, blocking: ["high"], stuck: "person", capped: "person" } as const;

  it("can grant one more round to the agent that fixes, with words for it", () => {
    const run = new HandDrivenRun(pipeline({ loop })).handIn({}).handIn(bug("A"));
    expect(run.last("ask-opened").ask).toMatchObject({
      choices: ["round", "retry", "continue", "fail"],
      roundTo: "Builder",
    });
    run.answer("round", "the cause is in b.ts");
    expect(run.effects).toMatchObject([
      {
        agent: "Builder",
        reason: { kind: "loop", issues: ["A"], note: expect.stringMatching(/^the cause is in b.ts\n/) },
      },
    ]);
    expect(run.last("round-granted")).toMatchObject({ to: "Builder", by: "ada" });
    run.handIn({}).handIn(bug("A"));
    expect(run.last("ask-opened").ask).toMatchObject({ id: "q2", choices: ["round", "retry", "continue", "fail"] });
    expect(run.answer("round").handIn({}).handIn({}).state).toMatchObject({ status: "completed", reason: "done" });
  });

  it("leaves a mark when the work continues with open issues", () => {
    const run = new HandDrivenRun(pipeline({ loop })).handIn({}).handIn(bug("A")).answer("continue");
    expect(run.state).toMatchObject({ status: "completed", reason: "done, but 2 waived" });
    expect(remarksOf(run.workflow, run.state)).toEqual([
      { kind: "waived", text: "high issue A is open: problem A (waived by ada)" },
      { kind: "waived", text: "ada let the work of Tester continue: The run is in its round 1, of at most 1." },
    ]);
  });
});

describe("a loop that PASS requires", () => {
  const required = (target: string) => ({ routing: { loop: { required: true, target, reason: "BUGS_IN_CODE" } } });

  it("takes the loop route of any outcome that leads to its target, before any gate", () => {
    const workflow = pipeline({ gates: ["lint"] }, { gates: { lint: buildGate("lint") } });
    const run = new HandDrivenRun(workflow).handIn({}).handIn(required("@builder"));
    expect(run.effects).toMatchObject([{ kind: "start-agent", agent: "Builder", reason: { kind: "loop" } }]);
  });

  it("does not pass by the gates when it names no agent", () => {
    const workflow = pipeline({ gates: ["lint"] }, { gates: { lint: buildGate("lint") } });
    const run = new HandDrivenRun(workflow).handIn({}).handIn(required(" "));
    expect(run.effects).toMatchObject([{ kind: "run-gate", gate: "lint" }]);
  });

  it("is refused, logged and asked about where no loop leads there", () => {
    const run = new HandDrivenRun(pipeline()).handIn({}).handIn(required("Tester"));
    expect(run.last("wish-overruled")).toMatchObject({ wish: "loop to Tester", instead: "person" });
    expect(run.last("ask-opened").ask).toMatchObject({ kind: "escalation", choices: ["retry", "continue", "fail"] });
  });
});

describe("a blocked agent", () => {
  const agents = [
    buildAgent("Worker", { routes: { done: always({ kind: "end" }) } }),
    buildAgent("Helper", { hub: false, routes: { done: always({ kind: "return" }) } }),
  ];
  const blocked = { default: { default: { kind: "go", to: "Helper" } } } as const;
  const stuck = (reason: "security_concern" | "test_failures") => ({
    outcome: "blocked" as const,
    routing: { blocked_reason: reason },
  });

  it("is helped once for each reason, and then a person is asked", () => {
    const run = new HandDrivenRun(buildWorkflow(agents, { blocked }));
    expect(run.handIn(stuck("security_concern")).started).toEqual(["Helper"]);
    expect(run.handIn({}).started).toEqual(["Worker"]);
    expect(run.handIn(stuck("test_failures")).started).toEqual(["Helper"]);
    run.handIn({}).handIn(stuck("security_concern"));
    expect(run.last("ask-opened").ask.title).toBe(
      "Worker is blocked again for the same reason, after Helper was sent to help.",
    );
    expect(run.answer("retry", "there is a key now").handIn({}).state.status).toBe("completed");
  });
});

describe("the budget of a run", () => {
  it("can be raised while the run stands, and it goes on where it stopped", () => {
    const budget = { wall: null, agent: null, tokens: null, money: null, steps: 1 };
    const run = new HandDrivenRun(pipeline({}, { budget })).handIn({});
    expect(run.state.status).toBe("failed");
    run.tell({ kind: "raise-budget", by: "ada", budget: { steps: 1, money: 5 } });
    expect(run.kinds()).toEqual(["input-ignored"]);
    run.tell({ kind: "raise-budget", by: "ada", budget: { steps: 4 } });
    run.tell({ kind: "retry-run", by: "ada", note: null });
    expect(run.started).toEqual(["Tester"]);
    expect(run.handIn({}).state.status).toBe("completed");
  });
});

describe("a gate that a person waives", () => {
  it("is shown as waived, and the gates after it still run", () => {
    const failed = { kind: "person" } as const;
    const gates = { lint: buildGate("lint", { failed }), tests: buildGate("tests", { failed }) };
    const run = new HandDrivenRun(buildWorkflow([buildAgent("One", { gates: ["lint", "tests"] })], { gates })).handIn(
      {},
    );
    const end = { message: "", output: "", milliseconds: 1, figures: null, judgements: [] };
    run.tell({ kind: "report-gate", gateRun: "s1.1/lint/1", passed: false, ...end }).answer("continue");
    expect(run.effects).toMatchObject([{ kind: "run-gate", gate: "tests" }]);
    run.tell({ kind: "report-gate", gateRun: "s1.1/tests/1", passed: true, ...end });
    expect(run.state).toMatchObject({ status: "completed", reason: "done, but 1 waived" });
    expect(remarksOf(run.workflow, run.state)).toEqual([
      { kind: "waived", text: "gate lint of One was waived by ada" },
    ]);
  });
});

describe("a condition on a value that is missing", () => {
  const guarded = (kind: "loop" | "go", more: Parameters<typeof buildWorkflow>[1] = {}) => {
    const { condition: when } = parseCondition("coverage < 80");
    const action = kind === "loop" ? ({ kind, to: "Builder" } as const) : ({ kind, to: "Builder" } as const);
    return pipeline({ routes: { done: [{ when, action }, ...always({ kind: "end" })] } }, more);
  };

  it("asks a person before the work goes forward, who can also send it back", () => {
    const run = new HandDrivenRun(guarded("loop")).handIn({}).handIn({ metrics: { coverage: "good" } });
    expect(run.last("condition-unknown")).toMatchObject({ names: ["coverage"], isAsked: true });
    expect(run.last("ask-opened").ask).toMatchObject({ choices: ["round", "retry", "continue", "fail"] });
    expect(run.answer("round").started).toEqual(["Builder"]);
  });

  it.each(["loop", "go"] as const)("stands at the end when its route (%s) is passed over", (kind) => {
    const run = new HandDrivenRun(guarded(kind, kind === "loop" ? { unknown: "continue" } : {})).handIn({}).handIn({});
    expect(run.state).toMatchObject({ status: "completed", reason: "done, but 1 condition unknown" });
  });
});

describe("requests of a handoff that are not followed", () => {
  it.each([
    ["end", { final: true }, { wish: "end", instead: "Tester" }],
    ["an unknown agent", { to: "Nobody" }, { wish: "Nobody", why: "The workflow has no agent Nobody." }],
  ])("are logged: %s", (_name, handoff, logged) => {
    expect(new HandDrivenRun(pipeline()).handIn(handoff).last("wish-overruled")).toMatchObject(logged);
  });

  it("are none when an error is addressed to the orchestrator (001-R21), or the handoff names nobody", () => {
    for (const to of ["orchestrator", null]) {
      const run = new HandDrivenRun(pipeline()).handIn({ to });
      expect(run.history.filter(({ kind }) => kind === "wish-overruled")).toEqual([]);
    }
  });
});

describe("open issues", () => {
  const high = (id: string) => ({ id, severity: "high" as const, description: id.padEnd(300, "x") });

  it("of the tasks that a task depends on stand in its prompt", () => {
    const tasks = [
      { ...TASK, id: "a", name: "a" },
      { ...TASK, id: "b", name: "b", dependsOn: ["a"] },
    ];
    const run = new HandDrivenRun(pipeline(), { tasks });
    run.handIn({}, "a").handIn({ findings: { issues: [high("LEFT")] } }, "a");
    const task = run.state.tasks["b"];
    if (task === undefined || task.step === null) throw new Error("b has not begun");
    const options = { nonce: "n", file: null, packet: "", rest: "r" };
    expect(composePrompt(run.workflow, run.state, task, task.step.reason, options)).toContain('"id": "LEFT"');
  });

  it("that the prompt had no room for are not closed because the agent does not report them", () => {
    const issues = Array.from({ length: 150 }, (_, at) => high(`BUG-${at}`));
    const run = new HandDrivenRun(pipeline()).handIn({}).handIn({ outcome: "needs-fixes", findings: { issues } });
    run.handIn({}).handIn({});
    const open = Object.values(run.state.ledger).filter(({ status }) => status === "open");
    expect(open.length).toBeGreaterThan(50);
    expect(run.state.reason).toBe(`done, but ${open.length} blocking issues open`);
  });
});

describe("a handoff that names another round", () => {
  it("is accepted, and the log tells it", () => {
    const run = new HandDrivenRun(pipeline()).handIn({ iteration: 7 });
    expect(run.last("round-misstated")).toMatchObject({ agent: "Builder", said: 7, round: 1 });
  });
});

describe("000-R37: the validation command of a handoff", () => {
  it("is said to be not run, and why", () => {
    const run = new HandDrivenRun(pipeline()).handIn({ checks: { command: "npm run all" } });
    expect(run.last("command-skipped")).toMatchObject({
      command: "npm run all",
      why: expect.stringContaining("commands: never"),
    });
  });
});

describe("003-R16: a blocker that names a task the run does not have", () => {
  it("is sent back with the names of the tasks", () => {
    const tasks = ["a", "b"].map((id) => ({ ...TASK, id, name: id }));
    const run = new HandDrivenRun(pipeline(), { tasks });
    run.handIn({ outcome: "blocked", blockers: [{ description: "no key", blocks: ["c"] }] }, "a");
    expect(run.last("handoff-refused").problems).toMatchObject([
      { rule: "003-R16", hint: "The tasks of the run are a, b." },
    ]);
  });
});
