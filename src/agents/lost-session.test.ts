import { expect, it } from "vitest";
import { SITUATION } from "../../test/agents/agent-jobs.ts";
import type { AgentJob, AgentReport, AgentSession } from "../ports/agent.ts";
import { LOST_SESSION, orNewSession } from "./lost-session.ts";

const JOB: AgentJob = {
  attempt: "run.1",
  agent: "builder",
  runner: { kind: "claude", command: ["claude"], options: {} },
  prompt: "",
  situation: SITUATION,
  workspace: "/",
  scratch: "/",
  environment: {},
  timeout: 1000,
  outputLimit: 1000,
  session: "one",
  money: null,
  collector: null,
};

/** A client that crashes with these words when it is to go on with a session. */
function client(words: string): { tried: AgentJob[]; start: (job: AgentJob) => AgentSession } {
  const tried: AgentJob[] = [];
  const usage = { milliseconds: 300, tokens: null, money: null };
  return {
    tried,
    start(job) {
      tried.push(job);
      const report: AgentReport =
        job.session === null
          ? { end: "finished", message: "", lastMessage: "done", usage, session: "two" }
          : { end: "crashed", message: words, lastMessage: null, usage, session: null };
      return { ended: Promise.resolve(report), stop: () => undefined };
    },
  };
}

it("begins a new session within the same time when the one to go on with is lost", async () => {
  const { tried, start } = client("exit code 1: no session found");
  const seen: unknown[] = [];
  const report = await orNewSession(JOB, (update) => seen.push(update), /no session found/, start).ended;
  expect(report).toMatchObject({ end: "finished", session: "two", usage: { milliseconds: 600 } });
  expect(tried.map(({ session, timeout }) => [session, timeout])).toEqual([
    ["one", 1000],
    [null, 700],
  ]);
  expect(seen).toEqual([{ kind: "line", text: LOST_SESSION }]);
});

it("leaves every other crash as it is", async () => {
  const { tried, start } = client("exit code 1: out of memory");
  const report = await orNewSession(JOB, () => undefined, /no session found/, start).ended;
  expect([report.end, tried.length]).toEqual(["crashed", 1]);
});

it("begins nothing anew once it was stopped", async () => {
  const { tried, start } = client("no session found");
  const session = orNewSession(JOB, () => undefined, /no session found/, start);
  session.stop();
  expect([(await session.ended).end, tried.length]).toEqual(["crashed", 1]);
});
