import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BuiltinDialect, Handoff } from "../../src/protocol/handoff.ts";
import { DIALECT_NAMES } from "../../src/protocol/handoff-words.ts";
import { writeHandoff } from "../../src/protocol/write-handoff.ts";
import { baton } from "./run-baton.ts";
import { claimOf, claimsIn, git, put, repository, verify } from "./verify-repository.ts";

const FILES: Readonly<Record<BuiltinDialect, string>> = {
  "pipeline-json": "handoff-builder-agent.json",
  "issue-xml": "handoff.xml",
  "phase-yaml": "out.md",
  "task-yaml": "out.md",
  "output-json": "out.md",
};

/** Writes a handoff in a format, with what the format has no field for left out. */
function handIn(folder: string, dialect: BuiltinDialect, parts: Partial<Handoff>): string {
  const handoff = {
    dialect,
    from: "builder-agent",
    to: "reviewer-agent",
    outcome: "done",
    phase: dialect === "phase-yaml" ? "Implementation" : "implementation",
    summary: "Built the cart with 2 parts and wired it to the total",
    at: new Date().toISOString(),
    ...parts,
  } as Handoff;
  const { text } = writeHandoff(handoff, dialect, { issue: "7", now: new Date().toISOString(), carry: false });
  put(folder, FILES[dialect], text);
  return FILES[dialect];
}

/** The format has no list of files; what it asks of this agent, `writeHandoff` does not know. */
function implementer(at: string, commits: string): string {
  const data = {
    issue_url: "https://example.org/issues/7",
    issue_number: "7",
    pr_url: "https://example.org/pull/8",
    pr_number: "8",
    branch: "work",
    summary: "Built it",
    files_changed: "1",
    tests_added: "0",
    coverage: "90%",
    commits,
  };
  const fields = Object.entries(data).map(([name, value]) => `<${name}>${value}</${name}>`);
  return `<handoff><from>implementer-agent</from><to>reviewer-agent</to><timestamp>${at}</timestamp><status>success</status>${fields.join("")}</handoff>\n`;
}

describe("a handoff without a list of files", () => {
  it.each(DIALECT_NAMES)("in %s has its changes told", async (dialect) => {
    const folder = repository();
    const file = handIn(folder, dialect, { work: {} });
    if (dialect === "issue-xml") {
      const head = git(folder, "rev-parse", "HEAD");
      put(folder, file, implementer(new Date().toISOString(), `<commit sha="${head}">feat: add more</commit>`));
      put(folder, "src/later.js", "export {};\n");
    }
    const told = claimsIn(await verify(folder, file)).filter(({ kind }) => kind === "undeclared");
    expect(told.filter(({ verdict }) => verdict === "confirmed")).toEqual([]);
    const evidence = told.map((claim) => claim.evidence).join(" ");
    // Files of listed commits are named by them.
    const unnamed = dialect === "issue-xml" ? ["src/later.js"] : ["src/new.js", "src/old.js"];
    for (const name of unnamed) expect(evidence).toContain(name);
  });

  it.each(DIALECT_NAMES)("in %s is told nothing where nothing changed", async (dialect) => {
    const folder = repository();
    const file = handIn(folder, dialect, { work: {} });
    const json = await verify(folder, file, "--base", "HEAD");
    expect(claimsIn(json).filter(({ kind, verdict }) => kind === "undeclared" && verdict !== "confirmed")).toEqual([]);
  });

  it("is refused where its format demands one of work that is done, and not of work that is blocked", async () => {
    const folder = repository();
    const done = "## Handoff\n\n```yaml\noutcome: completed\n```\n";
    put(folder, "done.md", done);
    const refused = await verify(folder, "done.md");
    expect(claimOf(refused, "undeclared")).toMatchObject({ verdict: "refuted", refused: true });
    expect(refused.code).toBe(1);
    put(
      folder,
      "done.md",
      `${done.replace("completed", "blocked").replace(/```\n$/, "")}blockers:\n  - blocker: No key\n    impact: No pay\n    suggested_resolution: Ask\n    blocking_tasks: [task-2]\n\`\`\`\n`,
    );
    const blocked = await verify(folder, "done.md");
    expect(claimOf(blocked, "undeclared")).toMatchObject({ verdict: "unverifiable", refused: false });
    expect(blocked.code).toBe(0);
  });

  it("is refused for an empty one in any format that has one", async () => {
    const folder = repository();
    const file = handIn(folder, "output-json", { work: { modified: [] } });
    expect(claimOf(await verify(folder, file), "undeclared")).toMatchObject({ verdict: "refuted", refused: true });
  });

  it("still claims nothing, and that is said", async () => {
    const folder = repository();
    const file = handIn(folder, "task-yaml", { work: {} });
    expect((await baton(["verify", file], { cwd: folder })).stdout).toContain("claims nothing that could be checked");
  });
});

