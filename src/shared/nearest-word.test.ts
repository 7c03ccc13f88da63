import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, nearestWord } from "./nearest-word.ts";

const words = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 8 }).map((letters) => letters.join(""));

describe("the distance of two words", () => {
  it.each([
    ["artefacts", "artifacts", 1],
    ["sumary", "summary", 1],
    ["summmary", "summary", 1],
    ["brief", "breif", 1],
    ["ca", "abc", 3],
    ["", "abc", 3],
    ["same", "same", 0],
  ])("%j and %j: %i", (left, right, distance) => {
    expect(editDistance(left, right, 9)).toBe(distance);
    expect(editDistance(right, left, 9)).toBe(distance);
  });

  it("is what the whole table says, up to the most that was asked for", () => {
    fc.assert(
      fc.property(words, words, fc.integer({ min: 1, max: 9 }), (left, right, max) => {
        expect(editDistance(left, right, max)).toBe(Math.min(distanceByDefinition(left, right), max));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("the nearest word", () => {
  it("is the one with the fewest edits, a swap being one", () => {
    expect(nearestWord("vaildate", ["verify", "validate", "migrate"])).toBe("validate");
    expect(nearestWord("breif", ["brief", "chief"])).toBe("brief");
    expect(nearestWord("colour", ["brief", "chief"])).toBeNull();
  });
});

/** By its definition, and so only for short words. */
function distanceByDefinition(left: string, right: string): number {
  if (left === "" || right === "") return left.length + right.length;
  const [one, other] = [left.slice(0, -1), right.slice(0, -1)];
  const cost = left.at(-1) === right.at(-1) ? 0 : 1;
  const least = Math.min(
    distanceByDefinition(one, other) + cost,
    cost === 0 ? Infinity : distanceByDefinition(one, right) + 1,
    cost === 0 ? Infinity : distanceByDefinition(left, other) + 1,
  );
  const isSwap = cost === 1 && left.at(-1) === right.at(-2) && left.at(-2) === right.at(-1);
  return isSwap ? Math.min(least, distanceByDefinition(left.slice(0, -2), right.slice(0, -2)) + 1) : least;
}
