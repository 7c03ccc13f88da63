import { describe, expect, it } from "vitest";
import { readHandoffs } from "./read-handoff.ts";

describe("a .json file that holds a single value", () => {
  it.each(["null", ' "PASS"\n', "12", "true"])("%s is told that it lacks a record", (text) => {
    const { valid, diagnostics } = readHandoffs(text, { path: "handoff-TestAgent.json" });
    expect(valid).toBe(false);
    expect(diagnostics.map(({ code, rule }) => `${rule} ${code}`)).toEqual(["000-R03 wrong-type"]);
  });

  it("of words is still no JSON", () => {
    const { diagnostics } = readHandoffs("All done.", { path: "handoff-TestAgent.json" });
    expect(diagnostics.map(({ code }) => code)).toEqual(["wrong-container"]);
  });
});
