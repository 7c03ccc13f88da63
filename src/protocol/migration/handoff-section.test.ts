import { describe, expect, it } from "vitest";
import { type Migration, migrateNotes } from "../migrate-notes.ts";
import { readHandoffs } from "../read-handoff.ts";
import { GAP } from "../unfilled-template.ts";

describe("what the format has no list for", () => {
  const text = `# Notes

Status: done

## Summary

The hall can be rented by the hour.

## What was done

- Prices per hour
- Removed the deposit

## Decisions

- Cents, because of rounding

## Tests

All 12 tests pass. The stairs were not tested.

## Known limitations

- One hall only

## Assumptions

- Halls do not move
`;

  it("is carried with it, and restored when the section is read", () => {
    const { section, valid } = migrateNotes(text);
    expect(valid).toBe(true);
    const [read] = readHandoffs(section).handoffs;
    expect(read?.handoff).toMatchObject({
      outcome: "done",
      summary: "The hall can be rented by the hour",
      context: {
        decisions: ["Cents, because of rounding"],
        limitations: ["One hall only"],
        assumptions: ["Halls do not move"],
        data: {
          completed: ["Prices per hour", "Removed the deposit"],
          tests: ["All 12 tests pass", "The stairs were not tested"],
        },
      },
    });
  });
});

describe("gaps", () => {
  it("are told together, and at their place when the text is read again", () => {
    const migration = migrateNotes("Watch out for the stairs.\n\nNext: paint the hall.\n");
    expect(told(migration).filter((line) => !line.startsWith("info"))).toEqual([
      "error unfilled-template 1: The notes do not state 4 values that the format demands: `outcome`, `gotchas[].discovered_in`, `gotchas[].mitigation`, `suggested_next_steps[].priority`.",
    ]);
    const { diagnostics, valid } = readHandoffs(migration.text);
    expect(valid).toBe(false);
    const gaps = diagnostics.filter(({ code }) => code === "unfilled-template");
    expect(gaps.map(({ range }) => migration.text.slice(range.start.offset, range.end.offset))).toEqual(
      Array.from({ length: 4 }, () => GAP),
    );
    expect(gaps[0]?.message).toContain("`outcome` is a gap: the notes it was migrated from do not state it.");
  });

  it("are filled in by hand, and the section is valid", () => {
    const { text } = migrateNotes("Status: done\n\nNext: paint the hall.\n");
    expect(readHandoffs(text).valid).toBe(false);
    expect(readHandoffs(text.replace(GAP, "low")).valid).toBe(true);
  });

  it("are few questions, however much is open", () => {
    const parts = Array.from(
      { length: 40 },
      (_, index) => `Created src/f${index}.ts.\n\nDeleted src/f${index}.ts.\n\n`,
    );
    const { diagnostics } = migrateNotes(`# Notes\n\n${parts.join("")}Status: done\n\nOutcome: failed\n`);
    const questions = diagnostics.filter(({ severity }) => severity !== "info");
    expect(questions).toHaveLength(5);
    expect(questions.map(({ message }) => message).join("\n")).toMatch(/38 more places are open \(lines /);
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
    const { section, text: placed } = migrateNotes(text);
    expect(section.split("\n").slice(-5)).toEqual([
      "",
      "# From the notes, not structured yet:",
      "# Status: done. The hall was cold.",
      "````",
      "",
    ]);
    expect(section).toContain("issue: Watch out for the ```stairs```\n");
    expect(placed).toBe(`${section}\n## After\n`);
  });

  it.each(["Status: done", "**Outcome:** Completed.", "| Status | Done |"])(
    "does not call the outcome unstructured: %s",
    (statement) => {
      const { section } = migrateNotes(`## Handoff\n\n${statement}\n\nThe hall was cold.\n`);
      expect(section).toContain("outcome: completed\n\n# From the notes, not structured yet:\n# The hall was cold.\n");
    },
  );

  it("marks the outcome as a gap, without choosing one", () => {
    expect(migrateNotes("Blocked by the lock").section).toBe(
      "## Handoff\n\n```yaml\noutcome: <not stated>\nblockers:\n  - blocker: the lock\n```\n",
    );
  });
});

describe("texts that are left as they are", () => {
  it("leaves a structured handoff, and says so", () => {
    const text = "# Task 1: X\n\nWatch out.\n\n## Handoff\n\n```yaml\noutcome: completed\n```\n";
    const migration = migrateNotes(text);
    expect(migration).toMatchObject({ text, section: "", document: {}, taken: [], gaps: [], valid: true });
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
    ["# A\n".repeat(9_000), "too-large"],
    ["We changed src/b.ts. ".repeat(10_000), "too-large"],
  ])("refuses what holds no notes (%#)", (text, code) => {
    expect(migrateNotes(text)).toMatchObject({ text, section: "", valid: false, diagnostics: [{ code }] });
  });
});

function told(migration: Migration): string[] {
  return migration.diagnostics.map(
    ({ severity, code, range, message }) => `${severity} ${code} ${range.start.line}: ${message}`,
  );
}
