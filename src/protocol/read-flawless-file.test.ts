import { describe, expect, it } from "vitest";
import { DIALECTS, dialectsIn } from "./dialects/registry.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { readFlawlessFile } from "./read-flawless-file.ts";
import { readFully } from "./read-fully.ts";

describe.each(dialectsIn("json"))("a %s file", (name) => {
  const { example, print } = DIALECTS[name];
  const text = print(example);
  const [first = ""] = Object.keys(example);
  const read = (given: string, limits = DEFAULT_LIMITS) => readFlawlessFile(given, {}, limits);

  it("is read the short way, with escapes and keys of its own too", () => {
    for (const more of ['"of_its_own": "Ends\\there", ', '"of_its_own": {"mood": ["good", {"very": true}]}, ']) {
      const given = text.replace("{", `{${more}`);
      expect(read(given)).not.toBeNull();
      expect(read(given)).toEqual(readFully(given, {}, DEFAULT_LIMITS));
    }
  });

  it("is left to the full way when a key is written with escapes or twice", () => {
    const escaped = `\\u00${first.charCodeAt(0).toString(16)}${first.slice(1)}`;
    const written = (beginning: string): string => text.replace(`"${first}"`, beginning);
    expect(read(written(`"${escaped}"`))).toBeNull();
    expect(read(written(`"${first}": "", "${first}"`))).toBeNull();
    expect(read(written(`"x": 1, "x": 1, "${first}"`))).toBeNull();
    expect(read(written(`"x": {"__proto__": 1}, "${first}"`))).toBeNull();
  });

  it("is held to the limits wherever they lie", () => {
    const smaller = [1, 2, 3, 4, 64].map((depth) => ({ ...DEFAULT_LIMITS, depth }));
    const fewer = Array.from({ length: 80 }, (_, nodes) => ({ ...DEFAULT_LIMITS, nodes }));
    for (const limits of [...smaller, ...fewer])
      expect(read(text, limits) !== null, JSON.stringify(limits)).toBe(readFully(text, {}, limits).valid);
  });
});
