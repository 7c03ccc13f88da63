import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { NeededObservations, Observations } from "../../src/evidence/observations.ts";
import { gitRepository } from "../../src/git/git-repository.ts";
import type { Repository } from "../../src/ports/repository.ts";

const room = mkdtempSync(join(tmpdir(), "baton-git-"));
afterAll(() => rmSync(room, { recursive: true, force: true }));

let folder = "";
let state = "";
let repository: Repository;

beforeEach(() => {
  folder = mkdtempSync(join(room, "work-"));
  state = mkdtempSync(join(room, "state-"));
  repository = gitRepository({ folder: state, environment: { PATH: process.env["PATH"] ?? "", HOME: state } });
  git("init", "--quiet", "--initial-branch=main");
  write("src/a.txt", "one\ntwo\nthree\n");
  write("src/b.txt", "b\n");
  commit("Start");
});

function git(...args: string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...who, ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function commit(message: string): string {
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message", message);
  return git("rev-parse", "HEAD");
}

const NEEDS: NeededObservations = {
  paths: [],
  lengths: [],
  hunks: [],
  patterns: [],
  commits: [],
  branches: [],
  changes: true,
};

async function look(needs: Partial<NeededObservations> = {}): Promise<Observations> {
  return repository.look(folder, await repository.chooseBase(folder, "HEAD"), { ...NEEDS, ...needs });
}

function changes({ changes: seen }: Observations): string[] {
  return [...seen].map(([path, { change }]) => `${change} ${path}`).sort();
}

let traps = 0;

/** A program that leaves a trace when anybody starts it. */
function trap(): { readonly program: string; readonly isSprung: () => boolean } {
  const program = join(room, `trap-${traps++}`);
  writeFileSync(program, `#!/bin/sh\ntouch "${program}.sprung"\ncat\n`);
  chmodSync(program, 0o755);
  return { program, isSprung: () => existsSync(`${program}.sprung`) };
}

/** Everything that our own calls do. */
async function useAll(): Promise<void> {
  write("src/a.txt", "one\n2\nthree\n");
  write("src/new.txt", "new\n");
  const snapshot = await repository.snapshot(folder);
  await repository.mark(folder, "step");
  await repository.chooseBase(folder, null);
  const sha = git("rev-parse", "HEAD");
  const all = { paths: ["src/a.txt"], lengths: ["src/a.txt"], hunks: ["src/a.txt"], patterns: ["src/*"] };
  await look({ ...all, commits: [sha, "1234567"], branches: ["main"] });
  await repository.checkOut(folder, snapshot?.tree ?? "", mkdtempSync(join(room, "copy-")));
}

describe("a repository that wants a program to be started", () => {
  const settings: readonly (readonly [string, (program: string) => void])[] = [
    ["a clean filter", (program) => filter("clean", program)],
    ["a smudge filter", (program) => filter("smudge", program)],
    ["a filter process", (program) => filter("process", program)],
    ["an external diff", (program) => void git("config", "diff.external", program)],
    [
      "a text conversion",
      (program) => {
        git("config", "diff.x.textconv", program);
        write(".gitattributes", "* diff=x\n");
      },
    ],
    [
      "a diff driver",
      (program) => {
        git("config", "diff.x.command", program);
        write(".gitattributes", "* diff=x\n");
      },
    ],
    ["a monitor of files", (program) => void git("config", "core.fsmonitor", program)],
    ["a pager", (program) => void git("config", "core.pager", program)],
    [
      "signatures in logs",
      (program) => {
        git("config", "gpg.program", program);
        git("config", "log.showSignature", "true");
      },
    ],
    [
      "an alias",
      (program) => ["diff", "add", "ls-files"].forEach((name) => git("config", `alias.${name}`, `!${program}`)),
    ],
    [
      "hooks",
      (program) => {
        for (const name of ["post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc"])
          execFileSync("cp", [program, join(folder, ".git/hooks", name)]);
      },
    ],
    [
      "hooks elsewhere",
      (program) => {
        const hooks = mkdtempSync(join(room, "hooks-"));
        execFileSync("cp", [program, join(hooks, "post-index-change")]);
        git("config", "core.hooksPath", hooks);
      },
    ],
    [
      "missing objects that a remote promises",
      (program) => {
        git("config", "extensions.partialClone", "origin");
        git("config", "remote.origin.promisor", "true");
        git("config", "remote.origin.url", folder);
        git("config", "remote.origin.uploadpack", program);
      },
    ],
    [
      "a remote by a helper",
      (program) => {
        git("config", "extensions.partialClone", "origin");
        git("config", "remote.origin.promisor", "true");
        git("config", "remote.origin.url", `ext::${program}`);
        git("config", "protocol.ext.allow", "always");
      },
    ],
  ];

  it.each(["that git knows", "that git does not know", "without a commit"])(
    "by the settings of a repository within it %s starts none",
    async (kind) => {
      const { program, isSprung } = trap();
      mkdirSync(join(folder, "sub"));
      const inner = (...args: string[]) =>
        execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: join(folder, "sub") });
      inner("init", "--quiet");
      write("sub/x.txt", "x\n");
      if (kind !== "without a commit") {
        inner("add", "--all");
        inner("commit", "--quiet", "--message=Inner");
      }
      if (kind === "that git knows") commit("Outer");
      inner("config", "filter.x.clean", program);
      inner("config", "core.fsmonitor", program);
      write("sub/.gitattributes", "* filter=x\n");
      write("sub/x.txt", "y\n");
      await useAll();
      await repository.snapshot(folder);
      expect(isSprung()).toBe(false);
    },
  );

  function filter(kind: string, program: string): void {
    git("config", `filter.x.${kind}`, program);
    git("config", "filter.x.required", "true");
    write(".gitattributes", "* filter=x\n");
  }

  it.each(settings)("by %s starts none", async (_name, set) => {
    const { program, isSprung } = trap();
    set(program);
    await useAll();
    expect(isSprung()).toBe(false);
  });
});

