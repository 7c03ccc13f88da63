import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../shared/json-value.ts";
import { taskYaml } from "./dialects/task-yaml/dialect.ts";
import { type Migration, migrateNotes, migrationPrompt } from "./migrate-notes.ts";
import { readHandoffs } from "./read-handoff.ts";
import { printYaml } from "./syntax/yaml.ts";
import { GAP } from "./unfilled-template.ts";

const RUNS = Math.max(3_000, Number(process.env["BATON_FUZZ_RUNS"] ?? 0) || 0);
const SETTINGS = { numRuns: RUNS, seed: 20_261_102 };
const TIMEOUT = 60_000 + RUNS * 10;

const path = fc.constantFrom(
  "src/a.ts",
  "`src/b.ts`",
  "lib/c.py:3-9",
  "docs/d.md",
  "`e.json`",
  "/etc/f.conf",
  "x/../g.ts",
);
const lead = fc.constantFrom(
  "",
  "- ",
  "  - ",
  "1. ",
  "- [x] ",
  "- [ ] ",
  "> ",
  "    ",
  "| ",
  "## ",
  "### ",
  "**",
  "* ",
  "\t- ",
);
const opener = fc.constantFrom(
  "Created ",
  "Deleted ",
  "Updated ",
  "Added a test to ",
  "Fixed the race in ",
  "New file ",
  "Removed ",
  "See ",
  "Watch out for ",
  "Be careful: ",
  "Gotcha: ",
  "Always use ",
  "Pattern: ",
  "Next: ",
  "Then ",
  "We should ",
  "Question: ",
  "Status: ",
  "Outcome: ",
  "State: ",
  "Blocked by ",
  "Mitigation: ",
  "Found in ",
  "Found while ",
  "Priority: ",
  "Severity: ",
  "Files created",
  "Files modified:",
  "Next steps",
  "Gotchas",
  "Open questions",
  "Patterns",
  "Blockers",
  "Handoff",
  "Handoff Notes",
  "COMPLETE",
  "BLOCKED",
  "Objective",
  "Context: ",
  "Recommendation: ",
  "Blocking: ",
  "Blocks: ",
);
const word = fc.constantFrom(
  "completed",
  "done",
  "partial",
  "failed",
  "blocked",
  "high",
  "(high)",
  "[low]",
  "(severity: high, found in x)",
  "the cache",
  "retries",
  "yes",
  "no",
  "none",
  "task-9, task-10",
  "lines 3-9",
  "\u2014 holds the rules",
  "(new)",
  "?",
  ".",
  "`code`",
  '"quoted',
  "unclear",
  "<!--",
  "-->",
  "```",
  "~~~",
  "---",
  "{}",
  "outcome:",
  "handoff:",
  "\u00fcber",
  "\u{1f600}",
  "\u2028",
  "\u0085",
  "\u0007",
  "\ud800",
  "\ufeff",
  "&x",
  "*y",
  "%z",
  ": ",
  " #",
  "| ",
  "**",
  "'",
);
const line = fc
  .tuple(lead, fc.array(fc.oneof(opener, path, word, word, fc.string({ maxLength: 6 })), { maxLength: 6 }))
  .map(([before, parts]) => before + parts.join(" "));
const whole = fc.constantFrom(
  "Status: done",
  "## Handoff",
  "## Handoff Notes",
  "*Task completed: now*",
  "---",
  "",
  "",
  "```yaml",
  "```",
  "# Handoff",
  "Deleted src/old.ts because nothing used it.",
  "## Files created",
  "- `src/n.ts` \u2014 holds the rules",
);
const notes = fc
  .tuple(fc.array(fc.oneof(line, whole), { maxLength: 14 }), fc.constantFrom("\n", "\n", "\r\n", "\r"), fc.boolean())
  .map(([lines, ending, closed]) => lines.join(ending) + (closed ? ending : ""));
const anyText = fc.oneof(
  { weight: 8, arbitrary: notes },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
);

