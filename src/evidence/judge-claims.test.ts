import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Claim, FileChange, LineRange, Statement } from "./claim.ts";
import { judgeClaims } from "./judge-claims.ts";
import { sampleEvidence } from "../../test/truth/sample-evidence.ts";
import type { ObservedChange, ObservedFile, Evidence, Observations } from "./observations.ts";

function claim(about: Statement): Claim {
  return { kind: "file", where: "work", path: [], says: "It is so.", about };
}

function judged(about: Statement, scene: Evidence): [verdict: string, evidence: string] {
  const [judgement] = judgeClaims([claim(about)], scene);
  return [judgement?.verdict ?? "", judgement?.evidence ?? ""];
}

function verdict(about: Statement, scene: Evidence): string {
  return judged(about, scene)[0];
}

const there = (more: Partial<ObservedFile> = {}): ObservedFile => ({
  is: "file",
  lines: 40,
  isIgnored: false,
  ...more,
});
const gone = there({ is: "absent", lines: null });

/** One file as it was seen, with its change. */
function seen(path: string, sight: ObservedFile, change?: Partial<ObservedChange>): Partial<Observations> {
  const changes = new Map<string, ObservedChange>();
  if (change !== undefined) changes.set(path, { change: "modified", hunks: [{ first: 10, count: 5 }], ...change });
  return { files: new Map([[path, sight]]), changes };
}

function fileVerdict(
  change: FileChange,
  observations: Partial<Observations>,
  lines: LineRange | null = null,
  path = "a.ts",
): string {
  return verdict({ of: "file", path, change, lines }, sampleEvidence(observations));
}

