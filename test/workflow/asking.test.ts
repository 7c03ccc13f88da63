import { describe, expect, it } from "vitest";
import { HandDrivenRun, always, buildAgent, buildGate, buildWorkflow, go } from "./build-workflow.ts";

describe("an answer", () => {
  it("that was not offered changes nothing, and what was asked stays asked", () => {
    const routes = { done: always({ kind: "person" }) } as const;
    const run = new HandDrivenRun(buildWorkflow([buildAgent("One", { routes })])).handIn({});
    expect(run.last("ask-opened").ask.choices).toEqual(["retry", "fail"]);
    expect(run.answer("continue").events).toEqual([
      { kind: "input-ignored", input: "answer", why: "q1 can be answered with retry, fail, not with continue." },
    ]);
    expect(run.answer("retry").effects).toMatchObject([
      { kind: "start-agent", reason: { kind: "person", from: "ada", note: "ada asks for another try" } },
    ]);
    expect(run.tell({ kind: "answer", ask: "q1", choice: "fail", text: null, by: "bob" }).kinds()).toEqual([
      "input-ignored",
    ]);
  });

  it("is asked for with all that helps to give it, and whoever waits for it is told", () => {
    const run = new HandDrivenRun(buildWorkflow([buildAgent("One")])).handIn({
      questions: [
        { question: "Which database?", context: "Two would do.", recommendation: "SQLite", blocking: true },
        { question: "Which colour?", blocking: false },
      ],
    });
    expect(run.last("ask-opened").ask).toMatchObject({
      title: "Which database?",
      details: ["Two would do.", "One recommends: SQLite"],
      choices: ["answer", "fail"],
    });
    expect(run.effects).toMatchObject([{ kind: "notify", text: "q1: Which database?" }]);
    expect(run.answer("fail", "not now").state.reason).toBe("ada said no to: Which database? (not now)");
    const review = new HandDrivenRun(buildWorkflow([buildAgent("One")]));
    expect(review.handIn({ outcome: "needs-review", summary: "a new page" }).last("ask-opened").ask).toMatchObject({
      title: "One asks for a review of its work.",
      details: ["a new page"],
    });
  });

  it("that was given leaves nobody waiting for it while a gate runs", () => {
    const ada = buildAgent("Ada", { runner: { kind: "human" }, gates: ["lint"] });
    const run = new HandDrivenRun(buildWorkflow([ada], { gates: { lint: buildGate("lint") } }));
    expect(run.state.tasks["main"]?.status).toBe("asking");
    expect(run.answer("done").effects).toMatchObject([{ kind: "run-gate" }]);
    expect(run.state.tasks["main"]).toMatchObject({ status: "working", step: { phase: "gates" } });
  });

  it("that nobody gives is asked for again, each time as long as before", () => {
    const asks = { timeout: 1_000, silence: "remind" } as const;
    const run = new HandDrivenRun(buildWorkflow([buildAgent("One")], { asks })).handIn({ outcome: "needs-review" });
    const texts = () => run.effects.map((effect) => (effect.kind === "notify" ? effect.text : effect.kind));
    const asked = run.now;
    run.fireNext();
    expect(texts()).toEqual(["q1 still waits (1): One asks for a review of its work."]);
    run.fireNext();
    expect(texts()).toEqual(["q1 still waits (2): One asks for a review of its work."]);
    expect(run.now - asked).toBe(2_000);
    expect(run.answer("approve").state).toMatchObject({ status: "completed", timers: {} });
  });

  it.each(["reject", "fail"] as const)("that comes too late changes nothing, whoever looks first (%s)", (silence) => {
    const asks = { timeout: 1_000, silence } as const;
    const workflow = buildWorkflow([buildAgent("One")], { mode: "supervised", asks });
    const given = (wait: number) => {
      const run = new HandDrivenRun(workflow);
      const { dueAt } = run.last("ask-opened").ask;
      const givenAt = (dueAt ?? 0) + wait;
      run.now = (dueAt ?? 0) + 60_000;
      return run.tell({ kind: "answer", ask: "q1", choice: "approve", text: null, by: "ada", givenAt });
    };
    // No process drove the run when its time was over, and the answer is processed before the timer.
    const late = given(0);
    expect(late.started).toEqual([]);
    expect(late.kinds()).toEqual(["timer-cleared", "ask-expired", "task-finished", "input-ignored", "run-failed"]);
    expect(late.last("input-ignored").why).toBe("The answer approve of ada to q1 came after the time for it.");
    expect(given(-1).started).toEqual(["One"]);
  });

  it("that nobody gives to finished work fails it, also where silence is a no: nobody is sent round by it", () => {
    const agents = [buildAgent("One", { routes: { done: go("Two") } }), buildAgent("Two")];
    const asks = { timeout: 1_000, silence: "reject" } as const;
    const run = new HandDrivenRun(buildWorkflow(agents, { asks })).handIn({ outcome: "needs-review" }).fireNext();
    expect(run.last("ask-expired")).toMatchObject({ consequence: "fail" });
    expect([run.started, run.state.status]).toEqual([[], "failed"]);
  });
});