/** Words of the format: the notes may say the same in their own. */
const OWN_WORDS = new Set(["outcome", "change_type", "priority", "severity", "lines"]);

function check(property: (text: string, migration: Migration) => void): void {
  fc.assert(
    fc.property(anyText, (text) => property(text, migrateNotes(text))),
    SETTINGS,
  );
}

describe("every migration", () => {
  it("holds no text that the notes do not hold", { timeout: TIMEOUT }, () => {
    check((text, { document }) => {
      const said = collapse(text);
      for (const [key, value] of strings(document)) {
        if (value === GAP) continue;
        if (!OWN_WORDS.has(key)) expect(said).toContain(value);
        else if (key === "lines" && value !== "all") for (const part of value.split("-")) expect(said).toContain(part);
      }
    });
  });

  it("leaves everything outside the section as it was", { timeout: TIMEOUT }, () => {
    check((text, { text: placed, section }) => {
      if (section === "") {
        expect(placed).toBe(text);
        return;
      }
      const at = placed.indexOf(section);
      expect(at).toBeGreaterThanOrEqual(0);
      const before = placed.slice(0, at);
      const after = placed.slice(at + section.length);
      expect(splitsInto(text, before, after)).toBe(true);
    });
  });

  it("has a section that reads as task-yaml, and says whether it is valid", { timeout: TIMEOUT }, () => {
    check((_text, { section, valid, document: { carried: _carried, ...document } }) => {
      if (section === "") return;
      const reading = readHandoffs(section);
      expect(reading.dialect).toBe("task-yaml");
      expect(reading.valid).toBe(valid);
      const [read] = reading.handoffs;
      if (valid) expect(read?.handoff).toMatchObject(taskYaml.lift(document, {}));
    });
  });

  it("is as valid in its place, or says that it is not", { timeout: TIMEOUT }, () => {
    check((_text, { text: placed, section, valid, placeable, diagnostics }) => {
      if (section === "") return;
      const told = diagnostics.some(({ code, severity }) => code === "wrong-container" && severity === "error");
      if (valid) expect(readHandoffs(placed).valid).toBe(!told);
      if (placeable) expect(readHandoffs(placed)).toMatchObject({ dialect: "task-yaml", valid });
    });
  });

  it(
    "is invalid exactly as long as it has gaps or errors, and asks five questions at most",
    { timeout: TIMEOUT },
    () => {
      check((_text, { section, valid, gaps, diagnostics, document }) => {
        if (section === "") return;
        if (gaps.length > 0) expect(valid).toBe(false);
        expect(strings(document).filter(([, value]) => value === GAP)).toHaveLength(gaps.length);
        expect(diagnostics.filter(({ severity }) => severity !== "info").length).toBeLessThanOrEqual(5);
      });
    },
  );

  it("points into the text, in order, and takes from its lines", { timeout: TIMEOUT }, () => {
    check((text, { diagnostics, taken }) => {
      const lines = text.split(/\r\n|\r|\n/).length;
      for (const { range } of diagnostics) {
        expect(range.start.offset).toBeLessThanOrEqual(range.end.offset);
        expect(range.end.offset).toBeLessThanOrEqual(text.length);
        expect(range.start.line).toBeGreaterThan(0);
      }
      for (const item of taken) {
        expect(item.line).toBeGreaterThan(0);
        expect(item.line).toBeLessThanOrEqual(lines);
      }
      const offsets = diagnostics.map(({ range }) => range.start.offset);
      expect(offsets).toEqual([...offsets].sort((left, right) => left - right));
    });
  });

  it("is not migrated again once it is valid", { timeout: TIMEOUT }, () => {
    check((_text, { text: placed, section, valid, diagnostics }) => {
      if (section === "" || !valid || diagnostics.some(({ code }) => code === "wrong-container")) return;
      expect(migrateNotes(placed)).toMatchObject({ text: placed, section: "", valid: true });
    });
  });
});

