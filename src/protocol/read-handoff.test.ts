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

describe("a text that is refused before anything is looked for in it", () => {
  it.each([
    ["empty", ""],
    ["binary", "\0\0\0\0"],
    ["too large", "x".repeat(2_000_000)],
  ])("is meant as its name says (%s)", (_why, text) => {
    expect(readHandoffs(text, { path: "handoff-TestAgent.json" }).dialect).toBe("pipeline-json");
    expect(readHandoffs(text, { path: "out/handoff.xml" }).dialect).toBe("issue-xml");
    expect(readHandoffs(text, { dialect: "task-yaml" }).dialect).toBe("task-yaml");
    expect(readHandoffs(text, { path: "notes.md" }).dialect).toBeNull();
  });
});
