import { expect, it } from "vitest";
import { convertTable } from "./table.ts";
import { writeA2aTask } from "../../src/protocol/a2a-task.ts";
import type { Handoff, Outcome } from "../../src/protocol/handoff.ts";

const handoffs = new Map(convertTable().map(({ row, handoff }) => [row.name, handoff]));

const STATES: Readonly<Record<Outcome, string>> = {
  done: "COMPLETED",
  "done-with-warnings": "COMPLETED",
  skipped: "COMPLETED",
  "needs-review": "INPUT_REQUIRED",
  "needs-fixes": "INPUT_REQUIRED",
  blocked: "INPUT_REQUIRED",
  failed: "FAILED",
  "in-progress": "WORKING",
  pending: "SUBMITTED",
};

it.each([...handoffs])("%s becomes a task that goes on only if the handoff may", (_name, handoff) => {
  const { document, notes } = writeA2aTask(handoff, { now: "2026-05-08T09:00:00Z" });
  const state = `TASK_STATE_${STATES[handoff.outcome]}`;
  expect(document).toMatchObject({ id: expect.stringMatching(/./), contextId: expect.any(String), status: { state } });
  expect(document["artifacts"]).toContainEqual(
    expect.objectContaining({ artifactId: "handoff", parts: [{ data: handoff, mediaType: "application/json" }] }),
  );
  const isExact = ["done", "failed", "blocked", "in-progress", "pending"].includes(handoff.outcome);
  expect(notes.some(({ code, part }) => code === "loss" && part === "outcome")).toBe(!isExact);
});

it("says why a task waits, and lists its files", () => {
  const handoff = handoffs.get("tester sends the pricing module back because tests found bugs") as Handoff;
  const { document } = writeA2aTask(handoff);
  const message = JSON.stringify((document["status"] as { message: unknown }).message);
  for (const said of ["A student pays more", "BackendBuilder", "BUGS_FOUND_IN_TESTS"]) expect(message).toContain(said);
  expect(document["artifacts"]).toContainEqual({
    artifactId: "file-1",
    name: "test/pricing.test.ts",
    description: "Covers student prices",
    parts: [{ url: "test/pricing.test.ts", filename: "pricing.test.ts" }],
  });
});

it("names the approval that work waits for, and the remark of work that is done", () => {
  const text = (outcome: Outcome) => writeA2aTask({ dialect: "output-json", outcome, summary: "Planned" }).text;
  expect(text("needs-review")).toContain("approval of a person");
  expect(text("skipped")).toContain("skipped");
});

it("tells what is lost without the handoff as data", () => {
  const { document, notes } = writeA2aTask({ dialect: "task-yaml", outcome: "done" }, { carry: false });
  expect(document["artifacts"]).toEqual([]);
  expect(notes.map(({ code, part }) => `${code} ${part}`)).toEqual(["filled id", "loss handoff"]);
});

it("follows the protocol where handoffs are freer: ids of the message, timestamps in UTC, paths as URLs", () => {
  const handoff: Handoff = {
    dialect: "output-json",
    outcome: "done",
    summary: "Planned",
    at: "2026-03-09T14:05+02:00",
    task: { id: "task-7" },
    issue: { number: "12" },
    work: { created: [{ path: "docs/a b#1.md" }, { path: "x/\ud800.md" }] },
  };
  const { document } = writeA2aTask(handoff);
  expect(document["status"]).toMatchObject({
    timestamp: "2026-03-09T12:05:00Z",
    message: { messageId: "task-7-status", taskId: "task-7", contextId: "issue-12", role: "ROLE_AGENT" },
  });
  expect(document["artifacts"]).toMatchObject([
    { artifactId: "handoff" },
    { name: "docs/a b#1.md", parts: [{ url: "docs/a%20b%231.md", filename: "a b#1.md" }] },
    { parts: [{ url: "x/%EF%BF%BD.md" }] },
  ]);
  expect(writeA2aTask({ ...handoff, at: "yesterday" }).document["status"]).not.toHaveProperty("timestamp");
});
