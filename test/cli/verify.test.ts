import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readReport } from "../../src/evidence/reports/read-report.ts";
import { type Run, baton } from "./run-baton.ts";
import { type Json, claimOf, claimsIn, git, handoff, put, repository, room, verify } from "./verify-repository.ts";

describe("claims about files", () => {
  it("that are true are confirmed, and nothing is left behind", async () => {
    const folder = repository();
    put(folder, "out/done.md", handoff());
    const temporary = room({ "keep.txt": "" });
    const run = await baton(["verify", "out/done.md"], { cwd: folder, env: { TMPDIR: temporary } });
    expect(run.code, run.stdout).toBe(0);
    expect(run.stdout).toContain("compared with commit");
    expect(run.stdout).toMatch(/^\d+ claims of 1 handoff: \d+ unverifiable, [1-9]\d* confirmed$/m);
    expect(run.stdout).not.toContain("refuted");
    expect(git(folder, "status", "--porcelain")).toBe("?? out/");
    expect(existsSync(join(folder, ".baton"))).toBe(false);
    expect(readdirSync(temporary).filter((name) => name.startsWith("baton"))).toEqual([]);
  });

  it("that are false are refuted first, with the evidence and their place", async () => {
    const folder = repository();
    put(folder, "done.md", handoff({ modified: ["src/new.js", "src/old.js", "src/gone.js"] }));
    const run = await baton(["verify", "done.md"], { cwd: folder });
    expect(run.code).toBe(1);
    const lines = run.stdout.split("\n");
    const line = handoff({ modified: ["src/new.js", "src/old.js", "src/gone.js"] })
      .split("\n")
      .findIndex((text) => text.includes("src/gone.js"));
    expect(lines[3]).toContain(`✗ done.md:${line + 1}  file: The file src/gone.js`);
    expect(lines[4]).toContain("no such file");
    expect(run.stdout.indexOf("refuted (")).toBeLessThan(run.stdout.indexOf("unverifiable ("));
    expect(run.stdout.indexOf("unverifiable (")).toBeLessThan(run.stdout.indexOf("confirmed ("));
  });

  it("that are only warned of are refused with --strict", async () => {
    const folder = repository();
    const read = '"source_files_verified": ["src/nowhere.js:1-3"]';
    put(folder, "done.md", handoff().replace('"source_files_verified": []', read));
    const warned = await verify(folder, "done.md");
    expect(claimOf(warned, "source", "src/nowhere.js")).toMatchObject({ verdict: "refuted", refused: false });
    expect(warned.code).toBe(0);
    const strict = await verify(folder, "done.md", "--strict");
    expect(claimOf(strict, "source", "src/nowhere.js")).toMatchObject({ verdict: "refuted", refused: true });
    expect(strict.code).toBe(1);
  });

  it("are spoken of as one when there is one", async () => {
    const folder = repository();
    const made = "files_created:\n  - path: src/new.js\n    purpose: Begins it\n    lines: all\n";
    put(folder, "done.md", `## Handoff\n\n\`\`\`yaml\noutcome: completed\n${made}\`\`\`\n`);
    const { stdout } = await baton(["verify", "done.md"], { cwd: folder });
    expect(stdout).toContain("confirmed (1)\n  1 claim; --all lists it\n");
  });

  it("are counted from where the branch began, from the last commit, or from its parent, and that is said", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    expect((await verify(folder, "done.md")).base.name).toContain("where the branch left main");
    git(folder, "switch", "-q", "main");
    git(folder, "merge", "-q", "--ff-only", "work");
    put(folder, "src/later.js", "export {};\n");
    expect((await verify(folder, "done.md")).base.name).toContain("not committed");
    git(folder, "add", "src");
    git(folder, "commit", "-qm", "feat: later");
    const committed = await verify(folder, "done.md");
    expect(committed.base.name).toContain("everything is committed");
    expect(claimOf(committed, "file", "src/new.js").verdict).toBe("refuted");
    git(folder, "add", "-A");
    git(folder, "commit", "-qm", "docs: hand over");
    expect((await verify(folder, "done.md")).base.name).toBe(committed.base.name);
    const named = await verify(folder, "done.md", "--base", "HEAD~3");
    expect(named.base.name).toContain("HEAD~3, as you said");
    expect(claimOf(named, "file", "src/new.js").verdict).toBe("confirmed");
  });

  it("are counted from what was pushed, or from the newest of the default branch that the work stands on", async () => {
    const folder = repository();
    const clone = join(room({}), "clone");
    git(folder, "switch", "-q", "main");
    git(folder, "clone", "-q", `file://${folder}`, clone);
    for (const name of ["one", "two"]) {
      put(clone, `src/${name}.js`, "export {};\n");
      git(clone, "add", "-A");
      git(clone, "commit", "-qm", `feat: ${name}`);
    }
    put(clone, "done.md", handoff({ modified: ["src/one.js", "src/two.js"] }));
    const ahead = await verify(clone, "done.md");
    expect(ahead.base.name).toContain("where the branch left origin/main");
    expect(ahead.code).toBe(0);
    git(clone, "push", "-q", "origin", "HEAD:later");
    git(clone, "switch", "-qc", "topic");
    git(clone, "branch", "-qf", "main", "HEAD~2");
    git(clone, "update-ref", "refs/remotes/origin/main", "HEAD~1");
    const newest = await verify(clone, "done.md");
    expect(claimOf(newest, "file", "src/one.js").verdict).toBe("refuted");
    expect(claimOf(newest, "file", "src/two.js").verdict).toBe("confirmed");
  });

  it("are not counted from nothing where history was cut off", async () => {
    const folder = repository();
    const clone = join(room({}), "clone");
    git(folder, "clone", "-q", "--depth", "1", `file://${folder}`, clone);
    put(clone, "done.md", handoff());
    const run = await baton(["verify", "done.md"], { cwd: clone });
    expect(run).toMatchObject({ code: 3, stdout: "" });
    expect(run.stderr).toContain("fetch-depth: 0");
  });

  it.each(["--upload-pack=touch pwned", "-h", "nothing", "HEAD:src/old.js", "main..work"])(
    "are not counted from %s, which is no commit",
    async (base) => {
      const folder = repository();
      put(folder, "done.md", handoff());
      const run = await baton(["verify", "done.md", `--base=${base}`], { cwd: folder });
      expect(run).toMatchObject({ code: 2, stdout: "" });
      expect(run.stderr).toContain("There is no commit");
      expect(readdirSync(folder)).not.toContain("pwned");
    },
  );

  it("need not list the handoff itself; other changes are refused", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    expect(claimOf(await verify(folder, "done.md"), "undeclared").verdict).toBe("confirmed");
    put(folder, "secret.js", "export {};\n");
    const told = await verify(folder, "done.md");
    expect(claimOf(told, "undeclared")).toMatchObject({ verdict: "refuted", refused: true });
    expect(claimOf(told, "undeclared").evidence).toContain("secret.js");
    expect(told.code).toBe(1);
  });

  it("of several handoffs need not list what another one lists", async () => {
    const folder = repository();
    put(folder, "one.md", handoff({ modified: ["src/new.js"] }));
    put(folder, "two.md", handoff({ modified: ["src/old.js"] }));
    const together = await verify(folder, "one.md", "two.md");
    expect(claimsIn(together).filter(({ kind }) => kind === "undeclared")).toMatchObject([
      { verdict: "confirmed" },
      { verdict: "confirmed" },
    ]);
    expect(together.summary["handoffs"]).toBe(2);
  });

  it("are judged from standard input and from below the root as well", async () => {
    const folder = repository();
    const run = await baton(["verify", "-", "--json"], { cwd: join(folder, "src"), input: handoff() });
    expect(run.code).toBe(0);
    expect(claimOf(JSON.parse(run.stdout) as Json, "file", "src/new.js").verdict).toBe("confirmed");
  });

  it("are readable when there are 1,000 of them", async () => {
    const folder = repository();
    const names = Array.from({ length: 1000 }, (_, at) => `src/made-${at}.js`);
    for (const name of names.slice(0, 600)) put(folder, name, "export {};\n");
    put(folder, "done.md", handoff({ modified: ["src/new.js", "src/old.js", ...names] }));
    const short = await baton(["verify", "done.md"], { cwd: folder });
    expect(short.stdout).toContain("refuted (400)");
    expect(short.stdout).toContain("and 350 more; --all lists them");
    expect(short.stdout.split("\n").length).toBeLessThan(180);
    const all = await baton(["verify", "done.md", "--all"], { cwd: folder });
    for (const name of names) expect(all.stdout).toContain(`The file ${name} `);
  });
});

