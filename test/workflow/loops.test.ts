import { describe, expect, it } from "vitest";
import { parseCondition } from "../../src/workflow/parse-condition.ts";
import { HandDrivenRun, type ListedIssue, always, buildAgent, buildWorkflow, go } from "./build-workflow.ts";

const issue = (
  id: string,
  more: Partial<ListedIssue> & { readonly requires_code_change?: boolean } = {},
): ListedIssue => ({
  id,
  severity: "high",
  category: "bug",
  location: `src/${id}.ts:3`,
  description: `problem ${id}`,
  status: "open",
  ...more,
});

const loopTo = (to: string) => always({ kind: "loop", to });

/** Builder, tester, end; the tester may send the work back. */
function pipeline(more: Parameters<typeof buildWorkflow>[1] = {}, tester: Parameters<typeof buildAgent>[1] = {}) {
  return buildWorkflow(
    [
      buildAgent("Builder", { routes: { done: go("Tester") } }),
      buildAgent("Tester", { routes: { done: always({ kind: "end" }), "needs-fixes": loopTo("Builder") }, ...tester }),
    ],
    more,
  );
}

describe("000-R35: a loop", () => {
  it("raises the run's iteration, runs the target with the issues, and then everything up to the asker again", () => {
    const run = new HandDrivenRun(pipeline()).handIn({});
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("BUG-1")] } });
    expect(run.state.iteration).toBe(2);
    expect(run.effects).toMatchObject([
      { kind: "start-agent", agent: "Builder", reason: { kind: "loop", issues: ["BUG-1"] } },
    ]);
    expect(run.handIn({ findings: { resolved: ["BUG-1"] } }).started).toEqual(["Tester"]);
    expect(run.state.ledger["BUG-1"]?.status).toBe("open");
    expect(run.handIn({}).state).toMatchObject({ status: "completed", ledger: { "BUG-1": { status: "fixed" } } });
  });

  it("is taken whenever its route holds, also when no blocking issue is open", () => {
    const run = new HandDrivenRun(pipeline()).handIn({});
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("STYLE", { severity: "low" })] } });
    expect(run.last("loop-began")).toMatchObject({ issues: ["STYLE"], loop: { open: 0 } });
    expect(run.handIn({}).handIn({}).state).toMatchObject({ status: "completed", iteration: 2 });
  });

  it("is taken on a condition on a figure, as long as the figure moves", () => {
    const { condition: when } = parseCondition("coverage < 80");
    const done = [{ when, action: { kind: "loop", to: "Builder" } as const }, ...always({ kind: "end" })];
    const loop = { limit: 9, blocking: ["high"], stuck: "person", capped: "person" } as const;
    const run = new HandDrivenRun(pipeline({}, { routes: { done }, loop })).handIn({});
    for (const coverage of [50, 60, 61, 61]) {
      expect(run.handIn({ metrics: { coverage } }).started).toEqual(["Builder"]);
      run.handIn({});
    }
    run.handIn({ metrics: { coverage: 60 } });
    expect(run.last("loop-ended")).toMatchObject({ end: "not-falling", goesOn: false });
    expect(run.last("ask-opened").ask).toMatchObject({
      choices: ["round", "retry", "continue", "fail"],
      roundTo: "Builder",
    });
    expect(run.answer("round", "look at b.ts").started).toEqual(["Builder"]);
    expect(run.handIn({}).handIn({ metrics: { coverage: 80 } }).state.status).toBe("completed");
  });

  it("is not stopped while one of several issues is fixed in each round", () => {
    const loop = { limit: 9, blocking: ["high"], stuck: "person", capped: "person" } as const;
    const run = new HandDrivenRun(pipeline({}, { loop })).handIn({});
    for (const left of [["A", "B", "C"], ["B", "C"], ["C"]]) {
      run.handIn({ outcome: "needs-fixes", findings: { issues: left.map((id) => issue(id)) } });
      expect(run.started).toEqual(["Builder"]);
      run.handIn({ findings: { resolved: left.slice(0, 1) } });
    }
    expect(run.handIn({}).state).toMatchObject({ status: "completed", reason: "done", iteration: 4 });
  });

  it("gets no more rounds by other words, another id, or another agent for the same issue", () => {
    const loop = { limit: 9, blocking: ["high"], stuck: "person", capped: "person" } as const;
    const run = new HandDrivenRun(pipeline({}, { loop })).handIn({});
    for (const [id, line, words] of [
      ["A", 3, "a bug"],
      ["B", 7, "something is wrong"],
      ["C", 1, "it fails"],
    ] as const) {
      const one = issue(id, { location: `src/a.ts:${line}`, description: words });
      run.handIn({ outcome: "needs-fixes", findings: { issues: [one] } });
      if (Object.keys(run.state.asks).length === 0) run.handIn({});
    }
    expect(run.last("loop-ended")).toMatchObject({ end: "not-falling" });
    expect(Object.keys(run.state.ledger)).toEqual(["A"]);
  });

  it("without issues and without a figure is ended by the limit alone", () => {
    const loop = { limit: 5, blocking: ["high"], stuck: "fail", capped: "person" } as const;
    const run = new HandDrivenRun(pipeline({}, { loop })).handIn({});
    for (let round = 2; round <= 5; round++) {
      expect(run.handIn({ outcome: "needs-fixes" }).started).toEqual(["Builder"]);
      run.handIn({});
    }
    expect(run.handIn({ outcome: "needs-fixes" }).last("loop-ended")).toMatchObject({ end: "capped" });
  });

  it("ends when an issue comes back that an earlier loop had fixed, though fewer are open each time", () => {
    const policy = { limit: 9, blocking: ["high"], stuck: "person", capped: "person" } as const;
    const run = new HandDrivenRun(pipeline({}, { loop: policy })).handIn({});
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("A"), issue("B"), issue("C")] } }).handIn({});
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("D"), issue("E")] } });
    expect(run.started).toEqual(["Builder"]);
    run.handIn({}).handIn({ outcome: "needs-fixes", findings: { issues: [issue("A")] } });
    expect(run.last("loop-ended")).toMatchObject({ end: "recurring", goesOn: false });
    expect(run.last("ask-opened").ask.title).toContain("problem A");
    // Once a person has granted a round for it, it is no news any more.
    run
      .answer("round")
      .handIn({})
      .handIn({ outcome: "needs-fixes", findings: { issues: [issue("A")] } });
    expect(run.started).toEqual(["Builder"]);
  });

  it("goes on as long as fewer of one kind are open, however alike they are", () => {
    const policy = { limit: 9, blocking: ["high"], stuck: "person", capped: "person" } as const;
    const alike = (count: number) =>
      Array.from({ length: count }, (_, at) => issue(`N${at}`, { location: `src/a.ts:${at}`, description: "no test" }));
    const run = new HandDrivenRun(pipeline({}, { loop: policy })).handIn({});
    for (const count of [3, 2, 1]) {
      run.handIn({ outcome: "needs-fixes", findings: { issues: alike(count) } });
      expect(run.started).toEqual(["Builder"]);
      run.handIn({});
    }
    run.handIn({ outcome: "needs-fixes", findings: { issues: alike(1) } }).handIn({});
    run.handIn({ outcome: "needs-fixes", findings: { issues: alike(1) } });
    expect(run.last("loop-ended")).toMatchObject({ end: "not-falling" });
  });

  it("is judged by the loops of who asks for it: another agent's count is its own", () => {
    const loop = { limit: 9, blocking: ["high"], stuck: "person", capped: "person" } as const;
    const routes = { "needs-fixes": loopTo("Builder") };
    const agents = [
      buildAgent("Builder", { routes: { done: go("Tester") } }),
      buildAgent("Tester", { loop, routes: { ...routes, done: go("Reviewer") } }),
      buildAgent("Reviewer", { loop, routes: { ...routes, done: always({ kind: "end" }) } }),
    ];
    const run = new HandDrivenRun(buildWorkflow(agents)).handIn({});
    for (const id of ["A", "B"]) run.handIn({ outcome: "needs-fixes", findings: { issues: [issue(id)] } }).handIn({});
    run.handIn({}).handIn({ outcome: "needs-fixes", findings: { issues: [issue("C")] } });
    expect(run.started).toEqual(["Builder"]);
  });

  it("ends when the number of open blocking issues has not fallen in two loops", () => {
    const policy = { limit: 9, blocking: ["high"], stuck: "fail", capped: "person" } as const;
    const run = new HandDrivenRun(pipeline({}, { loop: policy })).handIn({});
    for (const id of ["A", "B", "C"]) {
      run.handIn({ outcome: "needs-fixes", findings: { issues: [issue(id)] } });
      if (run.state.status === "running") run.handIn({});
    }
    expect(run.last("loop-ended")).toMatchObject({ end: "not-falling" });
    expect(run.state.status).toBe("failed");
  });

  it("ends at the cap, and the workflow may let it go on with warnings", () => {
    const policy = { limit: 2, blocking: ["high"], stuck: "person", capped: "continue" } as const;
    const run = new HandDrivenRun(pipeline({}, { loop: policy })).handIn({});
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("A"), issue("B")] } }).handIn({});
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("C")] } });
    expect(run.last("loop-ended")).toMatchObject({ end: "capped" });
    expect(run.state).toMatchObject({ status: "completed", iteration: 2 });
  });

  it("does not take for open again what another agent has found and has not looked at since", () => {
    const loop = { limit: 9, blocking: ["high"], stuck: "person", capped: "person" } as const;
    const routes = { "needs-fixes": loopTo("Builder") };
    const agents = [
      buildAgent("Builder", { routes: { done: go("Tester") } }),
      buildAgent("Tester", { loop, routes: { ...routes, done: go("Reviewer") } }),
      buildAgent("Reviewer", { loop, routes: { ...routes, done: always({ kind: "end" }) } }),
    ];
    const found = (...ids: string[]) => ({
      outcome: "needs-fixes" as const,
      findings: { issues: ids.map((id) => issue(id)) },
    });
    const run = new HandDrivenRun(buildWorkflow(agents)).handIn({}).handIn({}).handIn(found("R1")).handIn({});
    run.handIn(found("T1", "T2")).handIn({}).handIn(found("T3"));
    expect(run.effects).toMatchObject([{ agent: "Builder", reason: { kind: "loop", issues: ["R1", "T3"] } }]);
    run.handIn({}).handIn({}).handIn(found("R1"));
    expect(run.last("loop-began").loop).toMatchObject({ asker: "Reviewer", open: 1 });
  });

  describe("that has ended where remarks ask for one", () => {
    const loop = { limit: 1, blocking: ["high"], stuck: "continue", capped: "continue" } as const;
    const remark = { issues: [issue("A", { severity: "low" })] };
    const withRemarks = { outcome: "done-with-warnings" as const, findings: remark };
    const routes = { done: always({ kind: "end" }), "done-with-warnings": loopTo("Builder") };

    it("goes on where finished work goes", () => {
      const run = new HandDrivenRun(pipeline({}, { routes, loop })).handIn({}).handIn(withRemarks);
      expect(run.kinds().filter((kind) => kind === "loop-ended")).toHaveLength(1);
      expect(run.state.status).toBe("completed");
    });

    it("goes on by the next route when its condition still holds", () => {
      const { condition: when } = parseCondition("open.low > 0");
      const done = [{ when, action: { kind: "loop", to: "Builder" } as const }, ...routes.done];
      const run = new HandDrivenRun(pipeline({}, { routes: { done }, loop })).handIn({}).handIn(withRemarks);
      expect(run.state).toMatchObject({ status: "completed", reason: "done, but 1 waived" });
    });

    it("goes on, too, when a person says so, and is not asked about again", () => {
      const asking = { limit: 1, blocking: ["low"], stuck: "person", capped: "person" } as const;
      const run = new HandDrivenRun(pipeline({}, { routes, loop: asking })).handIn({}).handIn(withRemarks);
      expect(run.last("loop-ended")).toMatchObject({ end: "capped", goesOn: false });
      expect(run.answer("continue").state.status).toBe("completed");
    });

    it("is for a person where nothing but loops would follow", () => {
      const run = new HandDrivenRun(pipeline({}, { routes: { done: loopTo("Builder") }, loop })).handIn({}).handIn({});
      expect(run.last("ask-opened").ask.choices).toEqual(["retry", "fail"]);
    });
  });

  describe("that is asked for because no handoff could be used", () => {
    /** The tester's work is accepted, and then refused because Next needs what is not in it. */
    const workflow = (tester: Parameters<typeof buildAgent>[1] = {}) =>
      buildWorkflow([
        buildAgent("Builder", { routes: { done: go("Tester") } }),
        buildAgent("Tester", { repairs: 0, routes: { done: go("Next"), failed: loopTo("Builder") }, ...tester }),
        buildAgent("Next", { needs: { required: ["pull_request"] } }),
      ]);

    it("is not taken: the builder cannot mend what the tester wrote, so a person is asked", () => {
      const run = new HandDrivenRun(workflow()).handIn({}).handIn({});
      expect(run.kinds()).toContain("handoff-refused");
      expect(run.last("ask-opened").ask).toMatchObject({
        title: "Tester gave no usable handoff: pull_request is missing.",
        choices: ["retry", "continue", "fail"],
      });
      expect(run.answer("continue").started).toEqual(["Next"]);
    });

    it("is not taken either when the agent breaks while it mends what was refused", () => {
      const tester = { repairs: 1, retry: { most: 0, delay: 1 } };
      const run = new HandDrivenRun(workflow(tester)).handIn({}).handIn({}).end("crashed");
      expect(run.last("ask-opened").ask.kind).toBe("escalation");
    });
  });

  it("classes failures by structured fields and never by words in prose", () => {
    const classOf = (handoff: object) => {
      const run = new HandDrivenRun(pipeline()).handIn({
        outcome: "failed",
        summary: "expected toBe toEqual flaky",
        ...handoff,
      });
      return run.last("failure-counted").class;
    };
    expect(classOf({})).toBe("UNKNOWN");
    expect(classOf({ routing: { loop: { required: true, target: "Builder", reason: "BUGS_FOUND_IN_TESTS" } } })).toBe(
      "BUGS_IN_CODE",
    );
    expect(classOf({ findings: { issues: [issue("x", { category: "quality", requires_code_change: true })] } })).toBe(
      "BUGS_IN_CODE",
    );
    expect(classOf({ findings: { issues: [issue("x", { category: "flaky" })] } })).toBe("FLAKY_TESTS");
    expect(classOf({ metrics: { test_coverage: "71%" } })).toBe("INSUFFICIENT_TESTS");
    expect(classOf({ metrics: { test_coverage: "90%" } })).toBe("UNKNOWN");
    expect(classOf({ metrics: { test_coverage: 71 }, test_requirements: { coverage: 70 } })).toBe("UNKNOWN");
    const issues = (...categories: string[]) => ({
      findings: { issues: categories.map((category) => issue(category, { category, status: undefined })) },
    });
    expect(classOf(issues("flaky", "bug"))).toBe("BUGS_IN_CODE");
    expect(classOf(issues("security"))).toBe("BUGS_IN_CODE");
    expect(classOf(issues("flaky", "quality"))).toBe("UNKNOWN");
    expect(classOf({ findings: { issues: [issue("x", { status: "fixed" })] } })).toBe("UNKNOWN");
    expect(classOf({ routing: { loop: { required: true, target: "Builder", reason: "constructor" } } })).toBe(
      "UNKNOWN",
    );
  });
});

