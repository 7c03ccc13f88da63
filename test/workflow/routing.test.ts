import { describe, expect, it } from "vitest";
import { HandDrivenRun, always, buildAgent, buildWorkflow, go } from "./build-workflow.ts";

/** Builder, tester, end. */
function pipeline() {
  return buildWorkflow([buildAgent("Builder", { routes: { done: go("Tester") } }), buildAgent("Tester")]);
}

describe("the next step", () => {
  it("000-R33: PASS and PASS_WITH_WARNINGS start the next agent, FAIL never does", () => {
    expect(new HandDrivenRun(pipeline()).handIn({ outcome: "done" }).started).toEqual(["Tester"]);
    expect(new HandDrivenRun(pipeline()).handIn({ outcome: "done-with-warnings" }).started).toEqual(["Tester"]);
    const failed = new HandDrivenRun(pipeline()).handIn({ outcome: "failed" });
    expect(failed.started).toEqual([]);
    expect(failed.last("ask-opened").ask).toMatchObject({ kind: "escalation", choices: ["retry", "continue", "fail"] });
  });

  it("000-R33: PASS_WITH_FIXES goes on only where the workflow says so (ruling 4)", () => {
    const silent = new HandDrivenRun(pipeline()).handIn({ outcome: "needs-fixes" });
    expect(silent.started).toEqual([]);
    const agents = [
      buildAgent("Builder", { routes: { done: go("Tester"), "needs-fixes": go("Tester") } }),
      buildAgent("Tester"),
    ];
    expect(new HandDrivenRun(buildWorkflow(agents)).handIn({ outcome: "needs-fixes" }).started).toEqual(["Tester"]);
  });

  it("004-R12: the handoff may wish a next agent, the workflow has the last word", () => {
    const run = new HandDrivenRun(pipeline()).handIn({ to: "Deployer" });
    expect(run.started).toEqual(["Tester"]);
    expect(run.last("wish-overruled")).toMatchObject({ wish: "Deployer", instead: "Tester" });
    expect(new HandDrivenRun(pipeline()).handIn({ to: "@tester" }).kinds()).not.toContain("wish-overruled");
  });

  it("COMPLETE and workflow-complete end the run only where the workflow lets the agent choose so", () => {
    const hub = buildAgent("Hub", {
      routes: { done: always({ kind: "choose", from: ["Worker", "end"], otherwise: { kind: "person" } }) },
      hub: true,
    });
    const workflow = buildWorkflow([hub, buildAgent("Worker", { routes: { done: always({ kind: "return" }) } })]);
    expect(new HandDrivenRun(workflow).handIn({ to: null, final: true }).state.status).toBe("completed");
    expect(new HandDrivenRun(pipeline()).handIn({ to: null, final: true }).started).toEqual(["Tester"]);
  });

  it("None and null return to whoever delegated (ruling 12)", () => {
    const hub = buildAgent("Hub", {
      routes: { done: always({ kind: "choose", from: ["Worker", "end"], otherwise: { kind: "person" } }) },
      hub: true,
    });
    const workflow = buildWorkflow([hub, buildAgent("Worker", { routes: { done: always({ kind: "return" }) } })]);
    const run = new HandDrivenRun(workflow).handIn({ to: "@worker" });
    expect(run.started).toEqual(["Worker"]);
    expect(run.handIn({ to: null }).started).toEqual(["Hub"]);
    expect(run.handIn({ final: true, to: null }).state.status).toBe("completed");
  });

  it("who is reached by name no longer waits for anybody's return (ruling 12)", () => {
    const choice = { kind: "choose", from: ["Worker", "return"], otherwise: { kind: "person" } } as const;
    const hub = buildAgent("Hub", { routes: { done: always(choice) }, hub: true });
    const workflow = buildWorkflow([hub, buildAgent("Worker", { routes: { done: go("Hub") } })]);
    const run = new HandDrivenRun(workflow).handIn({ to: "Worker" }).handIn({});
    expect(run.started).toEqual(["Hub"]);
    expect(run.handIn({ to: null }).state.status).toBe("completed");
  });

  it("an agent outside the graph is refused as a choice, and a person is asked", () => {
    const hub = buildAgent("Hub", {
      routes: { done: always({ kind: "choose", from: ["end"], otherwise: { kind: "person" } }) },
      hub: true,
    });
    const run = new HandDrivenRun(buildWorkflow([hub])).handIn({ to: "constructor" });
    expect(run.last("wish-overruled")).toMatchObject({ wish: "constructor" });
    expect(run.last("ask-opened").ask.kind).toBe("escalation");
  });
});

