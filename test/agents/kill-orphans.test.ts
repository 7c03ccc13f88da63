import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { killOrphans } from "../../src/agents/process-group/end-processes.ts";
import { describeLeader, writeMarker } from "../../src/agents/process-group/marker-file.ts";
import { processAgent } from "../../src/agents/process/process-agent.ts";
import type { Runner } from "../../src/workflow/definition.ts";
import { aJob, removeJobFolders, untilReady } from "./agent-jobs.ts";
import { isLiving, livingIn } from "./living-processes.ts";

const script = join(import.meta.dirname, "fixtures/plain.mjs");
const runner: Runner = {
  kind: "process",
  command: [process.execPath, script],
  prompt: "stdin",
  environment: {},
  inherit: [],
};
afterAll(removeJobFolders);

it("ends the leader by the marker alone, when its start time and boot agree", async () => {
  const { attempt, scratch } = aJob(runner, "");
  const stranger = spawn("sleep", ["60"], { detached: true });
  const pid = stranger.pid ?? 0;
  mkdirSync(scratch);
  const leader = describeLeader(attempt, pid, scratch);
  const marker = join(scratch, "attempt.json");

  for (const lie of [
    { startTime: "1" },
    { bootId: "another" },
    { attempt: "another" },
    { startTime: null },
    { pid: 1 },
  ]) {
    writeFileSync(marker, JSON.stringify({ ...leader, ...lie }));
    expect(await killOrphans(attempt, scratch)).toBe(0);
  }
  for (const broken of ["", "{", "[]", '{"pid":"x"}', '{"pid":-1}']) {
    writeFileSync(marker, broken);
    expect(await killOrphans(attempt, scratch)).toBe(0);
  }
  expect(isLiving(pid)).toBe(true);

  writeFileSync(marker, JSON.stringify(leader));
  expect(await killOrphans(attempt, scratch)).toBe(1);
  expect(isLiving(pid)).toBe(false);
});

it("spares an attempt that goes on where a copied folder came from, and ends it in one that was moved", async () => {
  const { attempt, scratch } = aJob(runner, "");
  const { scratch: other } = aJob(runner, "");
  const agent = spawn("sleep", ["60"], { detached: true });
  const pid = agent.pid ?? 0;
  mkdirSync(scratch);
  writeMarker(scratch, describeLeader(attempt, pid, scratch));

  cpSync(scratch, other, { recursive: true });
  expect(await killOrphans(attempt, other)).toBe(0);
  expect(isLiving(pid)).toBe(true);

  rmSync(other, { recursive: true });
  renameSync(scratch, other);
  expect(await killOrphans(attempt, other)).toBe(1);
  expect(isLiving(pid)).toBe(false);
});

it("ends nothing of another attempt, nor of one with the same name elsewhere", async () => {
  const job = aJob(runner, "behave: daemonise");
  const session = processAgent.start(job, () => undefined);
  await untilReady(job);
  const before = livingIn(job.workspace).length;
  expect(await killOrphans("another", job.scratch)).toBe(0);
  expect(await killOrphans(job.attempt, "/elsewhere")).toBe(0);
  expect(livingIn(job.workspace).length).toBeGreaterThanOrEqual(before - 3);
  expect(JSON.parse(readFileSync(join(job.scratch, "attempt.json"), "utf8"))).toMatchObject({ attempt: job.attempt });
  session.stop();
  await session.ended;
  expect(livingIn(job.workspace)).toEqual([]);
});

it("never ends itself, although it carries the mark", async () => {
  const module = join(import.meta.dirname, "../../src/agents/process-group/end-processes.ts");
  const code = `import { killOrphans } from ${JSON.stringify(module)};
    console.log("ended " + await killOrphans(process.env.BATON_ATTEMPT, process.argv[1]));`;
  const job = aJob(runner, "");
  const own = { ...runner, command: [process.execPath, "--input-type=module", "-e", code, job.scratch] } as Runner;
  const report = await processAgent.start({ ...job, runner: own }, () => undefined).ended;
  expect(report).toMatchObject({ end: "finished", lastMessage: "ended 0\n" });
});

it("takes along the agents of a Baton that an agent has started", async () => {
  const inner = aJob(runner, "behave: daemonise");
  const outer = aJob(
    { ...runner, command: [process.execPath, join(import.meta.dirname, "fixtures/orchestrator.ts")] },
    JSON.stringify(inner),
  );
  const session = processAgent.start(outer, () => undefined);
  await untilReady(inner);
  session.stop();
  expect((await session.ended).end).toBe("stopped");
  expect(livingIn(inner.workspace)).toEqual([]);
});
