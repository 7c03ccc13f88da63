import { describe, expect, it } from "vitest";
import type { Statement } from "../claim.ts";
import { judgeClaims } from "../judge-claims.ts";
import { sampleEvidence } from "../../../test/truth/sample-evidence.ts";
import type { BranchWork, ObservedCommit, HeldFile, Evidence, Observations } from "../observations.ts";

function verdict(about: Statement, scene: Evidence): string | undefined {
  return judgeClaims([{ kind: "commit", where: "work", path: [], says: "It is so.", about }], scene)[0]?.verdict;
}

const SHA = "4f2a9c1d";
const commit: ObservedCommit = {
  sha: SHA.repeat(5),
  message: "feat(cart): accept gift cards\n\nA card pays a part of an order.\n",
  parents: 1,
  isInHead: true,
  isSinceBase: true,
  isOnTarget: false,
};

function withCommit(seen: Partial<ObservedCommit> | null, more: Partial<Observations> = {}): Evidence {
  return sampleEvidence({ commits: new Map([[SHA, seen && { ...commit, ...seen }]]), commitsSinceBase: 3, ...more });
}

describe("a claimed commit", () => {
  const said = (message: string | null, scene = withCommit({})): string | undefined =>
    verdict({ of: "commit", sha: SHA, message }, scene);

  it("must be in the history since the base", () => {
    expect(said(null)).toBe("confirmed");
    expect(said(null, withCommit(null))).toBe("refuted");
    expect(said(null, withCommit({ isInHead: false, isSinceBase: false }))).toBe("refuted");
    expect(said(null, withCommit({ isInHead: false, isSinceBase: false, isOnTarget: true }))).toBe("unverifiable");
    expect(said(null, withCommit({ isSinceBase: false }))).toBe("unverifiable");
    expect(said(null, withCommit({}, { base: null }))).toBe("unverifiable");
  });

  it.each([
    "feat(cart): accept gift cards",
    "  feat(cart):   accept gift\n cards ",
    "feat(cart): accept gift cards\r\n\r\nA card pays a part of an order.",
    "feat(cart): accept gift cards A card pays",
    "feat(cart): accept\u2026",
    "feat(cart): accept gift ...",
  ])("may give its message as %j", (message) => expect(said(message)).toBe("confirmed"));

  it.each(["feat(cart): accept", "feat(cart): refuse gift cards", "A card pays a part of an order.", "fix\u2026"])(
    "may not give it as %j",
    (message) => expect(said(message)).toBe("refuted"),
  );

  it("is not looked for when its id is none", () => {
    for (const sha of ["--all", "HEAD", "xyz1234", "", "a".repeat(65)])
      expect(verdict({ of: "commit", sha, message: null }, withCommit({}))).toBe("refuted");
  });

  it("is not known by less than 7 digits", () => {
    for (const sha of ["4", "4f2a", "abc123"]) {
      expect(verdict({ of: "commit", sha, message: null }, withCommit({}))).toBe("unverifiable");
      expect(verdict({ of: "merge", sha, strategy: null }, withCommit({}))).toBe("unverifiable");
    }
  });

  it("that is not found where history was cut off may have been there", () => {
    const shallow = { isShallow: true };
    expect(said(null, withCommit(null, shallow))).toBe("unverifiable");
    expect(said(null, withCommit({ isInHead: false, isSinceBase: false }, shallow))).toBe("unverifiable");
    expect(said("fix: another", withCommit({}, shallow))).toBe("refuted");
    expect(said(null, withCommit({}, { ...shallow, commitsSinceBase: null }))).toBe("confirmed");
  });

  it("that the work began with is not called older than itself", () => {
    const [judgement] = judgeClaims(
      [{ kind: "commit", where: "work", path: [], says: "", about: { of: "commit", sha: SHA, message: null } }],
      withCommit({ isSinceBase: false }, { baseCommit: SHA.repeat(5) }),
    );
    expect(judgement?.evidence).toBe("It is the commit that the work began with: the state before the step.");
  });
});

describe("the number of commits", () => {
  it("is compared with the history since the base", () => {
    const added = (count: number, seen: number | null): string | undefined =>
      verdict({ of: "commits-added", count }, sampleEvidence({ commitsSinceBase: seen }));
    expect([added(3, 3), added(2, 3), added(3, null)]).toEqual(["confirmed", "refuted", "unverifiable"]);
  });

  it("may leave out those that only bring a handoff", () => {
    const ownCommitFiles = [
      ["src/a.ts", "out/handoff.md"],
      ["out/handoff.md"],
      ["out/review.md", "out/handoff.md"],
      [],
    ];
    const seen = { commitsSinceBase: 6, ownCommitsSinceBase: 4, ownCommitFiles };
    const scene = sampleEvidence(seen, { ownFiles: ["out/handoff.md", "out/review.md"] });
    const verdicts = [1, 2, 3, 4, 5, 6, 7].map((count) => verdict({ of: "commits-added", count }, scene));
    expect(verdicts).toEqual(["refuted", ...Array<string>(5).fill("confirmed"), "refuted"]);
  });
});

