import { describe, expect, it } from "vitest";
import { type Migration, migrateNotes } from "./migrate-notes.ts";
import { readHandoffs } from "./read-handoff.ts";
import { GAP } from "./unfilled-template.ts";

describe("a note that says everything plainly", () => {
  const text = `# Task 31: Library loans

## Objective

Loans should be renewable. Create src/never.ts.

## Handoff Notes

Status: completed

Created src/loans/renew.ts to renew a loan once. Deleted \`src/loans/extend.ts\` because nothing used it.
Updated \`src/loans/due-date.ts\` (lines 12-40) so that holidays do not count.

Watch out for the calendar service: it answers in local time. Found while renewing on a
Sunday. Mitigation: convert to UTC at the edge. Severity: high.

Always use Day.of() for dates, as in src/time/day.ts. Tags: dates, time-zones.

- Should a reserved book be renewable? Context: the rules are silent. Recommendation: no. Blocking: no.

### Next steps

1. Remind the reader by mail (high, depends on src/loans/renew.ts)
2. [low] Drop the old fixtures

---

*Task completed: some day*
`;
  const migration = migrateNotes(text);

  it("becomes a complete handoff", () => {
    expect(migration.valid).toBe(true);
    expect(migration.document).toEqual({
      outcome: "completed",
      files_created: [{ path: "src/loans/renew.ts", purpose: "to renew a loan once", lines: "all" }],
      files_modified: [
        {
          path: "src/loans/extend.ts",
          change_type: "delete",
          description: "Deleted `src/loans/extend.ts` because nothing used it",
        },
        {
          path: "src/loans/due-date.ts",
          lines: "12-40",
          change_type: "modify",
          description: "Updated `src/loans/due-date.ts` (lines 12-40) so that holidays do not count",
        },
      ],
      patterns_discovered: [
        {
          pattern: "Always use Day.of() for dates, as in src/time/day.ts",
          location: "src/time/day.ts",
          applies_to: ["dates", "time-zones"],
        },
      ],
      gotchas: [
        {
          issue: "Watch out for the calendar service: it answers in local time",
          discovered_in: "while renewing on a Sunday",
          mitigation: "convert to UTC at the edge",
          severity: "high",
        },
      ],
      open_questions: [
        {
          question: "Should a reserved book be renewable?",
          context: "the rules are silent",
          recommendation: "no",
          blocking: false,
        },
      ],
      suggested_next_steps: [
        { step: "Remind the reader by mail", priority: "high", depends_on: ["src/loans/renew.ts"] },
        { step: "Drop the old fixtures", priority: "low", depends_on: [] },
      ],
    });
  });

  it("tells each value that only follows from the words", () => {
    expect(told(migration)).toEqual([
      'info defaulted 11: `files_created[0].lines` was set to "all": the note says that the file is new, so all of it is.',
      "info defaulted 24: `suggested_next_steps[1].depends_on` was set to []: the note states nothing that it depends on.",
    ]);
  });

  it("names the line of everything taken", () => {
    expect(migration.taken).toContainEqual({ field: "outcome", text: "completed", line: 9 });
    expect(migration.taken).toContainEqual({ field: "files_created[0].path", text: "src/loans/renew.ts", line: 11 });
    expect(migration.taken).toContainEqual({
      field: "gotchas[0].mitigation",
      text: "convert to UTC at the edge",
      line: 15,
    });
    expect(migration.taken).toContainEqual({ field: "open_questions[0].blocking", text: "no", line: 19 });
  });

  it("stands where the freeform section stood, and nothing else moves", () => {
    const before = text.slice(0, text.indexOf("## Handoff Notes"));
    const after = text.slice(text.indexOf("\n---"));
    expect(migration.text).toBe(before + migration.section + after);
    expect(readHandoffs(migration.text)).toMatchObject({ dialect: "task-yaml", valid: true, diagnostics: [] });
  });
});

