import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentJob, AgentInput } from "../../src/ports/agent.ts";
import type { Runner } from "../../src/workflow/definition.ts";

const made: string[] = [];
export const SITUATION: AgentInput = {
  run: "run-1",
  task: "main",
  brief: "",
  startedAt: 0,
  trail: [],
  known: {},
  last: null,
  next: {},
  workspace: "in-place",
  forge: null,
  reviewed: null,
};
let count = 0;

export function aJob(runner: Runner, prompt: string, changes: Partial<AgentJob> = {}): AgentJob {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "agent-job-")));
  made.push(folder);
  const workspace = join(folder, "workspace");
  mkdirSync(workspace);
  count += 1;
  return {
    attempt: `attempt-${process.pid}-${count}`,
    agent: "builder",
    runner,
    prompt,
    input: SITUATION,
    workspace,
    scratch: join(folder, "scratch"),
    environment: { BATON_RUN: "run-1" },
    timeout: 30_000,
    outputLimit: 512 * 1024,
    session: null,
    money: null,
    collector: null,
    ...changes,
  };
}

export async function untilReady(job: AgentJob): Promise<void> {
  for (let looks = 0; looks < 1500; looks += 1) {
    if (existsSync(join(job.workspace, "ready"))) return;
    await sleep(20);
  }
  throw new Error("the agent did not get ready");
}

export function removeJobFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
