import { describe, expect, it } from "vitest";
import type { TakeoverView } from "../runtime/operations/report-takeovers.ts";
import { widthOf } from "./fit-text.ts";
import { takeoverLines } from "./print-takeover.ts";

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
const told = { ...attempt, first_input_tokens: 11_698, input_tokens_before_change: 35_558 };
const known = { ...told, files_read: { named: ["a.ts"], unnamed: ["b.ts", "c.ts"], more: 3, elsewhere: 1 } };

describe("what taking over cost each attempt", () => {
  it("is told with estimates that are called so, and what is unknown is never 0", () => {
    const lines = takeoverLines([attempt, known], { colour: false, width: 120 });
    expect(lines[1]).toContain("packets are estimated");
    expect(lines[3]).toMatch(/^ {2}s1\.1 .* ~312 tokens, 2 facts +unknown +unknown +unknown$/);
    expect(lines[3]).not.toContain("\u001b");
    expect(lines[4]).toMatch(/11698 +35558 +1 named, 5 not named, 1 outside$/);
  });

  it("fits into 80 columns with nothing of its figures left out", () => {
    const agent = "DocumentationDynamoOfTheWholeHouse";
    const lines = takeoverLines(
      [
        { ...known, agent },
        { ...attempt, agent },
      ],
      { colour: false, width: 80 },
    );
    expect(lines.filter((line) => widthOf(line) > 80)).toEqual([]);
    const words = lines.join(" ").split(/\s+/);
    for (const word of ["~312", "11698", "35558", "named,", "5", "outside", "unknown"]) expect(words).toContain(word);
  });

  it("is left out where nothing was given and nothing is known", () => {
    expect(takeoverLines([{ ...attempt, packet: null }], { colour: false, width: 80 })).toEqual([]);
  });
});
