import { join } from "node:path";
import { appendFileSync, chownSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { baton } from "./run-baton.ts";
import { claimOf, git, handoff, put, repository, room, verify } from "./verify-repository.ts";

const FALSE = { modified: ["src/new.js", "src/old.js", "src/gone.js"] };

function commit(folder: string, message: string): void {
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", message);
}

/** A second branch, on which an old handoff lies that is about the first one. */
function secondBranch(): string {
  const folder = repository();
  put(folder, "handoffs/one.md", handoff());
  commit(folder, "docs: hand over");
  git(folder, "switch", "-q", "main");
  git(folder, "merge", "-q", "--ff-only", "work");
  git(folder, "switch", "-qc", "second");
  put(folder, "src/second.js", "export {};\n");
  put(folder, "handoffs/two.md", handoff({ modified: ["src/second.js"] }));
  commit(folder, "feat: second");
  return folder;
}

describe("--changed", () => {
  it("leaves handoffs alone that were there before", async () => {
    const folder = secondBranch();
    expect((await verify(folder, "handoffs", "--base", "main")).code).toBe(1);
    const json = await verify(folder, "handoffs", "--changed", "--base", "main");
    expect(json.code).toBe(0);
    expect(json.files.map(({ path }) => path)).toEqual(["handoffs/two.md"]);
    expect(json.summary).toMatchObject({ handoffs: 1, unchanged: 1, refuted: 0 });
    expect((await verify(folder, "handoffs", "--changed")).summary).toMatchObject({ handoffs: 1, unchanged: 1 });
  });

  it("leaves one alone that is not valid and was there before, and no other", async () => {
    const folder = secondBranch();
    put(folder, "handoffs/three.md", handoff().replace('"complete"', '"fabulous"'));
    expect((await verify(folder, "handoffs", "--changed", "--base", "main")).summary["invalid"]).toBe(1);
    commit(folder, "docs: wrong");
    expect((await verify(folder, "handoffs", "--changed", "--base", "HEAD")).summary["invalid"]).toBe(0);
  });

  it("says so when there is none, in every format", async () => {
    const folder = secondBranch();
    const pretty = await baton(["verify", "handoffs", "--changed", "--base", "HEAD"], { cwd: folder });
    expect(pretty.code, pretty.stderr).toBe(0);
    expect(pretty.stdout).toContain("No changed handoff; 2 files unchanged, so left out");
    for (const format of ["json", "github", "sarif", "junit"]) {
      const run = await baton(["verify", "handoffs", "--changed", "--base", "HEAD", "--format", format], {
        cwd: folder,
      });
      expect(run.code, run.stderr).toBe(0);
      expect(run.stdout).not.toBe("");
    }
  });

  it("judges what came in another way all the same", async () => {
    const args = ["verify", "-", "--changed", "--base", "HEAD"];
    const run = await baton(args, { cwd: secondBranch(), input: handoff(FALSE) });
    expect(run.code).toBe(1);
  });
});

describe("changed files that are handoffs themselves", () => {
  it("are no work: nobody has to list them", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    put(folder, "reports/other.md", handoff({ modified: ["src/new.js"] }));
    put(folder, "reports/handoff-2.yaml", "just: settings\n");
    const { evidence, verdict } = claimOf(await verify(folder, "done.md"), "undeclared");
    expect(verdict).toBe("refuted");
    expect(evidence).toContain("1 file changed and not listed: reports/handoff-2.yaml");
  });

  it("do not move the base: what only brought them is passed over", async () => {
    const folder = repository();
    git(folder, "switch", "-q", "main");
    git(folder, "merge", "-q", "--ff-only", "work");
    git(folder, "branch", "-qD", "work");
    put(folder, "other.md", handoff({ modified: ["src/new.js"] }));
    commit(folder, "docs: another handoff");
    put(folder, "done.md", handoff());
    const json = await verify(folder, "done.md");
    expect(json.base.name).toContain("before the last commit with work in it");
    expect(claimOf(json, "file", "src/new.js").verdict).toBe("confirmed");
  });

  it.each(["README.md", "AGENTS.md", ".github/note.md", "config.yaml", "package-lock.json"])(
    "are not called %s: a handoff in it hides nothing",
    async (path) => {
      const folder = repository();
      put(folder, "done.md", handoff());
      put(
        folder,
        path,
        path.endsWith(".md") ? handoff() : ((handoff().split("```json\n")[1] ?? "").split("```")[0] ?? ""),
      );
      expect(claimOf(await verify(folder, "done.md"), "undeclared").evidence).toContain(path);
    },
  );
});

describe("a base that nobody has named", () => {
  const HINT = "name the commit, --base REV";

  it.each(["pretty", "github", "sarif", "junit"])("is doubted by %s where something is refuted", async (format) => {
    const folder = repository();
    put(folder, "done.md", handoff(FALSE));
    const flat = async (...args: string[]): Promise<string> =>
      (await baton(["verify", "done.md", "--format", format, ...args], { cwd: folder })).stdout.replace(/\s+/g, " ");
    expect(await flat()).toContain(HINT);
    expect(await flat("--base", "main")).not.toContain(HINT);
    put(folder, "done.md", handoff());
    expect(await flat()).not.toContain(HINT);
  });

  it("is said to be one by json, with its commit", async () => {
    const folder = repository();
    put(folder, "done.md", handoff(FALSE));
    const { base } = await verify(folder, "done.md");
    expect(base).toMatchObject({ guessed: true, commit: git(folder, "rev-parse", "main") });
    expect((await verify(folder, "done.md", "--base", "main")).base.guessed).toBe(false);
  });
});