describe("a repository that hides what was done", () => {
  it.each(["--assume-unchanged", "--skip-worktree"])("by %s does not hide it", async (option) => {
    git("update-index", option, "src/a.txt");
    write("src/a.txt", "changed\n");
    expect(changes(await look())).toEqual(["modified src/a.txt"]);
  });

  it("by its list of files to leave out does not hide it", async () => {
    appendFileSync(join(folder, ".git/info/exclude"), "secret.txt\n");
    write("secret.txt", "x\n");
    expect(changes(await look())).toEqual(["created secret.txt"]);
  });

  it("by replaced commits does not hide it", async () => {
    const before = git("rev-parse", "HEAD");
    const fake = git("commit-tree", "-m", "Something else", `${before}^{tree}`);
    git("replace", before, fake);
    const { commits } = await look({ commits: [before] });
    expect(commits.get(before)?.message.trim()).toBe("Start");
  });

  it("by times and sizes that stay the same does not hide it from a state that we noted", async () => {
    const before = await repository.mark(folder, "step");
    write("src/b.txt", "c\n");
    utimesSync(join(folder, "src/b.txt"), 1, 1);
    const base = before && { ...before, name: "before" };
    expect(changes(await repository.look(folder, base, NEEDS))).toEqual(["modified src/b.txt"]);
  });

  it("is written into by nothing of ours", async () => {
    const stateOf = (): string =>
      execFileSync("sh", ["-c", "find .git -type f | sort | xargs sha256sum"], { cwd: folder, encoding: "utf8" });
    write("src/new.txt", "new\n");
    const before = stateOf();
    await repository.snapshot(folder);
    await look({ paths: ["src/new.txt"], patterns: ["**/*.txt"], commits: ["HEAD", "1234567"] });
    expect(stateOf()).toBe(before);
  });
});

describe("names that are no names", () => {
  it.each(["--upload-pack=x", "-c", "--output=/tmp/x", "HEAD; touch x", "HEAD@{u}", "../x"])(
    "%s is refused as a revision and never an option",
    async (name) => {
      await expect(repository.chooseBase(folder, name)).rejects.toThrow("There is no commit");
    },
  );

  it("commits that are options, trees, files or of another repository are not found", async () => {
    const tree = git("rev-parse", "HEAD^{tree}");
    const file = git("rev-parse", "HEAD:src/a.txt");
    const strangers = [tree, file, "f".repeat(40), "--all", "HEAD", "main", "deadbeef"];
    const { commits } = await look({ commits: strangers });
    expect(strangers.filter((name) => (commits.get(name) ?? null) !== null)).toEqual([]);
  });
});