const task = (lists: string, more = ""): string =>
  `## Handoff\n\n\`\`\`yaml\noutcome: completed\n${more}${lists}\`\`\`\n`;
const modified = (...paths: string[]): string =>
  `files_modified:\n${paths.map((path) => `  - { path: ${JSON.stringify(path)}, lines: all, change_type: refactor, description: Mended }\n`).join("")}`;

describe("what need not be listed, or cannot be", () => {
  it("is a lockfile, which is told and not refused", async () => {
    const folder = repository();
    put(folder, "package-lock.json", "{}\n");
    put(folder, "done.md", task(modified("src/new.js", "src/old.js")));
    const told = await verify(folder, "done.md");
    expect(claimOf(told, "undeclared")).toMatchObject({ verdict: "unverifiable" });
    expect(claimOf(told, "undeclared").evidence).toContain("package-lock.json");
  });

  it.each(["-rf.js", "~old.js", ":x.js", "a\u0007b.js", "cafe\u0301.js"])("is %j", async (name) => {
    const folder = repository();
    put(folder, name, "export {};\n");
    put(folder, "done.md", task(modified("src/new.js", "src/old.js", "caf\u00e9.js")));
    const told = await verify(folder, "done.md");
    expect(claimOf(told, "undeclared")).toMatchObject({ verdict: "unverifiable" });
    put(folder, "done.md", task(modified("src/new.js", "src/old.js", name)));
    const named = claimsIn(await verify(folder, "done.md"));
    expect(named.filter(({ verdict }) => verdict === "refuted")).toEqual([]);
  });

  it("is a name in another Unicode form", async () => {
    const folder = repository();
    put(folder, "cafe\u0301.js", "export {};\n");
    put(folder, "done.md", task(modified("src/new.js", "src/old.js", "caf\u00e9.js")));
    expect(claimOf(await verify(folder, "done.md"), "file", "caf\u00e9").verdict).toBe("unverifiable");
  });

  it("is not a folder that holds nothing but the handoff", async () => {
    const folder = repository();
    put(folder, "out/done.md", task(modified("src/new.js", "src/old.js", "out/")));
    expect(claimOf(await verify(folder, "out/done.md"), "file", "out/").verdict).not.toBe("confirmed");
    const file = handIn(folder, "output-json", {
      work: { modified: [{ path: "src/new.js" }, { path: "src/old.js" }], artifacts: [{ path: "*.md" }] },
    });
    rmSync(join(folder, "out"), { recursive: true });
    expect(claimOf(await verify(folder, file), "artifact", "*.md").verdict).toBe("unverifiable");
  });
});

describe("what is said of a change", () => {
  it("is that it is a rename, a deletion, and which share of the lines changed", async () => {
    const folder = repository();
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
    put(folder, "src/long.js", `${lines.join("\n")}\n`);
    put(folder, "src/gone.js", "gone\n");
    git(folder, "add", "-A");
    git(folder, "commit", "-qm", "feat: long");
    git(folder, "mv", "docs/cart.md", "docs/basket.md");
    git(folder, "rm", "-q", "src/gone.js");
    put(folder, "src/long.js", `${lines.map((line, at) => (at < 12 ? `${line}!` : line)).join("\n")}\n`);
    const range = "files_modified:\n  - { path: src/long.js, lines: 1-40, change_type: modify, description: Mended }\n";
    put(folder, "done.md", task(range));
    const told = await verify(folder, "done.md", "--base", "HEAD");
    expect(claimOf(told, "file", "src/long.js").evidence).toBe("12 of 40 lines changed.");
    const { evidence } = claimOf(told, "undeclared");
    expect(evidence).toContain("docs/basket.md (renamed from docs/cart.md)");
    expect(evidence).toContain("src/gone.js (deleted)");
    put(folder, "done.md", task(modified("docs/basket.md", "src/gone.js", "src/long.js")));
    const named = await verify(folder, "done.md", "--base", "HEAD");
    expect(claimOf(named, "file", "basket").evidence).toBe("It was renamed from docs/cart.md.");
    expect(claimOf(named, "file", "gone").evidence).toContain("is deleted");
  });
});

