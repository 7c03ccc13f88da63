import { describe, expect, it } from "vitest";
import type { AgentTakeover, TakeoverView } from "../runtime/operations/report-takeovers.ts";
import { printTakeovers, takeoverLines } from "./print-takeover.ts";

const unknown = { first_input_tokens: null, input_tokens: null, input_tokens_before_change: null, changes: null };
const attempt: TakeoverView = {
  task: "main",
  step: "s1",
  agent: "One\u001b[31m",
  attempt: "s1.1",
  ended_at: 1,
  packet: { bytes: 1246, estimated_tokens: 312, facts: ["pattern-001", "gotcha-001"], text: "0" },
  prompt: { bytes: 9000, sha256: "1" },
  output: null,
  ...unknown,
  files_read: null,
};

describe("what taking over cost", () => {
  it("is told by attempt: estimates are called so, and what is unknown is never 0", () => {
    const told = { ...attempt, first_input_tokens: 11_698, input_tokens_before_change: 35_558 };
    const files_read = { named: ["a.ts"], unnamed: ["b.ts", "c.ts"], more: 3, elsewhere: 1 };
    const lines = takeoverLines([attempt, { ...told, files_read }], false);
    expect(lines[1]).toContain("packets are estimated");
    expect(lines[3]).toMatch(/^ {2}s1\.1 .*1246 bytes, ~312 tokens, 2 facts +unknown +unknown +unknown$/);
    expect(lines[3]).not.toContain("\u001b");
    expect(lines[4]).toMatch(/11698 +35558 +1 named, 5 not named, 1 outside$/);
  });

  it("is left out where nothing was given and nothing is known", () => {
    expect(takeoverLines([{ ...attempt, packet: null }], false)).toEqual([]);
  });

  it("is told by agent, with of how many attempts a sum is known", () => {
    const none = { sum: null, known: 0 };
    const sums = { first_input_tokens: none, files_named: none, files_unnamed: { sum: 4, known: 2 } };
    const known = { ...sums, input_tokens_before_change: { sum: 700, known: 2 } };
    const packets = { packets: 3, packet_bytes: 1284, packet_estimated_tokens: 321 };
    const agent: AgentTakeover = { agent: "One", attempts: 5, ...packets, ...known };
    expect(printTakeovers([agent], false)).toMatch(/One +5 +3 +~321 +700 \(of 2\) +unknown +4 \(of 2\)\n$/);
    expect(printTakeovers([{ ...agent, packets: 0 }], false)).toBe("");
  });
});
