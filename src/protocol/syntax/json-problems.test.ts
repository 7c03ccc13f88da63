import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../limits.ts";
import { jsonProblems } from "./json-problems.ts";

function told(text: string): string[] {
  return jsonProblems(text, DEFAULT_LIMITS).map(
    ({ span, message }) => `${text.slice(span.start, span.end)}: ${message}`,
  );
}

describe("what follows the record", () => {
  it.each([
    ["\n\nHope this helps! It took 3 rounds.\n", "Hope"],
    ["\n\nSee the list [a, b, and the `{` in src/a.ts\n", "See"],
    ["\n```\n", "```"],
    ["}", "}"],
  ])("is told of once: %j", (after, first) => {
    expect(told(`{"a": [1]}${after}`)).toEqual([`${first}: Text follows the JSON value.`]);
  });

  it("is a second value when it is one, whole or not", () => {
    const message = "{: A second JSON value follows the first; a handoff is one record.";
    expect(told('{"a": 1}\n{"b": 2}')).toEqual([message]);
    expect(told('{"a": 1}\n{"b": ')).toEqual([message]);
  });

  it("is told beside what is wrong in the record", () => {
    expect(told('{"a": x}\nBye.')).toEqual(["x: This is not a JSON value.", "Bye.: Text follows the JSON value."]);
  });
});
