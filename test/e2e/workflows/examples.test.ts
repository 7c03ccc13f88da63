import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EXAMPLES } from "../../../examples/prepare-example.mjs";
import type { RunView } from "../../../src/views/run-view.ts";
import type { Event } from "../../../src/workflow/event.ts";
import { livingIn } from "../../agents/living-processes.ts";
import { type Repository, agentOrder, examples, ofKind } from "./repository.ts";

const example = examples();

/** Runs an example as `examples/run-example.mjs` does, and looks at what has to hold for each. */
async function runExample(name: string): Promise<{ repository: Repository; events: Event[]; view: RunView }> {
  const repository = example(name);
  for (const { args, code = 0 } of EXAMPLES[name] ?? []) {
    const run = await repository.baton(...args);
    expect(run, `baton ${args.join(" ")}`).toMatchObject({ code });
  }
  const [events, view] = [await repository.events(), await repository.view()];
  expect(view).toMatchObject({ status: "completed", asks: [] });
  expect(view.issues.filter(({ status }) => status === "open")).toEqual([]);
  expect(ofKind(events, "handoff-refused")).toEqual([]);
  expect(ofKind(events, "attempt-ended").filter(({ end }) => end !== "finished")).toEqual([]);
  expect(livingIn(repository.folder)).toEqual([]);
  const replay = await repository.baton("replay");
  expect(replay).toMatchObject({ code: 0, stdout: expect.stringContaining("all the same") });
  return { repository, events, view };
}

describe("the example of pipeline", () => {
  it("finds the builder's bugs by real tests, loops once and completes", async () => {
    const { repository, events, view } = await runExample("pipeline");
    expect(view.iteration).toBe(2);
    expect(agentOrder(events)).toEqual([
      "BackendBuilder",
      "TestAgent",
      "BackendBuilder",
      "TestAgent",
      "CodeReviewer",
      "SecurityScanner",
      "DocumentationDynamo",
    ]);
    expect(ofKind(events, "loop-began")).toMatchObject([
      { loop: { asker: "TestAgent", target: "BackendBuilder", iteration: 2 }, issues: ["TEST-1", "TEST-2"] },
    ]);
    expect(view.issues.map(({ id, status, openedBy }) => [id, status, openedBy])).toEqual([
      ["TEST-1", "fixed", "TestAgent"],
      ["TEST-2", "fixed", "TestAgent"],
    ]);
    expect(ofKind(events, "gate-passed").map(({ gate }) => gate)).toEqual([
      "lint",
      "lint",
      "tests",
      "review",
      "security",
    ]);
    expect(repository.git("log", "--format=%s", "--reverse").split("\n")).toEqual([
      "Start",
      "Add a discount",
      "Test the discount",
      "Fix TEST-1, TEST-2",
      "Review the discount",
      "Report on security",
      "Document the discount",
      "Say what is new",
    ]);
    const refused = ofKind(events, "handoff-refused");
    expect(refused).toMatchObject([{ agent: "DocumentationDynamo", problems: [{ where: "work.artifacts.1" }] }]);
    const settled = ofKind(events, "claims-verified").filter(({ gate }) => gate === "tests");
    expect(settled.flatMap(({ judgements }) => judgements.map(({ kind, verdict }) => [kind, verdict]))).toEqual([
      ["test", "confirmed"],
      ["coverage", "confirmed"],
      ["command", "confirmed"],
    ]);
    expect(repository.git("status", "--porcelain")).toBe("");
    expect(repository.git("show", "HEAD:docs/discount.md")).toContain("// 300");
    expect(await repository.baton("validate", "handoff-*.json")).toMatchObject({ code: 0 });
  });
});

describe("the example of issue", () => {
  it("takes an issue through both loops to a squashed merge and its closing", async () => {
    const { repository, events, view } = await runExample("issue");
    expect(view.iteration).toBe(3);
    expect(agentOrder(events)).toEqual([
      "issue-manager",
      "prep-agent",
      "implementer-agent",
      "reviewer-agent",
      "fixer-agent",
      "reviewer-agent",
      "validator-agent",
      "fixer-agent",
      "reviewer-agent",
      "validator-agent",
      "closer-agent",
    ]);
    expect(ofKind(events, "loop-began").map(({ loop }) => [loop.asker, loop.target, loop.open])).toEqual([
      ["reviewer-agent", "fixer-agent", 2],
      ["validator-agent", "fixer-agent", 1],
    ]);
    expect(view.issues.map(({ severity, status }) => [severity, status])).toEqual([
      ["critical", "fixed"],
      ["important", "fixed"],
      ["", "fixed"],
    ]);
    expect(view.known).toMatchObject({
      "issue.number": "71",
      "pull_request.number": "84",
      branch: "fix/issue-71-cents",
      "merge.sha": repository.git("rev-parse", "HEAD~1"),
    });
    const last = ofKind(events, "handoff-accepted").at(-1)?.delivery.handoff;
    expect(last).toMatchObject({ final: true, metrics: { total_commits: 5, review_iterations: 3 } });
    expect(repository.git("branch", "--format=%(refname:short)")).toBe("main");
    expect(repository.git("log", "--format=%s")).toBe(
      "Close issue 71\n5 cents are shown as 0.5 (issue 71)\nOpen issue 71\nStart",
    );
    expect(repository.git("show", "HEAD:tracker/issue-71.md")).toContain("Status: closed");
  });
});

