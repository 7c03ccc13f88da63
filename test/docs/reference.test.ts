import { existsSync, readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { handoffTypeText } from "../../scripts/handoff-type.ts";
import { referencePages } from "../../scripts/reference.ts";
import type { Handoff, handoffShape } from "../../src/protocol/handoff.ts";
import type { Infer } from "../../src/protocol/shape.ts";

const root = new URL("../../", import.meta.url);

describe("docs/reference", () => {
  it("says what the program does (npm run reference writes it)", async () => {
    const pages = await referencePages();
    expect(readdirSync(new URL("docs/reference/", root)).sort()).toEqual([...pages.keys()].sort());
    for (const [name, text] of pages)
      expect(readFileSync(new URL(`docs/reference/${name}`, root), "utf8"), name).toBe(text);
  });
});

describe("the type of a handoff", () => {
  it("is what npm run reference writes from its shape", () => {
    expect(readFileSync(new URL("src/protocol/handoff-type.ts", root), "utf8")).toBe(handoffTypeText());
  });

  it("is the type that the shape describes", () => {
    type Content = Omit<Handoff, "dialect">;
    type Described = Infer<typeof handoffShape>;
    const isSame: [Content] extends [Described] ? ([Described] extends [Content] ? true : false) : false = true;
    expect(isSame).toBe(true);
  });
});

describe("links in the documents", () => {
  const documents = [
    "README.md",
    "SECURITY.md",
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

it.each(["README.md", ...markdownIn("docs/guide"), ...markdownIn("docs/spec")])(
  "%s points at headings that exist",
  (document) => {
    const text = readFileSync(new URL(document, root), "utf8");
    for (const [, target = "", anchor = ""] of text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)) {
      const page = target === "" ? text : readFileSync(new URL(target, new URL(document, root)), "utf8");
      expect(anchorsOf(page), `${document} -> ${target}#${anchor}`).toContain(anchor);
    }
  },
);

/** As GitHub makes them: small letters, hyphens for spaces, no other signs. */
function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
}

function markdownIn(folder: string): string[] {
  return readdirSync(new URL(`${folder}/`, root))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`);
}
