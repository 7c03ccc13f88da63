import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acpAgent } from "../../src/agents/acp/acp-agent.ts";
import type { AgentJob, AgentReport } from "../../src/ports/agent.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import type { Runner } from "../../src/workflow/definition.ts";
import { aJob } from "../agents/agent-jobs.ts";
import { agentContract } from "./agent.ts";

const command = [process.execPath, join(import.meta.dirname, "../agents/fixtures/fake-acp.mjs")];
const runner = { kind: "acp", command, options: {} } as const satisfies Runner;

agentContract({ agent: acpAgent, runner, missing: { ...runner, command: ["no-such-client"] }, stops: 10 });

type Question = readonly [method: string, parameters: JsonRecord];
const choices = ["allow_always", "allow_once", "reject_once"].map((kind) => ({
  optionId: `id-${kind}`,
  kind,
  name: kind,
}));

function permission(toolCall: JsonRecord, options: JsonRecord[] = choices): Question {
  return ["session/request_permission", { toolCall: { toolCallId: "1", ...toolCall }, options }];
}

describe("a client of the Agent Client Protocol", () => {
  async function report(job: AgentJob): Promise<AgentReport> {
    return await acpAgent.start(job, () => undefined).ended;
  }
  async function answers(job: AgentJob, questions: readonly Question[]): Promise<JsonRecord[]> {
    const { lastMessage, message } = await report({ ...job, prompt: `ask: ${JSON.stringify(questions)}` });
    return JSON.parse(lastMessage ?? message);
  }
  async function choicesFor(job: AgentJob, questions: readonly Question[]): Promise<unknown[]> {
    return (await answers(job, questions)).map((answer) => {
      const { outcome, optionId } = answer["outcome"] as JsonRecord;
      return optionId ?? outcome;
    });
  }

  it("tells what it used and its session, and only new costs when it goes on", async () => {
    const first = await report(aJob(runner, "behave: finish"));
    expect(first).toMatchObject({ lastMessage: "the work is done", usage: { tokens: 33, money: 0.2 } });
    const second = await report(aJob(runner, "behave: finish", { session: first.session }));
    expect(second.lastMessage).toBe("the work is done");
    expect(second.usage.money).toBeCloseTo(0.3, 10);
  });

  it("has failed when it refuses", async () => {
    expect(await report(aJob(runner, "refuse"))).toMatchObject({
      end: "crashed",
      message: "the client stopped: refusal",
    });
  });

  it("is allowed, for once, what it does to named files of its workspace, and nothing else", async () => {
    const job = aJob(runner, "");
    symlinkSync("/etc", join(job.workspace, "link"));
    const inside = { path: join(job.workspace, "new/file.txt") };
    const questions = [
      permission({ kind: "edit", locations: [inside] }),
      permission({ kind: "edit", locations: [inside, { path: "/etc/passwd" }] }),
      permission({ kind: "edit", locations: [{ path: join(job.workspace, "link/passwd") }] }),
      permission({ kind: "edit", locations: [{ path: join(job.workspace, "../other") }] }),
      permission({ kind: "edit", locations: [{ path: join(job.workspace, ".git/hooks/pre-commit") }] }),
      permission({ kind: "edit" }),
      permission({ kind: "execute", locations: [inside] }),
      permission({ kind: "fetch" }),
      permission({ kind: "edit", locations: [inside] }, [{ optionId: "id", kind: "allow_always" }]),
    ];
    expect(await choicesFor(job, questions)).toEqual([
      "id-allow_once",
      ...Array.from({ length: 7 }, () => "id-reject_once"),
      "cancelled",
    ]);
  });

  it("is allowed what the workflow allows besides", async () => {
    const execute = permission({ kind: "execute" });
    const fetch = permission({ kind: "fetch" });
    const some = aJob({ ...runner, options: { allow: ["execute"] } }, "");
    expect(await choicesFor(some, [execute, fetch])).toEqual(["id-allow_once", "id-reject_once"]);
    const all = aJob({ ...runner, options: { permissions: "all" } }, "");
    expect(await choicesFor(all, [execute, fetch])).toEqual(["id-allow_once", "id-allow_once"]);
    const none = aJob({ ...runner, options: { permissions: "none" } }, "");
    const think = permission({ kind: "think" });
    expect(await choicesFor(none, [think])).toEqual(["id-reject_once"]);
  });

  it("reads and writes files of its workspace, and no others", async () => {
    const job = aJob(runner, "");
    const place = (name: string): string => join(job.workspace, name);
    writeFileSync(place("lines.txt"), "one\ntwo\nthree\n");
    symlinkSync("/etc/passwd", place("link.txt"));
    symlinkSync("/tmp/baton-nowhere", place("dangling.txt"));
    mkdirSync(place(".git"));
    const told = await answers(job, [
      ["fs/read_text_file", { path: place("lines.txt"), line: 2, limit: 1 }],
      ["fs/write_text_file", { path: place("made/new.txt"), content: "new" }],
      ["fs/read_text_file", { path: "/etc/passwd" }],
      ["fs/read_text_file", { path: place("link.txt") }],
      ["fs/write_text_file", { path: place("dangling.txt"), content: "x" }],
      ["fs/write_text_file", { path: place(".git/config"), content: "x" }],
      ["terminal/create", { command: "ls" }],
    ]);
    expect(told[0]).toEqual({ content: "two" });
    expect(readFileSync(place("made/new.txt"), "utf8")).toBe("new");
    for (const refused of told.slice(2)) expect(refused).toHaveProperty("refused");
    expect(existsSync("/tmp/baton-nowhere")).toBe(false);
    expect(existsSync(place(".git/config"))).toBe(false);
  });
});
