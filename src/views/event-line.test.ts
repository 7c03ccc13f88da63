import { describe, expect, it } from "vitest";
import type { Event } from "../workflow/event.ts";
import { eventLine } from "./event-line.ts";

function opened(issue: { severity: string; location: string | null }): string | undefined {
  const event = { kind: "issue-opened", issue: { id: "TEST-1", description: "It is wrong", ...issue } };
  return eventLine(event as unknown as Event)?.text;
}

describe("the line of what an agent did", () => {
  const textOf = (event: object): string | undefined => eventLine(event as unknown as Event)?.text;

  it("names its task where there are several", () => {
    const accepted = (task: string) =>
      textOf({ kind: "handoff-accepted", task, agent: "worker", delivery: { handoff: { outcome: "failed" } } });
    expect(accepted("right")).toBe("worker on right: failed");
    expect(accepted("main")).toBe("worker: failed");
    expect(textOf({ kind: "attempt-delayed", task: "right" })).toBe("tried again on right after a while");
    expect(textOf({ kind: "gate-failed", task: "right", gate: "lint", message: "exit code 1" })).toBe(
      "gate lint failed on right (exit code 1)",
    );
    expect(textOf({ kind: "failure-counted", task: "right", why: "no disk", class: "UNKNOWN" })).toBe(
      "task right: no disk",
    );
  });
});

describe("the line of an issue", () => {
  it("names its severity and its place, as far as they are known", () => {
    expect(opened({ severity: "high", location: "src/a.mjs:5" })).toBe("issue TEST-1 high src/a.mjs:5: It is wrong");
    expect(opened({ severity: "high", location: null })).toBe("issue TEST-1 high: It is wrong");
    expect(opened({ severity: "", location: null })).toBe("issue TEST-1: It is wrong");
  });
});
