import { describe, expect, it } from "vitest";
import type { DialectName, Handoff } from "../../src/protocol/handoff.ts";
import { composePrompt } from "../../src/workflow/compose-prompt.ts";
import { HandDrivenRun, buildAgent, buildGate, buildWorkflow, go } from "./build-workflow.ts";

const pipeline = () => buildWorkflow([buildAgent("Builder", { routes: { done: go("Tester") } }), buildAgent("Tester")]);

describe("acceptance", () => {
  it("refuses a handoff that claims to be another agent's, and sends it back a bounded number of times (ruling 32)", () => {
    const run = new HandDrivenRun(pipeline());
    for (let count = 0; count < 2; count++) {
      run.handIn({ from: "Tester" });
      expect(run.last("handoff-refused").problems[0]?.message).toContain("Tester");
      expect(run.effects).toMatchObject([{ kind: "start-agent", agent: "Builder", reason: { kind: "repair" } }]);
    }
    run.handIn({ from: "Tester" });
    expect(run.last("ask-opened").ask).toMatchObject({ kind: "escalation", choices: ["retry", "fail"] });
  });

  it("takes @builder and Builder for one agent", () => {
    expect(new HandDrivenRun(pipeline()).handIn({ from: "@builder" }).started).toEqual(["Tester"]);
  });

  it("ignores an attempt that is not the one at work", () => {
    const run = new HandDrivenRun(pipeline());
    const old = run.attempt();
    run.end("lost").handIn({}, "main", { attempt: old });
    expect(run.kinds()).toEqual(["input-ignored"]);
  });

  it("of what was sent back goes on in the agent's own session, also when its watcher died meanwhile", () => {
    const problems = [{ message: "no", hint: null, where: null, rule: null }];
    const run = new HandDrivenRun(pipeline()).handIn({}, "main", { session: "abc", problems });
    expect(run.effects).toMatchObject([{ reason: { kind: "repair", problems }, session: "abc" }]);
    expect(run.end("lost").effects).toMatchObject([{ reason: { kind: "repair", problems }, session: "abc" }]);
    const first = new HandDrivenRun(pipeline()).end("lost", "main", { session: "abc" });
    expect(first.effects).toMatchObject([{ reason: { kind: "first" }, session: null }]);
  });

  it("counts no repair whose watcher died: the author still has all of them", () => {
    const problems = [{ message: "no", hint: null, where: null, rule: null }];
    const run = new HandDrivenRun(pipeline()).handIn({}, "main", { problems }).end("lost").end("lost");
    for (let count = 0; count < 2; count++) {
      expect(run.effects).toMatchObject([{ kind: "start-agent", reason: { kind: "repair" } }]);
      run.handIn({}, "main", { problems });
    }
    expect(run.last("ask-opened").ask.kind).toBe("escalation");
  });

  it("001-R23: what one agent delivered stays known, and another issue number is refused", () => {
    const run = new HandDrivenRun(pipeline(), { known: { "issue.number": "71" } });
    run.handIn({ issue: { number: "71" }, work: { branch: "fix/issue-71-a" } });
    expect(run.state.known["branch"]).toEqual({ value: "fix/issue-71-a", by: "Builder" });
    run.handIn({ issue: { number: "72" } });
    expect(run.last("handoff-refused").problems[0]).toMatchObject({ where: "issue.number" });
  });

  it("says in the first prompt what a handoff must hold, in the words of the agent's own format", () => {
    const given = { done: { required: ["pull_request", "work"], properties: { work: { required: ["branch"] } } } };
    const needs = { properties: { metrics: { properties: { coverage: { minimum: 80 } } } } };
    const promptOf = (dialect: DialectName): string => {
      const one = buildAgent("BackendBuilder", { dialect, routes: { done: go("Two") }, gives: given });
      const run = new HandDrivenRun(buildWorkflow([one, buildAgent("Two", { needs })]));
      const main = run.state.tasks["main"]!;
      const options = { nonce: "n0", file: null, packet: "" };
      return composePrompt(run.workflow, run.state, main, main.step!.reason, options);
    };
    const xml = promptOf("issue-xml");
    expect(xml).toContain(
      [
        "In a handoff with the outcome success:",
        "- one of `pr_number`, `data.pr_url` must be there",
        "- one of `data.branch`, `data.workspace_path`",
      ].join("\n"),
    );
    expect(xml).toContain("- `data.branch` must be there");
    expect(xml).toContain("In a handoff that goes to Two:\n- `data.coverage` must be at least 80");
    expect(xml).toContain("<from>BackendBuilder</from>");
    expect(xml).toContain("name yourself BackendBuilder, and other agents exactly as they are called above");
    const yaml = promptOf("phase-yaml");
    expect(yaml).toContain("- `handoff.metrics.coverage` must be at least 80");
    expect(yaml).toContain("- `pull_request` (your format has no field for it) must be there");
    expect(yaml).toContain("name yourself @BackendBuilder");
  });

  it("001-R25: an agent's own schemas are asked for by outcome, and of what the next one needs", () => {
    const agents = [
      buildAgent("One", {
        routes: { done: go("Two") },
        gives: {
          done: {
            required: ["summary"],
            properties: { metrics: { required: ["tests"], properties: { tests: { type: "integer", minimum: 1 } } } },
          },
        },
      }),
      buildAgent("Two", { needs: { required: ["work"], properties: { work: { required: ["branch"] } } } }),
    ];
    const run = new HandDrivenRun(buildWorkflow(agents)).handIn({ metrics: { tests: 0 } });
    expect(run.last("handoff-refused").problems.map(({ where }) => where)).toEqual(["summary", "metrics.tests"]);
    run.handIn({ summary: "s" });
    expect(run.last("handoff-refused").problems.map(({ message }) => message)).toEqual(["work is missing."]);
    expect(run.handIn({ summary: "s", work: { branch: "b" } }).started).toEqual(["Two"]);
    // The schema is for done only.
    expect(new HandDrivenRun(buildWorkflow(agents)).handIn({ outcome: "blocked" }).last("handoff-accepted").agent).toBe(
      "One",
    );
  });

  it("001-R25: a schema of the workflow is asked in every keyword that it may use, and what is optional may be absent", () => {
    const done = {
      type: "object",
      properties: {
        summary: { type: "string", minLength: 3 },
        status: { enum: ["PASS", "PASS_WITH_WARNINGS"] },
        phase: { const: "testing" },
        metrics: {
          properties: { score: { type: ["number", "null"], minimum: 1, maximum: 10 }, clean: { type: "boolean" } },
        },
        next_steps: {
          type: "array",
          minItems: 1,
          items: { required: ["step"], properties: { step: { type: "string" } } },
        },
      },
    };
    const told = (handoff: Partial<Handoff>) => {
      const run = new HandDrivenRun(buildWorkflow([buildAgent("One", { gives: { done } })])).handIn(handoff);
      return run.state.status === "completed" ? [] : run.last("handoff-refused").problems.map(({ message }) => message);
    };
    expect(told({})).toEqual([]);
    expect(
      told({
        summary: "yes",
        status: "PASS",
        phase: "testing",
        metrics: { score: 10, clean: true },
        next_steps: [{ step: "deploy" }],
      }),
    ).toEqual([]);
    expect(told({ metrics: { score: null } })).toEqual([]);
    expect(told({ summary: "no", status: "FAIL", phase: "planning", next_steps: [] })).toEqual([
      "summary must be at least 3 characters.",
      "status must be one of PASS, PASS_WITH_WARNINGS.",
      "phase must be testing.",
      "next_steps must be at least 1 entries.",
    ]);
    expect(told({ metrics: { score: 11, clean: "yes" }, next_steps: [{ step: "a" }, { priority: "high" }] })).toEqual([
      "metrics.score must be at most 10.",
      "metrics.clean must be boolean.",
      "next_steps[1].step is missing.",
    ]);
  });

  it("001-R25: what was refused to the last takes the failed route, and is not asked there for what is not in it", () => {
    const agents = [
      buildAgent("One", { routes: { done: go("Two"), failed: go("Three") }, repairs: 0 }),
      buildAgent("Two", { needs: { required: ["pull_request"] } }),
      buildAgent("Three", { needs: { required: ["error"] } }),
    ];
    const run = new HandDrivenRun(buildWorkflow(agents)).handIn({});
    expect(run.kinds().filter((kind) => kind === "handoff-refused")).toHaveLength(1);
    expect(run.started).toEqual(["Three"]);
  });

  it("001-R25: a person who lets work go on is not asked about the same again", () => {
    const agents = [
      buildAgent("One", { routes: { done: go("Two") }, repairs: 0 }),
      buildAgent("Two", { needs: { required: ["pull_request"] } }),
    ];
    const run = new HandDrivenRun(buildWorkflow(agents)).handIn({});
    expect(run.last("ask-opened").ask).toMatchObject({ kind: "escalation", choices: ["retry", "continue", "fail"] });
    expect(run.answer("continue").started).toEqual(["Two"]);
  });
});