describe("in a folder below the root", () => {
  it.each([
    ["github", /^::error file=docs\/out\/done.md,/m],
    ["sarif", /"uri":"docs\/out\/done.md"/],
  ])("%s names files from the root", async (format, says) => {
    const folder = repository();
    put(folder, "docs/out/done.md", handoff(FALSE));
    const run = await baton(["verify", "out/done.md", "--format", format], { cwd: join(folder, "docs") });
    expect(run.stdout).toMatch(says);
    const pretty = await baton(["verify", "../docs/out/done.md"], { cwd: join(folder, "docs") });
    expect(pretty.stdout).toContain("../docs/out/done.md:");
  });
});

describe("a log of GitHub", () => {
  it("has what comes after ten annotations as plain lines", async () => {
    const folder = repository();
    const gone = Array.from({ length: 14 }, (_, at) => `src/gone-${at}.js`);
    put(folder, "done.md", handoff({ modified: gone }));
    const { stdout } = await baton(["verify", "done.md", "--format", "github"], { cwd: folder });
    expect(stdout.match(/^::error /gm)).toHaveLength(10);
    for (const path of gone) expect(stdout).toContain(path);
    expect(stdout).toMatch(/^done\.md:\d+: error: Not true: The file src\/gone-13\.js/m);
  });
});

describe("the words", () => {
  it("fit into the terminal", async () => {
    const folder = repository();
    const long = `src/${"folder/".repeat(4)}gone.js`;
    put(folder, "done.md", handoff({ modified: ["src/new.js", long, ...FALSE.modified] }));
    for (const name of ["one", "two", "three", "four", "five", "six"]) put(folder, `src/extra-${name}.js`, "x\n");
    const { stdout } = await baton(["verify", "done.md", "--all"], { cwd: folder });
    for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(100);
  });

  it("of --all tell what was seen of a confirmed claim", async () => {
    const folder = repository();
    put(folder, "done.md", handoff());
    const { stdout } = await baton(["verify", "done.md", "--all"], { cwd: folder });
    expect(stdout).toContain("Every changed file that git sees is listed.");
  });

  it("explain each kind of claim", async () => {
    const folder = repository();
    put(folder, "done.md", handoff(FALSE));
    const { stdout } = await baton(["explain", "claim/undeclared"]);
    expect(stdout).toMatch(/^claim\/undeclared: A claim that no other file was changed than the listed ones\n/);
    expect(stdout).toContain("git diff");
    expect((await baton(["explain", "claim/nothing"])).code).toBe(2);
    expect((await baton(["verify", "done.md", "--format", "sarif"], { cwd: folder })).stdout).toContain(
      "How it is judged",
    );
  });
});

describe("a handoff without a claim", () => {
  it("is told: nothing of it was verified", async () => {
    const folder = repository();
    put(folder, "summary.md", "## TESTING COMPLETE\n\n**Next Agent:** None\n");
    const run = await baton(["verify", "summary.md"], { cwd: folder });
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toContain("claims nothing that could be checked");
    const args = ["verify", "summary.md", "--format", "github"];
    expect((await baton(args, { cwd: folder })).stdout).toContain("no-claims");
  });
});

describe("a repository that cannot be used", () => {
  it("is told apart from none: it is bare", async () => {
    const bare = join(room({}), "bare.git");
    git(repository(), "clone", "-q", "--bare", ".", bare);
    const run = await baton(["verify", "-"], { cwd: bare, input: handoff() });
    expect(run).toMatchObject({ code: 3, stdout: "" });
    expect(run.stderr).toContain("it is bare");
  });

  it("is told in git's own words: it is broken", async () => {
    const folder = room({ "done.md": handoff(), ".git/HEAD": "nonsense\n" });
    const run = await baton(["verify", "done.md"], { cwd: folder });
    expect(run).toMatchObject({ code: 3, stdout: "" });
    expect(run.stderr).toContain("git says: ");
  });

  it.skipIf(process.getuid?.() !== 0)(
    "belongs to somebody else, unless the operator has said that it may",
    async () => {
      const folder = repository();
      put(folder, "done.md", handoff());
      give(folder, 4321);
      const home = room({});
      const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config") };
      const refused = await baton(["verify", "done.md"], { cwd: folder, env });
      expect(refused).toMatchObject({ code: 3, stdout: "" });
      expect(refused.stderr).toContain("dubious ownership");
      expect(refused.stderr).toContain("safe.directory");
      const without = await baton(["verify", "done.md"], { cwd: folder, env: { ...env, PATH: join(folder, "src") } });
      expect(without.stderr).toContain("git was not found");
      appendFileSync(join(home, ".gitconfig"), `[safe]\n\tdirectory = ${folder}\n`);
      expect((await baton(["verify", "done.md"], { cwd: folder, env })).code).toBe(0);
    },
  );
});

function give(path: string, user: number): void {
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
    chownSync(join(entry.parentPath, entry.name), user, user);
  chownSync(path, user, user);
}