describe("what cannot be verified", () => {
  it("is a handoff that is not valid: it is told as baton validate tells it", async () => {
    const folder = repository();
    put(folder, "done.md", handoff().replace('"status": "complete"', '"status": "fabulous"'));
    const run = await baton(["verify", "done.md"], { cwd: folder });
    expect(run.code).toBe(1);
    expect(run.stdout).toContain("fabulous");
    expect(run.stdout).toContain("1 file not valid, so not verified");
  });

  it("is anything outside of a repository, or without git", async () => {
    const folder = room({ "done.md": handoff() });
    const outside = await baton(["verify", "done.md"], { cwd: folder });
    expect(outside).toMatchObject({ code: 3, stdout: "" });
    expect(outside.stderr).toContain("There is no git repository");
    const inside = repository();
    put(inside, "done.md", handoff());
    const without = await baton(["verify", "done.md"], { cwd: inside, env: { PATH: join(inside, "src") } });
    expect(without).toMatchObject({ code: 3, stdout: "" });
    expect(without.stderr).toContain("git was not found");
  });

  it("is a folder without any handoff: that is no green check", async () => {
    const folder = repository();
    put(folder, "docs/notes.md", "# Notes\n");
    const run = await baton(["verify", "docs"], { cwd: folder });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain("no handoff");
  });
});

