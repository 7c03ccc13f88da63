import { expect, it } from "vitest";
import { SITUATION } from "../../test/agents/agent-jobs.ts";
import type { AgentJob, AgentReport, AgentSession } from "../ports/agent.ts";
import { LOST_SESSION, orNewSession, readSession, sinceThen, writeSession } from "./session-token.ts";

it("a session keeps its id and what it had used", () => {
  const session = { id: "01a1e1d9-fa28", tokens: 21_350, money: 0.0953 };
  expect(readSession(writeSession(session))).toEqual(session);
  expect(readSession("bare-id")).toEqual({ id: "bare-id", tokens: 0, money: 0 });
  expect(readSession("id?tokens=-1&money=x")).toEqual({ id: "id", tokens: 0, money: 0 });
  expect(readSession(null)).toBeNull();
});

it("a session whose name a client could misunderstand is refused", () => {
  for (const text of ["", "--last", "-", "a b", "../x", "?tokens=1"]) expect(() => readSession(text)).toThrow();
});

it("an attempt is charged for what came after, and for all of it when the count began anew", () => {
  expect(sinceThen(10, 4)).toBe(6);
  expect(sinceThen(3, 4)).toBe(3);
  expect(sinceThen(null, 4)).toBeNull();
});

const JOB: AgentJob = {
  attempt: "run.1",
  agent: "builder",
  runner: { kind: "claude", command: ["claude"], options: {} },
  prompt: "",
  input: SITUATION,
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
