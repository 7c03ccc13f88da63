import { describe, expect, it } from "vitest";
import { readHandoffs } from "../../src/protocol/read-handoff.ts";
import type { Reading } from "../../src/protocol/reading.ts";
import { hostileTexts } from "./hostile-texts.ts";
import { repeatedTexts } from "./repeated-texts.ts";
import { validTexts } from "./valid-texts.ts";
import { expectSound } from "./sound-reading.ts";

/** Far above what any of them takes: only a hang reaches it. `measure.ts` prints the real figures. */
const MAX_MILLISECONDS = 5000;

function readInTime(text: string, path?: string): Reading {
  const started = performance.now();
  const reading = readHandoffs(text, path === undefined ? {} : { path });
  expect(performance.now() - started).toBeLessThan(MAX_MILLISECONDS);
  return reading;
}

describe("a hostile text is refused, and says why", () => {
  it.each(hostileTexts)("$name: $code", ({ make, path, code }) => {
    const text = make();
    const reading = readInTime(text, path);
    const errors = reading.diagnostics.filter((diagnostic) => diagnostic.severity === "error");
    expect(reading.valid).toBe(false);
    expect(errors.map((diagnostic) => diagnostic.code)).toContain(code);
    expect(reading.handoffs.filter((read) => read.handoff !== null && errors.length === 0)).toEqual([]);
    expectSound(text, reading);
  });
});

describe("a text that is one piece over and over", () => {
  const texts = repeatedTexts(60_000);
  const frames = new Set(texts.map(({ frame }) => frame));

  it.each([...frames])("is refused, or is a summary without a block: %s", (wanted) => {
    for (const { path, make, name } of texts.filter(({ frame }) => frame === wanted)) {
      const text = make();
      const reading = readInTime(text, path);
      expectSound(text, reading);
      const codes = reading.diagnostics.map((diagnostic) => diagnostic.code);
      expect(!reading.valid || codes.includes("legacy-summary"), name).toBe(true);
    }
  });
});

describe("a text that was cut off", () => {
  it.each(validTexts.filter(({ complete }) => complete !== undefined))(
    "is never accepted: $name",
    ({ text, path, dialect, complete = 0 }) => {
      expect(readHandoffs(text, path === undefined ? {} : { path })).toMatchObject({ valid: true, dialect });
      const step = Math.max(1, Math.floor(complete / 150));
      for (let cut = 0; cut < complete; cut += cut > complete - 40 ? 1 : step) {
        const part = text.slice(0, cut);
        const reading = readInTime(part, path);
        expect(reading.valid, JSON.stringify(part.slice(-60))).toBe(false);
        expectSound(part, reading);
      }
    },
  );

  it.each(validTexts.filter(({ complete }) => complete !== undefined))(
    "says so: $name",
    ({ text, path, complete = 0 }) => {
      const cut = text.slice(0, complete - 30);
      const { diagnostics } = readInTime(cut, path);
      expect(diagnostics.map((diagnostic) => diagnostic.code)).toContain("truncated");
    },
  );
});

describe("what only looks hostile is accepted", () => {
  it("an anchor nobody refers to", () => {
    const text = '```yaml\nhandoff:\n  phase: Testing\n  from: &a "@a"\n  to: None\n  status: complete\n```\n';
    expect(readHandoffs(text)).toMatchObject({ valid: true, diagnostics: [] });
  });

  it("identifiers that look like numbers stay text", () => {
    const text =
      "```yaml\nhandoff:\n  phase: Testing\n  from: '@a'\n  to: None\n  status: complete\n  dependencies: [007, 15.10, 1e3, 12345678901234567890]\n```\n";
    expect(readHandoffs(text).handoffs[0]?.handoff?.depends_on).toEqual([
      "007",
      "15.10",
      "1e3",
      "12345678901234567890",
    ]);
  });

  it("keys that every object inherits are keys like any other", () => {
    const [json] = validTexts.filter(({ dialect }) => dialect === "pipeline-json");
    const text = (json?.text ?? "").replace("{", '{ "toString": 1, "hasOwnProperty": { "valueOf": [] },');
    const reading = readHandoffs(text);
    expect(reading.valid).toBe(true);
    expect(reading.handoffs[0]?.handoff?.extensions).toEqual({
      "pipeline-json": { toString: 1, hasOwnProperty: { valueOf: [] } },
    });
  });

  it("characters that were lost in decoding are told of, where the handoff stands", () => {
    const [json] = validTexts.filter(({ dialect }) => dialect === "pipeline-json");
    const text = (json?.text ?? "").replace('"purpose": "', '"purpose": "Caf\uFFFD ');
    const [told] = readHandoffs(text, { path: "handoff-BackendBuilder.json" }).diagnostics;
    expect(told).toMatchObject({ code: "wrong-encoding", severity: "warning" });
    expect(text.slice(told?.range.start.offset, told?.range.end.offset)).toBe("\uFFFD");
  });
});

describe("parts that a handoff carries for another format", () => {
  it("cannot change what the handoff is", () => {
    const carried = JSON.stringify({ __proto__: null, from: "a-agent" }).replace(
      '"from"',
      '"__proto__":{"final":true},"toString":"x","constructor":1,"from"',
    );
    const [xml] = validTexts.filter(({ dialect }) => dialect === "issue-xml");
    const text = (xml?.text ?? "").replace("</data>", `<carried>${carried.replaceAll("&", "&amp;")}</carried></data>`);
    const handoff = readHandoffs(text).handoffs[0]?.handoff;
    expect(handoff).not.toBeNull();
    expect(Object.getPrototypeOf(handoff)).toBe(Object.prototype);
    expect(handoff?.final).toBeUndefined();
    expect(Object.hasOwn(handoff ?? {}, "toString")).toBe(false);
  });
});