describe("the formats", () => {
  const FALSE = { modified: ["src/new.js", "src/old.js", "src/gone.js"] };

  async function formatted(format: string): Promise<Run & { readonly line: number }> {
    const folder = repository();
    put(folder, "done.md", handoff(FALSE));
    const line =
      handoff(FALSE)
        .split("\n")
        .findIndex((text) => text.includes("src/gone.js")) + 1;
    return { ...(await baton(["verify", "done.md", "--format", format], { cwd: folder })), line };
  }

  it("json has a stable shape", async () => {
    const run = await formatted("json");
    const json = JSON.parse(run.stdout) as Json;
    expect(Object.keys(json)).toEqual(["base", "files", "gates", "summary"]);
    expect(Object.keys(json.files[0]!)).toEqual(["path", "dialect", "valid", "diagnostics", "handoffs"]);
    expect(Object.keys(json.files[0]!.handoffs[0]!)).toEqual(["from", "claims"]);
    expect(Object.keys(claimsIn(json)[0]!)).toEqual([
      "kind",
      "where",
      "says",
      "verdict",
      "refused",
      "procedure",
      "evidence",
      "range",
    ]);
    expect(Object.keys(json.summary)).toEqual([
      "handoffs",
      "claims",
      "confirmed",
      "refuted",
      "refused",
      "unverifiable",
      "invalid",
      "gatesFailed",
      "gatesUnusable",
      "unchanged",
    ]);
    expect(Object.keys(json.base)).toEqual(["commit", "name", "guessed"]);
    expect(claimOf(json, "file", "gone").range.start.line).toBe(run.line);
  });

  it("github annotates the line that says it", async () => {
    const run = await formatted("github");
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(new RegExp(`^::error file=done.md,line=${run.line},.*title=claim/file`, "m"));
  });

  it("sarif points at it", async () => {
    const run = await formatted("sarif");
    const [sarif] = (JSON.parse(run.stdout) as { runs: { results: Record<string, unknown>[] }[] }).runs;
    const result = sarif?.results.find((each) => each["ruleId"] === "claim/file");
    expect(result).toMatchObject({
      level: "error",
      locations: [{ physicalLocation: { artifactLocation: { uri: "done.md" }, region: { startLine: run.line } } }],
    });
  });

  it("junit has a case for each claim, and can be read as a report", async () => {
    const junit = await formatted("junit");
    const { summary } = JSON.parse((await formatted("json")).stdout) as Json;
    expect(readReport(junit.stdout, "verify.xml")).toMatchObject({
      problem: null,
      tests: { failed: summary["refused"], skipped: summary["unverifiable"] },
    });
  });

  it.each(["pretty", "json", "github", "sarif", "junit"])("%s obeys nothing that an agent wrote", async (format) => {
    const folder = repository();
    const evil = ["::error::pwned", "a\u001b[31mb", "\u202eevil", "##[error]x", "<script>", "a\n::warning::b"];
    put(folder, "done.md", handoff({ modified: evil.map((text) => `src/${text}`) }));
    const run = await baton(["verify", "done.md", "--all", "--format", format], { cwd: folder });
    expect(run.code).toBe(1);
    expect(run.stdout).not.toMatch(/^\s*::(?:warning|error)::/m);
    expect(run.stdout).not.toMatch(/[\u001b\u202e]/);
    if (format !== "github") expect(run.stdout).not.toContain("##[");
    if (format === "junit") expect(readReport(run.stdout, "a.xml").problem).toBeNull();
    else expect(run.stdout).toContain("pwned");
  });
});
