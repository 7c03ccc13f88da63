import { describe, expect, it } from "vitest";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { readWorkflow } from "../../src/workflow/file/read-workflow.ts";
import { READY_WORKFLOWS, type ReadyWorkflowName } from "../../src/workflow/ready/ready-workflows.ts";
import { HandDrivenRun } from "../workflow/build-workflow.ts";

/** The ready workflows, decided by the core: each handoff in its turn, and who starts next. */
function begin(name: ReadyWorkflowName): HandDrivenRun {
  return new HandDrivenRun(readWorkflow(READY_WORKFLOWS[name].text, { path: name, hash: "hash" }).workflow!);
}

/** Hands in, lets every gate pass, and says who starts; or how it ended. */
function next(run: HandDrivenRun, handoff: Partial<Handoff> = {}, task = "main"): string {
  run.handIn(handoff, task);
  for (let gate = gateOf(run); gate !== null; gate = gateOf(run)) {
    const end = { passed: true, message: "", output: "", milliseconds: 1, figures: null, judgements: [] };
    run.tell({ kind: "report-gate", gateRun: gate, ...end });
  }
  const [ask] = Object.values(run.state.asks);
  return run.started[0] ?? (ask === undefined ? run.state.status : `${ask.kind}: ${ask.agent}`);
}

function gateOf(run: HandDrivenRun): string | null {
  const [effect] = run.effects.filter(({ kind }) => kind === "run-gate");
  return effect?.kind === "run-gate" ? effect.gateRun : null;
}

const bug = (id: string, severity: "critical" | "high" | "medium" | "low" | "important"): Partial<Handoff> => ({
  findings: {
    issues: [{ id, severity, category: "bug", location: `src/${id}.ts:1`, description: id, status: "open" }],
  },
});

const TESTED: Partial<Handoff> = { metrics: { test_coverage: 95 } };

describe("pipeline", () => {
  it("goes through its agents, back to the builder for a bug, and on to the end", () => {
    const run = begin("pipeline");
    expect(run.started).toEqual(["BackendBuilder"]);
    expect(next(run)).toBe("TestAgent");
    const loop = { loop: { required: true, target: "BackendBuilder", reason: "BUGS_IN_CODE" } };
    expect(next(run, { outcome: "needs-fixes", routing: loop, ...bug("b1", "high") })).toBe("BackendBuilder");
    expect(run.state.iteration).toBe(2);
    expect(next(run, { findings: { resolved: ["b1"] } })).toBe("TestAgent");
    expect(next(run, TESTED)).toBe("CodeReviewer");
    expect(next(run, { outcome: "done-with-warnings", metrics: { quality_score: 8.5 } })).toBe("SecurityScanner");
    expect(next(run)).toBe("DocumentationDynamo");
    expect(next(run, { final: true })).toBe("completed");
  });

  it("goes on with warnings from the review, and to a person from security, when a loop is spent", () => {
    const run = begin("pipeline");
    next(run);
    next(run, TESTED);
    expect(next(run, { outcome: "needs-fixes", ...bug("c1", "critical") })).toBe("BackendBuilder");
    next(run);
    next(run, TESTED);
    expect(next(run, { outcome: "needs-fixes", ...bug("c2", "critical") })).toBe("SecurityScanner");
    expect(next(run, { outcome: "needs-fixes", ...bug("c3", "critical") })).toBe("escalation: SecurityScanner");
  });
});

describe("pipeline, without a figure for coverage", () => {
  it("asks a person instead of passing the work on", () => {
    const run = begin("pipeline");
    next(run);
    expect(next(run)).toBe("escalation: TestAgent");
    expect(run.last("condition-unknown")).toMatchObject({ condition: "coverage < 90", isAsked: true });
    expect(run.answer("continue").started).toEqual(["CodeReviewer"]);
  });
});

