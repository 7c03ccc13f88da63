import { describe, expect, it } from "vitest";
import { migrateNotes } from "../../src/protocol/migrate-notes.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";

describe("ruling 37: migration writes what is stated, and marks the rest", () => {
  const note = "Status: done\n\nCreated src/hall.ts to count halls. See src/stairs.ts.\n\nNext: paint the hall (low)\n";

  it("accepts a note that states everything; a file that is only named is not a changed one", () => {
    const { text, document, gaps, valid } = migrateNotes(note);
    expect([valid, gaps]).toEqual([true, []]);
    expect(JSON.stringify(document)).not.toContain("stairs");
    expect(readHandoffs(text).valid).toBe(true);
  });

  it("writes the entry with a gap where the note states less, and the text is refused at the gap", () => {
    const { text, gaps } = migrateNotes(note.replace(" (low)", ""));
    expect(gaps.map(({ field }) => field)).toEqual(["suggested_next_steps[0].priority"]);
    const { valid, diagnostics } = readHandoffs(text);
    expect(valid).toBe(false);
    const [told] = diagnostics.filter(({ severity }) => severity === "error");
    expect(told).toMatchObject({ code: "unfilled-template", rule: "003-R21" });
    expect(text.slice(told?.range.start.offset, told?.range.end.offset)).toBe("<not stated>");
  });
});
