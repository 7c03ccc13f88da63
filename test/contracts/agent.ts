import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { killOrphans } from "../../src/agents/process-group/end-processes.ts";
import type { Agent, AgentJob, AgentReport, AgentUpdate } from "../../src/ports/agent.ts";
import type { Runner } from "../../src/workflow/definition.ts";
import { aJob, removeJobFolders, untilReady } from "../agents/agent-jobs.ts";
import { livingIn, statesIn } from "../agents/living-processes.ts";

interface AgentUnderTest {
  readonly agent: Agent;
  /** Behaves as the prompt says: test/agents/fixtures/behave.mjs. */
  readonly runner: Runner;
  /** The same, but what it would run does not exist. */
  readonly missing: Runner;
  /** How often agents that daemonise or ignore SIGTERM are stopped. */
  readonly stops: number;
}

interface Ran {
  readonly job: AgentJob;
  readonly report: AgentReport;
  readonly updates: AgentUpdate[];
}

/** What `src/ports/agent.ts` promises, asked of every kind of agent that is a program. */
export function agentContract(subject: AgentUnderTest): void {
  const { agent, runner } = subject;

  async function run(prompt: string, changes: Partial<AgentJob> = {}): Promise<Ran> {
    const job = aJob(runner, prompt, changes);
    const updates: AgentUpdate[] = [];
    const report = await agent.start(job, (update) => updates.push(update)).ended;
    return { job, report, updates };
  }

  function expectNobody(job: AgentJob): void {
    expect(livingIn(job.workspace)).toEqual([]);
  }

  describe(`${agent.kind} agent`, () => {
    afterEach(() => {
      delete process.env["BATON_TEST_SECRET"];
    });
    afterAll(removeJobFolders);

    it("finishes with its message", async () => {
      const { job, report } = await run("behave: finish");
      expect(report).toMatchObject({ end: "finished", lastMessage: "the work is done" });
      expect(report.usage.milliseconds).toBeGreaterThan(0);
      expectNobody(job);
    });

    it("crashes and says why", async () => {
      const { job, report } = await run("behave: crash");
      expect(report.end).toBe("crashed");
      expect(report.message).toContain("it went wrong");
      expectNobody(job);
    });

    it("is ended when its time is over", async () => {
      const { job, report } = await run("behave: hang", { timeout: 600 });
      expect(report.end).toBe("timed-out");
      expectNobody(job);
    });

    it("is ended although it ignores SIGTERM", async () => {
      const job = aJob(runner, "behave: ignore-term");
      const session = agent.start(job, () => undefined);
      await untilReady(job);
      session.stop();
      expect((await session.ended).end).toBe("stopped");
      expectNobody(job);
    });

    it("takes its daemons along when it is stopped", async () => {
      const job = aJob(runner, "behave: daemonise");
      const session = agent.start(job, () => undefined);
      await untilReady(job);
      expect(livingIn(job.workspace).length).toBeGreaterThanOrEqual(3);
      session.stop();
      expect((await session.ended).end).toBe("stopped");
      expectNobody(job);
    });

    it("is held with its daemons, and goes on where it was, with the time that it had left", async () => {
      const job = aJob(runner, "behave: wait-to-finish", { timeout: 4_000 });
      const session = agent.start(job, () => undefined);
      await untilReady(job);
      session.pause?.();
      writeFileSync(join(job.workspace, "enough"), "");
      await expect.poll(() => statesIn(job.workspace)).toEqual(["T"]);
      await sleep(4_500);
      expect(statesIn(job.workspace)).toEqual(["T"]);
      session.resume?.();
      expect(await session.ended).toMatchObject({ end: "finished", lastMessage: "waited for long enough" });
      expectNobody(job);
    });

    it("is ended while it is held", async () => {
      const job = aJob(runner, "behave: daemonise");
      const session = agent.start(job, () => undefined);
      await untilReady(job);
      session.pause?.();
      session.stop();
      session.resume?.();
      expect((await session.ended).end).toBe("stopped");
      expectNobody(job);
    });

    it("takes its daemons along when it finishes", async () => {
      const { job, report } = await run("behave: leave-a-child");
      expect(report).toMatchObject({ end: "finished", lastMessage: "left a child behind" });
      expectNobody(job);
    });

    it.each(["stdout", "stderr"])("is ended as flooded when it floods %s", async (stream) => {
      const { job, report, updates } = await run(`behave: flood-${stream}`);
      expect(report.end).toBe("flooded");
      expect(updates.length).toBeLessThan(1000);
      expectNobody(job);
    });

    it("survives binary garbage", async () => {
      const { report, updates } = await run("behave: garbage");
      expect(report.end).toBe("finished");
      expect(report.lastMessage).toContain("after garbage");
      expectHarmless(updates);
    });

    it("shows no line that a terminal would obey", async () => {
      const { report, updates } = await run("behave: ansi");
      expect(report.end).toBe("finished");
      expect(updates.some((update) => update.kind === "line" && update.text.includes("red"))).toBe(true);
      expectHarmless(updates);
    });

    it("could not start when its program is missing", async () => {
      const job = aJob(subject.missing, "behave: finish");
      const report = await agent.start(job, () => undefined).ended;
      expect(["could-not-start", "crashed"]).toContain(report.end);
      expect(report.end === "could-not-start" || agent.kind === "function").toBe(true);
      expect(report.message).not.toBe("");
    });

    it("could not start when its workspace is missing", async () => {
      const { report } = await run("behave: finish", { workspace: "/nowhere/at/all" });
      expect(report).toMatchObject({ end: "could-not-start", lastMessage: null });
      expect(report.message).toContain("/nowhere/at/all");
    });

    it("could not start with a scratch folder that cannot be made", async () => {
      const { report } = await run("behave: finish", { scratch: join(import.meta.filename, "scratch") });
      expect(report.end).toBe("could-not-start");
    });

    it("sees nothing of our environment but what is named", async () => {
      process.env["BATON_TEST_SECRET"] = "do not tell";
      const { job, report } = await run("behave: environment");
      const environment = JSON.parse(report.lastMessage ?? "{}");
      expect(environment).toMatchObject({ BATON_RUN: "run-1", BATON_ATTEMPT: job.attempt, TERM: "dumb" });
      expect(JSON.stringify(environment)).not.toContain("do not tell");
      const strangers = Object.keys(environment).filter((name) => !EXPECTED.test(name));
      expect(strangers).toEqual([]);
    });

    it("is not harmed by a watcher that throws", async () => {
      const job = aJob(runner, "behave: ansi");
      const session = agent.start(job, () => {
        throw new Error("cannot look");
      });
      expect((await session.ended).end).toBe("finished");
    });

    it("can be stopped at once, twice, and after its end", async () => {
      const job = aJob(runner, "behave: hang");
      const session = agent.start(job, () => undefined);
      session.stop();
      session.stop();
      expect((await session.ended).end).toBe("stopped");
      session.stop();
      expectNobody(job);
    });

    /** Starts the job in a process of its own, and kills that process. */
    async function killOrchestrator(job: AgentJob, alsoItsWatchdog: boolean): Promise<void> {
      const orchestrator = spawn(process.execPath, [join(import.meta.dirname, "../agents/fixtures/orchestrator.ts")], {
        stdio: ["pipe", "ignore", "inherit"],
      });
      orchestrator.stdin.end(JSON.stringify(job));
      await untilReady(job);
      const exited = once(orchestrator, "exit");
      const pid = orchestrator.pid ?? 0;
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim().split(" ").map(Number);
      if (alsoItsWatchdog) for (const child of children.filter(isWatchdog)) process.kill(child, "SIGKILL");
      orchestrator.kill("SIGKILL");
      await exited;
    }

    function isWatchdog(pid: number): boolean {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("watchdog-process");
    }

    it("is ended within seconds when the orchestrator was killed, and its daemons with it", async () => {
      const job = aJob(runner, "behave: daemonise");
      await killOrchestrator(job, false);
      const deadline = Date.now() + 8_000;
      while (livingIn(job.workspace).length > 0 && Date.now() < deadline) await sleep(50);
      expectNobody(job);
    });

    it("is ended by its survivors' marks when the orchestrator and its watchdog were killed", async () => {
      const job = aJob(runner, "behave: daemonise");
      await killOrchestrator(job, true);
      expect(livingIn(job.workspace).length).toBeGreaterThanOrEqual(2);
      expect(await killOrphans(job.attempt, job.scratch)).toBeGreaterThanOrEqual(2);
      expectNobody(job);
      expect(await killOrphans(job.attempt, job.scratch)).toBe(0);
    });

    it(`leaves no survivors of ${subject.stops} that daemonise or ignore SIGTERM`, { timeout: 600_000 }, async () => {
      let survivors = 0;
      for (let done = 0; done < subject.stops; done += BATCH) {
        const jobs = Array.from({ length: Math.min(BATCH, subject.stops - done) }, (_, index) =>
          aJob(runner, index % 2 === 0 ? "behave: daemonise" : "behave: ignore-term"),
        );
        const sessions = jobs.map((job) => agent.start(job, () => undefined));
        await Promise.all(jobs.map(untilReady));
        for (const session of sessions) session.stop();
        const reports = await Promise.all(sessions.map((session) => session.ended));
        expect(reports.map((report) => report.end)).toEqual(jobs.map(() => "stopped"));
        for (const job of jobs) survivors += livingIn(job.workspace).length;
      }
      expect(survivors).toBe(0);
    });
  });
}

/** How many are stopped at once. */
const BATCH = 25;

/** What the clean environment holds, what a client is told by its adapter, and what Node and macOS add themselves. */
const EXPECTED =
  /^(?:PATH|HOME|LANG|LC_ALL|TERM|TMPDIR|PWD|SHLVL|_|__CF_USER_TEXT_ENCODING|BATON_(?:RUN|ATTEMPT|MARKS|RUNS)|CLAUDE_CODE_\w+|DISABLE_\w+|GEMINI_CLI_NO_RELAUNCH)$/;

function expectHarmless(updates: readonly AgentUpdate[]): void {
  for (const update of updates) {
    if (update.kind === "line") expect(update.text).not.toMatch(/[\p{Cc}\u202e]/u);
  }
}