describe("a claimed change of a file", () => {
  it.each([
    ["created", "created", "confirmed"],
    ["created", "modified", "refuted"],
    ["created", "renamed", "confirmed"],
    ["modified", "created", "confirmed"],
    ["modified", "modified", "confirmed"],
    ["modified", "renamed", "confirmed"],
    ["modified", "deleted", "refuted"],
    ["deleted", "deleted", "confirmed"],
    ["deleted", "modified", "refuted"],
    ["changed", "created", "confirmed"],
    ["changed", "deleted", "confirmed"],
  ] as const)("that says %s where git sees %s is %s", (said, change, expected) => {
    expect(fileVerdict(said, seen("a.ts", change === "deleted" ? gone : there(), { change }))).toBe(expected);
  });

  it("is refuted where nothing changed, and not to be known where git does not see", () => {
    expect(fileVerdict("created", seen("a.ts", gone))).toBe("refuted");
    expect(fileVerdict("modified", seen("a.ts", there()))).toBe("refuted");
    expect(fileVerdict("deleted", seen("a.ts", there()))).toBe("refuted");
    expect(fileVerdict("deleted", seen("a.ts", gone))).toBe("refuted");
    expect(fileVerdict("modified", seen("a.ts", there({ isIgnored: true })))).toBe("unverifiable");
    expect(fileVerdict("modified", seen("a.ts", there({ is: "link" })))).toBe("unverifiable");
    expect(fileVerdict("modified", seen("a.ts", there({ is: "outside" })))).toBe("refuted");
  });

  it("without an earlier state is refuted only by what is there", () => {
    for (const without of [{ base: null }, { isRepository: false, base: null }]) {
      expect(fileVerdict("created", { ...seen("a.ts", gone), ...without })).toBe("refuted");
      expect(fileVerdict("created", { ...seen("a.ts", there()), ...without })).toBe("unverifiable");
      expect(fileVerdict("deleted", { ...seen("a.ts", there()), ...without })).toBe("refuted");
      expect(fileVerdict("deleted", { ...seen("a.ts", gone), ...without })).toBe("unverifiable");
    }
  });

  it("holds for a renamed file under both of its names", () => {
    const observations = {
      files: new Map([
        ["old.ts", gone],
        ["new.ts", there()],
      ]),
      changes: new Map<string, ObservedChange>([
        ["old.ts", { change: "deleted", hunks: null }],
        ["new.ts", { change: "renamed", hunks: [], from: "old.ts" }],
      ]),
    };
    for (const change of ["deleted", "modified", "changed"] as const)
      expect(fileVerdict(change, observations, null, "old.ts"), change).toBe("confirmed");
    for (const change of ["created", "modified", "changed"] as const)
      expect(fileVerdict(change, observations, null, "new.ts"), change).toBe("confirmed");
    expect(fileVerdict("created", observations, { first: 1, last: 40 }, "new.ts")).toBe("confirmed");
    expect(fileVerdict("deleted", observations, null, "new.ts")).toBe("refuted");
  });

  it.each([
    ["in the hunk", 10, 14, "confirmed"],
    ["around it", 1, 40, "confirmed"],
    ["a little above", 5, 7, "confirmed"],
    ["far above", 1, 6, "refuted"],
    ["a little below", 17, 20, "confirmed"],
    ["far below", 18, 30, "refuted"],
    ["to the end", 12, 40, "confirmed"],
    ["to the empty end", 12, 41, "confirmed"],
    ["past the end", 12, 42, "refuted"],
    ["backwards", 14, 10, "refuted"],
    ["from nought", 0, 12, "refuted"],
  ] as const)("with lines %s (%i-%i) is %s", (_name, first, last, expected) => {
    expect(fileVerdict("modified", seen("a.ts", there(), {}), { first, last })).toBe(expected);
  });

  it("with lines counts lines that were only taken away, and every line of a new file", () => {
    const cut = seen("a.ts", there(), { hunks: [{ first: 20, count: 0 }] });
    expect(fileVerdict("modified", cut, { first: 20, last: 21 })).toBe("confirmed");
    expect(fileVerdict("modified", cut, { first: 30, last: 35 })).toBe("refuted");
    const made = seen("a.ts", there(), { change: "created", hunks: null });
    expect(fileVerdict("created", made, { first: 1, last: 40 })).toBe("confirmed");
    expect(fileVerdict("created", made, { first: 1, last: 84 })).toBe("refuted");
    const unknown = seen("a.ts", there({ lines: null }), { hunks: null });
    expect(fileVerdict("modified", unknown, { first: 1, last: 2 })).toBe("unverifiable");
  });

  it("may number its lines as they are now or as they were before", () => {
    const hunks = [
      { first: 1, count: 10, before: { first: 0, count: 0 } },
      { first: 35, count: 1, before: { first: 25, count: 16 } },
    ];
    const moved = seen("a.ts", there(), { hunks });
    const of = (first: number, last: number): string => fileVerdict("modified", moved, { first, last });
    expect([of(35, 35), of(25, 40), of(30, 45), of(15, 20), of(44, 50)]).toEqual([
      "confirmed",
      "confirmed",
      "confirmed",
      "refuted",
      "refuted",
    ]);
  });

  it("of a folder or a pattern asks for changes below or among it", () => {
    const below = { ...seen("src/auth/login.ts", there(), { change: "created" }) };
    const files = new Map([
      ["src/auth", there({ is: "folder", lines: null })],
      ["src/cart", there({ is: "folder", lines: null })],
      ["src/au", gone],
      ["src/*/login.ts", gone],
      ["src/*/logout.ts", gone],
      ...["**", "src/[ab]uth", "src/[bc]uth", "src/a*", "src/b*"].map((path) => [path, gone] as const),
      ...["src/auth/log[i]n.ts", "src/auth/log[o]n.ts"].map((path) => [path, gone] as const),
    ]);
    const of = (path: string): string => fileVerdict("changed", { ...below, files }, null, path);
    expect(of("src/auth/")).toBe("confirmed");
    expect(of("src/auth")).toBe("confirmed");
    expect(of("src/cart/")).toBe("refuted");
    expect(of("src/au/")).toBe("refuted");
    expect(of("src/*/login.ts")).toBe("confirmed");
    expect(of("src/*/logout.ts")).toBe("refuted");
    expect(of("**")).toBe("unverifiable");
    expect(of("src/[ab]uth/")).toBe("confirmed");
    expect(of("src/[bc]uth/")).toBe("refuted");
    expect(of("src/a*/")).toBe("confirmed");
    expect(of("src/b*/")).toBe("refuted");
    expect(of("src/auth/log[i]n.ts")).toBe("confirmed");
    expect(of("src/auth/log[o]n.ts")).toBe("refuted");
  });
});