describe("commits that a handoff names", () => {
  const commits = (...shas: string[]): string => `commits:\n${shas.map((sha) => `  - { sha: "${sha}" }\n`).join("")}`;

  function threeCommits(): { readonly folder: string; readonly shas: readonly string[] } {
    const folder = repository();
    const shas = ["one", "two", "three"].map((name) => {
      put(folder, `src/${name}.js`, "export {};\n");
      git(folder, "add", "-A");
      git(folder, "commit", "-qm", `feat: ${name}`);
      return git(folder, "rev-parse", "HEAD");
    });
    return { folder, shas };
  }

  it("say where the work began: before the oldest of them, and all that came since counts", async () => {
    const { folder, shas } = threeCommits();
    const [, two = "", three = ""] = shas;
    put(folder, "done.md", task(modified("src/two.js", "src/three.js"), commits(three, two.slice(0, 8))));
    const all = await verify(folder, "done.md");
    expect(all.base.commit).toBe(shas[0]);
    expect(all.base.name).toContain("the oldest commit that is named");
    expect(claimsIn(all).filter(({ verdict }) => verdict === "refuted")).toEqual([]);
    put(folder, "done.md", task(modified("src/two.js"), commits(two)));
    const hiding = await verify(folder, "done.md");
    expect(claimOf(hiding, "undeclared")).toMatchObject({ verdict: "refuted", refused: true });
    expect(claimOf(hiding, "history")).toMatchObject({ verdict: "refuted", refused: false });
    expect(claimOf(hiding, "history").evidence).toMatch(/^1 commit not listed: [0-9a-f]{8} \(feat: three\)\.$/);
    const named = await verify(folder, "done.md", "--base", two);
    expect(claimOf(named, "history", "of this work").evidence).toContain("(feat: two)");
  });

  it("need not be those that bring nothing but the handoff", async () => {
    const { folder, shas } = threeCommits();
    put(folder, "done.md", task(modified("src/three.js"), commits(shas[2] ?? "")));
    git(folder, "add", "-A");
    git(folder, "commit", "-qm", "docs: hand over");
    expect(claimsIn(await verify(folder, "done.md")).filter(({ verdict }) => verdict === "refuted")).toEqual([]);
  });

  it("are not younger than it", async () => {
    const { folder, shas } = threeCommits();
    const file = "done.md";
    const xml = (at: string): string => implementer(at, `<commit sha="${shas[2] ?? ""}">feat: three</commit>`);
    put(folder, file, xml("2020-01-01T10:00:00Z"));
    const early = await verify(folder, file);
    expect(claimOf(early, "history", "after the commits").evidence).toContain("(feat: three) is younger");
    put(folder, file, xml(new Date().toISOString()));
    const late = claimsIn(await verify(folder, file));
    expect(late.filter(({ kind }) => kind === "history")).toEqual([]);
  });
});

describe("git", () => {
  it("is not taken from the repository or from node_modules/.bin", async () => {
    const folder = repository();
    put(folder, "done.md", task(modified("src/new.js", "src/old.js", "bin/", "node_modules/", "git")));
    const fake = `#!/bin/sh\ntouch "${folder}/pwned"\nexit 0\n`;
    for (const place of ["node_modules/.bin/git", "bin/git", "git"]) {
      put(folder, place, fake);
      chmodSync(join(folder, place), 0o755);
    }
    const PATH = [join(folder, "node_modules/.bin"), join(folder, "bin"), ".", "", process.env["PATH"]].join(":");
    const run = await baton(["verify", "done.md", "--json"], { cwd: folder, env: { PATH } });
    expect(run.code, run.stdout + run.stderr).toBe(0);
    expect(git(folder, "status", "--porcelain", "--ignored")).not.toContain("pwned");
  });
});