describe("issue", () => {
  const known = { issue: { number: "7" }, requirements: ["x"] };
  const work = { issue: { number: "7" }, work: { branch: "fix/issue-7-x" } };
  const pull = { ...work, pull_request: { number: "9" } };

  it("sends the work to the fixer from the reviewer and from the validator, and closes it", () => {
    const run = begin("issue");
    expect(run.started).toEqual(["issue-manager"]);
    expect(next(run, known)).toBe("prep-agent");
    expect(next(run, work)).toBe("implementer-agent");
    expect(next(run, pull)).toBe("reviewer-agent");
    expect(next(run, { ...pull, outcome: "needs-fixes", ...bug("r1", "important") })).toBe("fixer-agent");
    expect(next(run, { ...pull, findings: { resolved: ["r1"] } })).toBe("reviewer-agent");
    expect(next(run, pull)).toBe("validator-agent");
    expect(next(run, { ...pull, outcome: "needs-fixes", ...bug("v1", "critical") })).toBe("fixer-agent");
    expect(next(run, { ...pull, findings: { resolved: ["v1"] } })).toBe("reviewer-agent");
    expect(next(run, pull)).toBe("validator-agent");
    expect(next(run, pull)).toBe("closer-agent");
    expect(next(run, { ...pull, final: true })).toBe("completed");
  });

  it("asks a person about an error that no retry can help", () => {
    const run = begin("issue");
    const error = { type: "merge_conflict", message: "conflict", recoverable: false };
    expect(next(run, { outcome: "failed", error })).toBe("escalation: issue-manager");
  });
});

describe("collective", () => {
  it("delegates, returns to whoever delegated, and ends when the hub says so", () => {
    const run = begin("collective");
    expect(run.started).toEqual(["routing-agent"]);
    expect(next(run, { to: "workflow-agent" })).toBe("workflow-agent");
    expect(next(run, { to: "implementation-agent", outcome: "in-progress" })).toBe("implementation-agent");
    expect(next(run, { to: null })).toBe("workflow-agent");
    expect(next(run, { to: "testing-agent" })).toBe("testing-agent");
    expect(next(run, { to: null, outcome: "failed" })).toBe("implementation-agent");
    expect(next(run, { to: null })).toBe("testing-agent");
    expect(next(run, { to: null })).toBe("workflow-agent");
    expect(next(run, { to: null })).toBe("routing-agent");
    expect(next(run, { to: null, final: true })).toBe("completed");
  });
});

describe("tasks", () => {
  it("runs a task when what it depends on is done", () => {
    const task = { priority: "medium", start: null, brief: "" } as const;
    const text = READY_WORKFLOWS.tasks.text;
    const workflow = readWorkflow(text, { path: "tasks", hash: "hash" }).workflow!;
    const tasks = [
      { ...task, id: "b", name: "b", dependsOn: ["a"] },
      { ...task, id: "a", name: "a", dependsOn: [] },
    ];
    const run = new HandDrivenRun(workflow, { tasks });
    expect(run.effects.map((effect) => ("task" in effect ? effect.task : ""))).toEqual(["a"]);
    expect(next(run, {}, "a")).toBe("implementer");
    expect(next(run, {}, "b")).toBe("completed");
  });
});

describe("feature", () => {
  it("asks at the checkpoint, routes blocked work by domain, and loops from failing tests", () => {
    const run = begin("feature");
    expect(next(run)).toBe("after: backend-lead");
    expect(run.answer("approve").started).toEqual(["backend-developer"]);
    expect(next(run, { outcome: "blocked", routing: { blocked_reason: "security_concern" } })).toBe("backend-security");
    expect(next(run)).toBe("backend-developer");
    expect(next(run)).toBe("backend-tester");
    const failing = { outcome: "blocked", routing: { blocked_reason: "test_failures" }, ...bug("t1", "high") } as const;
    expect(next(run, failing)).toBe("backend-developer");
    expect(next(run, { findings: { resolved: ["t1"] } })).toBe("backend-tester");
    expect(next(run, { to: "frontend-lead" })).toBe("frontend-lead");
    expect(next(run)).toBe("after: frontend-lead");
    run.answer("approve");
    expect(next(run)).toBe("frontend-tester");
    expect(next(run)).toBe("completed");
  });

  it.each(["missing_requirements", "out_of_scope", "unknown"])("asks a person about %s (004-R24)", (reason) => {
    const run = begin("feature");
    next(run);
    run.answer("approve");
    expect(next(run, { outcome: "blocked", routing: { blocked_reason: reason } })).toMatch(/^\w+: backend-developer$/);
  });
});