describe("gotchas, patterns, questions and steps", () => {
  it("takes a gotcha with what is stated of it", () => {
    const whole = "- Gotcha: the clock is late\n  - Found in: the lab\n  - Workaround: ask twice\n";
    expect(statedIn(`## Notes\n\n${whole}`)).toEqual({
      gotchas: [{ issue: "the clock is late", discovered_in: "the lab", mitigation: "ask twice" }],
    });
    expect(statedIn("Be careful with the clock. Workaround: ask twice.")).toEqual({
      gotchas: [{ issue: "Be careful with the clock", discovered_in: GAP, mitigation: "ask twice" }],
    });
  });

  it("leaves out a severity that nobody stated, as the format allows", () => {
    const text = "Status: done\n\nWarning: the clock is late. Found in the lab. Mitigation: ask twice.";
    const migration = migrateNotes(text);
    expect(migration).toMatchObject({ valid: true, gaps: [] });
    expect(told(migration)).toEqual([]);
  });

  it("finds the place of a pattern in its own sentence", () => {
    expect(statedIn("Always use guards, see src/guard.ts.")).toEqual({
      patterns_discovered: [
        { pattern: "Always use guards, see src/guard.ts", location: "src/guard.ts", applies_to: [] },
      ],
    });
    for (const note of ["Pattern: guards before work.", "Always use a/b.ts or c/d.ts."])
      expect(statedIn(note)).toMatchObject({ patterns_discovered: [{ location: GAP }] });
  });

  it("reads the fields that a remark in brackets states", () => {
    const text = `## Patterns

- Guards come first (location: src/guard.ts, applies to: doors)

## Open questions

1. Is the door safe? (not blocking)
   - Context: the lock is old
   - Recommendation: a new lock
`;
    expect(statedIn(text)).toEqual({
      patterns_discovered: [{ pattern: "Guards come first", location: "src/guard.ts", applies_to: ["doors"] }],
      open_questions: [
        {
          question: "Is the door safe?",
          context: "the lock is old",
          recommendation: "a new lock",
          blocking: false,
        },
      ],
    });
  });

  it("takes no pattern on the word alone", () => {
    expect(statedIn("Glob patterns work now. See src/glob.ts")).toEqual({});
  });

  it("keeps tags that are none, and says what is wrong with them", () => {
    const migration = migrateNotes("Status: done. Always use guards, see src/guard.ts. Tags: Front Door.");
    expect(migration.document).toMatchObject({ patterns_discovered: [{ applies_to: ["Front Door"] }] });
    expect(migration.valid).toBe(false);
    expect(told(migration).join("\n")).toContain("lower-case words joined by hyphens");
  });

  it.each([
    ["Next: clean the hall (high)", "clean the hall", "high"],
    ["Then clean the hall (priority: low).", "Then clean the hall", "low"],
    ["We should clean the hall [medium priority]", "We should clean the hall", "medium"],
    ["## TODO\n\n- High: clean the hall", "clean the hall", "high"],
    ["## Next steps\n\n- clean the hall\n  - Priority: low", "clean the hall", "low"],
  ])("%j is a step with its priority", (note, step, priority) => {
    expect(statedIn(note)).toEqual({ suggested_next_steps: [{ step, priority, depends_on: [] }] });
  });

  it.each([
    "## Next steps\n\n- clean the hall",
    "Next, clean the hall.",
    "Somebody should clean the high hall.",
    "## N\u00e4chste Schritte\n\n1. den Saal putzen",
  ])("%j is a step whose priority is a gap", (note) => {
    expect(statedIn(note)).toMatchObject({ suggested_next_steps: [{ priority: GAP, depends_on: [] }] });
  });

  it("takes the priority of a step from the heading above it", () => {
    const text = "## Next steps\n\n### High priority\n\n- clean the hall\n\n### Low\n\n- paint it\n";
    expect(statedIn(text)["suggested_next_steps"]).toEqual([
      { step: "clean the hall", priority: "high", depends_on: [] },
      { step: "paint it", priority: "low", depends_on: [] },
    ]);
  });

  it("believes the words that a statement begins with before its heading, and the heading before the rest", () => {
    expect(statedIn("## Next steps\n\n- Be careful with the clock")).toMatchObject({
      gotchas: [{ issue: "Be careful with the clock" }],
    });
    const both = "## Questions / next steps\n\n- Clean the clock\n- Decide whether it stays\n";
    expect(statedIn(both)).toMatchObject({
      suggested_next_steps: [{ step: "Clean the clock" }],
      open_questions: [{ question: "Decide whether it stays" }],
    });
  });

  it("reads the rows of tables by the titles of their columns, and by the state that they give", () => {
    const risks = "## Risks\n\n| Risk | Severity | Mitigation |\n|---|---|---|\n| Late clock | low | ask twice |\n";
    expect(statedIn(risks)).toEqual({
      gotchas: [{ issue: "Late clock", discovered_in: GAP, mitigation: "ask twice", severity: "low" }],
    });
    const tasks =
      "| Task | Status |\n|---|---|\n| Paint the hall | done |\n| Sweep it | todo |\n| Heat it | blocked |\n";
    expect(statedIn(tasks)).toMatchObject({
      suggested_next_steps: [{ step: "Sweep it" }],
      blockers: [{ blocker: "Heat it" }],
      carried: { "context.data": { completed: ["Paint the hall | done"] } },
    });
    expect(statedIn("| Field | Value |\n|---|---|\n| Owner | Ada |\n")).toEqual({});
  });

  it("takes a step that is ticked off as done, and nothing from a list that says none", () => {
    const text = "Status: done\n\n## Next steps\n\n- [x] clean the hall (high)\n\n## Gotchas\n\n- None so far\n";
    expect(migrateNotes(text)).toMatchObject({
      document: { outcome: "completed", carried: { "context.data": { completed: ["clean the hall (high)"] } } },
      diagnostics: [],
      valid: true,
    });
  });

  it("reads the files for the next agent", () => {
    expect(statedIn("## Files to read\n\n- src/hall.ts \u2014 the keys hang there\n")).toEqual({
      dependencies_for_next: [{ file: "src/hall.ts", reason: "the keys hang there" }],
    });
  });
});

