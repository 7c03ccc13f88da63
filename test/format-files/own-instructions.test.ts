import { describe, expect, it } from "vitest";
import { instructionsFor } from "../../src/protocol/instructions.ts";
import { defineFormat, openFormat } from "../../src/protocol/format-file/open-format.ts";
import { migrateNotes } from "../../src/protocol/migrate-notes.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";

const DIVE: JsonRecord = {
  format: 1,
  name: "dive-log",
  syntax: "json",
  stands: { keys: ["dive", "verdict"] },
  closed: true,
  fields: {
    dive: { type: "integer", required: true, minimum: 1, example: 14, about: "Number of the dive." },
    diver: { required: true, is: "from", example: "reef-agent", about: "Who dived." },
    relief: { is: "to", nullable: true, example: "wreck-agent", about: "Who dives next." },
    verdict: {
      required: true,
      is: "outcome",
      words: { dry: "done", leaky: "needs-fixes", sunk: "failed", anchored: "blocked" },
      about: "How it ended.",
    },
    safe: { type: "boolean", required: true, example: true, about: "Whether nobody was hurt." },
    air: { type: "number", minimum: 0, maximum: 100, about: "Air that is left." },
    mask: { max_length: 8, about: "The mask." },
    sizes: { type: "list", item: { words: ["s", "l"] }, at_least: 2, about: "Sizes." },
    patched: {
      type: "list",
      is: "work.modified",
      item: { is: "path", format: "relative-path" },
      about: "Files that were changed.",
    },
    gear: { type: "record", closed: true, about: "Gear.", fields: { fins: "integer" } },
    more: { type: "map", about: "Anything else." },
    leaks: {
      type: "list",
      is: "findings.issues",
      about: "What leaks.",
      item: { fields: { what: { required: true, is: "description", about: "What is wrong." } } },
    },
    anchor: { is: "blockers.description", required_when: "verdict == 'anchored'", about: "What holds it." },
  },
  rules: [
    { says: "A leaky dive lists its leaks.", when: "verdict == 'leaky'", require: ["leaks"] },
    { says: "A sunk dive is not safe.", when: "verdict == 'sunk'", check: "safe == false" },
    { says: "A dry dive has no leaks.", when: "verdict == 'dry'", forbid: ["leaks"] },
  ],
};

const SLIP: JsonRecord = {
  format: 1,
  name: "dock-slip",
  syntax: "xml",
  stands: { element: "slip" },
  fields: {
    "@no": { type: "integer", required: true, minimum: 1, example: 7, about: "Number." },
    "@sealed": { type: "boolean", required: true, is: "outcome", words: { true: "done", false: "failed" } },
    remark: { required: true, is: "summary", nullable: true, example: "Stacked.", about: "What was done." },
  },
};

describe("the instructions for a team's own format", () => {
  const told = instructionsFor("dive-log", { formats: [defineFormat(DIVE)] });

  it.each([
    "- `dive` (whole number from 1): Number of the dive.",
    "- `relief`? (text or null): Who dives next.",
    "- `safe` (true or false): Whether nobody was hurt.",
    "- `air`? (number from 0 up to 100): Air that is left.",
    "- `mask`? (at most 8 characters): The mask.",
    "- `sizes`? (list of 2 or more, each: one of s, l): Sizes.",
    "- `gear`? (no other keys): Gear: `fins`? (whole number)",
    "- `more`? (record with any keys): Anything else.",
    "- `leaks`? (list): What leaks: `what`: What is wrong.",
    "- No other keys.",
  ])("say what is checked: %s", (line) => {
    expect(told).toContain(line);
  });

  it("say of which form the entries of a list are", () => {
    expect(told).toMatch(/- `patched`\? \(list, each: .*path.*\): Files that were changed\./);
  });

  it("say it of XML, which has texts only and no null", () => {
    const slip = instructionsFor("dock-slip", { formats: [defineFormat(SLIP)] });
    expect(slip).toContain("- attribute `no` (a whole number from 1): Number.");
    expect(slip).toContain("- `remark`: What was done.");
  });

  it.each([
    [DIVE, "done"],
    [DIVE, "needs-fixes"],
    [DIVE, "failed"],
    [DIVE, "blocked"],
    [SLIP, "done"],
    [SLIP, "failed"],
  ] as const)("have a valid example of another outcome: %#", (file, outcome) => {
    const formats = [defineFormat(file)];
    const { name } = formats[0]!;
    const text = instructionsFor(name, { formats, outcome });
    const { valid, handoffs } = readHandoffs(text.slice(text.indexOf("## Example")), { formats, dialect: name });
    expect([valid, handoffs[0]?.handoff?.outcome]).toEqual([true, outcome]);
  });

  it("show the example of the file when no outcome is asked for", () => {
    const formats = [defineFormat({ ...SLIP, example: { "@no": "7", "@sealed": "false", remark: "Wet." } })];
    expect(instructionsFor("dock-slip", { formats })).toContain("Wet.");
  });
});

describe("a format without a word for the outcome", () => {
  it("is warned of when all of its handoffs count as done", () => {
    const file = (outcome: string): string =>
      `format: 1\nname: day-note\nsyntax: json\nstands: { keys: [day] }\noutcome: ${outcome}\nfields: { day: { required: true, example: Monday } }\n`;
    expect(openFormat(file("done"))).toMatchObject({
      dialect: { name: "day-note" },
      diagnostics: [{ severity: "warning", message: expect.stringContaining("counts as done") as unknown }],
    });
    expect(openFormat(file("in-progress")).diagnostics).toEqual([]);
  });
});

describe("a handoff of a team's own format", () => {
  it("is no note to migrate", () => {
    const format = defineFormat(DIVE);
    const { diagnostics, section } = migrateNotes(format.print(format.example), { path: "a.json", formats: [format] });
    expect(section).toBe("");
    expect(diagnostics.map(({ message }) => message)).toContain(
      "The text already holds a structured handoff (dive-log); it was left as it is.",
    );
  });

  it("stands in an XML file", () => {
    const { container } = defineFormat({ ...SLIP, stands: { element: "slip", file: "slip-*.xml" } });
    expect(container).toContain("or an XML file named");
  });
});
