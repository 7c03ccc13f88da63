import { describe, expect, it } from "vitest";
import type { Event } from "../workflow/event.ts";
import { eventLine } from "./event-line.ts";

function opened(issue: { severity: string; location: string | null }): string | undefined {
  const event = { kind: "issue-opened", issue: { id: "TEST-1", description: "It is wrong", ...issue } };
  return eventLine(event as unknown as Event)?.text;
}

describe("the line of an issue", () => {
  it("names its severity and its place, as far as they are known", () => {
    expect(opened({ severity: "high", location: "src/a.mjs:5" })).toBe("issue TEST-1 high src/a.mjs:5: It is wrong");
    expect(opened({ severity: "high", location: null })).toBe("issue TEST-1 high: It is wrong");
    expect(opened({ severity: "", location: null })).toBe("issue TEST-1: It is wrong");
  });
});
