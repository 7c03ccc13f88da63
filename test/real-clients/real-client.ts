import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { agentFor } from "../../src/agents/choose-agent.ts";
import type { AgentJob, AgentReport, AgentSession } from "../../src/ports/agent.ts";
import type { Runner } from "../../src/workflow/definition.ts";
import { aJob, removeJobFolders } from "../agents/agent-jobs.ts";
import { livingIn } from "../agents/living-processes.ts";

/** A real client, as `../shared/ecosystem.md` section 9 says it is run without a network and a real model. */
export interface RealClient {
  readonly name: string;
  readonly kind: "claude" | "codex" | "acp";
  /** In `node_modules/.bin`. */
  readonly program: string;
  readonly parameters?: readonly string[];
  readonly variables: readonly string[];
  /** Files it needs, from the folder of the run: `home/...` or `proj/...`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Milliseconds within which it has asked the model on a slow machine. */
  readonly startUp?: number;
  /** Milliseconds before its session can be gone on with. */
  readonly rest?: number;
  readonly tellsTokens: boolean;
  readonly tellsMoney: boolean;
}

const here = import.meta.dirname;
const offline = join(here, "../../../shared/real-clients/offline.sh");
const clients = process.env["BATON_REAL_CLIENTS"] ?? "";

export function realClientTests(client: RealClient): void {
  const program = join(clients, "node_modules/.bin", client.program);
  const absence = whyAbsent(program);
  if (absence !== null) console.warn(`${client.name} is skipped: ${absence}`);

  // oxlint-disable-next-line vitest/valid-title -- one suite, named after the client it is run on
  describe.skipIf(absence !== null)(client.name, () => {
    const runs: string[] = [];
    afterAll(() => {
      removeJobFolders();
      for (const run of runs) rmSync(run, { recursive: true, force: true, maxRetries: 5 });
    });

    function aRun(): string {
      const run = realpathSync(mkdtempSync(join(tmpdir(), "real-client-")));
      runs.push(run);
      mkdirSync(join(run, "proj"));
      for (const [name, text] of Object.entries(client.files ?? {})) {
        mkdirSync(dirname(join(run, name)), { recursive: true });
        writeFileSync(join(run, name), text);
      }
      return run;
    }

    function jobIn(run: string, prompt: string, changes: Partial<AgentJob> = {}): AgentJob {
      const scenario = join(here, "scenario.mjs");
      const command = [join(here, "offline-client.sh"), offline, run, scenario, ...client.variables, "--", program];
      const whole: Runner = { kind: client.kind, command: [...command, ...(client.parameters ?? [])], options: {} };
      const limits = { timeout: 110_000, outputLimit: 16 << 20 };
      return aJob(whole, prompt, { workspace: join(run, "proj"), ...limits, ...changes });
    }

    function start(job: AgentJob): AgentSession {
      const agent = agentFor(job.runner.kind);
      if (agent === null) throw new Error("no agent of that kind");
      return agent.start(job, () => undefined);
    }

    it("gives its message, and goes on with its session", { timeout: 240_000 }, async () => {
      const run = aRun();
      const first = await start(jobIn(run, "the word is red")).ended;
      expect(first, first.message).toMatchObject({ end: "finished", lastMessage: "heard red" });
      expectUsage(first);
      expect(first.session).not.toBeNull();
      await sleep(client.rest ?? 0);
      const second = await start(jobIn(run, "the word is blue", { session: first.session })).ended;
      expect(second, second.message).toMatchObject({ end: "finished", lastMessage: "heard red and blue" });
      expectUsage(second);
      // Sessions are counted as a whole by some clients; an attempt is charged for itself.
      if (client.tellsTokens) expect(second.usage.tokens).toBeLessThan((first.usage.tokens ?? 0) * 1.5);
      expect(livingIn(run)).toEqual([]);
    });

    it("is ended when its time is over, and leaves nobody", { timeout: 120_000 }, async () => {
      const run = aRun();
      const session = start(jobIn(run, "never answer", { timeout: client.startUp ?? 12_000 }));
      await untilAtWork(run);
      expect((await session.ended).end).toBe("timed-out");
      expect(livingIn(run)).toEqual([]);
    });

    it("is stopped at work, and leaves nobody", { timeout: 120_000 }, async () => {
      const run = aRun();
      const session = start(jobIn(run, "never answer"));
      await untilAtWork(run);
      session.stop();
      expect((await session.ended).end).toBe("stopped");
      expect(livingIn(run)).toEqual([]);
    });
  });

  function expectUsage(report: AgentReport): void {
    if (client.tellsTokens) expect(report.usage.tokens).toBeGreaterThan(0);
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

function whyAbsent(program: string): string | null {
  if (clients === "") return "BATON_REAL_CLIENTS names no folder with clients";
  if (!existsSync(program)) return `${program} is not installed`;
  try {
    accessSync(offline, constants.X_OK);
  } catch {
    return "../shared/real-clients/offline.sh is not there";
  }
  return process.getuid?.() === 0 ? null : "namespaces need root";
}