describe("001-R22: failures", () => {
  const error = (recoverable: boolean) =>
    ({ outcome: "failed", error: { type: "network", message: "down", recoverable } }) as const;

  it("that are transient are tried again after 1, 2 and 4 seconds, then a person is asked", () => {
    const run = new HandDrivenRun(pipeline());
    const waits: number[] = [];
    for (let count = 0; count < 3; count++) {
      run.handIn(error(true));
      waits.push(run.last("attempt-delayed").until - run.now);
      expect(run.fireNext().started).toEqual(["Builder"]);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000]);
    run.handIn(error(true));
    expect(run.last("ask-opened").ask.kind).toBe("escalation");
  });

  it("that are permanent go to a person at once", () => {
    expect(new HandDrivenRun(pipeline()).handIn(error(false)).last("ask-opened").ask.title).toContain("down");
  });

  it("of the program itself are tried again, and a timer that comes early changes nothing", () => {
    const run = new HandDrivenRun(pipeline()).end("crashed");
    const timer = Object.keys(run.state.timers)[0] ?? "";
    expect(run.tell({ kind: "fire-timer", timer }).kinds()).toEqual(["input-ignored"]);
    expect(run.fireNext().started).toEqual(["Builder"]);
  });

  it("of the program itself are never judged by the handoff before, which is another agent's", () => {
    const status = { kind: "name", name: "status" } as const;
    const when = { kind: "compare", sign: "==", left: status, right: { kind: "literal", value: "PASS" } } as const;
    const failed = [{ when, action: { kind: "end" } } as const, ...always({ kind: "fail" })];
    const agents = [
      buildAgent("One", { routes: { done: go("Two") } }),
      buildAgent("Two", { retry: { most: 0, delay: 0 }, routes: { failed } }),
    ];
    const run = new HandDrivenRun(buildWorkflow(agents)).handIn({ status: "PASS" }).end("crashed");
    expect(run.state.status).toBe("failed");
  });

  it("retries start anew when the task moves on", () => {
    const run = new HandDrivenRun(pipeline()).end("crashed").fireNext();
    expect(run.state.tasks["main"]?.retries).toBe(1);
    run.handIn({});
    expect(run.state.tasks["main"]?.retries).toBe(0);
  });

  it("an attempt whose watcher died is started again and not counted", () => {
    const run = new HandDrivenRun(pipeline()).end("lost");
    expect(run.started).toEqual(["Builder"]);
    expect(run.state.tasks["main"]).toMatchObject({ retries: 0, step: { attempt: "s1.2" } });
  });

  it("001-R22: skipped goes on, pending is asked again, blocked is looked into", () => {
    expect(new HandDrivenRun(pipeline()).handIn({ outcome: "skipped" }).started).toEqual(["Tester"]);
    const pending = new HandDrivenRun(pipeline()).handIn({ outcome: "pending" });
    expect(pending.fireNext().started).toEqual(["Builder"]);
    expect(new HandDrivenRun(pipeline()).handIn({ outcome: "blocked" }).last("ask-opened").ask.kind).toBe("escalation");
  });
});