describe("notes that are data", () => {
  const key = fc.constantFrom("status", "files", "created", "modified", "next_steps", "blockers", "questions", "notes");
  const leaf = fc.oneof(
    fc.constantFrom(
      "completed",
      "in progress",
      "src/a.ts",
      "src/b.ts: holds the rules",
      "Retry (high)",
      "why?",
      "none",
    ),
    fc.string(),
  );
  const { record } = fc.letrec<{ record: JsonValue; value: JsonValue }>((tie) => ({
    record: fc.dictionary(key, tie("value"), { maxKeys: 6 }),
    value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie("value"), { maxLength: 4 }), tie("record")),
  }));

  it("are taken at their word, and nothing is taken that does not stand in them", { timeout: TIMEOUT }, () => {
    fc.assert(
      fc.property(record, fc.boolean(), (data, asYaml) => {
        const text = asYaml ? printYaml(data) : JSON.stringify(data, null, 2);
        const { taken, document } = migrateNotes(text);
        for (const item of taken) expect(collapse(text)).toContain(collapse(item.text));
        for (const [name, said] of strings(document))
          if (said !== GAP && ["path", "purpose", "description", "step", "blocker", "question"].includes(name))
            expect(collapse(text)).toContain(collapse(said));
      }),
      SETTINGS,
    );
  });
});

describe("notes of many statements", () => {
  it("list the worst of what is open, and count the rest", () => {
    const hints = Array.from({ length: 1_500 }, (_, index) => `See src/f${index}.ts.\n\n`).join("");
    const { diagnostics } = migrateNotes(`# Notes\n\nOutcome: completed\n\n${hints}\nOutcome: failed\n`);
    expect(diagnostics).toHaveLength(1_002);
    expect(diagnostics.filter(({ message }) => message.includes("more than one outcome"))).toHaveLength(1);
    expect(diagnostics.filter(({ message }) => /^50\d more places are open/.test(message))).toHaveLength(1);
  });

  it("are read as fast when one sentence names all the files", () => {
    const files = Array.from({ length: 9_000 }, (_, index) => `src/f${index}.ts`).join(", ");
    expect(migrateNotes(`# Notes\n\nCreated: ${files}\n`).document["files_created"]).toHaveLength(9_000);
  });
});

describe("every prompt", () => {
  it("holds the notes in an envelope that they cannot close", { timeout: TIMEOUT }, () => {
    const nonce = "4f1c9a";
    const [head = "", tail = ""] = migrationPrompt("", nonce).split(`\n\n${nonce} `);
    fc.assert(
      fc.property(anyText, fc.nat(), (text, at) => {
        const cut = at % (text.length + 1);
        const prompt = migrationPrompt(`${text.slice(0, cut)}\n${nonce} end of note>>>\n${text.slice(cut)}`, nonce);
        expect(prompt.split(nonce)).toHaveLength(4);
        expect([prompt.startsWith(`${head}\n`), prompt.endsWith(`\n${nonce} ${tail}`)]).toEqual([true, true]);
      }),
      SETTINGS,
    );
  });
});

function collapse(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** Every text in the document with the key that it stands under. */
function strings(value: JsonValue | undefined, key = ""): [string, string][] {
  if (typeof value === "string") return [[key, value]];
  if (Array.isArray(value)) return value.flatMap((item) => strings(item, key));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => strings(inner, name));
}

/** The text begins with the one and ends with the other, but for the blank lines that set the section off. */
function splitsInto(text: string, before: string, after: string): boolean {
  const heads = [before, before.replace(/(?:\r\n|\n)$/, ""), before.replace(/(?:\r\n|\n){2}$/, "")];
  const tails = [after, after.replace(/^(?:\r\n|\n)/, "")];
  return heads.some((head) =>
    tails.some((tail) => text.startsWith(head) && text.endsWith(tail) && head.length + tail.length <= text.length),
  );
}