describe("the issue ledger", () => {
  it("keeps who opened, fixed and reopened an issue, across dialects", () => {
    const run = new HandDrivenRun(pipeline()).handIn({});
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("A"), issue("B")] } });
    run.handIn({ dialect: "issue-xml", findings: { fixes: [{ location: "src/A.ts:3", description: "mended" }] } });
    expect(run.state.ledger["A"]).toMatchObject({ status: "open" });
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("B")] } }).handIn({});
    // The tester looked again and no longer reported it.
    expect(run.state.ledger["A"]).toMatchObject({ status: "fixed" });
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("A")] } });
    expect(run.state.ledger["A"]?.history.map(({ status, by }) => `${status} ${by}`)).toEqual([
      "open Tester",
      "claimed Builder",
      "fixed Tester",
      "reopened Tester",
    ]);
    expect(run.state.ledger["B"]).toMatchObject({ status: "fixed" });
  });

  it("takes a reused id for the same issue, whichever agent reports it, and closes it with who reported it last", () => {
    const agents = [
      buildAgent("One", { routes: { "done-with-warnings": go("Two"), done: go("Two") } }),
      buildAgent("Two", { routes: { "needs-fixes": loopTo("One"), done: always({ kind: "end" }) } }),
    ];
    const run = new HandDrivenRun(buildWorkflow(agents));
    run.handIn({ outcome: "done-with-warnings", findings: { issues: [issue("BUG-1")] } });
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("BUG-1", { description: "other words" })] } });
    expect(Object.keys(run.state.ledger)).toEqual(["BUG-1"]);
    expect(run.handIn({}).state.ledger["BUG-1"]).toMatchObject({ status: "open", openedBy: "One", seenBy: "Two" });
    expect(run.handIn({}).state.ledger["BUG-1"]?.status).toBe("fixed");
  });

  it("has the new issues that a fix brought (000-R32), and they block", () => {
    const run = new HandDrivenRun(pipeline()).handIn({});
    run.handIn({ outcome: "needs-fixes", findings: { issues: [issue("A")] } });
    run.handIn({ findings: { resolved: ["A"], new_issues: ["the login is slow now"] } }).handIn({});
    expect(run.state).toMatchObject({ status: "completed", reason: "done, but 1 blocking issue open" });
  });

  it("never gives an id twice, and keeps a flood as one", () => {
    const agents = [buildAgent("Tester", { routes: { "done-with-warnings": go("build") } }), buildAgent("build")];
    const run = new HandDrivenRun(buildWorkflow(agents));
    run.handIn({ outcome: "done-with-warnings", findings: { issues: [issue("build-2", { severity: "critical" })] } });
    const flood = Array.from({ length: 5_000 }, (_, index) => ({
      severity: "low" as const,
      description: `nit ${index}`,
    }));
    run.handIn({ findings: { issues: flood } });
    expect(run.state.ledger["build-2"]).toMatchObject({ severity: "critical", openedBy: "Tester" });
    expect(Object.keys(run.state.ledger)).toHaveLength(202);
  });

  it("holds a wontfix", () => {
    const run = new HandDrivenRun(pipeline()).handIn({ findings: { issues: [issue("A", { status: "wontfix" })] } });
    expect(run.state.ledger["A"]?.status).toBe("wontfix");
  });
});

