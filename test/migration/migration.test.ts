import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { migrateNotes } from "../../src/protocol/migrate-notes.ts";
import { GAP } from "../../src/protocol/unfilled-template.ts";
import { type NoteSet, corpusSet, ownSet, scoreNote, totalsOf } from "./score-notes.ts";

const LEAST_RECALL = 80;
const LEAST_PRECISION = 95;
const MAX_QUESTIONS = 5;

describe("what migration takes from notes whose statements were listed by eye", () => {
  it.each(["own", "unseen", "unseen-again", "unseen-last"])("%s notes", (folder) => {
    meetsBars(ownSet(folder));
  });

  it.each(["notes", "reports"])("%s of the corpus", (name) => {
    const set = corpusSet(name);
    if (set !== null) meetsBars(set);
  });

  it("is measured on the corpus, too", (context) => {
    if (corpusSet("notes") === null) context.skip("../shared/corpus is absent: only our own notes were measured");
    expect(corpusSet("notes")?.notes.length).toBeGreaterThan(10);
  });
});

describe("files that are only named", () => {
  it("are in no list of changed files", () => {
    const note = ownSet("own").notes.find(({ path }) => path.endsWith("traps.md"));
    const { document, diagnostics } = migrateNotes(readFileSync(note?.path ?? "", "utf8"));
    expect(document["files_created"]).toBeUndefined();
    expect(document["files_modified"]).toEqual([
      expect.objectContaining({ path: "src/ui/picker.tsx", change_type: GAP, lines: GAP }),
    ]);
    const named = diagnostics.filter(({ message }) => message.includes("it was left out"));
    expect(named.every(({ severity }) => severity === "info")).toBe(true);
    expect(named.length).toBeGreaterThan(4);
  });
});

function meetsBars({ notes }: NoteSet): void {
  const scores = notes.map(({ path, items }) => scoreNote(path, items));
  const found = scores.map(({ name, missed, wrong }) => ({ name, missed, wrong }));
  const { recall, precision, mostQuestions } = totalsOf(scores);
  expect(recall, JSON.stringify(found, null, 2)).toBeGreaterThanOrEqual(LEAST_RECALL);
  expect(precision, JSON.stringify(found, null, 2)).toBeGreaterThanOrEqual(LEAST_PRECISION);
  expect(mostQuestions).toBeLessThanOrEqual(MAX_QUESTIONS);
}
