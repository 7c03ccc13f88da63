import { existsSync, readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { referencePages } from "../../scripts/reference.ts";

const root = new URL("../../", import.meta.url);

describe("docs/reference", () => {
  it("says what the program does (npm run reference writes it)", async () => {
    const pages = await referencePages();
    expect(readdirSync(new URL("docs/reference/", root)).sort()).toEqual([...pages.keys()].sort());
    for (const [name, text] of pages)
      expect(readFileSync(new URL(`docs/reference/${name}`, root), "utf8"), name).toBe(text);
  });
});

describe("links in the documents", () => {
  const documents = [
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    ...markdownIn("docs/guide"),
    ...markdownIn("docs/spec"),
  ];

  it.each(documents)("%s points at files that exist", (document) => {
    const text = readFileSync(new URL(document, root), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      expect(existsSync(new URL(target, new URL(document, root))), `${document} -> ${target}`).toBe(true);
    }
  });
});

function markdownIn(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, root))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);
}
