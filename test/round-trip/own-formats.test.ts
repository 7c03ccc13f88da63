import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Dialect } from "../../src/protocol/dialect.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { type Handoff, handoffParts } from "../../src/protocol/handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { type WriteNote, printHandoff, writeHandoff } from "../../src/protocol/write-handoff.ts";
import { type JsonRecord, sameJson } from "../../src/shared/json-value.ts";
import { specDialects } from "../format-files/spec-formats.ts";
import { arbitraryDocument } from "./arbitrary-document.ts";

/** The promises of conversions, on formats that files describe. */
const formats = specDialects().filter(({ name }) => name !== "build-report");
const others = [...Object.values(DIALECTS), ...formats];
const RUNS = Math.ceil(Number(process.env["BATON_ROUND_TRIPS"] ?? 100) / 10);
const seed = Number(process.env["BATON_SEED"] ?? 20_260_309);
const FILLING = { formats, now: "2026-05-05T10:00:00.000Z", issue: "7" };

/** Null when the text breaks a condition between fields, which documents are not made for. */
function readOne(text: string, { name, stands }: Dialect): Handoff | null {
  const path = stands?.files[0]?.replace("*", "1");
  const reading = readHandoffs(text, { formats, ...(path !== undefined && { path }) });
  return reading.valid && reading.dialect === name ? (reading.handoffs.at(-1)?.handoff ?? null) : null;
}

function start(document: JsonRecord, dialect: Dialect): Handoff {
  const handoff = readOne(printHandoff(document, dialect, { dialect: dialect.name, outcome: "done" }), dialect);
  fc.pre(handoff !== null);
  return handoff;
}

function mustRead(text: string, dialect: Dialect): Handoff {
  const handoff = readOne(text, dialect);
  if (handoff === null)
    throw new Error(
      `not read as ${dialect.name}: ${text}\n${JSON.stringify(readHandoffs(text, { formats }).diagnostics.slice(0, 2))}`,
    );
  return handoff;
}

function changedParts(before: Handoff, after: Handoff): string[] {
  const left = handoffParts(after);
  return [...handoffParts(before)].filter(([part, value]) => !sameJson(value, left.get(part))).map(([part]) => part);
}

function told(notes: readonly WriteNote[]): Set<string> {
  return new Set(notes.filter((note) => note.code !== "filled").map((note) => note.part));
}

describe.each(formats)("$name", (source) => {
  const documents = arbitraryDocument(source);

  it("reads back what it writes itself", () => {
    fc.assert(
      fc.property(documents, (document) => {
        const handoff = start(document, source);
        const written = writeHandoff(handoff, source.name, { formats });
        expect(told(written.notes)).toEqual(new Set());
        expect(mustRead(written.text, source)).toEqual(handoff);
      }),
      { numRuns: RUNS * 2, seed },
    );
  });

  it.each(others.filter(({ name }) => name !== source.name))("carries everything to $name", (target) => {
    fc.assert(
      fc.property(documents, (document) => {
        const handoff = start(document, source);
        const { text } = writeHandoff(handoff, target.name, FILLING);
        const middle = readOne(text, target);
        fc.pre(middle !== null);
        expect(changedParts(handoff, middle)).toEqual([]);
      }),
      { numRuns: RUNS, seed },
    );
  });

  it.each(Object.values(DIALECTS))("takes what $name says, and tells every loss", (from) => {
    fc.assert(
      fc.property(arbitraryDocument(from), (document) => {
        const handoff = start(document, from);
        const carried = writeHandoff(handoff, source.name, FILLING);
        const middle = readOne(carried.text, source);
        fc.pre(middle !== null);
        expect(changedParts(handoff, middle)).toEqual([]);
        const bare = writeHandoff(handoff, source.name, { ...FILLING, carry: false });
        const lost = changedParts(handoff, mustRead(bare.text, source)).filter((part) => part !== "status");
        expect(new Set(lost)).toEqual(told(bare.notes));
      }),
      { numRuns: RUNS, seed },
    );
  });
});
