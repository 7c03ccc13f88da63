import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { EXAMPLES } from "../../../examples/prepare-example.mjs";
import type { JsonRecord } from "../../../src/shared/json-value.ts";
import type { RunView } from "../../../src/views/run-view.ts";
import type { Event } from "../../../src/workflow/event.ts";
import { READY_WORKFLOWS } from "../../../src/workflow/ready/ready-workflows.ts";
import { livingIn } from "../../agents/living-processes.ts";
import { projectRoot } from "../../cli/run-baton.ts";
import { ACCOUNT, type Repository, agentOrder, ofKind } from "./repository.ts";

/** How the examples are run: where the state is, and who drives the runs. */
interface ExampleRoom {
  readonly name: string;
  /** A copy of an example, ready to be run. */
  prepare(example: string): Repository | Promise<Repository>;
  /** Processes that are at work in the repository although no run is. */
  workers?(): readonly number[];
}

/** What holds for each example, wherever its state is. */
export function describeExamples(room: ExampleRoom): void {
  const leftIn = (folder: string): number[] =>
    livingIn(folder).filter((pid) => room.workers?.().includes(pid) !== true);

  /** Runs an example as `examples/run-example.mjs` does, and looks at what has to hold for each. */
  async function runExample(name: string): Promise<{ repository: Repository; events: Event[]; view: RunView }> {
    const repository = await room.prepare(name);
    for (const { args, code = 0 } of EXAMPLES[name] ?? []) {
      const run = await repository.baton(...args);
      expect(run, `baton ${args.join(" ")}`).toMatchObject({ code });
    }
    const [events, view] = [await repository.events(), await repository.view()];
    expect(view).toMatchObject({ status: "completed", asks: [] });
    expect(view.issues.filter(({ status }) => status === "open")).toEqual([]);
    // The writer of the pipeline's documentation is caught out once.
    const isHonest = name !== "pipeline";
    expect(ofKind(events, "handoff-refused")).toHaveLength(isHonest ? 0 : 1);
    expect(ofKind(events, "attempt-ended").filter(({ end }) => end !== "finished")).toEqual([]);
    expect(leftIn(repository.folder)).toEqual([]);
    const replay = await repository.baton("replay");
    expect(replay).toMatchObject({ code: 0, stdout: expect.stringContaining("all the same") });
    return { repository, events, view };
  }

  describe(`${room.name}: the example of pipeline`, () => {
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
        ["tests-kept", "confirmed"],
      ]);
      expect(repository.git("status", "--porcelain")).toBe("");
      expect(repository.git("show", "HEAD:docs/discount.md")).toContain("// 300");
      expect(await repository.baton("validate", "handoff-*.json")).toMatchObject({ code: 0 });
    });
  });

  describe(`${room.name}: the example of issue`, () => {
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
      expectClosedIssue(repository, view, { issue: 1, pull: 2 });
      const last = ofKind(events, "handoff-accepted").at(-1)?.delivery.handoff;
      expect(last).toMatchObject({
        final: true,
        metrics: { total_commits: "4", review_iterations: "3", tests_added: "1" },
      });
      expect(forgeGit(repository, "log", "--format=%s", "main")).toBe("5 cents are shown as 0.5 (#2)\nStart");
      // The user's own checkout was not touched.
      expect(repository.git("log", "--format=%s")).toBe("Start");
      expect(repository.git("status", "--porcelain")).toBe("");
    });

    it("works on two issues at once, each with a worktree, a branch and a port of its own", async () => {
      const repository = await room.prepare("issues");
      const runs = (EXAMPLES["issues"] ?? []).map(({ args }) => repository.baton(...args));
      for (const run of await Promise.all(runs)) expect(run).toMatchObject({ code: 0 });
      const listed = JSON.parse((await repository.baton("status", "--json")).stdout) as { runs: { run: string }[] };
      const shown = await Promise.all(listed.runs.map(({ run }) => repository.baton("status", run, "--json")));
      const views = shown.map(({ stdout }) => JSON.parse(stdout) as RunView);
      expect(views.map(({ status }) => status)).toEqual(["completed", "completed"]);
      for (const name of ["workspace.port", "workspace.path", "branch", "issue.number", "pull_request.number"])
        expect(new Set(views.map(({ known }) => known[name])).size, name).toBe(2);
      for (const { known } of views) expect(PORTS).toContain(known["workspace.port"]);
      for (const view of views) {
        const [issue, pull] = [Number(view.known["issue.number"]), Number(view.known["pull_request.number"])];
        expectClosedIssue(repository, view, { issue, pull });
      }
      expect(forgeGit(repository, "log", "--format=%s", "main").split("\n").at(-1)).toBe("Start");
      expect(forgeGit(repository, "rev-list", "--count", "main")).toBe("3");
      expect(forgeGit(repository, "show", "main:src/receipt.mjs")).toContain("slice(0, 12)");
      expect(forgeGit(repository, "show", "main:src/money.mjs")).toContain("RangeError");
      expect(leftIn(repository.folder)).toEqual([]);
    });

    it("has the workflow that comes along, with two more options", () => {
      const file = readFileSync(join(projectRoot, "examples/issue/issue.yaml"), "utf8");
      const plain = file
        .replace(", options: { server: { command: [node, server.mjs] } } }", " }")
        .replace("        integration: [npm, run, coverage]\n", "");
      expect(plain).toBe(READY_WORKFLOWS.issue.text);
    });
  });

  describe(`${room.name}: the example of collective`, () => {
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

  describe(`${room.name}: the example of tasks`, () => {
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

  describe(`${room.name}: the example of feature`, () => {
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
      expect(ofKind(events, "ask-answered")).toMatchObject([{ choice: "approve", by: ACCOUNT }]);
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
}

const PORTS = Array.from({ length: 100 }, (_, index) => String(3100 + 100 * index));

function forgeGit({ folder }: Repository, ...args: readonly string[]): string {
  const cwd = join(folder, ".git/baton/forge/repository.git");
  return execFileSync("git", args, { cwd, encoding: "utf8" }).trim();
}

/** Closed with one comment, merged, and nothing of it is left: no branch, no worktree, no port. */
function expectClosedIssue(repository: Repository, view: RunView, numbers: { issue: number; pull: number }): void {
  const item = (number: number) =>
    JSON.parse(readFileSync(join(repository.folder, `.git/baton/forge/items/${number}.json`), "utf8")) as JsonRecord;
  expect(item(numbers.issue)).toMatchObject({ kind: "issue", state: "closed" });
  expect(item(numbers.issue)["comments"]).toHaveLength(1);
  expect(item(numbers.pull)).toMatchObject({ kind: "pull", merged: { sha: view.known["merge.sha"] } });
  expect(forgeGit(repository, "merge-base", "--is-ancestor", view.known["merge.sha"] ?? "", "main")).toBe("");
  expect(forgeGit(repository, "for-each-ref", "--format=%(refname:short)")).toBe("main");
  expect(repository.git("branch", "--format=%(refname:short)")).toBe("main");
  expect(repository.git("worktree", "list").split("\n")).toHaveLength(1);
  const ports = new DatabaseSync(join(repository.folder, ".git/baton/ports.db"));
  expect(ports.prepare("SELECT * FROM leases").all()).toEqual([]);
  ports.close();
}