it("a folder that is gone with all its files was deleted, with a slash at its end or without", () => {
  const changes = new Map<string, ObservedChange>([["app/[id]/page.ts", { change: "deleted", hunks: null }]]);
  const files = new Map([
    ["app/[id]", gone],
    ["app", gone],
  ]);
  for (const path of ["app/[id]/", "app/[id]", "app", "app/"])
    expect(fileVerdict("deleted", { changes, files }, null, path), path).toBe("confirmed");
});

describe("a claimed artifact", () => {
  const artifact = (pattern: string, observations: Partial<Observations>): string =>
    verdict({ of: "artifact", pattern }, sampleEvidence(observations));
  const matching = (pattern: string, count: number, changed: number, isEverything = false): Partial<Observations> => ({
    files: new Map([[pattern, gone]]),
    matches: new Map([[pattern, { count, changed, isEverything }]]),
  });

  it("is made when it is there and differs from before", () => {
    expect(artifact("a.md", seen("a.md", there(), { change: "created" }))).toBe("confirmed");
    expect(artifact("a.md", seen("a.md", there()))).toBe("unverifiable");
    expect(artifact("a.md", seen("a.md", there({ isIgnored: true })))).toBe("unverifiable");
    expect(artifact("a.md", seen("a.md", gone))).toBe("refuted");
    expect(artifact("a.md", seen("a.md", there({ is: "outside" })))).toBe("refuted");
  });

  it("that is a pattern must match something, and not everything", () => {
    expect(artifact("tests/*.ts", matching("tests/*.ts", 3, 1))).toBe("confirmed");
    expect(artifact("tests/*.ts", matching("tests/*.ts", 3, 0))).toBe("unverifiable");
    expect(artifact("tests/*.ts", matching("tests/*.ts", 0, 0))).toBe("refuted");
    expect(artifact("**", matching("**", 3, 3, true))).toBe("unverifiable");
    expect(artifact("**/*.*", matching("**/*.*", 3, 1))).toBe("unverifiable");
    expect(artifact("*", matching("*", 0, 0))).toBe("refuted");
    expect(artifact(".", {})).toBe("unverifiable");
    expect(artifact("src/[ab].ts", matching("src/[ab].ts", 2, 1))).toBe("confirmed");
    expect(artifact("src/[ab].ts", matching("src/[ab].ts", 0, 0))).toBe("refuted");
    const below = matching("src/ca*/**", 2, 2);
    expect(artifact("src/ca*/", { ...below, files: new Map([["src/ca*", gone]]) })).toBe("confirmed");
  });
});

