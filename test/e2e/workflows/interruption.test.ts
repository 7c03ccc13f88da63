import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { livingIn } from "../../agents/living-processes.ts";
import { projectRoot } from "../../cli/run-baton.ts";
import { type Repository, WORKFLOW, examples, ofKind, pretend } from "./repository.ts";

const example = examples();

/** Starts the pipeline and gives it back when its TestAgent is at work. */
async function startedRun(
  repository: Repository,
): Promise<{ child: ChildProcessWithoutNullStreams; ended: Promise<number | null> }> {
  await repository.baton("trust", WORKFLOW);
  const child = spawn(process.execPath, [join(projectRoot, "dist/cli/baton.cjs"), "run", WORKFLOW], {
    cwd: repository.folder,
    env: { ...process.env, ...repository.environment },
    stdio: "pipe",
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  let shown = "";
  await new Promise<void>((resolve) => {
    child.stderr.on("data", (text: Buffer) => {
      shown += text.toString("utf8");
      if (shown.includes("TestAgent starts")) resolve();
    });
  });
  // Time for the agent to say that it does not listen.
  await sleep(700);
  return { child, ended };
}

describe("Ctrl-C again and again", () => {
  it("does not end baton before an agent that ignores it has ended", async () => {
    const repository = example("pipeline");
    pretend(repository, { TestAgent: "hangs" });
    const { child, ended } = await startedRun(repository);
    expect(livingIn(repository.folder).length).toBeGreaterThan(2);
    for (const signal of ["SIGINT", "SIGINT", "SIGTERM", "SIGHUP"] as const) {
      child.kill(signal);
      await sleep(150);
    }
    expect(await ended).toBe(130);
    expect(livingIn(repository.folder)).toEqual([]);
  });
});

describe("a reader that goes away", () => {
  it.each(["2>&1 >/dev/null | head -n 1", "| head -c 0", "2>&1 | head -n 2"])(
    "(%s) takes nothing from the run",
    async (reader) => {
      const repository = example("pipeline");
      pretend(repository, { TestAgent: "slow" });
      await repository.baton("trust", WORKFLOW);
      const baton = `${JSON.stringify(process.execPath)} ${JSON.stringify(join(projectRoot, "dist/cli/baton.cjs"))}`;
      const child = spawn("bash", ["-c", `${baton} run ${WORKFLOW} ${reader}; exit \${PIPESTATUS[0]}`], {
        cwd: repository.folder,
        env: { ...process.env, ...repository.environment },
        stdio: "ignore",
      });
      expect(await new Promise((resolve) => child.on("close", resolve))).toBe(0);
      expect(await repository.view()).toMatchObject({ status: "completed" });
      expect(livingIn(repository.folder)).toEqual([]);
    },
  );

  it("takes nothing from the exit code of a run that waits either", async () => {
    const repository = example("pipeline");
    pretend(repository, { TestAgent: "slow", CodeReviewer: "crashes" });
    const { child, ended } = await startedRun(repository);
    child.stderr.destroy();
    child.stdout.destroy();
    expect(await ended).toBe(1);
    expect(await repository.view()).toMatchObject({ status: "waiting" });
  });
});

describe("a run that nobody drives", () => {
  it("is not watched for ever, and cancel ends what was left of it", async () => {
    const repository = example("pipeline");
    pretend(repository, { TestAgent: "hangs" });
    const { child, ended } = await startedRun(repository);
    child.kill("SIGKILL");
    await ended;
    const { run } = await repository.view();
    const watched = await repository.baton("watch");
    expect(watched).toMatchObject({ code: 1, stdout: expect.stringContaining("TestAgent starts") });
    expect(watched.stderr).toBe(`No process drives run ${run}. Continue with \`baton resume ${run}\`.\n`);
    const { stdout } = await repository.baton("status", run);
    expect(stdout).toMatch(/ {2}interrupted {2}/);
    expect(stdout).toMatch(/ {2}TestAgent +interrupted +1 step/);
    expect(await repository.baton("cancel")).toMatchObject({ code: 0 });
    expect(await repository.view()).toMatchObject({ status: "cancelled" });
    expect(livingIn(repository.folder)).toEqual([]);
    const again = await repository.baton("cancel");
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`Run ${run} has ended: cancelled.`) });
  });
});

describe("Ctrl-C", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "(%s) ends with 130, leaves no process, and resume finishes",
    async (signal) => {
      const repository = example("pipeline");
      const { folder, environment } = repository;
      pretend(repository, { TestAgent: "slow" });
      await repository.baton("trust", WORKFLOW);
      const child = spawn(process.execPath, [join(projectRoot, "dist/cli/baton.cjs"), "run", WORKFLOW], {
        cwd: folder,
        env: { ...process.env, ...environment },
        stdio: "pipe",
      });
      let shown = "";
      let summary = "";
      child.stdout.on("data", (text: Buffer) => (summary += text.toString("utf8")));
      child.stderr.on("data", (text: Buffer) => {
        const hadStarted = shown.includes("TestAgent starts");
        shown += text.toString("utf8");
        if (!hadStarted && shown.includes("TestAgent starts")) child.kill(signal);
      });
      const code = await new Promise((resolve) => child.on("close", resolve));
      expect(code).toBe(130);
      expect(shown).toContain("nothing is lost");
      expect(summary).toMatch(/ {2}interrupted {2}.*\n {2}no process drives it; continue with `baton resume \w+`\n/);
      expect(summary).toMatch(/ {2}TestAgent +interrupted /);
      expect(summary).not.toMatch(/running|working/);
      expect(livingIn(folder)).toEqual([]);
      expect(existsSync(join(folder, "handoff-TestAgent.json"))).toBe(false);

      expect(await repository.baton("resume")).toMatchObject({ code: 0 });
      expect(await repository.view()).toMatchObject({ status: "completed" });
      const accepted = ofKind(await repository.events(), "handoff-accepted").map(({ agent }) => agent);
      expect(accepted).toEqual([...new Set(accepted)]);
      expect(await repository.baton("replay")).toMatchObject({ code: 0 });
    },
  );
});