describe("words that do not count", () => {
  it.each([
    ["code", "```\nWatch out. Created src/a.ts for x. Next: y (high)\n```"],
    ["indented code", "Look:\n\n    Created src/a.ts for x.\n"],
    ["inline code", "The log said `watch out` and `always use`"],
    ["quoted words", 'She wrote "watch out, created src/a.ts for x".'],
    ["a quote", "> Watch out.\n> Created src/a.ts for x."],
    ["a comment", "<!-- Watch out. Created src/a.ts for x. -->"],
    ["what was asked", "## Acceptance criteria\n\n- Watch out. Created src/a.ts for x."],
    ["German", "Die Halle ist noch schmutzig. Bitte bald putzen."],
    ["Portuguese", "O rel\u00f3gio est\u00e1 atrasado. Depois limpar a sala."],
    ["an earlier note", "## Previous session\n\n- Watch out. Created src/a.ts for x."],
    ["a plan", "## Plan\n\n1. Create src/a.ts for x\n2. Watch out for the clock"],
    ["what was not done", "I did not create src/a.ts. I wanted to update src/b.ts. Nothing was deployed."],
    ["what may have to be done", "If the hall grows, somebody should paint it. The tests should pass."],
  ])("%s", (_name, note) => {
    const migration = migrateNotes(`# Notes\n\n${note}\n`);
    expect(migration).toMatchObject({ document: { outcome: GAP }, taken: [], placeable: false });
    expect(ambiguous(migration)).toContain(
      "Nothing could be taken from this text: it holds none of the words that the migration knows.",
    );
  });
});

describe("hostile notes", () => {
  it.each([
    ["stops", ".".repeat(300_000)],
    ["files", `Deleted ${"a/b.ts, ".repeat(40_000)}`],
    ["change words", "created new src/a.ts updated ".repeat(10_000)],
    ["headings", "## Handoff\n".repeat(30_000)],
    ["nested lists", Array.from({ length: 700 }, (_, depth) => `${" ".repeat(depth)}- x`).join("\n")],
    ["brackets", `Next: ${"(high) ".repeat(40_000)}`],
    ["marks", '`"*_([{<!--'.repeat(30_000)],
  ])("%s take time in proportion to their length", { timeout: 20_000 }, (_name, text) => {
    expect(migrateNotes(text).text.length).toBeGreaterThan(text.length / 2);
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

/** The document without the mark of an outcome that the notes do not state. */
function statedIn(text: string): Migration["document"] {
  const { outcome, ...lists } = migrateNotes(text).document;
  return outcome === GAP ? lists : { outcome, ...lists };
}

describe("labels on lines of their own", () => {
  it.each(["\n", "\r\n"])("each begin anew, ended by %j", (end) => {
    const lines = [
      "Outcome: failed",
      "Blocker: No key for the card service. Impact: Cards cannot be tested",
      "Suggested resolution: Ask for a key",
      "and wait a day",
      "Blocking tasks: task-9",
      "Created src/cards/redeem.ts to redeem a card",
    ];
    expect(migrateNotes(lines.join(end)).document).toEqual({
      outcome: "failed",
      files_created: [{ path: "src/cards/redeem.ts", purpose: "to redeem a card", lines: "all" }],
      blockers: [
        {
          blocker: "No key for the card service",
          impact: "Cards cannot be tested",
          suggested_resolution: "Ask for a key and wait a day",
          blocking_tasks: ["task-9"],
        },
      ],
    });
  });
});
