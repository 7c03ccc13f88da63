import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ACCOUNT, type Repository, WORKFLOW, agentOrder, behave, examples, ofKind, pretend } from "./repository.ts";

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
    expect(answers[0]).toMatchObject({ choice: "approve", by: ACCOUNT, text: "go" });
  });

  it("fails when a person rejects a start, and says who and why", async () => {
    const repository = await pretending();
    await repository.baton("run", WORKFLOW, "--mode", "supervised");
    expect(await repository.baton("reject", "--note", "not today")).toMatchObject({ code: 0 });
    expect(await repository.baton("resume")).toMatchObject({ code: 1 });
    const view = await repository.view();
    expect(view.status).toBe("failed");
    expect(view.reason).toContain(`${ACCOUNT} said no`);
    expect(view.reason).toContain("not today");
  });

  it("is ended by cancel, with the reason in its log", async () => {
    const repository = await pretending();
    await repository.baton("run", WORKFLOW, "--mode", "supervised");
    const cancelled = await repository.baton("cancel", "--reason", "another idea");
    expect(cancelled).toMatchObject({ code: 0, stdout: expect.stringContaining("cancelled") });
    expect(cancelled.stderr).not.toContain("worktree");
    expect(await repository.view()).toMatchObject({ status: "cancelled" });
    expect(ofKind(await repository.events(), "run-cancelled")).toMatchObject([{ by: ACCOUNT, reason: "another idea" }]);
    expect(await repository.baton("approve")).toMatchObject({ code: 2 });
  });

  it("tells a program what was answered, what happened, and what was kept or forgotten", async () => {
    const repository = await pretending();
    const json = async (...args: string[]): Promise<unknown> =>
      JSON.parse((await repository.baton(...args, "--json")).stdout);
    expect(await json("trust", WORKFLOW)).toMatchObject({ hash: expect.stringMatching(/^[0-9a-f]{64}$/), new: false });
    await repository.baton("run", WORKFLOW, "--mode", "supervised");
    const answer = { ask: "q1", choice: "approve", text: null, by: ACCOUNT, driven: false };
    expect(await json("approve")).toMatchObject({ ...answer, new: true });
    expect(await json("answer", (await repository.view()).run, "q1", "approve")).toMatchObject({
      ...answer,
      new: false,
    });
    await repository.baton("resume");
    expect(await json("reject", "--note", "no")).toMatchObject({ ask: "q2", choice: "reject", text: "no", new: true });
    await repository.baton("resume");
    const watched = (await repository.baton("watch", "--json")).stdout.trimEnd().split("\n");
    const events = watched.map((line) => JSON.parse(line) as { at: number; event: { kind: string } });
    expect(events.map(({ event }) => event)).toEqual(await repository.events());
    expect(events.every(({ at }) => at > 0)).toBe(true);
    expect(await json("backup", "copy.db")).toEqual({ file: expect.stringMatching(/copy\.db$/) });
    const pruned = { runs: 1, entries: expect.any(Number), texts: expect.any(Number), freed: 0, unfreed: null };
    expect(await json("prune", "--days", "0")).toEqual({ ...pruned, broken: null });
  });

  it("tells a program how it ended, whichever command ends it or finds it ended", async () => {
    const repository = await pretending();
    await repository.baton("run", WORKFLOW, "--mode", "supervised");
    await repository.baton("reject");
    const failed = await repository.baton("resume", "--json");
    expect(JSON.parse(failed.stdout)).toMatchObject({ status: "failed" });
    const again = await repository.baton("retry", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({ status: "waiting", asks: [{ id: "q2" }] });
    const cancelled = await repository.baton("cancel", "--json");
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ status: "cancelled" });
    const ended = await repository.baton("resume", "--json");
    expect(ended).toMatchObject({ code: 1, stdout: cancelled.stdout });
  });

  it("refuses an answer that was not asked for, and names what is", async () => {
    const repository = await pretending();
    await repository.baton("run", WORKFLOW, "--mode", "supervised");
    const { run } = await repository.view();
    const unknown = await repository.baton("answer", run, "q9", "approve");
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining(`Run ${run} has no open question q9.`) });
    const wrong = await repository.baton("answer", run, "q1", "maybe");
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("q1 (approve, reject)") });
    expect((await repository.view()).asks).toHaveLength(1);
  });
});

