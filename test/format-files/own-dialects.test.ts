import { describe, expect, it } from "vitest";
import {
  DIALECT_NAMES,
  OUTCOMES,
  fixHandoffs,
  instructionsFor,
  jsonSchemaOf,
  readHandoffs,
  writeHandoff,
} from "../../src/index.ts";
import type { Handoff } from "../../src/index.ts";
import { printHandoff } from "../../src/protocol/write-handoff.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { specDialects } from "./spec-formats.ts";

const formats = specDialects();
const done: Handoff = { dialect: "task-yaml", outcome: "done" };

describe.each(formats)("the format $name", (format) => {
  const text = printHandoff(format.example, format, done);
  const path = format.name === "build-report" ? "build-report-7.json" : "notes.md";
  const read = (given: string) => readHandoffs(given, { formats, path });

  it("reads its example", () => {
    const reading = read(text);
    expect(reading.diagnostics).toEqual([]);
    expect(reading).toMatchObject({ dialect: format.name, valid: true });
    expect(reading.handoffs[0]?.handoff).toMatchObject({ dialect: format.name, outcome: "done" });
  });

  it("writes what it reads", () => {
    const handoff = read(text).handoffs[0]?.handoff;
    const written = writeHandoff(handoff!, format.name, { formats });
    expect(written.notes).toEqual([]);
    expect(written.text).toBe(text);
  });

  it.each(DIALECT_NAMES)("goes to %s and back", (name) => {
    const handoff = read(text).handoffs[0]?.handoff;
    const there = writeHandoff(handoff!, name, { formats, now: "2026-03-09T14:05:00.000Z", issue: "7" });
    const again = readHandoffs(there.text, { formats, dialect: name });
    expect(again.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const back = writeHandoff(again.handoffs.at(-1)!.handoff!, format.name, { formats });
    expect(read(back.text).diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(read(back.text).handoffs[0]?.handoff).toMatchObject(handoff!);
  });

  it.each(DIALECT_NAMES)("takes the example of %s, and loses nothing that it does not report", (name) => {
    const source = printHandoff(DIALECTS[name].example, DIALECTS[name], done);
    const handoff = readHandoffs(source, { dialect: name }).handoffs.at(-1)!.handoff!;
    const there = writeHandoff(handoff, format.name, { formats, now: "2026-03-09T14:05:00Z" });
    const reading = read(there.text);
    expect(reading.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const back = readHandoffs(writeHandoff(reading.handoffs[0]!.handoff!, name, { formats }).text, { dialect: name });
    const lost = new Set(there.notes.filter(({ code }) => code === "loss").map(({ part }) => part.split(".")[0] ?? ""));
    const kept = Object.fromEntries(Object.entries(handoff).filter(([part]) => !lost.has(part) && part !== "spelling"));
    expect(back.handoffs.at(-1)?.handoff).toMatchObject(kept);
  });

  it("never turns what must stop into what may go on", () => {
    const goes = new Set(["done", "done-with-warnings", "skipped"]);
    for (const outcome of OUTCOMES) {
      const there = writeHandoff({ dialect: "task-yaml", outcome, from: "a" }, format.name, { formats, carry: false });
      const found = format.lift(there.document, {}).outcome;
      expect([outcome, goes.has(found)]).toEqual([outcome, goes.has(outcome)]);
    }
  });

  it("teaches itself, with a valid example", () => {
    const told = instructionsFor(format.name, { formats, from: "one-agent", to: "two-agent" });
    for (const key of Object.keys(format.shape.fields).filter((name) => !/^#|^carried$/.test(name)))
      expect(told).toContain(`\`${key.replace(/^@/, "")}\``);
    const block = told.slice(told.indexOf("## Example"));
    expect(readHandoffs(block, { formats, dialect: format.name })).toMatchObject({ valid: true });
  });

  it("has a JSON Schema", () => {
    expect(jsonSchemaOf(format.name, formats)).toMatchObject({ type: "object", title: format.title });
  });

  it("is known when it is cut off", () => {
    const reading = read(text.slice(0, Math.floor(text.length * 0.6)));
    expect(reading).toMatchObject({ dialect: format.name, valid: false });
  });

  it("is not seen without the format", () => {
    expect(readHandoffs(text, { path }).dialect).toBeNull();
  });
});

describe("what is wrong in a handoff of a team's own format", () => {
  const relay = (change: string, by: string): string => {
    const text = printHandoff(formats[0]!.example, formats[0]!, done);
    expect(text).toContain(change);
    return text.replace(change, () => by);
  };
  const told = (text: string) =>
    readHandoffs(text, { formats, path: "relay-1.json" }).diagnostics.map(
      ({ rule, code, severity, range, message }) =>
        `${range.start.line}:${range.start.column} ${severity} ${code} ${rule} ${message}`,
    );

  it.each([
    ['"finished"', '"finishd"', "7:14 error not-allowed relay-note/result.state"],
    ['"state": "finished"', '"state": "stuck"', "1:1 error missing-field relay-note/waits_for"],
    ['"state": "finished"', '"state": "fix_first"', "1:1 error missing-field relay-note/fixes-have-findings"],
    ['"author"', '"auther"', "3:3 error missing-field relay-note/author"],
    ['"relay": 2', '"relay": 3', "2:12 error bad-format relay-note/relay"],
    ['"src/refund.ts"', '"../refund.ts"', "error bad-format relay-note/changes.file"],
    ['"ledger-tester"', "null", "info"],
  ])("%s -> %s", (change, by, expected) => {
    const found = told(relay(change, by));
    if (expected === "info") expect(found).toEqual([]);
    else expect(found.join("\n")).toContain(expected);
  });

  it("is repaired where that is safe", () => {
    const text = relay('"author"', '"Author"').replace('"finished"', '"Finished"');
    const fixed = fixHandoffs(text, { formats, path: "relay-1.json" });
    expect(fixed.reading).toMatchObject({ valid: true, dialect: "relay-note" });
    expect(fixed.text).toBe(relay('"author"', '"author"'));
  });

  it("says which other words there are", () => {
    const text = "## Übergabe\n\nschicht: frueh\nstand: erledigt mit hinweisen\nbericht: Alles da.\n";
    expect(told(text).join()).toContain("erledigt mit Hinweisen");
    expect(fixHandoffs(text, { formats }).reading.valid).toBe(true);
  });
});
