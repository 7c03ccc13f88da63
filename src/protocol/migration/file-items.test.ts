import { describe, expect, it } from "vitest";
import { type Migration, migrateNotes } from "../migrate-notes.ts";

describe("what was done to a file", () => {
  it.each([
    ["Created src/a.ts to hold the rules.", { path: "src/a.ts", purpose: "to hold the rules", lines: "all" }],
    [
      "Added the file `src/a.ts`, which holds the rules.",
      { path: "src/a.ts", purpose: "which holds the rules", lines: "all" },
    ],
    ["`src/a.ts` (new) \u2014 holds the rules", { path: "src/a.ts", purpose: "holds the rules", lines: "all" }],
    ["New files:\n- src/a.ts:1-20: holds the rules", { path: "src/a.ts", purpose: "holds the rules", lines: "1-20" }],
    [
      "## Created\n\n- [src/a.ts](src/a.ts) (holds the rules)",
      { path: "src/a.ts", purpose: "holds the rules", lines: "all" },
    ],
    ["| src/a.ts | created | holds the rules |", { path: "src/a.ts", purpose: "holds the rules", lines: "all" }],
  ])("%j created it", (note, file) => {
    expect(migrateNotes(note).document).toEqual({ files_created: [file] });
  });

  it.each([
    ["Removed src/a.ts.", "delete", undefined, "Removed src/a.ts"],
    ["src/a.ts was deleted because of its age", "delete", undefined, "was deleted because of its age"],
    ["Added a pool to src/a.ts, lines 3-9.", "add", "3-9", "Added a pool to src/a.ts, lines 3-9"],
    ["Fixed the race in `src/a.ts:3-9`.", "modify", "3-9", "Fixed the race in `src/a.ts:3-9`"],
    [
      "Removed the cache from src/a.ts (lines 3\u20139).",
      "modify",
      "3-9",
      "Removed the cache from src/a.ts (lines 3\u20139)",
    ],
    ["Refactored src/a.ts, whole file.", "refactor", "all", "Refactored src/a.ts, whole file"],
    ["- src/a.ts:3-9 \u2014 updated the limits", "modify", "3-9", "updated the limits"],
    ["**Modified files**\n\n- `src/a.ts` (lines 3-9): never retries", "modify", "3-9", "never retries"],
  ])("%j changed it", (note, type, lines, description) => {
    const file = { path: "src/a.ts", ...(lines !== undefined && { lines }), change_type: type, description };
    expect(migrateNotes(note).document).toEqual({ files_modified: [file] });
  });

  it.each([
    ["See src/a.ts."],
    ["Implemented the gates in src/a.ts."],
    ["Removed the call to src/a.ts."],
    ["Created a class in src/a.ts."],
    ["src/a.ts was not changed."],
    ["We should have created src/a.ts for this"],
    ["If src/a.ts was deleted, the tests fail."],
    ["Deleted src/a.ts if needed."],
    ["src/a.ts: added for the tests"],
    ["Files changed:\n- src/a.ts \u2014 holds the rules"],
    ["Files to create:\n- src/a.ts \u2014 holds the rules"],
    ["Files created:\n- src/a.ts (updated with rules)"],
    ["Files created:\n- src/a.ts (updated with rules)\n\nCreated src/a.ts to hold the rules."],
    ["Files created:\n- [ ] src/a.ts \u2014 holds the rules"],
    ["Created src/a.ts to hold the rules. Later I deleted src/a.ts."],
    ["Created /home/me/src/a.ts to hold the rules."],
    ["Created ../src/a.ts to hold the rules."],
    ["Updated everything; src/a.ts holds the rules"],
  ])("%j does not say", (note) => {
    const { document, diagnostics } = migrateNotes(note);
    expect(document).toEqual({});
    expect(diagnostics.filter(({ code }) => code === "ambiguous-note").length).toBeGreaterThan(0);
  });

  it("asks for what is missing, at the statement", () => {
    const text = "Created src/a.ts.\n\nUpdated `src/b.ts` for speed.\n";
    expect(told(migrateNotes(text)).slice(1)).toEqual([
      'warning ambiguous-note 1: "Created src/a.ts." reads like a created file, but the notes do not state its `purpose`.',
      'warning ambiguous-note 3: "Updated `src/b.ts` for speed." reads like a changed file, but the notes do not state its `lines`.',
    ]);
    const [, first] = migrateNotes(text).diagnostics;
    expect(first?.range).toMatchObject({ start: { line: 1, column: 1, offset: 0 }, end: { column: 18, offset: 17 } });
  });

  it.each([
    "Node.js",
    "https://git.example/a.ts",
    "www.x.org/a.ts",
    "e.g.",
    "v1.2",
    "and/or",
    "`npm run a.ts`",
    "`src/*.ts`",
  ])("%s is no file", (word) => {
    expect(ambiguous(migrateNotes(`We looked at ${word} today\n\nNext: rest`))).toEqual([
      '"Next: rest" reads like a next step',
    ]);
  });

  it("knows each file of a list by the word that governs it", () => {
    const { document } = migrateNotes("Deleted a/x.ts, `a/y.ts` and a/z.ts, then looked at a/w.ts.");
    expect(JSON.stringify(document["files_modified"])).toMatch(/a\/x\.ts.*a\/y\.ts.*a\/z\.ts/);
    expect(JSON.stringify(document["files_modified"])).not.toContain('"a/w.ts"');
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
