import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cite, freshnessOf, factStandingOf } from "./freshness.ts";

const FILE = "import x\n\nexport function verify() {\n  check();\n  return true;\n}\n";
const LINES = { first: 3, last: 6 };
const cited = cite("src/a.ts", LINES, FILE)!;

describe("a citation of a whole file", () => {
  const long = Array.from({ length: 200 }, (_, at) => `const line${at} = ${at};`).join("\n");
  const file = `${long}\nexport function verifyToken() {}\nexport const MAX_AGE = 30;\n`;
  const said = "Tokens older than MAX_AGE are refused by `verifyToken()`, not by parseUrl";

  it("has changed when an identifier that the fact names is gone from the file", () => {
    const whole = cite("src/a.ts", null, file, null, said)!;
    expect(whole.names).toEqual(["verifyToken", "MAX_AGE"]);
    expect(freshnessOf(whole, file)).toEqual({ is: "unchanged" });
    expect(freshnessOf(whole, `${file}export const more = 1;\n`)).toEqual({ is: "unchanged" });
    expect(freshnessOf(whole, file.replace("verifyToken", "verifyTokens"))).toEqual({ is: "changed" });
    expect(freshnessOf(whole, null, { path: "b.ts", text: file })).toMatchObject({ is: "moved" });
    expect(freshnessOf(whole, null, { path: "b.ts", text: long })).toEqual({ is: "changed" });
  });

  it("says nothing of identifiers that the file never had", () => {
    expect(cite("src/a.ts", null, long, null, said)).not.toHaveProperty("names");
  });
});

describe("a citation", () => {
  it("is unchanged while its lines stand where they stood, however they are indented or ended", () => {
    expect(freshnessOf(cited, FILE)).toEqual({ is: "unchanged" });
    expect(freshnessOf(cited, FILE.replaceAll("\n", "\r\n").replace("  check", "\tcheck"))).toEqual({
      is: "unchanged",
    });
  });

  it("has moved when they stand elsewhere, in the file or where git says that it went", () => {
    expect(freshnessOf(cited, `// new\n// new\n${FILE}`)).toEqual({ is: "moved", path: "src/a.ts", first: 5 });
    expect(freshnessOf(cited, null, { path: "src/b.ts", text: FILE })).toEqual({
      is: "moved",
      path: "src/b.ts",
      first: 3,
    });
    expect(freshnessOf(cited, "export {};\n", { path: "src/b.ts", text: FILE })).toMatchObject({ is: "moved" });
  });

  it("has changed when they say something else, and is gone with its file", () => {
    expect(freshnessOf(cited, FILE.replace("true", "false"))).toEqual({ is: "changed" });
    expect(freshnessOf(cited, null, { path: "src/b.ts", text: "" })).toEqual({ is: "changed" });
    expect(freshnessOf(cited, null)).toEqual({ is: "gone" });
  });

  it("of a whole file stands while most of it does", () => {
    const whole = cite("src/a.ts", null, FILE)!;
    expect(freshnessOf(whole, `${FILE}export const more = 1;\n`)).toEqual({ is: "unchanged" });
    expect(freshnessOf(whole, "something\nelse\nentirely\n")).toEqual({ is: "changed" });
  });

  it("cannot be made of lines that are not there", () => {
    expect(cite("a", { first: 6, last: 7 }, FILE)).toBeNull();
    expect(cite("a", { first: 0, last: 1 }, FILE)).toBeNull();
    expect(cite("a", { first: 3, last: 2 }, FILE)).toBeNull();
  });

  it("is found again wherever its lines are put, and nowhere when one of them is changed", () => {
    const line = fc.stringMatching(/^[a-z]{5,12}$/);
    fc.assert(
      fc.property(
        fc.uniqueArray(line, { minLength: 4, maxLength: 30 }),
        fc.array(line, { maxLength: 10 }),
        (lines, above) => {
          const text = `${lines.join("\n")}\n`;
          const citation = cite("f", { first: 2, last: 4 }, text)!;
          const fresh = above.filter((word) => !lines.includes(word));
          const seen = freshnessOf(citation, [...fresh, text].join("\n"));
          expect(seen).toEqual(
            fresh.length === 0 ? { is: "unchanged" } : { is: "moved", path: "f", first: 2 + fresh.length },
          );
          expect(freshnessOf(citation, text.replace(lines[2]!, `${lines[2]}!`))).toEqual({ is: "changed" });
        },
      ),
    );
  });
});

const GONE = { is: "gone" } as const;

describe("how a fact stands", () => {
  it.each([
    ["trusted while it cites nothing", "trusted", [], null, "trusted"],
    ["trusted while what it cites stands", "trusted", [], { is: "unchanged" }, "trusted"],
    ["trusted where it has moved to", "trusted", [], { is: "moved", path: "b.ts", first: 2 }, "trusted"],
    ["not trusted any more when that has changed", "trusted", [], { is: "changed" }, "changed"],
    ["not trusted any more when that is gone", "trusted", [], GONE, "gone"],
    ["nobody's word against another's", "trusted", ["pattern-002"], GONE, "contradicted"],
    ["first of all not proven", "quarantined", ["pattern-002"], GONE, "quarantined"],
    ["first of all retired", "retired", ["pattern-002"], GONE, "retired"],
  ] as const)("is %s", (_, status, opposes, freshness, standing) => {
    expect(factStandingOf({ status, opposes }, freshness)).toBe(standing);
  });
});
