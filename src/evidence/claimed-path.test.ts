import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Claim } from "./claim.ts";
import { claimedPath } from "./claimed-path.ts";
import { judgeClaims } from "./judge-claims.ts";
import { observationsNeeded } from "./observations-needed.ts";
import { sampleEvidence } from "../../test/truth/sample-evidence.ts";

const COUNT = Number(process.env["BATON_PATHS"] ?? 500);

const HOSTILE = [
  "../secret",
  "src/../../secret",
  "/etc/passwd",
  "~/.ssh/id_rsa",
  "C:/Windows",
  "c:secret",
  "src\\a.ts",
  "..\\secret",
  ".git/config",
  "src/.git/hooks/post-checkout",
  ".GIT/config",
  ".git./config",
  ".git /config",
  ".git::$INDEX_ALLOCATION/config",
  "GIT~1/config",
  ".g\u200cit/config",
  "a\0b",
  "",
  "   ",
  "a/".repeat(2100),
  "x".repeat(256),
];

/** Names that a file can have, and that no handoff can be trusted to mean. */
const ODD = ["-rf", "--output=x", "~old", "a\nb", "a\u001b[31mb", "a\u2028b", "\ud800", ":(top)secret", ":!x"];

const HARMLESS = [
  ["src/cart/total.ts", "src/cart/total.ts"],
  ["./src//cart/./total.ts", "src/cart/total.ts"],
  ["src/cart/", "src/cart"],
  [".gitignore", ".gitignore"],
  [".github/workflows/ci.yml", ".github/workflows/ci.yml"],
  ["legit/x.git", "legit/x.git"],
  ["app/[id]/page.tsx", "app/[id]/page.tsx"],
  ["docs/\u00fcber uns.md", "docs/\u00fcber uns.md"],
  ["a..b/c...d", "a..b/c...d"],
] as const;

function claimsOf(path: string): Claim[] {
  const lines = { first: 1, last: 2 };
  const claim = { kind: "file", where: "work", path: [], says: "" } as const;
  return [
    { ...claim, about: { of: "file", path, change: "modified", lines } },
    { ...claim, about: { of: "artifact", pattern: path } },
    { ...claim, about: { of: "place", path, lines, isPast: false } },
    { ...claim, about: { of: "source", path, lines } },
  ];
}

describe("a path that a handoff claims", () => {
  it.each(HOSTILE)("is not looked at: %j", (path) => {
    const { patterns, paths, lengths, hunks } = observationsNeeded(claimsOf(path));
    expect([...patterns, ...paths, ...lengths, ...hunks]).toEqual([]);
    for (const { verdict, evidence } of judgeClaims(claimsOf(path), sampleEvidence())) {
      expect(verdict).toBe("refuted");
      expect(evidence).toMatch(/^This path is not looked at: it /);
    }
  });

  it.each(ODD)("is not looked at, and may be the name of a file: %j", (path) => {
    const { patterns, paths, lengths, hunks } = observationsNeeded(claimsOf(path));
    expect([...patterns, ...paths, ...lengths, ...hunks]).toEqual([]);
    for (const { verdict, evidence } of judgeClaims(claimsOf(path), sampleEvidence())) {
      expect(verdict).toBe("unverifiable");
      expect(evidence).toMatch(/^This path is not looked at: it /);
    }
    const hostile = judgeClaims(claimsOf(`${path}/../../x`), sampleEvidence());
    expect(hostile.map(({ verdict }) => verdict)).toEqual(Array(4).fill("refuted"));
  });

  it.each(HARMLESS)("%s is looked at as %s", (path, normal) => {
    expect(claimedPath(path)).toMatchObject({ isSafe: true, path: normal });
    expect(observationsNeeded(claimsOf(path)).lengths).toEqual([normal]);
  });

  it(`is asked for only when it stays inside: ${COUNT} paths out of hostile parts`, () => {
    const part = fc.constantFrom(
      "..",
      ".",
      ".git",
      ".GIT",
      ".git ",
      "git~1",
      "~",
      "C:",
      "\\",
      "\0",
      "-x",
      ":",
      "a",
      "src",
      "",
      "*",
      "**",
      "%2e%2e",
      "\u202e",
    );
    const separator = fc.constantFrom("/", "/", "//", "\\", "");
    const path = fc.tuple(fc.array(part, { maxLength: 8 }), separator).map(([parts, sign]) => parts.join(sign));
    fc.assert(
      fc.property(path, (text) => {
        const { paths, patterns, lengths, hunks } = observationsNeeded(claimsOf(text));
        for (const asked of [...paths, ...patterns, ...lengths, ...hunks]) {
          expect(asked).not.toMatch(/^[/~:-]|^[A-Za-z]:|\\|\p{Cc}|(?:^|\/)\.\.(?:\/|$)/u);
          expect(asked).not.toMatch(/(?:^|\/)(?:\.git|git~\d)[. ]*(?:\/|$)/i);
        }
      }),
      { numRuns: COUNT },
    );
  });
});