describe("a claimed branch", () => {
  const of = (name: string, exists: boolean, isCurrent: boolean, isMerged = false): string | undefined =>
    verdict({ of: "branch", name, isMerged }, sampleEvidence({ branches: new Map([[name, { exists, isCurrent }]]) }));

  it("must exist, and be the one the workspace is on", () => {
    expect(of("feature/x", true, true)).toBe("confirmed");
    expect(of("feature/x", true, false)).toBe("unverifiable");
    expect(of("feature/x", false, false)).toBe("refuted");
    expect(of("feature/x", false, false, true)).toBe("unverifiable");
    expect(of("--upload-pack=x", true, true)).toBe("refuted");
  });
});

describe("a claimed branch that the workspace is not on", () => {
  const files = (...held: HeldFile[]): BranchWork["held"] => new Map(held.map((how, at) => [`${at}.ts`, how]));
  const of = (work: Partial<BranchWork>, more: Partial<Observations> = {}, isMerged = false): string | undefined => {
    const seen = { missing: 2, isPassed: false, isElsewhere: false, held: files("before"), ...work };
    const branches = new Map([["x", { exists: true, isCurrent: false, work: seen }]]);
    return verdict({ of: "branch", name: "x", isMerged }, sampleEvidence({ commitsSinceBase: 2, branches, ...more }));
  };
  const detached = { head: { commit: "a".repeat(40), branch: null } };
  const onTarget = { head: { commit: "a".repeat(40), branch: "main" } };

  it("has none of the work, or may have some", () => {
    expect(of({})).toBe("refuted");
    expect(of({ held: files("before", "other") })).toBe("refuted");
    expect(of({ missing: 1 })).toBe("unverifiable");
    expect(of({ held: files("now", "before") })).toBe("unverifiable");
    expect(of({}, {}, true)).toBe("unverifiable");
    expect(of({}, { isShallow: true })).toBe("unverifiable");
    expect(of({}, onTarget)).toBe("refuted");
    // Squashed, with a conflict resolved.
    expect(of({ held: files("other") }, onTarget)).toBe("unverifiable");
  });

  it("may have the work in another worktree", () => {
    expect(of({ isElsewhere: true }, onTarget)).toBe("unverifiable");
    expect(of({ isElsewhere: true, missing: 0 }, { commitsSinceBase: 0 })).toBe("unverifiable");
    expect(of({ isElsewhere: true })).toBe("refuted");
    const nested = new Map([["trees/issue-7/", "before" as const]]);
    expect(of({ missing: 0, held: nested }, { commitsSinceBase: 0 })).toBe("unverifiable");
  });

  it("has nothing of what is not committed", () => {
    const uncommitted = { commitsSinceBase: 0 };
    expect(of({ missing: 0 }, uncommitted)).toBe("refuted");
    expect(of({ missing: 0, held: files("now") }, uncommitted)).toBe("unverifiable");
    expect(of({ missing: 0, held: new Map() }, uncommitted)).toBe("unverifiable");
    expect(of({ missing: 0 }, { ...uncommitted, ...detached })).toBe("unverifiable");
  });

  it("is where a checkout on no branch belongs, when either has the other", () => {
    expect(of({ missing: 0 }, detached)).toBe("confirmed");
    expect(of({ isPassed: true }, detached)).toBe("confirmed");
    expect(of({}, detached)).toBe("refuted");
    expect(of({ missing: 0 })).toBe("unverifiable");
  });
});

describe("a claimed merge", () => {
  const merged = (strategy: string | null, seen: Partial<ObservedCommit> | null, more = {}): string | undefined =>
    verdict({ of: "merge", sha: SHA, strategy }, withCommit(seen, more));

  it("must be on the target branch", () => {
    expect(merged(null, { isOnTarget: true })).toBe("confirmed");
    expect(merged(null, { isOnTarget: false })).toBe("refuted");
    expect(merged(null, null)).toBe("refuted");
    expect(merged(null, { isOnTarget: true }, { target: null })).toBe("unverifiable");
    expect(verdict({ of: "merge", sha: null, strategy: "squash" }, sampleEvidence())).toBe("unverifiable");
  });

  it("must hold the work, where it is there to be compared", () => {
    const holding = (held: HeldFile[], more: Partial<ObservedCommit> = {}): string | undefined =>
      merged(null, {
        isOnTarget: true,
        isSinceBase: false,
        held: new Map(held.map((how, at) => [`${at}.ts`, how])),
        ...more,
      });
    expect(holding(["now", "now"])).toBe("confirmed");
    expect(holding(["now", "before"])).toBe("unverifiable");
    expect(holding(["other", "before"])).toBe("unverifiable");
    expect(holding(["before", "before"])).toBe("refuted");
    expect(holding(["before"], { isSinceBase: true })).toBe("unverifiable");
    expect(holding(["now"], { isInBase: true })).toBe("refuted");
    expect(holding([], { isInBase: true })).toBe("confirmed");
    expect(merged(null, null, { isShallow: true })).toBe("unverifiable");
    expect(merged(null, { isOnTarget: false }, { isShallow: true })).toBe("unverifiable");
  });

  it("may be an earlier step's in a run", () => {
    const seen = { ...commit, isOnTarget: true, isSinceBase: false, held: new Map([["a.ts", "before" as const]]) };
    const scene = sampleEvidence({ commits: new Map([[SHA, seen]]) }, { step: { startedAt: 0, phase: null } });
    expect(verdict({ of: "merge", sha: SHA, strategy: null }, scene)).toBe("unverifiable");
  });

  it("leaves as many parents as its strategy", () => {
    expect(merged("merge", { parents: 2 })).toBe("confirmed");
    expect(merged("merge", { parents: 1 })).toBe("refuted");
    expect(merged("Squash", { parents: 1 })).toBe("confirmed");
    expect(merged("squash", { parents: 2 })).toBe("refuted");
    expect(merged("rebase", { parents: 2 })).toBe("refuted");
    expect(merged("octopus", { parents: 2 })).toBe("unverifiable");
  });
});