describe("what is seen", () => {
  it("of states: commits and work that is not committed, links, renames and folders of others", async () => {
    const base = git("rev-parse", "HEAD");
    write("src/committed.txt", "x\n");
    const sha = commit("More");
    git("mv", "src/b.txt", "src/renamed.txt");
    write('src/wild name\n"ü.txt', "x\n");
    symlinkSync("/etc/passwd", join(folder, "link"));
    symlinkSync("src", join(folder, "within"));
    mkdirSync(join(folder, "nested"));
    execFileSync("git", ["init", "--quiet", "nested"], { cwd: folder });
    const chosen = await repository.chooseBase(folder, base);
    const seen = await repository.look(folder, chosen, {
      ...NEEDS,
      paths: ["link", "link/x", "within", "nested", "nope"],
      commits: [sha.slice(0, 8), base],
      branches: ["main", "other"],
    });
    expect(changes(seen)).toEqual([
      "created link",
      "created nested/",
      "created src/committed.txt",
      'created src/wild name\n"ü.txt',
      "created within",
      "deleted src/b.txt",
      "renamed src/renamed.txt",
    ]);
    expect(seen.files.get("link")?.is).toBe("outside");
    expect(seen.files.get("within")?.is).toBe("link");
    expect(seen.files.get("link/x")?.is).toBe("outside");
    expect(seen.files.get("nested")?.is).toBe("folder");
    expect(seen.files.get("nope")?.is).toBe("absent");
    expect(seen.commits.get(sha.slice(0, 8))).toMatchObject({
      sha,
      isInHead: true,
      isSinceBase: true,
      isOnTarget: true,
    });
    expect(seen.commits.get(base)).toMatchObject({ isSinceBase: false });
    expect(seen.commitsSinceBase).toBe(1);
    expect(seen.branches.get("main")).toEqual({ exists: true, isCurrent: true });
    expect(seen.branches.get("other")).toEqual({ exists: false, isCurrent: false });
  });

  it("of lines: those that differ, and how many there are", async () => {
    write("src/a.txt", "one\n2\nthree\nfour");
    const seen = await look({ paths: ["src/a.txt"], lengths: ["src/a.txt"], hunks: ["src/a.txt"] });
    expect(seen.files.get("src/a.txt")?.lines).toBe(4);
    expect(seen.changes.get("src/a.txt")?.hunks).toMatchObject([
      { first: 2, count: 1 },
      { first: 4, count: 1 },
    ]);
  });

  it("of a repository without a commit, and of a folder that is none", async () => {
    const empty = mkdtempSync(join(room, "empty-"));
    execFileSync("git", ["init", "--quiet"], { cwd: empty });
    writeFileSync(join(empty, "a"), "a");
    const base = await repository.chooseBase(empty, null);
    expect(changes(await repository.look(empty, base, NEEDS))).toEqual(["created a"]);
    const plain = mkdtempSync(join(room, "plain-"));
    writeFileSync(join(plain, "a"), "a\n");
    expect(await repository.snapshot(plain)).toBeNull();
    const seen = await repository.look(plain, null, { ...NEEDS, paths: ["a", "b"] });
    expect(seen).toMatchObject({ isRepository: false, base: null });
    expect([...seen.files.values()].map(({ is }) => is)).toEqual(["file", "absent"]);
  });

  it("in a copy: the files of the state, and nothing else", async () => {
    write("src/new.txt", "new\n");
    write(".gitignore", "ignored.txt\n");
    write("ignored.txt", "x\n");
    const snapshot = await repository.snapshot(folder);
    const copy = mkdtempSync(join(room, "copy-"));
    await repository.checkOut(folder, snapshot?.tree ?? "", copy);
    const listed = execFileSync("find", [".", "-type", "f"], { cwd: copy, encoding: "utf8" }).trim().split("\n").sort();
    expect(listed).toEqual(["./.gitignore", "./src/a.txt", "./src/b.txt", "./src/new.txt"]);
  });
});
