import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../limits.ts";
import { yamlProblems } from "./yaml-problems.ts";

/** The first complaint about a text: the stretch it is about, and what is said. */
function told(text: string): { at: string; code: string; message: string } | undefined {
  const [problem] = yamlProblems(text, DEFAULT_LIMITS);
  return (
    problem && { at: text.slice(problem.span.start, problem.span.end), code: problem.code, message: problem.message }
  );
}

describe("a value that YAML cannot read", () => {
  it.each([
    ["a half-open quote", "'src/a.ts", "'src/a.ts", "This value begins with ' and never ends."],
    ["a half-open bracket", "[src/a.ts", "[src/a.ts", "This value begins with [ and never ends."],
    ["a quote in quotes", "'don't'", "t'", "Text follows a quoted value on the same line."],
    ["a Markdown link", "[a](b.md)", "(b.md)", "Text follows the closing bracket: in YAML [ begins a list."],
    ["bold words", "**not** done", "done", "In YAML an unquoted value may not begin with *."],
    ["a quotation", "> as said", "as said", "In YAML an unquoted value may not begin with >."],
    ["an item", "- a", "- a", "In YAML an unquoted value may not begin with -."],
    [
      "a command with a pipe",
      "run: cat a | grep b",
      ": cat a | grep b",
      "An unquoted value holds a colon followed by a space, which begins a new field.",
    ],
  ])("is told where it stands and why: %s", (_what, value, at, message) => {
    for (const end of ["\n", "\r\n"])
      expect(told(`a: 1${end}b: ${value}${end}c: 3${end}`)).toEqual({ at, code: "syntax-error", message });
  });

  it("is told as a template when it lists choices", () => {
    for (const choices of ['"Testing" | "QA"', "[done] | [failed]"])
      expect(told(`a: ${choices}\nb: 2\n`)?.code).toBe("unfilled-template");
  });

  it("may be Markdown where an alias is refused", () => {
    const [problem] = yamlProblems("a: **done**\n", DEFAULT_LIMITS);
    expect(problem).toMatchObject({ code: "alias-refused", hint: expect.stringContaining("put the value in quotes") });
  });
});

describe("the end of a text", () => {
  it("is prose when it is a sentence", () => {
    const at = "I didn't touch the tests.";
    expect(told(`outcome: completed\n\n${at}\n`)).toEqual({
      at,
      code: "syntax-error",
      message: "This line is no field.",
    });
  });

  it.each(["outcome: completed\nfiles_cre", 'outcome: completed\nnote: "half of', "outcome: completed\ntags: [a, b"])(
    "is cut off in the middle of a field: %j",
    (text) => {
      expect(told(text)?.code).toBe("truncated");
    },
  );
});
