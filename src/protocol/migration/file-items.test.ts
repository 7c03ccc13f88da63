import { describe, expect, it } from "vitest";
import { type Migration, migrateNotes } from "../migrate-notes.ts";
import { GAP } from "../unfilled-template.ts";

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
    expect(statedIn(note)).toEqual({ files_created: [file] });
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
    expect(statedIn(note)).toEqual({ files_modified: [file] });
  });

  it.each([
    ["See src/a.ts."],
    ["Removed the call to src/a.ts."],
    ["src/a.ts was not changed."],
    ["We should have created src/a.ts for this"],
    ["If src/a.ts was deleted, the tests fail."],
    ["Deleted src/a.ts if needed."],
    ["src/a.ts: added for the tests"],
    ["Files to create:\n- src/a.ts \u2014 holds the rules"],
    ["Created src/a.ts to hold the rules. Later I deleted src/a.ts."],
    ["Updated everything; src/a.ts holds the rules"],
  ])("%j does not say", (note) => {
    expect(statedIn(note)["files_created"]).toBeUndefined();
    expect(statedIn(note)["files_modified"]).toBeUndefined();
    expect(ambiguous(migrateNotes(note)).join("\n")).toMatch(
      /but do not say that it was created|say different things|Nothing could be/,
    );
  });

  it.each([
    ["Implemented the gates in src/a.ts.", GAP, "Implemented the gates in src/a.ts"],
    ["Created a class in src/a.ts.", GAP, "Created a class in src/a.ts"],
    ["Files changed:\n- src/a.ts \u2014 holds the rules", GAP, "holds the rules"],
    ["What I changed: only src/a.ts. It holds the rules now.", GAP, "It holds the rules now"],
    ["## What was done\n\n- src/a.ts: moved the rules", GAP, "moved the rules"],
    ["Files created:\n- src/a.ts (updated with rules)", "modify", "updated with rules"],
    ["  M src/a.ts", "modify", GAP],
    ["Files modified: src/a.ts (the rules)", "modify", "the rules"],
    ["## Modified files\n\n- src/a.ts:\n  - new rules\n  - a limit", "modify", "new rules - a limit"],
  ])("%j changed it, and what it does not say is a gap", (note, type, description) => {
    const file = { path: "src/a.ts", lines: GAP, change_type: type, description };
    expect(statedIn(note)["files_modified"]).toEqual([file]);
  });

  it("keeps a path that is not relative to the project root, which makes the section invalid", () => {
    for (const path of ["/home/me/src/a.ts", "../src/a.ts"]) {
      const migration = migrateNotes(`Status: done. Created ${path} to hold the rules.`);
      expect(migration.document["files_created"]).toEqual([{ path, purpose: "to hold the rules", lines: "all" }]);
      expect(migration.valid).toBe(false);
      expect(told(migration).join("\n")).toContain(
        "`files_created[0].path` must be a path relative to the project root",
      );
    }
  });

  it("marks what is missing as a gap, and names its line", () => {
    const { document, gaps, valid } = migrateNotes("Created src/a.ts.\n\nUpdated `src/b.ts` for speed.\n");
    expect(valid).toBe(false);
    expect(document).toMatchObject({
      outcome: GAP,
      files_created: [{ path: "src/a.ts", purpose: GAP }],
      files_modified: [{ path: "src/b.ts", lines: GAP, description: "Updated `src/b.ts` for speed" }],
    });
    expect(gaps.map(({ field, line }) => [field, line])).toEqual([
      ["outcome", 1],
      ["files_created[0].purpose", 1],
      ["files_modified[0].lines", 3],
    ]);
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
    expect(ambiguous(migrateNotes(`We looked at ${word} today\n\nNext: rest`))).toEqual([]);
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

function ambiguous(migration: Migration): string[] {
  return migration.diagnostics.filter(({ code }) => code === "ambiguous-note").map(({ message }) => message);
}

/** The document without the mark of an outcome that the notes do not state. */
function statedIn(text: string): Migration["document"] {
  const { outcome, ...lists } = migrateNotes(text).document;
  return outcome === GAP ? lists : { outcome, ...lists };
}
