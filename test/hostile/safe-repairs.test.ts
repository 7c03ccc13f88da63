import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import type { Diagnostic, TextEdit } from "../../src/protocol/diagnostic.ts";
import { repairFile } from "../../src/protocol/fix-handoff.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { jsonSchemaOf } from "../../src/protocol/json-schema.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { ReadOptions } from "../../src/protocol/reading.ts";
import { sameJson } from "../../src/shared/json-value.ts";
import { Chance, mutate, mutateDocument } from "./mutate-text.ts";
import { validTexts } from "./valid-texts.ts";

/**
 * What `baton fix --write` changes in any text lies inside recognised handoffs and is what it announced; the result is
 * valid, or the file is left alone unless `--partial` is given. The number of an input is its seed:
 * `BATON_REPAIRS_FROM=4711 BATON_REPAIRS=1` makes that one again, `BATON_REPAIRS` sets a longer run.
 */
const RUNS = Number(process.env["BATON_REPAIRS"] ?? 5000);
const FROM = Number(process.env["BATON_REPAIRS_FROM"] ?? 0);
const PARTS = Math.min(10, RUNS);
const MAX_FAILURES = 5;

describe(`repairs of ${RUNS} texts`, () => {
  let repaired = 0;
  it.each(Array.from({ length: PARTS }, (_, part) => part))("are safe, part %i", { timeout: 600_000 }, (part) => {
    const failures: string[] = [];
    for (let run = part; run < RUNS && failures.length < MAX_FAILURES; run += PARTS) {
      const input = makeInput(FROM + run);
      const broken = brokenBy(input);
      if (broken !== null)
        failures.push(`input ${FROM + run}: ${broken}\n${JSON.stringify(input.text).slice(0, 3000)}`);
      else if (repairFile(input.text, input.options, { partial: false }).text !== input.text) repaired++;
    }
    expect(failures).toEqual([]);
  });

  it("are made in many of them", () => {
    if (RUNS >= 1000) expect(repaired).toBeGreaterThan(RUNS / 50);
  });
});

const SCHEMAS = DIALECT_NAMES.map((name) => JSON.stringify(jsonSchemaOf(name), null, 2));

interface Input {
  readonly text: string;
  readonly options: ReadOptions;
  /** Lines that no repair may touch: prose, fences, front matter. */
  readonly kept: readonly string[];
  /** A prompt, a schema or an unfilled template: nothing in it is changed. */
  readonly fixed: boolean;
}

function makeInput(seed: number): Input {
  const chance = new Chance(seed);
  const kind = chance.below(10);
  if (kind === 0) return lone(slip(chance.pick(SCHEMAS), chance), chance, true);
  if (kind <= 2) return lone(slip(chance.pick(validTexts).text, chance), chance, false);
  if (kind === 3)
    return lone(mutate(chance.pick(validTexts).text, chance.pick(validTexts).text, chance), chance, false);
  return document(chance, kind === 4);
}

/** A text of one piece, in a file with any name. */
function lone(text: string, chance: Chance, fixed: boolean): Input {
  return { text, options: chance.pick(OPTIONS), kept: [], fixed };
}

const OPTIONS: readonly ReadOptions[] = [
  {},
  {},
  {},
  { path: "report.md" },
  { path: "a.yaml" },
  { path: "a.json" },
  { path: "a.xml" },
  { path: "handoff-BackendBuilder.json" },
  ...DIALECT_NAMES.map((dialect) => ({ dialect })),
];

