import { describe, expect, it } from "vitest";
import { type Migration, migrateNotes } from "../migrate-notes.ts";

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
  ])("%j says %s", (note, outcome) => {
    expect(migrateNotes(note).document["outcome"] ?? null).toBe(outcome);
  });

  it.each([
    ["- [x] one\n- [x] two"],
    ["## Completed\n\n- one"],
    ["Status: in progress"],
    ["Status: SUCCEEDED"],
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
    expect(migration.document["outcome"]).toBeUndefined();
    expect(migration.valid).toBe(false);
    expect(told(migration).join("\n")).toContain("error missing-field");
  });

  it("points at each of several outcomes", () => {
    expect(ambiguous(migrateNotes("Status: done\n\nOutcome: blocked"))).toEqual([
      "The notes state more than one outcome; here it is completed.",
      "The notes state more than one outcome; here it is blocked.",
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
    expect(bare).toMatchObject({ document: { outcome: "blocked" }, valid: false });
    expect(told(bare).join("\n")).toContain(
      "error missing-field 1: The outcome is blocked, but `blockers` is missing.",
    );
    expect(told(bare).join("\n")).toContain("do not state its `blocking_tasks`");
  });
});

function told(migration: Migration): string[] {
  return migration.diagnostics.map(
    ({ severity, code, range, message }) => `${severity} ${code} ${range.start.line}: ${message}`,
  );
}

/** What is asked, without the list of missing fields. */
function ambiguous(migration: Migration): string[] {
  return migration.diagnostics
    .filter(({ code }) => code === "ambiguous-note")
    .map(({ message }) => message.replace(/, but the notes do not state .*$/, ""));
}