describe("the example of collective", () => {
  it("delegates, returns, and lets the implementation agent mend what the tests found (on_failure)", async () => {
    const { repository, events } = await runExample("collective");
    expect(agentOrder(events)).toEqual([
      "routing-agent",
      "workflow-agent",
      "research-agent",
      "workflow-agent",
      "implementation-agent",
      "workflow-agent",
      "testing-agent",
      "implementation-agent",
      "testing-agent",
      "workflow-agent",
      "quality-agent",
      "workflow-agent",
      "routing-agent",
    ]);
    const reasons = ofKind(events, "step-started").map(({ reason }) => reason.kind);
    expect(reasons.filter((kind) => kind === "failure")).toHaveLength(1);
    expect(ofKind(events, "agent-notified")).toMatchObject([{ agent: "workflow-agent", by: "testing-agent" }]);
    const dialects = ofKind(events, "handoff-accepted").map(({ delivery }) => delivery.handoff.dialect);
    expect(new Set(dialects)).toEqual(new Set(["phase-yaml", "task-yaml", "output-json"]));
    expect(repository.git("log", "--format=%s", "--reverse").split("\n")).toEqual([
      "Start",
      "Write down what is known about slugs",
      "Make slugs of titles",
      "Test slugs",
      "Keep letters with accents",
      "Check the quality",
    ]);
  });
});

describe("the example of tasks", () => {
  it("works through task files by their dependencies, and a blocker holds a task up until it is resolved", async () => {
    const { repository, events, view } = await runExample("tasks");
    expect(view.tasks.map(({ id, status }) => [id, status])).toEqual(
      [1, 2, 3, 4].map((number) => [`task-${number}`, "done"]),
    );
    const finished = ofKind(events, "task-finished").map(({ task }) => task);
    expect(finished.indexOf("task-1")).toBeLessThan(finished.indexOf("task-3"));
    expect(finished.at(-1)).toBe("task-4");
    expect(ofKind(events, "task-blocked")).toMatchObject([{ task: "task-4", blocker: { by: "task-2" } }]);
    expect(ofKind(events, "task-released")).toMatchObject([{ task: "task-4", by: "task-2" }]);
    const outcomes = ofKind(events, "handoff-accepted").flatMap(({ task, delivery }) =>
      task === "task-2" ? [delivery.handoff.status] : [],
    );
    expect(outcomes).toEqual(["partial", "completed"]);
    expect(repository.git("log", "--format=%s").split("\n")).toHaveLength(6);
    expect(repository.git("status", "--porcelain")).toBe("");
    expect(await repository.baton("validate", "tasks")).toMatchObject({ code: 0 });
  });
});

describe("the example of feature", () => {
  it("waits for the checkpoint, routes blocked work by its reason, loops on failing tests", async () => {
    const { repository, events, view } = await runExample("feature");
    expect(agentOrder(events)).toEqual([
      "backend-lead",
      "backend-developer",
      "backend-security",
      "backend-developer",
      "backend-tester",
      "backend-developer",
      "backend-tester",
    ]);
    expect(ofKind(events, "step-started").map(({ reason }) => reason.kind)).toEqual([
      "first",
      "forward",
      "unblock",
      "return",
      "forward",
      "loop",
      "forward",
    ]);
    expect(ofKind(events, "ask-answered")).toMatchObject([{ choice: "approve", by: "tester" }]);
    expect(view.issues).toMatchObject([{ status: "fixed", openedBy: "backend-tester", category: "test_failure" }]);
    expect(view.known).toMatchObject({ directory: "features/reset-tokens" });
    expect(existsSync(join(repository.folder, "src/tokens.mjs"))).toBe(true);
    expect(repository.git("log", "--format=%s", "-1")).toBe("Test reset tokens: all pass");
    const manifest = readFileSync(join(repository.folder, "features/reset-tokens/MANIFEST.yaml"), "utf8");
    expect(manifest).toMatch(/^status: complete$/m);
    for (const file of ["architecture", "implementation", "security-assessment", "testing"])
      expect(manifest).toContain(`features/reset-tokens/${file}.md`);
    expect(await repository.baton("validate", "features")).toMatchObject({ code: 0 });
  });
});
