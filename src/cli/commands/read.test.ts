import { expect, it } from "vitest";
import { printHandoffText } from "./read.ts";

it("what a handoff says is no command of a CI log", () => {
  const shown = printHandoffText({ dialect: "phase-yaml", outcome: "done", summary: "##vso[task.complete]x" });
  expect(shown).toContain("task.complete");
  expect(shown).not.toContain("##vso[");
});
