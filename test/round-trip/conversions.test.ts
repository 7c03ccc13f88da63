import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { type BuiltinDialect, type Handoff, type Outcome, handoffParts } from "../../src/protocol/handoff.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { OUTCOMES } from "../../src/protocol/handoff-words.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { type WriteNote, printHandoff, writeHandoff } from "../../src/protocol/write-handoff.ts";
import { type JsonRecord, sameJson } from "../../src/shared/json-value.ts";
import { arbitraryDocument } from "./arbitrary-document.ts";

/** 5,000 handoffs, as many of each dialect, each written in its own dialect and through the four others. */
const RUNS = Math.ceil(Number(process.env["BATON_ROUND_TRIPS"] ?? 5000) / DIALECT_NAMES.length);
const FILLING = { now: "2026-03-09T14:05:00Z", issue: "71" };

function readOne(text: string, dialect: BuiltinDialect): Handoff {
  const reading = readHandoffs(text);
  const errors = reading.diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  expect(
    errors.map(({ rule, code, message }) => `${rule ?? code}: ${message}`),
    text,
  ).toEqual([]);
  expect(reading.handoffs.map((read) => read.dialect)).toEqual([dialect]);
  const handoff = reading.handoffs[0]?.handoff;
  if (!handoff) throw new Error(`nothing was read from ${text}`);
  return handoff;
}

function handoffOf(document: JsonRecord, dialect: BuiltinDialect): Handoff {
  return readOne(printHandoff(document, DIALECTS[dialect], { dialect, outcome: "done" }), dialect);
}

function changedParts(before: Handoff, after: Handoff): string[] {
  const left = handoffParts(after);
  return [...handoffParts(before)].filter(([part, value]) => !sameJson(value, left.get(part))).map(([part]) => part);
}

function told(notes: readonly WriteNote[]): Set<string> {
  return new Set(notes.filter((note) => note.code !== "filled").map((note) => note.part));
}

const seed = Number(process.env["BATON_SEED"] ?? 20_260_309);

describe.each(DIALECT_NAMES)("%s", (source) => {
  const documents = arbitraryDocument(DIALECTS[source]);

  it("reads back what it writes in its own dialect", () => {
    fc.assert(
      fc.property(documents, (document) => {
        const handoff = handoffOf(document, source);
        const written = writeHandoff(handoff, source);
        expect(told(written.notes)).toEqual(new Set());
        expect(readOne(written.text, source)).toEqual(handoff);
      }),
      { numRuns: RUNS, seed },
    );
  });

  it.each(DIALECT_NAMES.filter((name) => name !== source))(
    "loses on the way to %s and back only what was told",
    (target) => {
      fc.assert(
        fc.property(documents, (document) => {
          const handoff = handoffOf(document, source);
          const there = writeHandoff(handoff, target, FILLING);
          const middle = readOne(there.text, target);
          const allowed = told(there.notes).add("status");
          expect(changedParts(handoff, middle).filter((part) => !allowed.has(part))).toEqual([]);
          const back = writeHandoff(middle, source, FILLING);
          for (const part of told(back.notes)) allowed.add(part);
          const end = readOne(back.text, source);
          expect(changedParts(handoff, end).filter((part) => !allowed.has(part))).toEqual([]);
        }),
        { numRuns: RUNS, seed },
      );
    },
  );

  it.each(DIALECT_NAMES.filter((name) => name !== source))(
    "carries everything but the steering parts to %s",
    (target) => {
      fc.assert(
        fc.property(documents, (document) => {
          const handoff = handoffOf(document, source);
          const middle = readOne(writeHandoff(handoff, target, FILLING).text, target);
          expect(changedParts(handoff, middle)).toEqual([]);
        }),
        { numRuns: Math.ceil(RUNS / 5), seed },
      );
    },
  );

  it.each(DIALECT_NAMES.filter((name) => name !== source))(
    "tells every loss on the way to %s when nothing is carried",
    (target) => {
      fc.assert(
        fc.property(documents, (document) => {
          const handoff = handoffOf(document, source);
          const written = writeHandoff(handoff, target, { ...FILLING, carry: false });
          const lost = changedParts(handoff, readOne(written.text, target)).filter((part) => part !== "status");
          expect(new Set(lost)).toEqual(told(written.notes));
        }),
        { numRuns: Math.ceil(RUNS / 5), seed },
      );
    },
  );
});

describe.each(DIALECT_NAMES)("an outcome that is no success, written as %s", (target) => {
  const PASSES: readonly Outcome[] = ["done", "done-with-warnings", "needs-review", "skipped"];
  const FAILS = OUTCOMES.filter((outcome) => !PASSES.includes(outcome));

  it.each(DIALECT_NAMES)("is none when it is read again, from %s", (source) => {
    const { status: _word, ...example } = handoffOf(DIALECTS[source].example, source);
    for (const outcome of FAILS) {
      const { text } = writeHandoff({ ...example, outcome }, target, FILLING);
      const read = readHandoffs(text).handoffs.flatMap(({ handoff }) => handoff?.outcome ?? []);
      expect(
        read.filter((one) => PASSES.includes(one)),
        `${outcome} in ${text}`,
      ).toEqual([]);
    }
  });
});
