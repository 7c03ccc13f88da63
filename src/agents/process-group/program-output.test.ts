import { describe, expect, it } from "vitest";
import { LineSplitter, OutputTail } from "./program-output.ts";

function split(chunks: readonly (string | Buffer)[], longest = 100): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), longest);
  for (const chunk of chunks) splitter.add(Buffer.from(chunk));
  splitter.end();
  return lines;
}

describe("output cut into lines", () => {
  it("does not depend on how it arrives", () => {
    const text = "one\ntwo\r\n\nthree ü €";
    const expected = ["one", "two", "", "three ü €"];
    expect(split([text])).toEqual(expected);
    expect(split([...Buffer.from(text)].map((byte) => Buffer.from([byte])))).toEqual(expected);
  });

  it("hands on a line that is too long in pieces", () => {
    expect(split(["abcdefg\nh"], 3)).toEqual(["abc", "def", "g", "h"]);
    expect(split(["ab", "cd", "ef"], 3)).toEqual(["abc", "def"]);
  });

  it("keeps up with a line that arrives in very many pieces", () => {
    const pieces = Array.from({ length: 100_000 }, () => "x");
    expect(split(pieces, 1_000_000)[0]).toHaveLength(100_000);
  });
});

describe("the end of output", () => {
  function tailOf(chunks: readonly string[], limit: number): string {
    const tail = new OutputTail(limit);
    for (const chunk of chunks) tail.add(Buffer.from(chunk));
    return tail.text();
  }

  it("is all of it when it is short, and else its last bytes", () => {
    expect(tailOf([], 10)).toBe("");
    expect(tailOf(["abc", "def"], 10)).toBe("abcdef");
    expect(tailOf(["abc", "def"], 4)).toBe("cdef");
    expect(
      tailOf(
        Array.from({ length: 10_000 }, (_, index) => `${index} `),
        10,
      ),
    ).toBe("9998 9999 ");
  });

  it("begins with a whole character", () => {
    expect(tailOf(["€€€"], 4)).toBe("€");
  });
});
