import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Repository, WORKFLOW, agentOrder, behave, examples, ofKind, pretend } from "./repository.ts";

const example = examples();

async function pretending(behaviours: Readonly<Record<string, string>> = {}): Promise<Repository> {
  const repository = example("pipeline");
  pretend(repository, behaviours);
  await repository.baton("trust", WORKFLOW);
  return repository;
}

describe("a supervised run", () => {
  it("waits before every agent and goes on with each approval", async () => {
    const repository = await pretending();
    const first = await repository.baton("run", WORKFLOW, "--mode", "supervised");
    expect(first).toMatchObject({ code: 1, stdout: expect.stringContaining("May BackendBuilder start?") });
    expect(agentOrder(await repository.events())).toEqual([]);
    for (let round = 0; round < 5; round++) {
      const approved = await repository.baton("approve", "--note", "go");
      expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining("baton resume") });
      await repository.baton("resume");
    }
    expect(await repository.view()).toMatchObject({ status: "completed", steps: 5 });
    const answers = ofKind(await repository.events(), "ask-answered");
    expect(answers).toHaveLength(5);
    expect(answers[0]).toMatchObject({ choice: "approve", by: "tester", text: "go" });
  });

  it("fails when a person rejects a start, and says who and why", async () => {
    const repository = await pretending();
    await repository.baton("run", WORKFLOW, "--mode", "supervised");
    expect(await repository.baton("reject", "--note", "not today")).toMatchObject({ code: 0 });
    expect(await repository.baton("resume")).toMatchObject({ code: 1 });
    const view = await repository.view();
    expect(view.status).toBe("failed");
    expect(view.reason).toContain("tester said no");
    expect(view.reason).toContain("not today");
  });

  it("is ended by cancel, with the reason in its log", async () => {
    const repository = await pretending();
    await repository.baton("run", WORKFLOW, "--mode", "supervised");
    await repository.baton("cancel", "--reason", "another idea");
    expect(await repository.view()).toMatchObject({ status: "cancelled" });
    expect(ofKind(await repository.events(), "run-cancelled")).toMatchObject([
      { by: "tester", reason: "another idea" },
    ]);
    expect(await repository.baton("approve")).toMatchObject({ code: 2 });
  });

  it("refuses an answer that was not asked for, and names what is", async () => {
    const repository = await pretending();
    await repository.baton("run", WORKFLOW, "--mode", "supervised");
    const { run } = await repository.view();
    const wrong = await repository.baton("answer", run, "q1", "maybe");
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("q1 (approve, reject)") });
    expect((await repository.view()).asks).toHaveLength(1);
  });
});

describe("a run that a person was called to", () => {
  it("tries again after the answer retry, with the words of the person", async () => {
    const repository = await pretending({ TestAgent: "crashes" });
    await repository.baton("run", WORKFLOW);
    const { run, asks } = await repository.view();
    behave(repository, {});
    const answer = await repository.baton("answer", run, asks[0]?.id ?? "", "retry", "it", "is", "mended");
    expect(answer).toMatchObject({ code: 0 });
    expect(await repository.baton("resume")).toMatchObject({ code: 0 });
    const again = ofKind(await repository.events(), "step-started").filter(({ reason }) => reason.kind === "person");
    expect(again).toMatchObject([{ agent: "TestAgent", reason: { from: "tester", note: "it is mended" } }]);
  });

  it("fails after the answer fail, and retry sends it on from where it failed", async () => {
    const repository = await pretending({ TestAgent: "crashes" });
    await repository.baton("run", WORKFLOW);
    const { run, asks } = await repository.view();
    await repository.baton("answer", run, asks[0]?.id ?? "", "fail");
    expect(await repository.baton("resume")).toMatchObject({ code: 1 });
    expect(await repository.view()).toMatchObject({ status: "failed" });
    behave(repository, {});
    expect(await repository.baton("retry", "--note", "it is mended")).toMatchObject({ code: 0 });
    const events = await repository.events();
    expect(ofKind(events, "run-reopened")).toMatchObject([{ by: "tester" }]);
    expect(agentOrder(events).filter((agent) => agent === "BackendBuilder")).toHaveLength(1);
    expect(await repository.view()).toMatchObject({ status: "completed" });
  });
});

describe("a question of an agent", () => {
  it("waits for an answer in words, and the next agent is told", async () => {
    const repository = await pretending({ TestAgent: "asks a question", CodeReviewer: "keeps what it is told" });
    expect(await repository.baton("run", WORKFLOW)).toMatchObject({ code: 1 });
    const { run, asks } = await repository.view();
    expect(asks).toMatchObject([{ kind: "question", title: "Which currency?", choices: ["answer", "fail"] }]);
    expect(await repository.baton("answer", run, "q1", "answer", "Swiss", "francs")).toMatchObject({ code: 0 });
    expect(await repository.baton("resume")).toMatchObject({ code: 0 });
    expect(readFileSync(join(repository.folder, "told.txt"), "utf8")).toContain("Swiss francs");
  });
});

describe("run --detach", () => {
  it("goes on in the background, and watch follows it to its end", async () => {
    const repository = await pretending({ TestAgent: "slow" });
    const started = await repository.baton("run", WORKFLOW, "--detach");
    expect(started).toMatchObject({ code: 0, stderr: expect.stringContaining("baton watch") });
    const watched = await repository.baton("watch", started.stdout.trim());
    expect(watched).toMatchObject({ code: 0, stdout: expect.stringContaining("COMPLETE") });
    expect(await repository.view()).toMatchObject({ status: "completed", run: started.stdout.trim() });
  });
});

describe("run --dry-run", () => {
  it("shows the graph and the commands, and runs nothing", async () => {
    const repository = example("pipeline");
    const shown = await repository.baton("run", "pipeline", "--dry-run");
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining("Nothing was run") });
    expect(shown.stdout).toContain("node agents/BackendBuilder.mjs");
    expect(existsSync(join(repository.folder, ".baton"))).toBe(false);
    expect(repository.git("status", "--porcelain")).toBe("");
  });
});
