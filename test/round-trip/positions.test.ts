import fc from "fast-check";
import { load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { listClaims } from "../../src/evidence/list-claims.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import type { DialectName, Handoff } from "../../src/protocol/handoff.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { locateHandoff, originsOf } from "../../src/protocol/locate-handoff.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { printHandoff, writeHandoff } from "../../src/protocol/write-handoff.ts";
import { type JsonPath, type JsonValue, isRecord, shown } from "../../src/shared/json-value.ts";
import { arbitraryDocument } from "./arbitrary-document.ts";
import { leavesOf } from "./leaves.ts";

const RUNS = 150;
const seed = Number(process.env["BATON_SEED"] ?? 20_260_309);

/** What `lift` makes of other values, or adds: `*` is an item of a list. Nulls and booleans may be made, too. */
const DERIVED: ReadonlySet<string> = new Set([
  "dialect",
  "outcome",
  "task.id",
  "task.name",
  "iteration",
  "knowledge.gotchas.*.severity",
]);

function isDerived(path: JsonPath, value: JsonValue): boolean {
  const name = path.map((step) => (typeof step === "number" ? "*" : step)).join(".");
  return value === null || typeof value === "boolean" || DERIVED.has(name);
}

function valueAt(document: JsonValue, path: JsonPath): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const step of path) value = (value as Record<string | number, JsonValue> | undefined)?.[step];
  return value;
}

/** `@reviewer` is lifted as `reviewer`, `93` as a number; an element that is kept as XML is lifted as its text. */
function isLiftedFrom(value: JsonValue, there: JsonValue | undefined): boolean {
  if (isRecord(there)) return typeof there["#xml"] === "string";
  return value === there || shown(value) === shown(there) || `@${shown(value)}` === there;
}

function indices(path: JsonPath): JsonPath {
  return path.filter((step) => typeof step === "number");
}

/** A value as its syntax writes it, in plain text; spaces and line ends are free to differ. */
const DECODED: Readonly<Record<string, (written: string) => readonly unknown[]>> = {
  json: (written) => [JSON.parse(written)],
  yaml: (written) => [written, parsedYaml(written)],
  xml: (written) => [written.replaceAll(/&(#?\w+);/g, (whole, name: string) => ENTITIES.get(name) ?? whole)],
};
const ENTITIES = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["#9", "\t"],
  ["#10", "\n"],
  ["#13", "\r"],
]);

function parsedYaml(written: string): unknown {
  try {
    return load(written);
  } catch {
    return null;
  }
}

/** A value that is empty, or is XML itself, is shown by its key; attributes of plain elements by their record. */
function isShownByKey(path: JsonPath, value: JsonValue): boolean {
  return value === "" || path.at(-1) === "#xml" || shown(path.at(-1)).includes("@");
}

function unspaced(value: unknown): string {
  return shown(value).replaceAll(/\s/g, "").replace(/^@/, "");
}

function readOne(text: string, dialect: DialectName) {
  const [read] = readHandoffs(text, { dialect }).handoffs;
  if (!read?.handoff) throw new Error(`nothing was read from ${text}`);
  return { read, handoff: read.handoff };
}

function leaves(handoff: Handoff): [JsonPath, JsonValue][] {
  return [...leavesOf(handoff)];
}

describe.each(DIALECT_NAMES)("every value that is lifted from %s", (name) => {
  const dialect = DIALECTS[name];
  const documents = arbitraryDocument(dialect);

  it("has its origin in the document", () => {
    fc.assert(
      fc.property(documents, (document) => {
        const findOrigin = originsOf(document, dialect);
        for (const [path, value] of leaves(dialect.lift(document, {}))) {
          const origin = findOrigin(path);
          const there = valueAt(document, origin);
          const about = `${path.join(".")} from ${origin.join(".")} in ${JSON.stringify(document)}`;
          expect(there, about).toBeDefined();
          if (isDerived(path, value)) continue;
          expect(isLiftedFrom(value, there), `${shown(value)} is ${shown(there)}: ${about}`).toBe(true);
          expect(indices(origin), about).toEqual(indices(path));
        }
      }),
      { numRuns: RUNS, seed },
    );
  });

  it("is what claims are made at", () => {
    fc.assert(
      fc.property(documents, (document) => {
        const handoff = dialect.lift(document, {});
        for (const { kind, path } of listClaims(handoff))
          expect(valueAt(handoff, path), `${kind} at ${path.join(".")} in ${JSON.stringify(document)}`).toBeDefined();
      }),
      { numRuns: RUNS, seed },
    );
  });

  it("is located where the text has it", () => {
    fc.assert(
      fc.property(documents, (document) => {
        const before = dialect.wrap === undefined ? "\n\n" : "Prose.\n\n";
        const text = before + printHandoff(document, dialect, { dialect: name, outcome: "done" });
        const { read, handoff } = readOne(text, name);
        const locate = locateHandoff(text, read, { dialect: name });
        for (const [path, value] of leaves(handoff)) {
          if (isDerived(path, value) || isShownByKey(path, value)) continue;
          const { start, end } = locate(path);
          const decoded = DECODED[dialect.syntax]?.(text.slice(start, end)) ?? [];
          expect(decoded.map(unspaced), `${path.join(".")} in ${text}`).toContain(unspaced(value));
        }
      }),
      { numRuns: RUNS, seed },
    );
  });

  it.each(DIALECT_NAMES.filter((other) => other !== name))("is located in %s, where it may be carried", (target) => {
    fc.assert(
      fc.property(documents, (document) => {
        const first = readOne(printHandoff(document, dialect, { dialect: name, outcome: "done" }), name).handoff;
        const { text } = writeHandoff(first, target, { now: "2026-03-09T14:05:00Z", issue: "71" });
        const { read, handoff } = readOne(text, target);
        const locate = locateHandoff(text, read, { dialect: target });
        for (const [path, value] of leaves(handoff)) {
          const { start, end } = locate(path);
          expect(start).toBeGreaterThanOrEqual(read.start);
          expect(end).toBeLessThanOrEqual(read.end);
          // The word of the source follows from its dialect and the outcome.
          if (isDerived(path, value) || isShownByKey(path, value) || path[0] === "status") continue;
          const written = text.slice(start, end);
          const decoded = DECODED[DIALECTS[target].syntax]?.(written) ?? [];
          const carried = target === "issue-xml" ? [...leavesOf(parsedJson(decoded[0]))].map(([, leaf]) => leaf) : [];
          // A carried value can be a piece of what the target's own field says.
          const there = [...decoded, ...carried].map(unspaced);
          const isThere = there.some((one) => one.includes(unspaced(value)));
          expect(isThere, `${path.join(".")} ${there.join(" | ")} in ${text}`).toBe(true);
        }
      }),
      { numRuns: 30, seed },
    );
  });
});

function parsedJson(text: unknown): JsonValue | undefined {
  try {
    return JSON.parse(String(text)) as JsonValue;
  } catch {
    return undefined;
  }
}