describe("002-R19: on_failure", () => {
  const policy = {
    retry: 2,
    routeTo: "Fixer",
    notify: "Boss",
    escalateAfter: 3,
    context: "look at the tests",
    mayRouteTo: [] as readonly string[],
  };
  const workflow = (own: typeof policy | null = policy) =>
    buildWorkflow([
      buildAgent("Tester", { onFailure: own, routes: { done: always({ kind: "end" }) } }),
      buildAgent("Fixer", { routes: { done: always({ kind: "return" }) } }),
      buildAgent("Boss", { routes: { done: always({ kind: "end" }) } }),
    ]);

  it("notifies, routes to the agent that mends it and back, so many times, then escalates", () => {
    const run = new HandDrivenRun(workflow());
    for (let count = 0; count < 2; count++) {
      expect(run.handIn({ outcome: "failed" }).started).toEqual(["Fixer"]);
      expect(run.effects[0]).toMatchObject({ reason: { kind: "failure" } });
      expect(run.handIn({}).started).toEqual(["Tester"]);
    }
    run.handIn({ outcome: "failed" });
    expect(run.last("agent-notified")).toMatchObject({ agent: "Boss", by: "Tester" });
    expect(run.last("ask-opened").ask.kind).toBe("escalation");
  });

  it("asks a failed route of the agent when retries are used up, unless it escalates", () => {
    const after = (escalateAfter: number | null) => {
      const onFailure = { ...policy, retry: 0, routeTo: null, notify: null, escalateAfter };
      const agents = [
        buildAgent("Boss", { hub: true, routes: { done: go("Tester") } }),
        buildAgent("Tester", { onFailure, routes: { failed: go("Fixer") } }),
        buildAgent("Fixer"),
      ];
      return new HandDrivenRun(buildWorkflow(agents)).handIn({}).handIn({ outcome: "failed" }).started;
    };
    expect(after(null)).toEqual(["Fixer"]);
    expect(after(1)).toEqual(["Boss"]);
  });

  it("of a handoff can only narrow what the workflow allows: 1e9 retries are clamped, a strange route is overruled", () => {
    const run = new HandDrivenRun(workflow());
    run.handIn({ outcome: "failed", routing: { on_failure: { retry: 1e9, route_to: "@boss" } } });
    expect(run.started).toEqual(["Fixer"]);
    expect(run.last("wish-overruled")).toMatchObject({ wish: "@boss" });
    run.handIn({}).handIn({ outcome: "failed", routing: { on_failure: { retry: 0 } } });
    expect(run.last("ask-opened").ask.kind).toBe("escalation");
  });

  it("of a handoff may name agents that the workflow knows for it; a stranger hides nothing from who is to be told", () => {
    const wish = (on_failure: object, mayRouteTo: string[] = []) =>
      new HandDrivenRun(workflow({ ...policy, mayRouteTo })).handIn({ outcome: "failed", routing: { on_failure } });
    expect(wish({ route_to: "@boss" }, ["Boss"]).started).toEqual(["Boss"]);
    expect(wish({ notify: "@fixer" }).last("agent-notified")).toMatchObject({ agent: "Fixer" });
    expect(wish({ notify: "@stranger" }).last("agent-notified")).toMatchObject({ agent: "Boss" });
  });

  it("002-R20: a failed run says so, a completed one too", () => {
    const run = new HandDrivenRun(workflow(null)).handIn({ outcome: "failed" }).answer("fail");
    expect(run.state.status).toBe("failed");
    expect(new HandDrivenRun(workflow(null)).handIn({}).state.status).toBe("completed");
  });
});

describe("004-R24: blocked", () => {
  const workflow = buildWorkflow(
    [
      buildAgent("backend-developer"),
      buildAgent("backend-security", { routes: { done: always({ kind: "return" }) } }),
      buildAgent("frontend-security", { routes: { done: always({ kind: "return" }) } }),
    ],
    {
      blocked: {
        security_concern: {
          backend: { kind: "go", to: "backend-security" },
          frontend: { kind: "go", to: "frontend-security" },
        },
        default: { default: { kind: "person" } },
      },
    },
  );

  it("goes by reason and domain, and whoever helped returns to the blocked agent", () => {
    const run = new HandDrivenRun(workflow);
    run.handIn({ outcome: "blocked", routing: { blocked_reason: "security_concern", attempted: ["a"] } });
    expect(run.started).toEqual(["backend-security"]);
    expect(run.handIn({}).started).toEqual(["backend-developer"]);
  });

  it.each(["missing_requirements", "out_of_scope", "unknown", "__proto__", undefined])(
    "goes to a person for %s",
    (blocked_reason) => {
      const run = new HandDrivenRun(workflow).handIn({ outcome: "blocked", routing: { blocked_reason } });
      expect(run.last("ask-opened").ask.kind).toBe("escalation");
      expect(run.answer("retry", "the key is in the vault").effects[0]).toMatchObject({
        kind: "start-agent",
        reason: { kind: "person", note: "the key is in the vault" },
      });
    },
  );
});
