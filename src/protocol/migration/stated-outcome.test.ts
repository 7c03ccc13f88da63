import { describe, expect, it } from "vitest";
import { type Migration, migrateNotes } from "../migrate-notes.ts";
import { GAP } from "../unfilled-template.ts";

describe("how the work ended", () => {
  it.each([
    ["Status: done", "completed"],
    ["- **Outcome:** \u2705 Completed (all tests pass)", "completed"],
    ["State: partially complete", "partial"],
    ["## Status: Failed", "failed"],
    ["## Hall cleaning COMPLETE", "completed"],
    ["## BLOCKED", "blocked"],
    ["| Status | Completed |", "completed"],
    ["---\nstatus: complete\n---\n\nNothing else.", "completed"],
    ["Status: done\n\nOutcome: completed", "completed"],
    ["# Task 1: X\n\n## Metadata\n\nStatus: done\n\n## Handoff\n\nAll is well here.", "completed"],
    ["## Metadata\n\nStatus: done\n\n## Handoff Notes\n\nStatus: failed by a hair", "failed"],
    ["Status: failed in the hall", "failed"],
    ["Status: SUCCEEDED", "completed"],
    ["## Status\n\nPartially complete.", "partial"],
    ["**Estado:** completado", "completed"],
    ["Stand: teilweise erledigt", "partial"],
    ["The task is complete.", "completed"],
    ["# Hall\n\n## Stairs: COMPLETE\n\n## Status: partial", "partial"],
  ])("%j says %s", (note, outcome) => {
    expect(migrateNotes(note).document["outcome"] ?? null).toBe(outcome);
  });

  it.each([
    ["- [x] one\n- [x] two"],
    ["## Completed\n\n- one"],
    ["Status: in progress"],
    ["# Hall\n\n## Stairs: COMPLETE"],
    ["The stairs are done."],
    ["The task is done, except the hall."],
    ["Status: done, except the hall"],
    ["Status: not done"],
    ["## NOT COMPLETE"],
    ["Status: done\n\nOutcome: blocked"],
    ["We completed the hall."],
    ["```\nStatus: done\n```"],
    ["> Status: done"],
    ["*Task completed: some day*"],
  ])("%j does not say", (note) => {
    const migration = migrateNotes(note);
    expect(migration.document["outcome"]).toBe(GAP);
    expect(migration.valid).toBe(false);
    expect(migration.gaps).toContainEqual(expect.objectContaining({ field: "outcome" }));
    expect(told(migration).join("\n")).toContain("error unfilled-template");
  });

  it("asks once about several outcomes", () => {
    expect(ambiguous(migrateNotes("Status: done\n\nOutcome: blocked"))).toEqual([
      "The notes state more than one outcome: completed (line 1), blocked (line 3).",
    ]);
  });

  it("takes a blocker with what the outcome demands of it", () => {
    const text =
      "Status: blocked\n\n## Blockers\n\n- No key. Impact: no tests. To unblock: ask. Blocks: task-4 and task-5\n";
    const { document, valid } = migrateNotes(text);
    expect(valid).toBe(true);
    expect(document["blockers"]).toEqual([
      {
        blocker: "No key",
        impact: "no tests",
        suggested_resolution: "ask",
        blocking_tasks: ["task-4", "task-5"],
      },
    ]);
    const bare = migrateNotes("Status: blocked by the missing key");
    expect(bare).toMatchObject({
      document: { outcome: "blocked", blockers: [{ blocker: "the missing key", blocking_tasks: GAP }] },
      gaps: [{ field: "blockers[0].blocking_tasks", line: 1 }],
      valid: false,
    });
  });
});

function told(migration: Migration): string[] {
  return migration.diagnostics.map(
    ({ severity, code, range, message }) => `${severity} ${code} ${range.start.line}: ${message}`,
  );
}

function ambiguous(migration: Migration): string[] {
  return migration.diagnostics.filter(({ code }) => code === "ambiguous-note").map(({ message }) => message);
}
