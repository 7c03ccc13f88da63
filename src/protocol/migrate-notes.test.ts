import { describe, expect, it } from "vitest";
import { type Migration, migrateNotes } from "./migrate-notes.ts";
import { readHandoffs } from "./read-handoff.ts";

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
  it("takes a gotcha only when it is whole", () => {
    const whole = "- Gotcha: the clock is late\n  - Found in: the lab\n  - Workaround: ask twice\n";
    expect(migrateNotes(`## Notes\n\n${whole}`).document).toEqual({
      gotchas: [{ issue: "the clock is late", discovered_in: "the lab", mitigation: "ask twice" }],
    });
    const part = migrateNotes("Be careful with the clock. Workaround: ask twice.");
    expect(part.document).toEqual({});
    expect(ambiguous(part)).toEqual(['"Be careful with the clock." reads like a gotcha']);
  });

  it("leaves out a severity that nobody stated, as the format allows, and says so at the statement", () => {
    const text = "Status: done\n\nWarning: the clock is late. Found in the lab. Mitigation: ask twice.";
    const migration = migrateNotes(text);
    expect(migration.valid).toBe(true);
    expect(told(migration)).toEqual([
      'warning defaulted 3: `gotchas[0].severity` is missing; it was read as "medium".',
    ]);
  });

  it("finds the place of a pattern in its own sentence", () => {
    expect(migrateNotes("Always use guards, see src/guard.ts.").document).toEqual({
      patterns_discovered: [
        { pattern: "Always use guards, see src/guard.ts", location: "src/guard.ts", applies_to: [] },
      ],
    });
    expect(ambiguous(migrateNotes("Pattern: guards before work."))).toEqual([
      '"Pattern: guards before work." reads like a pattern',
    ]);
    expect(migrateNotes("Always use a/b.ts or c/d.ts.").document).toEqual({});
  });

  it("reads the fields that a remark in brackets states", () => {
    const text = `## Patterns

- Guards come first (location: src/guard.ts, applies to: doors)

## Open questions

1. Is the door safe? (not blocking)
   - Context: the lock is old
   - Recommendation: a new lock
`;
    expect(migrateNotes(text).document).toEqual({
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
    expect(migrateNotes("Glob patterns work now. See src/glob.ts").document).toEqual({});
  });

  it("refuses tags that are none", () => {
    const migration = migrateNotes("Always use guards, see src/guard.ts. Tags: Front Door.");
    expect(migration.document).toEqual({});
    expect(told(migration)[1]).toContain("lower-case words joined by hyphens");
  });

  it.each([
    ["Next: clean the hall (high)", "clean the hall", "high"],
    ["Then clean the hall (priority: low).", "Then clean the hall", "low"],
    ["We should clean the hall [medium priority]", "We should clean the hall", "medium"],
    ["## TODO\n\n- High: clean the hall", "clean the hall", "high"],
    ["## Next steps\n\n- clean the hall\n  - Priority: low", "clean the hall", "low"],
  ])("%j is a step with its priority", (note, step, priority) => {
    expect(migrateNotes(note).document).toEqual({ suggested_next_steps: [{ step, priority, depends_on: [] }] });
  });

  it.each([
    ["## Next steps\n\n- clean the hall", "warning"],
    ["Next, clean the hall.", "info"],
    ["Somebody should clean the high hall.", "info"],
  ])("%j is a step without a priority: it is asked for", (note, severity) => {
    const migration = migrateNotes(note);
    expect(migration.document).toEqual({});
    const question = migration.diagnostics.find(({ code }) => code === "ambiguous-note");
    expect(question).toMatchObject({ severity, hint: "Needed: priority: high, medium or low." });
  });

  it("asks where a statement belongs when its words and its heading disagree", () => {
    const notes = ["## Next steps\n\n- Be careful with the clock", "## Questions / next steps\n\n- The clock"];
    expect(notes.map((note) => ambiguous(migrateNotes(note)))).toEqual([
      ['"Be careful with the clock" may be a next step or a gotcha.'],
      ['"The clock" may be an open question or a next step.'],
    ]);
  });

  it("takes no step that is ticked off, and nothing from a list that says none", () => {
    const text = "Status: done\n\n## Next steps\n\n- [x] clean the hall (high)\n\n## Gotchas\n\n- None so far\n";
    expect(migrateNotes(text)).toMatchObject({ document: { outcome: "completed" }, diagnostics: [], valid: true });
  });

  it("reads the files for the next agent", () => {
    expect(migrateNotes("## Files to read\n\n- src/hall.ts \u2014 the keys hang there\n").document).toEqual({
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
    ["Portuguese", "Cuidado com o rel\u00f3gio. Depois limpar a sala."],
  ])("%s", (_name, note) => {
    const migration = migrateNotes(`# Notes\n\n${note}\n`);
    expect(migration.document).toEqual({});
    expect(ambiguous(migration)).toEqual([
      "Nothing could be taken from this text: it holds none of the words that the migration knows.",
    ]);
  });
});

describe("where the section goes", () => {
  it("stands before the footer of a task file", () => {
    const text = "# Task 1: X\n\nStatus: done\n\n---\n\n*Task completed: today*\n";
    const { section, text: placed } = migrateNotes(text);
    expect(placed).toBe(`# Task 1: X\n\nStatus: done\n\n${section}\n---\n\n*Task completed: today*\n`);
  });

  it("stands at the end, set off by a blank line", () => {
    const { section, text: placed } = migrateNotes("Status: done");
    expect(section).toBe("## Handoff\n\n```yaml\noutcome: completed\n```\n");
    expect(placed).toBe(`Status: done\n\n${section}`);
  });

  it("keeps the line endings of the text", () => {
    const { section, text: placed } = migrateNotes("\ufeffStatus: done\r\n");
    expect(section).toBe("## Handoff\r\n\r\n```yaml\r\noutcome: completed\r\n```\r\n");
    expect(placed).toBe(`\ufeffStatus: done\r\n\r\n${section}`);
  });

  it("is not swallowed by an open fence, and says when the text cannot be read with it", () => {
    const migration = migrateNotes("Status: done\n\n```yaml\nx: 1\n");
    expect(migration.text.indexOf("## Handoff")).toBeLessThan(migration.text.indexOf("x: 1"));
    expect(told(migration).join("\n")).toContain("error wrong-container");
  });

  it("keeps as comments what it would otherwise lose", () => {
    const text = `## Handoff

Status: done. The hall was cold.

### Gotchas

- Watch out for the \`\`\`stairs\`\`\`

### Files

Deleted:
- src/hall.ts \u2014 nobody used it

## After
`;
    const { section, text: placed, valid } = migrateNotes(text);
    expect(valid).toBe(true);
    expect(section.split("\n").slice(-8)).toEqual([
      "    description: nobody used it",
      "",
      "# From the notes, not structured yet:",
      "# Status: done. The hall was cold.",
      "# ### Gotchas",
      "# - Watch out for the ```stairs```",
      "````",
      "",
    ]);
    expect(placed).toBe(`${section}\n## After\n`);
  });

  it.each(["Status: done", "**Outcome:** Completed.", "| Status | Done |"])(
    "does not call the outcome unstructured: %s",
    (statement) => {
      const { section } = migrateNotes(`## Handoff\n\n${statement}\n\nThe hall was cold.\n`);
      expect(section).toContain("outcome: completed\n\n# From the notes, not structured yet:\n# The hall was cold.\n");
    },
  );

  it("says in the section that the outcome is missing, without choosing one", () => {
    expect(migrateNotes("See src/a.ts").section).toBe(
      "## Handoff\n\n```yaml\n# outcome: completed | partial | failed | blocked (the notes do not say which)\n{}\n```\n",
    );
  });
});

describe("texts that are left as they are", () => {
  it("leaves a structured handoff, and says so", () => {
    const text = "# Task 1: X\n\nWatch out.\n\n## Handoff\n\n```yaml\noutcome: completed\n```\n";
    const migration = migrateNotes(text);
    expect(migration).toMatchObject({ text, section: "", document: {}, taken: [], valid: true });
    expect(told(migration)).toEqual([
      "info ambiguous-note 8: The text already holds a structured handoff (task-yaml); it was left as it is.",
    ]);
  });

  it.each(["{outcome: completed}", '{\n  "outcome": "completed"\n}'])("leaves one in braces: %j", (document) => {
    const text = `## Handoff\n\n${document}\n`;
    expect(migrateNotes(text)).toMatchObject({ text, section: "", valid: true });
  });

  it("leaves a broken one to be repaired", () => {
    const migration = migrateNotes("## Handoff\n\n```yaml\noutcome: finished\n```\n");
    expect(migration).toMatchObject({ section: "", valid: false });
    expect(migration.diagnostics.map(({ code }) => code)).toEqual(["ambiguous-note", "not-allowed"]);
  });

  it("migrates prose under the heading, whatever YAML makes of it", () => {
    const prose = ["All is well.", "outcome: done and dusted: yes\n\nStatus: done", "```\nnpm test\n```\nStatus: done"];
    expect(prose.map((text) => migrateNotes(`## Handoff\n\n${text}\n`).section === "")).toEqual([false, false, false]);
  });

  it.each([
    ["", "empty"],
    [" \n", "empty"],
    ["ab\0c", "binary"],
    ["a".repeat(1_100_000), "too-large"],
  ])("refuses what holds no notes (%#)", (text, code) => {
    expect(migrateNotes(text)).toMatchObject({ text, section: "", valid: false, diagnostics: [{ code }] });
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

/** What is asked, without the list of missing fields. */
function ambiguous(migration: Migration): string[] {
  return migration.diagnostics
    .filter(({ code }) => code === "ambiguous-note")
    .map(({ message }) => message.replace(/, but the notes do not state .*$/, ""));
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
