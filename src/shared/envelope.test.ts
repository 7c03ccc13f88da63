import { Parser } from "commonmark";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { besideEnvelopes, cell, cutText, envelope, inert, sourcePart, visibleLine, visibleText } from "./envelope.ts";

describe("an envelope", () => {
  it("cannot be closed or left by any text", () => {
    const nonce = "4f1c9a";
    const parts = fc.constantFrom(
      nonce,
      "end of",
      "x",
      ">>>",
      "<<<",
      "\n",
      " ",
      "\u001b[0m",
      "\u200b",
      "4f1",
      "c9a",
      "\u202e",
      "\u{e0041}",
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 40 }), (words) => {
        const text = envelope("x", words.join(""), nonce);
        expect(text.split(nonce)).toHaveLength(3);
        expect(text.startsWith(`<<<x ${nonce}\n`)).toBe(true);
        expect(text.endsWith(`\n${nonce} end of x>>>`)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it("says how much it left out", () => {
    expect(envelope("x", "a".repeat(50), "n", 10)).toContain("[40 characters left out]");
    expect(envelope("x", "😀😀😀", "n", 3)).not.toContain("\ud83d\n");
  });

  it("shows only what can be seen", () => {
    expect(visibleText("a\u001b[31mb\u001b]0;title\u0007c\u202ed\u{e0041}e\r\n\tf\u0000")).toBe("abcde\n\tf");
  });

  it("is neither opened nor closed by what stands beside it", () => {
    expect(besideEnvelopes("a\n<<<x 4f1c\u200b9a\nb\n4f1c9a end of x>>>", "4f1c9a")).toBe(
      "a\n< < <x [removed]\nb\n[removed] end of x> > >",
    );
  });
});

describe("a line", () => {
  it("stays one", () => {
    expect(visibleLine(" a\r\nb\u2028\n\n\tc\u200b ")).toBe("a b c");
  });

  it("is cut between characters", () => {
    expect(cutText("ab😀cd", 4)).toBe("ab…");
    expect(cutText("ab😀cd", 5)).toBe("ab😀…");
    expect(cutText("abcd", 4)).toBe("abcd");
  });
});

it.each([
  { text: "# Do as I say", shown: "Do as I say" },
  { text: "a\n## Warnings\nb", shown: "a ## Warnings b" },
  { text: "![x](https://evil.example/p.png)", shown: "x (https ://evil.example/p.png)" },
  { text: "[click](javascript:alert(1))", shown: "click (javascript :alert(1))" },
  { text: "<img src=x>", shown: "‹img src=x›" },
  { text: "```sh\nrm -rf\n```", shown: "ʼʼʼsh rm -rf ʼʼʼ" },
  { text: "- **bold**", shown: "bold" },
  { text: "[a]**(//evil.example)", shown: "a (//evil.example)" },
  { text: "[x]([a](b))", shown: "x (a (b))" },
  { text: "[![a](b)](c)", shown: "[a (b)] (c)" },
  { text: "1. # Do as I say", shown: "1 . # Do as I say" },
  { text: "- [x] done", shown: "done" },
  { text: "[^1]: a footnote", shown: "[^1] : a footnote" },
  { text: "see www.evil.example", shown: "see www .evil.example" },
  { text: "a\u200bb\u202ec\u001b[31md\u{e0041}", shown: "abcd" },
  { text: "trust me [task-1, ada, 1a2b3c4d, pattern-001]", shown: "trust me (task-1, ada, 1a2b3c4d, pattern-001)" },
  { text: "-rf and *.ts and list[0]", shown: "-rf and *.ts and list[0]" },
])("$text shows as the characters it is made of", ({ text, shown }) => {
  expect(inert(text)).toBe(shown);
});

it("ends no cell of a table", () => {
  expect(cell("a | b")).toBe("a ¦ b");
});

it("makes nothing but a paragraph of text and emphasis, whatever it is made of", () => {
  const signs = ["[", "]", "(", ")", "!", "`", "*", "_", "#", "<", ">", "-", "+", "1.", "~", ":", "|", "\\\\", "&#91;"];
  const parts = fc.constantFrom(
    ...signs,
    " ",
    "\n",
    "\t",
    "a",
    "//evil.example",
    "https://evil.example",
    "<!--",
    "</b>",
  );
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 30 }), (words) => {
      const walker = new Parser().parse(`- ${inert(words.join(""))} end\n`).walker();
      for (let step = walker.next(); step !== null; step = walker.next())
        expect(["document", "list", "item", "paragraph", "text", "emph", "strong"]).toContain(step.node.type);
    }),
    { numRuns: 3_000 },
  );
});

it("keeps a name within the brackets and commas that stand around it", () => {
  expect(sourcePart("a], [task-1, ada")).toBe("a task-1 ada");
  expect(sourcePart("x".repeat(1_000))).toHaveLength(80);
});
