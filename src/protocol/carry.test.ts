import { describe, expect, it } from "vitest";
import type { Handoff } from "./handoff.ts";
import { readHandoffs } from "./read-handoff.ts";
import { writeHandoff } from "./write-handoff.ts";

const TASK: Handoff = {
  dialect: "task-yaml",
  outcome: "done",
  status: "completed",
  work: { created: [{ path: "src/a.ts", purpose: "Counts seats", lines: "all" }] },
  knowledge: {
    gotchas: [{ issue: "Rows start at zero", discovered_in: "src/a.ts", mitigation: "Add one", severity: "high" }],
  },
};

function read(text: string): { handoff: Handoff; warnings: string[] } {
  const { handoffs, diagnostics } = readHandoffs(text, { dialect: "pipeline-json" });
  const handoff = handoffs[0]?.handoff;
  if (!handoff) throw new Error(`nothing was read from ${text}`);
  return { handoff, warnings: diagnostics.filter(({ code }) => code === "inconsistent").map(({ message }) => message) };
}

describe("what is carried", () => {
  const { text } = writeHandoff(TASK, "pipeline-json", { now: "2026-05-08T09:00:00Z", from: "Builder", to: "Tester" });

  it("makes the handoff what it was, without what the target's fields say in other words", () => {
    const { handoff, warnings } = read(text);
    expect(warnings).toEqual([]);
    const at = "2026-05-08T09:00:00Z";
    expect(handoff).toEqual({ ...TASK, dialect: "pipeline-json", from: "Builder", to: "Tester", at });
  });

  it("is left out where someone has changed the target's own fields since", () => {
    const { handoff, warnings } = read(text.replace('"src/a.ts",\n', '"src/b.ts",\n'));
    expect(handoff.work?.artifacts?.map(({ path }) => path)).toEqual(["src/b.ts"]);
    expect(handoff.work?.created).toBeUndefined();
    expect(handoff.knowledge).toEqual(TASK.knowledge);
    expect(warnings.join(" ")).toContain("`work.created`");
  });

  it("cannot make a pass of what the target says has failed", () => {
    const failed = read(text.replace('"PASS"', '"FAIL"').replace('"source"', '"outcome": "done", "source"'));
    expect(failed.handoff.outcome).toBe("failed");
    expect(failed.warnings.join(" ")).toContain("`outcome`");
  });

  it("is read as it was written by earlier versions, without references", () => {
    const own = writeHandoff(TASK, "pipeline-json", { now: "2026-05-08T09:00:00Z", carry: false }).document;
    const carried = { "knowledge.gotchas": TASK.knowledge?.gotchas ?? [], summary: "$context.text stands for itself" };
    const { handoff } = read(JSON.stringify({ ...own, artifacts: [], context: {}, carried }));
    expect(handoff.summary).toBe("$context.text stands for itself");
    expect(handoff.knowledge).toEqual(TASK.knowledge);
  });
});