describe("001-R14: an important issue", () => {
  it("keeps a loop going where high ones do, and is counted among them", () => {
    const loop = { limit: 3, blocking: ["critical", "high"], stuck: "person", capped: "person" } as const;
    const findings = { issues: [issue("A", { severity: "important" })] };
    const review = (more: Parameters<typeof buildAgent>[1]) =>
      new HandDrivenRun(pipeline({}, more)).handIn({}).handIn({ outcome: "needs-fixes", findings });
    expect(review({ loop }).last("loop-began").issues).toEqual(["A"]);
    const [left, right] = [{ kind: "name", name: "open.high" } as const, { kind: "literal", value: 1 } as const];
    const when = { kind: "compare", sign: "==", left, right } as const;
    const routes = { "needs-fixes": [{ when, action: { kind: "fail" } } as const, ...loopTo("Builder")] };
    expect(review({ routes }).state.status).toBe("failed");
  });
});

describe("000-R35: what the target of a loop has to fix", () => {
  it("is told again with every further try, as long as it is open", () => {
    const builder = buildAgent("Builder", {
      routes: { done: go("Tester"), failed: always({ kind: "fail" }) },
      retry: { most: 1, delay: 1_000 },
      repairs: 1,
    });
    const tester = buildAgent("Tester", {
      routes: { done: always({ kind: "end" }), "needs-fixes": loopTo("Builder") },
    });
    const run = new HandDrivenRun(buildWorkflow([builder, tester])).handIn({});
    const told = () => run.effects.map((effect) => (effect.kind === "start-agent" ? effect.reason : null));
    run.handIn({
      outcome: "needs-fixes",
      findings: { issues: [issue("A"), issue("B"), issue("nit", { severity: "low" })] },
    });
    expect(told()).toMatchObject([{ kind: "loop", issues: ["A", "B"] }]);
    run.end("crashed").fireNext();
    expect(told()).toMatchObject([{ kind: "retry", issues: ["A", "B"] }]);
    run.end("finished");
    expect(told()).toMatchObject([{ kind: "repair", issues: ["A", "B"] }]);
    run.handIn({ outcome: "failed", findings: { resolved: ["A"] } });
    expect(run.state.status).toBe("failed");
    run.tell({ kind: "retry-run", by: "ada", note: null });
    expect(told()).toMatchObject([{ kind: "person", issues: ["B"] }]);
    run.handIn({ outcome: "needs-review" }).answer("reject", "not yet");
    expect(told()).toMatchObject([{ kind: "person", issues: ["B"] }]);
  });
});