describe("that nothing else was changed", () => {
  const changes = new Map<string, ObservedChange>([
    ["src/a.ts", { change: "modified", hunks: null }],
    ["src/auth/b.ts", { change: "created", hunks: null }],
    ["moved.ts", { change: "renamed", hunks: null, from: "old.ts" }],
    ["old.ts", { change: "deleted", hunks: null }],
    ["handoff-X.json", { change: "created", hunks: null }],
  ]);
  const all = (change: "created" | "any", declared: string[], ownFiles = ["handoff-X.json"]): [string, string] =>
    judged({ of: "all-changes", change, declared }, sampleEvidence({ changes }, { ownFiles }));

  it("holds when names, folders and patterns cover every change", () => {
    expect(all("any", ["src/a.ts", "src/auth/", "moved.ts"])[0]).toBe("confirmed");
    expect(all("any", ["./src/**/*.ts", "moved.ts"])[0]).toBe("confirmed");
    expect(all("created", ["src/auth/b.ts"])[0]).toBe("confirmed");
  });

  it("is refuted with the names of the others", () => {
    expect(all("any", ["src/a.ts", "moved.ts"])).toEqual(["refuted", "1 file changed and not listed: src/auth/b.ts."]);
    expect(all("created", ["src/auth/b.ts"], [])[1]).toBe("1 file created and not listed: handoff-X.json.");
    expect(all("any", [])[1]).toMatch(/^3 files changed and not listed: moved\.ts \(renamed from old\.ts\), src/);
  });

  it.each(["**", "?*", "**/?*", "**/{*,x}", ".", "*/"])("is not silenced by %s, which declares nothing", (pattern) => {
    expect(all("any", [pattern])[1]).toMatch(/^3 files changed and not listed/);
    expect(all("any", [pattern, "src/a.ts", "src/auth/", "moved.ts"])[0]).toBe("confirmed");
  });

  it("takes classes and folders by pattern", () => {
    expect(all("any", ["src/[a]*", "s*/a[t-v]th/", "moved.ts"])[0]).toBe("confirmed");
    expect(all("any", ["src/[b]*", "moved.ts"])[0]).toBe("refuted");
  });

  it("takes a folder of the feature only where the handoff lies", () => {
    const about = { of: "all-changes", change: "any", declared: ["moved.ts"], folders: ["src"] } as const;
    expect(verdict(about, sampleEvidence({ changes }, { ownFiles: ["handoff-X.json"] }))).toBe("refuted");
    expect(verdict(about, sampleEvidence({ changes }, { ownFiles: ["handoff-X.json", "src/auth/b.ts"] }))).toBe(
      "confirmed",
    );
  });

  it("cannot be known without an earlier state", () => {
    const statement = { of: "all-changes", change: "any", declared: [] } as const;
    expect(verdict(statement, sampleEvidence({ changes, base: null }))).toBe("unverifiable");
  });
});

describe("the judge of all claims", () => {
  it("gives one judgement for each, the same every time", () => {
    const statement: fc.Arbitrary<Statement> = fc.oneof(
      fc.record({
        of: fc.constant("file" as const),
        path: fc.string(),
        change: fc.constantFrom<FileChange>("created", "modified", "deleted", "changed"),
        lines: fc.option(fc.record({ first: fc.integer(), last: fc.integer() })),
      }),
      fc.record({ of: fc.constant("artifact" as const), pattern: fc.string() }),
      fc.record({ of: fc.constant("commit" as const), sha: fc.string(), message: fc.option(fc.string()) }),
      fc.record({ of: fc.constant("branch" as const), name: fc.string(), isMerged: fc.boolean() }),
      fc.record({ of: fc.constant("time" as const), at: fc.string() }),
      fc.record({ of: fc.constant("fix" as const), location: fc.string() }),
      fc.record({ of: fc.constant("command" as const), command: fc.string(), expectsFailure: fc.boolean() }),
    );
    fc.assert(
      fc.property(fc.array(statement), (statements) => {
        const claims = statements.map(claim);
        const judgements = judgeClaims(claims, sampleEvidence());
        expect(judgements.map(({ says }) => says)).toEqual(claims.map(({ says }) => says));
        expect(judgeClaims(claims, sampleEvidence())).toEqual(judgements);
        // Nobody looked anywhere, so nothing is shown to be so.
        expect(judgements.every(({ verdict: given }) => given !== "confirmed")).toBe(true);
        for (const { procedure, evidence } of judgements) {
          expect(procedure).not.toBe("");
          expect(evidence).toMatch(/[.)]$|[^ ]$/);
          expect(evidence).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });
});
