import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countJsonKeys, countKeyStrings } from "./json.ts";

const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom(":", ": x", " : ", '":"', '\\":', "a:", "[:", ",:", '{"a":1}', "\\", "", '"', " ", "http://x:8080"),
);
const value = fc.jsonValue({ maxDepth: 3, stringUnit: "binary" });
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    text,
    value,
    fc.array(tie("json"), { maxLength: 4 }),
    fc.dictionary(text, tie("json"), { maxKeys: 4 }),
  ),
}));

describe("the keys of a JSON text", () => {
  it("are counted from colon to colon as they are from string to string", () => {
    fc.assert(
      fc.property(json, fc.constantFrom("", "  ", "\t"), (document, indent) => {
        const written = JSON.stringify(document, null, indent) as string | undefined;
        if (written === undefined) return;
        expect(countJsonKeys(written)).toBe(countKeyStrings(written));
        const spaced = written.replaceAll(/"(?=:)/g, '" \n');
        if (isJson(spaced)) expect(countJsonKeys(spaced)).toBe(countKeyStrings(spaced));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ["{}", 0],
    ['{"a":1}', 1],
    ['{"a" : {"a":":"}}', 2],
    ['[":"]', 0],
    ['[" :"]', 0],
    ['{"":"",":":":"}', 2],
    ['{"a\\"":"\\":","b,":1}', 2],
    ['{"a\\\\":1}', 1],
    ['"a:b"', 0],
    ['{"a":1,"a":2}', 2],
  ])("of %s are counted", (written, keys) => {
    expect(countJsonKeys(written)).toBe(keys);
    expect(countKeyStrings(written)).toBe(keys);
  });
});

function isJson(written: string): boolean {
  try {
    JSON.parse(written);
    return true;
  } catch {
    return false;
  }
}
