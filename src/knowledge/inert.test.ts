import { Parser } from "commonmark";
import fc from "fast-check";
import { expect, it } from "vitest";
import { cell, inert, sourcePart } from "./inert.ts";

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
