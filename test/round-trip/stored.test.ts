import fc from "fast-check";
import { expect, it } from "vitest";
import { DIALECTS } from "../../src/protocol/dialects/registry.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import { printHandoff } from "../../src/protocol/write-handoff.ts";
import { type JsonRecord, type JsonValue, isRecord } from "../../src/shared/json-value.ts";
import type { Event } from "../../src/workflow/event.ts";
import { codec } from "../../src/workflow/stored/codec.ts";
import { arbitraryDocument } from "./arbitrary-document.ts";

const RUNS = 600;

/** Also what is read with warnings, because a value has another type than its field. */
const VALUES: readonly JsonValue[] = [null, true, 3, "", "word", [], ["word", 3, null], {}, { key: "value" }];

it.each(DIALECT_NAMES)("every handoff that is read from %s can be read back from the log", (dialect) => {
  const change = fc.option(fc.tuple(fc.nat(), fc.constantFrom(...VALUES)), { nil: null, freq: 4 });
  fc.assert(
    fc.property(arbitraryDocument(DIALECTS[dialect]), change, (document, changed) => {
      const value = changed === null ? document : withOneChanged(document, ...changed);
      const text = printHandoff(value, DIALECTS[dialect], { dialect, outcome: "done" });
      for (const { handoff } of readHandoffs(text).handoffs) if (handoff !== null) expectStorable(handoff);
    }),
    { numRuns: RUNS, seed: 20_261_118 },
  );
});

function expectStorable(handoff: Handoff): void {
  const delivery = { handoff, text: "", source: "message", repaired: false, warnings: 0 } as const;
  const event: Event = { kind: "handoff-accepted", task: "t", step: "s1", agent: "a", delivery };
  const stored = JSON.parse(JSON.stringify(codec.encodeEvent(event))) as JsonRecord;
  expect(codec.decodeEvent(stored, "The event")).toEqual(JSON.parse(JSON.stringify(event)));
}

/** The value in one place is another one; the place is counted through the document. */
function withOneChanged(document: JsonRecord, at: number, value: JsonValue): JsonRecord {
  const places = placesIn(document);
  const [holder, key] = places[at % places.length] ?? [document, ""];
  const before = holder[key];
  holder[key] = value;
  const changed = structuredClone(document);
  if (before === undefined) delete holder[key];
  else holder[key] = before;
  return changed;
}

function placesIn(value: JsonValue | undefined): [JsonRecord, string][] {
  if (Array.isArray(value)) return value.flatMap(placesIn);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[value, key] as [JsonRecord, string], ...placesIn(inner)]);
}