/** Prose, fences and handoffs one after the other; each line of prose is another one, so that it can be found again. */
function document(chance: Chance, isPromptText: boolean): Input {
  const head = "---\nname: writer\ndescription: Writes Testing reports\nstatus: Complete\n---\n";
  const kept: string[] = [];
  const pieces = [isPromptText ? head : ""];
  for (let count = 2 + chance.below(4); count > 0; count--) {
    const prose = chance.pick(PROSE).replaceAll("#N", String(pieces.length));
    kept.push(...prose.split("\n").filter((line) => line.trim() !== "" && !/^(?:#|handoff:|outcome:)/.test(line)));
    pieces.push(`${prose}\n${chance.pick(["", "\n", "---\n"])}`, chance.below(2) === 0 ? "" : handoffPiece(chance));
  }
  return { text: pieces.join(""), options: chance.pick(OPTIONS), kept, fixed: isPromptText };
}

const PROSE: readonly string[] = [
  "Piece #N: @tester ran R&D checks, status: Complete, and `baton` said so.",
  "`redeem #N` was mended by @fixer & Co: all is well.",
  "@reviewer #N looks at it next; Status: Testing",
  "- @agent #N: Complete\n- `code` #N: FAILED,\n",
  "# Task #N: Names\n\n## Handoff\n",
  "## Handoff\n\nWe stopped at @step #N & go on tomorrow: Outcome: Completed",
  "## Handoff\n\noutcome: Completed\n`words` #N that are no field",
  "<handoff> is written by agent #N & others, as <from> says",
  "```text\nStatus #N: Complete, @x\n```",
  "handoff:\n\nsaid agent #N: @all & more",
  "// piece #N, with a comma,\n",
  "> quoted #N by @someone & others",
];

function handoffPiece(chance: Chance): string {
  const dialect = DIALECTS[chance.pick(DIALECT_NAMES)];
  const whole = chance.below(3) === 0 ? mutateDocument(dialect.example, chance) : dialect.example;
  const block = slip(dialect.print(whole), chance);
  if (chance.below(6) === 0) return block;
  const wrapped = dialect.wrap?.(block, { dialect: dialect.name, outcome: "done" }) ?? `\`\`\`json\n${block}\n\`\`\`\n`;
  return chance.below(10) === 0 ? wrapped.slice(0, chance.below(wrapped.length)) : wrapped;
}

/** The slips that repairs are for, and one that they are not for. */
function slip(text: string, chance: Chance): string {
  let slipped = text;
  for (let count = 1 + chance.below(3); count > 0; count--) slipped = chance.pick(SLIPS)(slipped);
  return slipped;
}

const SLIPS: readonly ((text: string) => string)[] = [
  (text) => text.replace(/"(@[\w-]+)"/, "$1"),
  (text) => text.replace(/(complete|completed|PASS|Testing|high|medium|success)/, (word) => swapCase(word)),
  (text) => text.replace(/"\n(\s*)([}\]])/, '",\n$1$2'),
  (text) => text.replace(/\{\n/, "{\n  // a remark\n"),
  (text) => text.replace(/(<\w+>)(\w)/, "$1A & $2"),
  (text) => text.replace(/"(\w{5,})":/, (_, key: string) => `"${key.replaceAll("_", "-")}":`),
  (text) => text.replace(/^(\s*)(\w{5,}):/m, (_, gap: string, key: string) => `${gap}${key.toUpperCase()}:`),
  (text) => text.replace(/"[\w ]{4,}"/, '"[fill in]"'),
  (text) => text.replace(/\n *"?(?:severity|iteration|loop_required)"?:[^\n]*/, ""),
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => text.replace(/\b(complete|completed|PASS|success)\b/, "SUCCEEDED"),
  (text) => text.replace(/"priority": "(\w+)"/, (_, word: string) => `"test_priority": "${word.toUpperCase()}"`),
  (text) => text.replace(/("context": \{)/, '$1 "new_issues": [],').replace(/,\s*"new_issues": \["[^\]]*\]/, ""),
  (text) => text.replace(/"context": \{([^{}]*)\},\s*("test_requirements": \{[^{}]*\})/, '"context": {$2,$1}'),
];

function swapCase(word: string): string {
  return word === word.toLowerCase() ? word.toUpperCase() : word.toLowerCase();
}

function brokenBy({ text, options, kept, fixed }: Input): string | null {
  for (const partial of [false, true]) {
    const repaired = repairFile(text, options, { partial });
    const after = repaired.text;
    if (after === text) continue;
    if (fixed) return "a prompt, a schema or a template was changed";
    const reading = readHandoffs(after, options);
    if (!partial && !reading.valid) return "a text was written that is not valid";
    if (reading.dialect === null || reading.dialect !== readHandoffs(text, options).dialect)
      return `read as ${reading.dialect} afterwards`;
    const lost = kept.find((line) => !after.includes(line));
    if (lost !== undefined) return `a line that is no part of a handoff was changed: ${lost}\nafter:\n${after}`;
    const broken = brokenReplay(text, after, repaired.fixed.rounds, options);
    if (broken !== null) return broken;
  }
  return null;
}

/** The announced fixes, made one round after the other on the text: each in a handoff, and together the whole change. */
function brokenReplay(
  text: string,
  after: string,
  rounds: readonly (readonly Diagnostic[])[],
  options: ReadOptions,
): string | null {
  let current = text;
  for (const round of rounds) {
    const { handoffs, diagnostics } = readHandoffs(current, options);
    for (const announced of round) {
      if (!diagnostics.some((told) => sameJson(told, announced))) return `not announced: ${announced.message}`;
      for (const { range } of announced.fix?.edits ?? []) {
        const { offset: start } = range.start;
        const { offset: end } = range.end;
        if (!handoffs.some((block) => block.start <= start && end <= block.end)) return "a change outside of handoffs";
        if (isFenceLine(current, start) || isFenceLine(current, end)) return "a change on a line that is a fence";
      }
    }
    current = replay(
      current,
      round.flatMap(({ fix }) => fix?.edits ?? []),
    );
  }
  return current === after ? null : "a change that was not announced";
}

function isFenceLine(text: string, at: number): boolean {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  return /^\s*(?:```|~~~)/.test(text.slice(start, start + 200).split("\n", 1)[0] ?? "");
}

function replay(text: string, edits: readonly TextEdit[]): string {
  let current = text;
  for (const { range, text: written } of edits.toSorted(
    (left, right) => right.range.start.offset - left.range.start.offset,
  ))
    current = current.slice(0, range.start.offset) + written + current.slice(range.end.offset);
  return current;
}
