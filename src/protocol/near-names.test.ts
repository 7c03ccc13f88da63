import { describe, expect, it } from "vitest";
import { NearNames } from "./near-names.ts";
import { field, shape } from "./shape.ts";

const text = field.optional(shape.text(), { rule: "000-R00", about: "A text." });

function meant(key: string, ...names: readonly string[]): string | null {
  const record = shape.record(Object.fromEntries(names.map((name) => [name, text])));
  return new NearNames(record).meant(key, { [key]: "x" });
}

describe("an unknown key", () => {
  it.each([
    ["nextSteps", "next_steps"],
    ["Next-Steps", "next_steps"],
    ["nextsteps", "next_steps"],
    ["next_stepz", "next_steps"],
    ["nxet_setps", "next_steps"],
    ["sumary", "summary"],
    ["artefcts", "artifacts"],
    ["pr_ulr", "pr_url"],
    ["paths", "path"],
    ["form", "from"],
    ["ID", "id"],
  ])("%s looks like %s", (key, name) => {
    expect(meant(key, name, "unrelated_name")).toBe(name);
  });

  it.each([
    ["date", "data"],
    ["ids", "id"],
    ["do", "to"],
    ["uri", "url"],
    ["security", "severity"],
    ["solution", "resolution"],
    ["blocks", "blockers"],
    ["lines_changed", "files_changed"],
    ["test_phase", "next_phase"],
    ["sumarry_of_it", "summary"],
    ["smury", "summary"],
    ["@summary", "summary"],
    ["#summary", "@summary"],
    ["summary".repeat(6), "summary"],
    ["", "summary"],
    ["_", "id"],
  ])("%s is another word than %s", (key, name) => {
    expect(meant(key, name)).toBeNull();
  });

  it("that is as near to two fields is neither", () => {
    expect(meant("planec", "planet", "planes")).toBeNull();
    expect(meant("planett", "planet", "planes")).toBe("planet");
  });

  it("is judged the same however many were judged before", () => {
    const record = shape.record({ summary: text });
    const names = new NearNames(record);
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 1000; index++) names.meant(`other_${index}`, { [`other_${index}`]: "x" });
      expect(names.meant("sumary", { sumary: "x" })).toBe("summary");
      expect(names.meant("sumary", { sumary: "x", summary: "y" })).toBeNull();
    }
  });
});
