import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { agentTable } from "../../src/agents/choose-agent.ts";
import type { AgentJob, AgentReport, AgentSession } from "../../src/ports/agent.ts";
import { aJob, removeJobFolders } from "../agents/agent-jobs.ts";
import { livingIn } from "../agents/living-processes.ts";
import type { RealClient } from "./clients.ts";
import { aRunFolder, offlineRunner, removeRunFolders, whyAbsent } from "./offline-runs.ts";

const NO_SESSION = "0189f7ea-ae2c-7809-8aeb-b819cf5e9e7f";

/** The adapter of a client against the client itself. */
export function realClientTests(client: RealClient): void {
  const absence = whyAbsent(client);
  describe.skipIf(absence !== null)(`${client.name}${absence === null ? "" : ` (${absence})`}`, () => {
    afterAll(() => {
      removeJobFolders();
      removeRunFolders();
    });

    function jobIn(run: string, prompt: string, changes: Partial<AgentJob> = {}): AgentJob {
      const limits = { timeout: 110_000, outputLimit: 16 << 20 };
      const runner = offlineRunner(client, run, "scenario.mjs");
      return aJob(runner, prompt, { workspace: join(run, "proj"), ...limits, ...changes });
    }

    function start(job: AgentJob): AgentSession {
      if (job.runner.kind === "human") throw new Error("a person is not started");
      const agents = agentTable({ command: [], root: job.workspace, stateFolder: job.scratch });
      return agents[job.runner.kind].start(job, () => undefined);
    }

    it("gives its message, and goes on with its session", { timeout: 240_000 }, async () => {
      const run = aRunFolder(client);
      const first = await start(jobIn(run, "the word is red")).ended;
      expect(first, first.message).toMatchObject({ end: "finished", lastMessage: "heard red" });
      expectUsage(first);
      expect(first.session).not.toBeNull();
      await sleep(client.rest ?? 0);
      const second = await start(jobIn(run, "the word is blue", { session: first.session })).ended;
      expect(second, second.message).toMatchObject({ end: "finished", lastMessage: "heard red and blue" });
      expectUsage(second);
      // Sessions are counted as a whole by some clients; an attempt is charged for itself.
      expect(second.usage.tokens).toBeLessThan((first.usage.tokens ?? 0) * 1.5);
      expect(livingIn(run)).toEqual([]);
    });

    it("begins a new session when the one to go on with is lost", { timeout: 120_000 }, async () => {
      const run = aRunFolder(client);
      const report = await start(jobIn(run, "the word is blue", { session: NO_SESSION })).ended;
      expect(report, report.message).toMatchObject({ end: "finished", lastMessage: "heard blue" });
      expectUsage(report);
      expect(report.session ?? NO_SESSION).not.toContain(NO_SESSION);
      expect(livingIn(run)).toEqual([]);
    });

    it("is ended when its time is over, and leaves nobody", { timeout: 120_000 }, async () => {
      const run = aRunFolder(client);
      const session = start(jobIn(run, "never answer", { timeout: client.startUp ?? 12_000 }));
      await untilAtWork(run);
      expect((await session.ended).end).toBe("timed-out");
      expect(livingIn(run)).toEqual([]);
    });

    it("is stopped at work, and leaves nobody", { timeout: 120_000 }, async () => {
      const run = aRunFolder(client);
      const session = start(jobIn(run, "never answer"));
      await untilAtWork(run);
      session.stop();
      expect((await session.ended).end).toBe("stopped");
      expect(livingIn(run)).toEqual([]);
    });
  });

  function expectUsage(report: AgentReport): void {
    expect(report.usage.tokens).toBeGreaterThan(0);
    if (client.tellsMoney) expect(report.usage.money).toBeGreaterThan(0);
  }
}

/** The client has asked the model, who does not answer. */
async function untilAtWork(run: string): Promise<void> {
  const hasAsked = (): boolean => existsSync(join(run, "proj/asked"));
  for (let looks = 0; looks < 3000 && !hasAsked(); looks += 1) await sleep(20);
  expect(hasAsked()).toBe(true);
  expect(livingIn(run).length).toBeGreaterThanOrEqual(3);
}