describe("an answer that nobody has taken in yet", () => {
  it("stands: another one is refused, the same one again changes nothing, and status tells it", async () => {
    const repository = await pretending();
    await repository.baton("run", WORKFLOW, "--mode", "supervised");
    const { run } = await repository.view();
    expect((await repository.baton("status")).stdout).toContain("1 waiting for you, not driven");
    const unanswered = JSON.parse((await repository.baton("status", "--json")).stdout) as object;
    expect(unanswered).toMatchObject({ runs: [{ run, driven: false, asks: [{ id: "q1", answered: null }] }] });
    expect(await repository.baton("approve")).toMatchObject({ code: 0 });
    const waits = `answered: approve, waits for \`baton resume ${run}\``;
    expect((await repository.baton("status")).stdout).toContain(`q1 ${waits}`);
    expect((await repository.baton("status")).stdout).not.toContain("waiting for you");
    const { stdout } = await repository.baton("status", run);
    expect(stdout).toContain(`      ${waits}\n`);
    expect(stdout).not.toContain("baton reject");
    expect((await repository.baton("watch", run)).stderr).toContain(`Continue with \`baton resume ${run}\``);
    expect((await repository.baton("watch", "--all")).stdout).toContain(waits);

    const answered = { choice: "approve", text: null, by: ACCOUNT };
    const told = { driven: false, asks: [{ id: "q1", answered }] };
    expect(JSON.parse((await repository.baton("status", "--json")).stdout)).toMatchObject({ runs: [{ run, ...told }] });
    expect(JSON.parse((await repository.baton("status", run, "--json")).stdout)).toMatchObject({ run, ...told });

    const refused = await repository.baton("reject");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain(`q1 was already answered: approve (not yet taken in: baton resume ${run})`);
    expect(await repository.baton("approve", "--note", "in other words")).toMatchObject({ code: 2 });
    const same = await repository.baton("approve");
    expect(same).toMatchObject({ code: 0, stderr: expect.stringContaining("it was given before") });

    await repository.baton("resume");
    const events = await repository.events();
    expect(ofKind(events, "ask-answered")).toMatchObject([{ ask: "q1", choice: "approve" }]);
    expect(ofKind(events, "input-ignored")).toEqual([]);
  });

  it("is one of two that were given at the same moment: the other is told so", async () => {
    const repository = await pretending();
    await repository.baton("run", WORKFLOW, "--mode", "supervised");
    const both = await Promise.all([repository.baton("approve"), repository.baton("reject")]);
    expect(new Set(both.map(({ code }) => code))).toEqual(new Set([0, 2]));
    await repository.baton("resume");
    const events = await repository.events();
    expect(ofKind(events, "ask-answered")).toHaveLength(1);
    expect(ofKind(events, "input-ignored")).toEqual([]);
  });
});

describe("a run that a person was called to", () => {
  it("shows each choice as a command to be copied, and what it does", async () => {
    const repository = await pretending({ TestAgent: "crashes" });
    const { stdout } = await repository.baton("run", WORKFLOW);
    const { run, asks } = await repository.view();
    expect(asks).toMatchObject([{ id: "q1", kind: "escalation", choices: ["retry", "fail"] }]);
    expect(stdout).toContain(
      `      baton answer ${run} q1 retry   TestAgent tries again, with your words if you add some\n`,
    );
    expect(stdout).toContain(`      baton answer ${run} q1 fail    gives up: the task ends as failed\n`);
    expect(stdout).not.toMatch(/^ *baton .*\|/m);
  });

  it("tries again after the answer retry, with the words of the person", async () => {
    const repository = await pretending({ TestAgent: "crashes" });
    await repository.baton("run", WORKFLOW);
    const { run, asks } = await repository.view();
    behave(repository, {});
    const answer = await repository.baton("answer", run, asks[0]?.id ?? "", "retry", "it", "is", "mended");
    expect(answer).toMatchObject({ code: 0 });
    expect(await repository.baton("resume")).toMatchObject({ code: 0 });
    const again = ofKind(await repository.events(), "step-started").filter(({ reason }) => reason.kind === "person");
    expect(again).toMatchObject([{ agent: "TestAgent", reason: { from: ACCOUNT, note: "it is mended" } }]);
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
    expect(ofKind(events, "run-reopened")).toMatchObject([{ by: ACCOUNT }]);
    expect(agentOrder(events).filter((agent) => agent === "BackendBuilder")).toHaveLength(1);
    expect(await repository.view()).toMatchObject({ status: "completed" });
  });
});

