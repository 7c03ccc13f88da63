import { describe, expect, it } from "vitest";
import { DIALECT_NAMES } from "../handoff-words.ts";
import { isMeantFor } from "../recognise.ts";
import { DIALECTS, dialectsIn, ROOT_KEYS } from "./registry.ts";

describe.each(DIALECT_NAMES)("the dialect %s", (name) => {
  it("is found under its own name, which ends with its syntax", () => {
    expect(DIALECTS[name].name).toBe(name);
    expect(dialectsIn(DIALECTS[name].syntax)).toContain(name);
  });

  it("has root keys of its own", () => {
    const { example, shape, syntax } = DIALECTS[name];
    const others = dialectsIn(syntax).filter((other) => other !== name);
    if (others.length > 0) expect(ROOT_KEYS[name].some((key) => example[key] !== undefined)).toBe(true);
    for (const key of ROOT_KEYS[name]) {
      expect(Object.hasOwn(shape.fields, key)).toBe(true);
      expect(isMeantFor(name, syntax === "json" ? `{"${key}": 1}` : `${key}: 1`)).toBe(true);
      for (const other of others) expect(Object.hasOwn(DIALECTS[other].shape.fields, key)).toBe(false);
    }
  });
});

it("lists the dialects in the order of their numbers", () => {
  const numbers = Object.values(DIALECTS).map(({ number }) => number);
  expect(Object.keys(DIALECTS)).toEqual(DIALECT_NAMES);
  expect(numbers).toEqual(numbers.toSorted());
});
