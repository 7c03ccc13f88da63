import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { gitRepository } from "../../src/git/git-repository.ts";

const room = mkdtempSync(join(tmpdir(), "baton-heads-"));
afterAll(() => rmSync(room, { recursive: true, force: true }));

interface Made {
  readonly git: (...args: string[]) => string;
  readonly snapshot: () => Promise<{ readonly commit: string | null; readonly branch: string | null } | null>;
}

function make(): Made {
  const [folder, state] = [mkdtempSync(join(room, "work-")), mkdtempSync(join(room, "state-"))];
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder, encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  writeFileSync(join(folder, "a.txt"), "one\n");
  const repository = gitRepository({ folder: state, environment: { PATH: process.env["PATH"] ?? "", HOME: state } });
  return { git, snapshot: () => repository.snapshot(folder) };
}

function committed(): Made & { readonly head: string } {
  const made = make();
  made.git("add", "--all");
  made.git("commit", "--quiet", "--message", "Work");
  return { ...made, head: made.git("rev-parse", "HEAD").trim() };
}

describe("where HEAD stands is told", () => {
  it("before the first commit", async () => {
    expect(await make().snapshot()).toMatchObject({ commit: null, branch: "main" });
  });

  it("on a branch, at the first look and at the next one", async () => {
    const { git, head, snapshot } = committed();
    expect(await snapshot()).toMatchObject({ commit: head, branch: "main" });
    git("checkout", "--quiet", "-b", "topic/one");
    expect(await snapshot()).toMatchObject({ commit: head, branch: "topic/one" });
  });

  it("on no branch", async () => {
    const { git, head, snapshot } = committed();
    git("checkout", "--quiet", "--detach");
    expect(await snapshot()).toMatchObject({ commit: head, branch: null });
  });

  it.each(["refs/heads/HEAD", "refs/tags/HEAD"])("where there is also %s", async (name) => {
    const { git, head, snapshot } = committed();
    git("commit", "--quiet", "--allow-empty", "--message", "Other");
    git("update-ref", name, "HEAD");
    git("reset", "--quiet", "--hard", head);
    expect(await snapshot()).toMatchObject({ commit: head, branch: "main" });
    expect(await snapshot()).toMatchObject({ commit: head, branch: "main" });
  });
});
