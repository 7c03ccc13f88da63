import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { checkShape } from "../../src/protocol/check-shape.ts";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import { renderSample } from "../../src/protocol/dialects/render-sample.ts";
import { DocumentCheck } from "../../src/protocol/document-check.ts";
import { handoffShape } from "../../src/protocol/handoff.ts";
import { DEFAULT_LIMITS } from "../../src/protocol/limits.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { Shape } from "../../src/protocol/shape.ts";
import { type JsonValue, isRecord } from "../../src/shared/json-value.ts";

const runs = Math.max(2000, Number(process.env["BATON_FUZZ_RUNS"] ?? 0));
vi.setConfig({ testTimeout: 60_000 + runs * 10 });

/** Values of every type, among them those that a wrong type must not smuggle in. */
const anyValue: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, false, "", " ", 0, -1, 2.5, 1e300, [], {}, [null], [[]], ["a"], [1], [{}]),
  fc.constantFrom<JsonValue>({ constructor: 1 }, { a: { prototype: {} } }, [{ constructor: "x" }], deep(70)),
  fc.constantFrom<JsonValue>(
    "a | b",
    "[name]",
    "{name}",
    "@x",
    "None",
    "COMPLETE",
    "complete",
    "blocked",
    "/etc",
    "1-2",
  ),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>,
);

describe.each(Object.values(DIALECTS))("what is accepted of $name", (dialect) => {
  const paths = pathsOf(dialect.example);
  const changes = fc.dictionary(fc.constantFrom(...paths), fc.option(anyValue, { nil: undefined }), {
    minKeys: 1,
    maxKeys: 3,
    noNullPrototype: true,
  });

  it("is a canonical handoff, whatever was only warned of", () => {
    fc.assert(
      fc.property(changes, (set) => {
        const reading = readHandoffs(renderSample(dialect, { set }).text);
        expect(reading.valid).toBe(
          reading.handoffs.length > 0 && reading.diagnostics.every((diagnostic) => diagnostic.severity !== "error"),
        );
        for (const { handoff } of reading.handoffs) {
          expect(handoff !== null).toBe(reading.valid);
          if (handoff === null) continue;
          const { dialect: _dialect, ...content } = handoff;
          const check = new DocumentCheck(DEFAULT_LIMITS);
          checkShape(content, handoffShape, check, "canonical");
          expect(check.findings.map((finding) => finding.message)).toEqual([]);
          expect(otherWords(content as unknown as JsonValue, handoffShape)).toEqual([]);
        }
      }),
      { seed: 20261101, numRuns: runs },
    );
  });
});

/** Words that are not among those which the type of a handoff promises. */
function otherWords(value: JsonValue | undefined, shape: Shape): string[] {
  if (shape.kind === "text") return typeof value !== "string" || (shape.words?.includes(value) ?? true) ? [] : [value];
  if (shape.kind === "list") return Array.isArray(value) ? value.flatMap((item) => otherWords(item, shape.item)) : [];
  if (shape.kind !== "record" || !isRecord(value)) return [];
  return Object.entries(shape.fields).flatMap(([key, field]) => otherWords(value[key], field.shape));
}

/** Every place of an example in the dotted form that samples use, and in each record two that are not there. */
function pathsOf(value: JsonValue, prefix = ""): string[] {
  const strange = ["toString", "mood"].map((name) => [name, null] as const);
  const entries = Array.isArray(value)
    ? [...value.entries()]
    : isRecord(value)
      ? [...Object.entries(value), ...strange]
      : [];
  return entries.flatMap(([key, inner]) => {
    const path = prefix === "" ? String(key) : `${prefix}.${key}`;
    return inner === undefined ? [] : [path, ...pathsOf(inner, path)];
  });
}

function deep(levels: number): JsonValue {
  let value: JsonValue = "bottom";
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}