describe("gates", () => {
  const gate = buildGate("lint");
  const workflow = (times = 1) =>
    buildWorkflow([buildAgent("Builder", { gates: ["lint"], routes: { done: go("Tester") } }), buildAgent("Tester")], {
      gates: { lint: { ...gate, times } },
    });
  const report = (run: HandDrivenRun, passed: boolean) => {
    const gateRun = run.effects.flatMap((effect) => (effect.kind === "run-gate" ? [effect.gateRun] : []))[0] ?? "";
    return run.tell({
      kind: "report-gate",
      gateRun,
      passed,
      message: "exit code 1",
      output: "line 3: no",
      milliseconds: 5,
      figures: null,
      judgements: [],
    });
  };

  it("run before the next agent starts", () => {
    const run = new HandDrivenRun(workflow()).handIn({});
    expect(run.effects).toMatchObject([{ kind: "run-gate", gate: "lint" }]);
    expect(report(run, true).started).toEqual(["Tester"]);
  });

  it("that fail send the work back to the same agent with the output, then to a person", () => {
    const run = new HandDrivenRun(workflow()).handIn({});
    report(run, false);
    expect(run.fireNext().effects).toMatchObject([
      { kind: "start-agent", agent: "Builder", reason: { note: expect.stringContaining("line 3: no") } },
    ]);
    report(run.handIn({}), false);
    expect(run.last("ask-opened").ask.details).toEqual(["line 3: no"]);
  });

  it("that fail and send the work round tell the target of the loop what they said", () => {
    const agents = [
      buildAgent("Builder", { routes: { done: go("Tester") } }),
      buildAgent("Tester", { gates: ["lint"] }),
    ];
    const failed = { kind: "loop", to: "Builder" } as const;
    const run = new HandDrivenRun(buildWorkflow(agents, { gates: { lint: { ...gate, failed } } }))
      .handIn({})
      .handIn({});
    expect(report(run, false).effects).toMatchObject([
      { agent: "Builder", reason: { kind: "loop", note: "Gate lint failed: exit code 1\nline 3: no" } },
    ]);
  });

  it("that fail and send the work to another agent ask for approval of that agent, and tell it whose work it mends", () => {
    const agents = [buildAgent("Builder", { gates: ["lint"] }), buildAgent("Fixer", { approve: "before" })];
    const gates = { lint: { ...gate, failed: { kind: "go", to: "Fixer" } as const } };
    const run = new HandDrivenRun(buildWorkflow(agents, { gates, mode: "semi" })).handIn({});
    expect(report(run, false).started).toEqual([]);
    expect(run.last("ask-opened").ask).toMatchObject({ kind: "before", agent: "Fixer" });
    expect(run.answer("approve").effects).toMatchObject([{ agent: "Fixer", reason: { kind: "gate" } }]);
    const main = run.state.tasks["main"];
    if (main === undefined || main.step === null) throw new Error("nothing runs");
    const options = { nonce: "n0nce", file: null, packet: "" };
    expect(composePrompt(run.workflow, run.state, main, main.step.reason, options)).toContain(
      "A gate refused the work of Builder.",
    );
  });

  it("may have to pass several times", () => {
    const run = new HandDrivenRun(workflow(2)).handIn({});
    expect(report(run, true).effects).toMatchObject([{ kind: "run-gate" }]);
    expect(report(run, true).started).toEqual(["Tester"]);
  });

  it.each<[string, Partial<Handoff>]>([
    ["work that is called skipped", { outcome: "skipped" }],
    ["work with remarks", { outcome: "done-with-warnings" }],
    [
      "a loop that has ended",
      { outcome: "needs-fixes", findings: { issues: [{ id: "A", severity: "low", description: "x" }] } },
    ],
  ])("and approvals are not passed by %s", (_name, handoff) => {
    const agents = [
      buildAgent("Builder", {
        gates: ["lint"],
        approve: "after",
        routes: { done: go("Tester"), "needs-fixes": [{ when: null, action: { kind: "loop", to: "Builder" } }] },
        loop: { limit: 1, blocking: ["high"], stuck: "person", capped: "continue" },
      }),
      buildAgent("Tester"),
    ];
    const run = new HandDrivenRun(buildWorkflow(agents, { gates: { lint: gate }, mode: "semi" })).handIn(handoff);
    expect(run.effects).toMatchObject([{ kind: "run-gate", gate: "lint" }]);
    expect(report(run, true).last("ask-opened").ask.kind).toBe("after");
    expect(run.answer("approve").started).toEqual(["Tester"]);
  });

  it("come before the review that an agent asks for", () => {
    const run = new HandDrivenRun(workflow()).handIn({ outcome: "needs-review" });
    expect(run.effects).toMatchObject([{ kind: "run-gate", gate: "lint" }]);
    expect(report(run, true).last("ask-opened").ask.kind).toBe("review");
  });

  it("that are reported twice, or for another handoff, change nothing", () => {
    const run = new HandDrivenRun(workflow(2)).handIn({});
    const [gateRun = ""] = run.effects.flatMap((effect) => (effect.kind === "run-gate" ? [effect.gateRun] : []));
    report(run, true);
    const end = { passed: true, message: "", output: "", milliseconds: 5, figures: null, judgements: [] } as const;
    expect(run.tell({ kind: "report-gate", gateRun, ...end }).events).toEqual([
      { kind: "input-ignored", input: "report-gate", why: `No step waits for gate ${gateRun}.` },
    ]);
  });

  it("that fail are never passed by a loop that has ended", () => {
    const loop = { limit: 1, blocking: ["high"], stuck: "continue", capped: "continue" } as const;
    const agents = [
      buildAgent("Builder", { gates: ["lint"], loop, routes: { done: go("Tester") } }),
      buildAgent("Tester"),
    ];
    const failing = { ...gate, failed: { kind: "loop", to: "Builder" } } as const;
    const run = new HandDrivenRun(buildWorkflow(agents, { gates: { lint: failing } })).handIn({});
    report(run, false);
    expect(run.started).toEqual([]);
    expect(run.last("ask-opened").ask.kind).toBe("escalation");
  });
});