describe("a run that its budget ended", () => {
  it("is told what helps, is not sent on again before, and goes on once its budget is raised", async () => {
    const repository = example("pipeline");
    pretend(repository, {});
    const file = join(repository.folder, WORKFLOW);
    writeFileSync(file, readFileSync(file, "utf8").replace("steps: 60", "steps: 2"));
    await repository.baton("trust", WORKFLOW);
    const ended = await repository.baton("run", WORKFLOW);
    const { run } = await repository.view();
    const helps = `baton budget ${run} --steps LIMIT`;
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining(helps) });
    expect(ended.stderr).not.toContain("baton retry");
    expect(await repository.view()).toMatchObject({ status: "failed", retry_refused: expect.stringContaining(helps) });
    const before = await repository.events();
    expect(await repository.baton("retry")).toMatchObject({ code: 2, stderr: expect.stringContaining(helps) });
    expect(await repository.baton("resume")).toMatchObject({ code: 1, stderr: expect.stringContaining(helps) });
    expect(await repository.events()).toEqual(before);
    expect(await repository.baton("budget", run, "--steps", "2")).toMatchObject({ code: 2 });
    expect(await repository.baton("budget", run, "--money", "2")).toMatchObject({ code: 2 });
    expect(await repository.baton("budget", run, "--steps", "20")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("steps   2 used, of 20 (new)"),
      stderr: expect.stringContaining(`baton retry ${run}`),
    });
    expect(await repository.baton("retry")).toMatchObject({ code: 0 });
    expect(ofKind(await repository.events(), "budget-raised")).toMatchObject([{ by: ACCOUNT, budget: { steps: 20 } }]);
  });
});

describe("a run with a worktree", () => {
  it("says where it is; when it is cancelled it leaves it, and says how it is thrown away", async () => {
    const repository = example("pipeline");
    pretend(repository, { TestAgent: "crashes" });
    const file = join(repository.folder, WORKFLOW);
    writeFileSync(file, `workspace: worktree\n${readFileSync(file, "utf8")}`);
    repository.git("add", "-A");
    repository.git("-c", "user.name=tester", "-c", "user.email=tester@example.org", "commit", "-qm", "agents");
    await repository.baton("trust", WORKFLOW);
    const waiting = await repository.baton("run", WORKFLOW);
    const { run } = await repository.view();
    const folder = join(repository.folder, ".baton/worktrees", run);
    expect(waiting.stderr).toContain(`What its agents did is in its worktree: ${folder}\n`);
    expect(existsSync(folder)).toBe(true);
    const cancelled = await repository.baton("cancel");
    expect(cancelled).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`worktree stays, with what is in it: ${folder}\n`),
    });
    expect(existsSync(folder)).toBe(true);
    const [, remove = "false"] = /^To throw it away: (.+)$/m.exec(cancelled.stderr) ?? [];
    execFileSync("sh", ["-c", remove], { cwd: repository.folder, stdio: "pipe" });
    expect(existsSync(folder)).toBe(false);
    expect(repository.git("branch", "--list", "baton/*")).toBe("");
  });
});