describe("a claimed workspace", () => {
  const workspace = (
    about: Partial<Extract<Statement, { of: "workspace" }>>,
    scene = sampleEvidence(),
  ): string | undefined => verdict({ of: "workspace", path: null, type: null, port: null, ...about }, scene);

  it.each([
    ["/work/shop-issue-71", "confirmed"],
    ["/work/shop-issue-71/", "confirmed"],
    ["/work/shop-issue-71/packages/cart", "confirmed"],
    ["../shop-issue-71", "confirmed"],
    ["shop-issue-71", "confirmed"],
    [".", "confirmed"],
    ["/work/shop-issue-72", "unverifiable"],
    ["/work/shop-issue-711", "unverifiable"],
    ["../../shop-issue-71", "unverifiable"],
    ["a\0b", "refuted"],
  ])("at %s is %s", (path, expected) => expect(workspace({ path })).toBe(expected));

  it("is of the type that git shows, where it is this one", () => {
    const path = "/work/shop-issue-71";
    expect(workspace({ path, type: "worktree" })).toBe("confirmed");
    expect(workspace({ path, type: "in-place" })).toBe("refuted");
    expect(workspace({ type: "in-place" })).toBe("refuted");
    expect(workspace({ path, type: "cloud" })).toBe("unverifiable");
    expect(workspace({ path: "/elsewhere", type: "in-place" })).toBe("unverifiable");
  });

  it("has the port that was leased", () => {
    expect(workspace({ port: "3100" }, sampleEvidence({}, { port: "3100" }))).toBe("confirmed");
    expect(workspace({ port: "3200" }, sampleEvidence({}, { port: "3100" }))).toBe("refuted");
    expect(workspace({ port: "3100" })).toBe("unverifiable");
    expect(workspace({ port: "70000" })).toBe("refuted");
  });
});

describe("a number of files", () => {
  const changes = new Map([
    ["a", { change: "created", hunks: null }],
    ["b", { change: "modified", hunks: null }],
    ["c", { change: "renamed", hunks: null, from: "d" }],
    ["d", { change: "deleted", hunks: null }],
    ["own.json", { change: "created", hunks: null }],
  ] as const);
  const scene = sampleEvidence({ changes }, { ownFiles: ["own.json"] });

  it("counts a renamed file once or twice, and never the handoff itself", () => {
    const counts = [2, 3, 4, 5].map((count) => verdict({ of: "files-changed", count }, scene));
    expect(counts).toEqual(["refuted", "confirmed", "confirmed", "refuted"]);
  });

  it("may be of what is committed, too", () => {
    const committed = new Map([["b", { change: "modified", hunks: null }]] as const);
    const both = sampleEvidence({ changes, committed }, { ownFiles: ["own.json"] });
    const counts = [0, 1, 2, 3, 4].map((count) => verdict({ of: "files-changed", count }, both));
    expect(counts).toEqual(["refuted", "confirmed", "refuted", "confirmed", "confirmed"]);
    expect(verdict({ of: "files-counted", change: "created", count: 0 }, both)).toBe("confirmed");
  });

  it("may be given by change", () => {
    const of = (change: "created" | "modified" | "deleted", count: number): string | undefined =>
      verdict({ of: "files-counted", change, count }, scene);
    expect([of("created", 1), of("created", 2), of("created", 3)]).toEqual(["confirmed", "confirmed", "refuted"]);
    expect([of("modified", 0), of("modified", 1)]).toEqual(["refuted", "confirmed"]);
    expect([of("deleted", 0), of("deleted", 1), of("deleted", 2)]).toEqual(["confirmed", "confirmed", "refuted"]);
  });
});
