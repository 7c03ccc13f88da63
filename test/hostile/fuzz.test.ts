import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { fixHandoffs } from "../../src/protocol/fix-handoff.ts";
import type { BuiltinDialect, Handoff } from "../../src/protocol/handoff.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { ReadOptions, Reading } from "../../src/protocol/reading.ts";
import { writeHandoff } from "../../src/protocol/write-handoff.ts";
import { sameJson } from "../../src/shared/json-value.ts";
import { Chance, mutate, mutateDocument } from "./mutate-text.ts";
import { brokenPromise } from "./sound-reading.ts";
import { validTexts } from "./valid-texts.ts";

/**
 * Accepted texts, changed at random. The number of an input is its seed: `BATON_FUZZ_FROM=4711
 * BATON_FUZZ_RUNS=1` makes that one again. `BATON_FUZZ_RUNS` also sets a longer run.
 */
const RUNS = Number(process.env["BATON_FUZZ_RUNS"] ?? 50_000);
const FROM = Number(process.env["BATON_FUZZ_FROM"] ?? 0);
const PARTS = Math.min(10, RUNS);
const MAX_FAILURES = 5;
const MAX_MILLISECONDS = 5000;
/** The costlier promises are tried on every so manyeth input. */
const WRITE_EVERY = 3;
const FIX_EVERY = 10;

describe(`${RUNS} mutated texts`, () => {
  it.each(Array.from({ length: PARTS }, (_, part) => part))(
    "keep every promise, part %i",
    { timeout: 600_000 },
    (part) => {
      const failures: string[] = [];
      for (let run = part; run < RUNS && failures.length < MAX_FAILURES; run += PARTS) {
        const failure = tryInput(FROM + run);
        if (failure !== null) failures.push(failure);
      }
      expect(failures).toEqual([]);
    },
  );
});

function tryInput(seed: number): string | null {
  const chance = new Chance(seed);
  const base = chance.pick(validTexts);
  const text =
    chance.below(4) === 0
      ? otherDocument(base.dialect, chance)
      : mutate(base.text, chance.pick(validTexts).text, chance);
  const options = { ...(base.path !== undefined && { path: base.path }), ...chance.pick(OTHER_OPTIONS) };
  const broken = brokenBy(text, options, seed);
  return broken === null ? null : `input ${seed} (${base.name}): ${broken}\n${JSON.stringify(text).slice(0, 3000)}`;
}

/** Nearly always none. */
const OTHER_OPTIONS: readonly ReadOptions[] = [
  ...Array.from({ length: 40 }, () => ({})),
  ...DIALECT_NAMES.map((dialect) => ({ dialect })),
  { strict: true },
  { path: "handoff-BackendBuilder.json" },
  { path: "notes.md" },
  { path: "a.yaml" },
  { path: "a.xml" },
  { limits: { depth: 2 } },
  { limits: { nodes: 12 } },
  { limits: { bytes: 900 } },
];

/** A text of the dialect whose syntax is right and whose content is changed. */
function otherDocument(name: BuiltinDialect, chance: Chance): string {
  const dialect = DIALECTS[name];
  const block = dialect.print(mutateDocument(dialect.example, chance));
  return dialect.wrap?.(block, { dialect: name, outcome: "done" }) ?? block;
}

function brokenBy(text: string, options: ReadOptions, seed: number): string | null {
  try {
    const started = performance.now();
    const reading = readHandoffs(text, options);
    if (performance.now() - started > MAX_MILLISECONDS) return "too slow";
    return (
      brokenPromise(text, reading) ??
      wavers(text, options, reading) ??
      (seed % FIX_EVERY === 0 ? brokenFix(text, options) : null) ??
      (seed % WRITE_EVERY === 0 && reading.valid ? brokenWriting(reading) : null)
    );
  } catch (error) {
    return `throws ${error instanceof Error ? error.stack : String(error)}`;
  }
}

/** The same text is read the same way again. */
function wavers(text: string, options: ReadOptions, reading: Reading): string | null {
  const again = readHandoffs(text, options);
  return sameJson(reading, again) ? null : `is read in two ways:\n${JSON.stringify(reading)}\n${JSON.stringify(again)}`;
}

function brokenFix(text: string, options: ReadOptions): string | null {
  const fixed = fixHandoffs(text, options);
  if (readHandoffs(text, options).valid && !fixed.reading.valid) return "a fix that breaks";
  if (fixed.applied.length === 0 && fixed.text !== text) return "a change without a fix";
  const broken = brokenPromise(fixed.text, fixed.reading);
  return broken === null ? null : `after its fixes: ${broken}`;
}

const FILLED = { now: "2026-03-09T14:05:00.000Z", from: "first-agent", to: "second-agent", issue: "7" };

function brokenWriting(reading: Reading): string | null {
  const handoffs = reading.handoffs.map((read) => read.handoff).filter((handoff) => handoff !== null);
  for (const handoff of handoffs.slice(0, 2)) {
    const broken = brokenConversion(handoff);
    if (broken !== null) return broken;
  }
  return null;
}

/** Accepted handoffs can be written in every dialect; what is written is accepted, or the notes say why not. */
function brokenConversion(handoff: Handoff): string | null {
  for (const target of DIALECT_NAMES) {
    const written = writeHandoff(handoff, target, FILLED);
    const reading = readHandoffs(written.text);
    const broken = brokenPromise(written.text, reading);
    if (broken !== null) return `written as ${target}: ${broken}`;
    if (reading.dialect !== target) return `written as ${target}, it is read as ${reading.dialect}:\n${written.text}`;
    if (!reading.valid) {
      const errors = reading.diagnostics.filter((diagnostic) => diagnostic.severity === "error");
      return `written as ${target}, it is refused: ${JSON.stringify(errors.slice(0, 3))}\n${JSON.stringify(handoff)}`;
    }
  }
  return null;
}