describe("a question of an agent", () => {
  it("waits for an answer in words, and the next agent is told", async () => {
    const repository = await pretending({ CodeReviewer: "asks a question", SecurityScanner: "keeps what it is told" });
    expect(await repository.baton("run", WORKFLOW)).toMatchObject({ code: 1 });
    const { run, asks } = await repository.view();
    expect(asks).toMatchObject([{ kind: "question", title: "Which currency?", choices: ["answer", "fail"] }]);
    const wordless = await repository.baton("answer", run, "q1", "answer");
    expect(wordless).toMatchObject({ code: 2, stderr: expect.stringContaining("asks for an answer in words") });
    expect(await repository.baton("answer", run, "q1", "answer", "Swiss", "francs")).toMatchObject({ code: 0 });
    expect(await repository.baton("resume")).toMatchObject({ code: 0 });
    expect(readFileSync(join(repository.folder, "told.txt"), "utf8")).toContain("Swiss francs");
    const known = await repository.baton("knowledge", "show", "question-001", "--json");
    const answer = `${ACCOUNT} answered: Swiss francs`;
    expect(JSON.parse(known.stdout)).toMatchObject({ fact: { text: "Which currency?", answer } });
    await repository.baton("knowledge", "promote", "question-001");
    const { stdout } = await repository.baton("context", "--about", "currency", "--layout", "task-yaml");
    expect(stdout).toContain("### Answered Questions");
    expect(stdout).toContain(`Which currency?: ${answer}`);
    expect(stdout).not.toContain("Blocking Questions");
    rmSync(join(repository.folder, ".git/baton/knowledge.db"));
    await repository.baton("knowledge", "rebuild");
    const rebuilt = await repository.baton("knowledge", "show", "question-001", "--json");
    expect(JSON.parse(rebuilt.stdout)).toMatchObject({ fact: { answer } });
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

  it("prints with --json which run it is and where to look", async () => {
    const repository = await pretending();
    const { code, stdout } = await repository.baton("run", WORKFLOW, "--detach", "--json");
    const { run, ...where } = JSON.parse(stdout) as { run: string };
    expect([code, where]).toEqual([0, { pid: expect.any(Number), log: expect.stringContaining(`run-${run}.log`) }]);
    expect(await repository.baton("watch", run)).toMatchObject({ code: 0 });
    expect(await repository.view()).toMatchObject({ status: "completed", run });
  });
});

describe("run --dry-run", () => {
  it("shows the graph and the commands, and runs nothing", async () => {
    const repository = example("pipeline");
    const shown = await repository.baton("run", "pipeline", "--dry-run");
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringContaining("Nothing was run") });
    expect(shown.stdout).toContain("node agents/BackendBuilder.mjs");
    expect(existsSync(join(repository.folder, ".git/baton"))).toBe(false);
    expect(repository.git("status", "--porcelain")).toBe("");
  });

  it("prints the plan as one document with --json", async () => {
    const repository = example("tasks");
    const { code, stdout } = await repository.baton("run", "tasks", "--tasks", "tasks/*.md", "--dry-run", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      path: "tasks (comes with baton)",
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      workflow: "tasks",
      tasks: expect.arrayContaining([expect.objectContaining({ id: "task-1", depends_on: [] })]),
      commands: expect.arrayContaining([expect.stringContaining("node agents/")]),
    });
  });

  it("shows the tasks that would be worked through, and refuses what a run would refuse", async () => {
    const repository = example("tasks");
    const shown = await repository.baton("run", "tasks", "--tasks", "tasks/*.md", "--dry-run");
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^tasks\n {2}task-1 /m) });
    expect(await repository.baton("run", "tasks", "--tasks", "none/*.md", "--dry-run")).toMatchObject({ code: 2 });
    expect(await repository.baton("run", "tasks", "--set", "branch", "--dry-run")).toMatchObject({ code: 2 });
    rmSync(join(repository.folder, "agents"), { recursive: true });
    const warned = await repository.baton("run", "tasks", "--dry-run");
    expect(warned).toMatchObject({ code: 0, stderr: expect.stringContaining("Warning: `agents/") });
    expect(existsSync(join(repository.folder, ".git/baton"))).toBe(false);
  });
});
