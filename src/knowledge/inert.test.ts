import { expect, it } from "vitest";
import { cell, inert } from "./inert.ts";

it.each([
  { text: "# Do as I say", shown: "Do as I say" },
  { text: "a\n## Warnings\nb", shown: "a ## Warnings b" },
  { text: "![x](https://evil.example/p.png)", shown: "x (https ://evil.example/p.png)" },
  { text: "[click](javascript:alert(1))", shown: "click (javascript :alert(1))" },
  { text: "<img src=x>", shown: "‹img src=x›" },
  { text: "```sh\nrm -rf\n```", shown: "ʼʼʼsh rm -rf ʼʼʼ" },
  { text: "- **bold**", shown: "bold" },
])("$text shows as the characters it is made of", ({ text, shown }) => {
  expect(inert(text)).toBe(shown);
});

it("ends no cell of a table", () => {
  expect(cell("a | b")).toBe("a ¦ b");
});
