import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { gitRepository } from "../../src/git/git-repository.ts";
import type { Base } from "../../src/ports/repository.ts";

const room = mkdtempSync(join(tmpdir(), "baton-base-"));
afterAll(() => rmSync(room, { recursive: true, force: true }));

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(room, "work-"));
  git(folder, "init", "--quiet", "--initial-branch=main");
  commit("Start");
  git(folder, "checkout", "--quiet", "-b", "feature");
  commit("One");
  commit("Two");
  git(folder, "checkout", "--quiet", "main");
  commit("Meanwhile");
  git(folder, "checkout", "--quiet", "feature");
});

function git(directory: string, ...args: string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...who, ...args], {
    cwd: directory,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

/** Each brings a file of its own. */
function commit(message: string): string {
  writeFileSync(join(folder, `${message}.txt`), message);
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", message);
  return git(folder, "rev-parse", "HEAD");
}

async function chooseBase(directory: string, revision: string | null = null, commits: string[] = []): Promise<Base> {
  const state = mkdtempSync(join(room, "state-"));
  const environment = { PATH: process.env["PATH"] ?? "", HOME: state };
  const base = await gitRepository({ folder: state, environment }).chooseBase(directory, revision, [], commits);
  if (base === null) throw new Error("git does not rule here");
  return base;
}

/** The subject of the base's commit, and why it was chosen. */
async function chosen(directory: string, revision: string | null = null, commits: string[] = []): Promise<string> {
  const { commit: sha, name } = await chooseBase(directory, revision, commits);
  const subject = sha === null ? "nothing" : git(directory, "log", "-1", "--format=%s", sha);
  return `${subject}: ${name.replace(/^commit [0-9a-f]{8} /, "")}`;
}

/** Whose default branch is main. */
function clone(...options: string[]): string {
  git(folder, "checkout", "--quiet", "main");
  const copy = mkdtempSync(join(room, "clone-"));
  git(copy, "clone", "--quiet", ...options, `file://${folder}`, ".");
  return copy;
}

describe("a base that the operator names", () => {
  it("is that commit, when the work stands on it", async () => {
    expect(await chosen(folder, "HEAD~1")).toBe("One: (HEAD~1, as you said)");
  });

  it("is where the work left it, when it went on", async () => {
    expect(await chosen(folder, "main")).toBe("Start: (where the work left main, which you named)");
    const copy = clone("--branch=feature");
    expect(await chosen(copy, "origin/main")).toBe("Start: (where the work left origin/main, which you named)");
  });

  it("is the commit all the same, when they have none in common", async () => {
    git(folder, "checkout", "--quiet", "--orphan", "new");
    commit("Anew");
    expect(await chosen(folder, "main")).toMatch(/^Meanwhile: .*no commit in common/);
  });

  it("that is no commit is said to be none", async () => {
    await expect(chooseBase(folder, "nowhere")).rejects.toThrow("There is no commit nowhere in this repository.");
  });
});

describe("a base where the handoff names its commits", () => {
  const before = async (...commits: string[]): Promise<string> => chosen(folder, null, commits);
  const id = (revision: string): string => git(folder, "rev-parse", revision);

  it("is the parent of the oldest of them, whatever their order", async () => {
    expect(await before(id("HEAD"))).toMatch(/^One: /);
    expect(await before(id("HEAD"), id("HEAD^"))).toMatch(/^Start: /);
    expect(await before(id("HEAD^"), id("HEAD").slice(0, 8))).toMatch(/^Start: /);
    for (let more = 0; more < 20; more++) commit(`More ${more}`);
    expect(await before(id("HEAD~19"))).toMatch(/^Two: /);
    expect(await before(id("HEAD~13"), id("HEAD~3"))).toMatch(/^More 5: /);
  });

  it("is what a merge was made onto, and not where the merged branch began", async () => {
    git(folder, "checkout", "--quiet", "main");
    git(folder, "merge", "--quiet", "--no-ff", "--message", "Merge", "feature");
    expect(await before(id("HEAD"))).toMatch(/^Meanwhile: /);
    expect(await before(id("HEAD"), id("feature"), id("feature^"))).toMatch(/^Meanwhile: /);
    expect(await before(id("feature"), id("feature^"))).toMatch(/^Meanwhile: /);
    expect(await before(id("HEAD^1"), id("HEAD"))).toMatch(/^Start: /);
  });

  it("is the empty state before the first commit", async () => {
    git(folder, "checkout", "--quiet", "main");
    expect(await before(id("HEAD^"))).toBe("nothing: before the first commit");
  });
});

describe("a base in a shallow clone", () => {
  const refused = async (copy: string, revision: string | null = null): Promise<string> => {
    const error: unknown = await chooseBase(copy, revision).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "cannot-read", hint: expect.stringContaining("fetch-depth: 0") as string });
    return error instanceof Error ? error.message : "";
  };

  it("is not guessed when the beginning of the branch was not fetched", async () => {
    for (const depth of ["1", "2"])
      expect(await refused(clone(`--depth=${depth}`, "--branch=feature"))).toContain(
        "where the work began is not known",
      );
    expect(await refused(clone("--depth=1", "--no-single-branch", "--branch=feature"))).toContain(
      "The clone is shallow",
    );
  });

  it("is not guessed for what is not committed either: more of the branch may be the work's", async () => {
    const copy = clone("--depth=2", "--branch=feature");
    writeFileSync(join(copy, "new.txt"), "new");
    expect(await refused(copy)).toContain("where the work began is not known");
  });

  it("is where the branches parted, when that was fetched", async () => {
    const copy = clone("--depth=3", "--no-single-branch", "--branch=feature");
    expect(await chosen(copy)).toBe("Start: (where the branch left main)");
    expect(await chosen(copy, "origin/main")).toContain("Start: ");
  });

  it("is refused when the named branch has nothing in common with what was fetched", async () => {
    const copy = clone("--depth=1", "--no-single-branch", "--branch=feature");
    expect(await refused(copy, "origin/main")).toContain("where the work left origin/main is not known");
  });

  it("is the first parent of a forge's trial merge", async () => {
    git(folder, "checkout", "--quiet", "--detach", "main");
    git(folder, "merge", "--quiet", "--no-ff", "--message=Trial", "feature");
    git(folder, "branch", "trial");
    const copy = mkdtempSync(join(room, "clone-"));
    git(copy, "init", "--quiet", "--initial-branch=none");
    git(copy, "fetch", "--quiet", "--depth=2", `file://${folder}`, "trial");
    git(copy, "checkout", "--quiet", "--detach", "FETCH_HEAD");
    expect(await chosen(copy)).toBe("Meanwhile: (what the merge that is checked out was made onto)");
  });

  it("is the commit before on the target itself", async () => {
    const copy = clone("--depth=2", "--branch=main");
    git(copy, "remote", "remove", "origin");
    expect(await chosen(copy)).toContain("Start: (before the last commit with work in it");
  });
});

it("counts of commits are not given where history ends among them", async () => {
  const copy = clone("--depth=2", "--no-single-branch", "--branch=feature");
  const state = mkdtempSync(join(room, "state-"));
  const repository = gitRepository({ folder: state, environment: { PATH: process.env["PATH"] ?? "", HOME: state } });
  const needs = { paths: [], lengths: [], hunks: [], patterns: [], commits: [], branches: [], changes: false };
  const since = async (revision: string): Promise<number | null> => {
    const sha = git(copy, "rev-parse", revision);
    const base = { tree: sha, commit: sha, name: revision };
    return (await repository.look(copy, base, { ...needs, counts: true })).commitsSinceBase;
  };
  expect(await since("HEAD~1")).toBe(1);
  expect(await since("origin/main")).toBeNull();
});
