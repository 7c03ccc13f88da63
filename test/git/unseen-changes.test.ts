import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import type { Claim, FileChange } from "../../src/evidence/claim.ts";
import { judgeClaims } from "../../src/evidence/judge-claims.ts";
import { observationsNeeded } from "../../src/evidence/observations-needed.ts";
import { sampleEvidence } from "../truth/sample-evidence.ts";
import { gitRepository } from "../../src/git/git-repository.ts";

const room = mkdtempSync(join(tmpdir(), "baton-unseen-"));
afterAll(() => rmSync(room, { recursive: true, force: true }));

let folder = "";
let repository: ReturnType<typeof gitRepository>;

beforeEach(() => {
  folder = mkdtempSync(join(room, "work-"));
  const state = mkdtempSync(join(room, "state-"));
  repository = gitRepository({ folder: state, environment: { PATH: process.env["PATH"] ?? "", HOME: state } });
  git("init", "--quiet", "--initial-branch=main");
  write(".gitignore", "*.log\ndist\n");
  write("src/a.txt", "one\n");
  commit();
});

function git(...args: string[]): void {
  const who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd: folder, stdio: "ignore" });
}

function commit(): void {
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message", "Work");
}

function write(path: string, text: string): void {
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

/** What is said of each path, since the last commit: `created dist/`. */
async function verdicts(...said: string[]): Promise<string[]> {
  const claims = said.map((words): Claim => {
    const [change = "", path = ""] = words.split(" ");
    const about = { of: "file", path, change: change as FileChange, lines: null } as const;
    return { kind: "file", where: "work", path: [], says: words, about };
  });
  const base = await repository.chooseBase(folder, "HEAD");
  const observations = await repository.look(folder, base, observationsNeeded(claims));
  return judgeClaims(claims, { ...sampleEvidence(), observations }).map(({ verdict }) => verdict);
}

describe("files that git calls changed although they are not", () => {
  it("a file whose line endings git would write otherwise is the one that was committed, byte for byte", async () => {
    write("logo.png", "\u0089PNG\r\n\u001a\n");
    write("docs/note.txt", "one\r\ntwo\r\n");
    commit();
    write(".gitattributes", "* text eol=lf\n");
    git("add", ".gitattributes");
    git("commit", "--quiet", "--message", "Attributes");
    // As a fresh checkout has them: written later than git looked last.
    write("logo.png", "\u0089PNG\r\n\u001a\n");
    write("docs/note.txt", "one\r\ntwo, and more\r\n");
    const base = await repository.chooseBase(folder, "HEAD");
    const { changes } = await repository.look(folder, base, { ...observationsNeeded([]), changes: true });
    expect([...changes.keys()]).toEqual(["docs/note.txt"]);
    expect(await verdicts("modified logo.png", "modified docs/note.txt")).toEqual(["refuted", "confirmed"]);
  });
});

describe("files whose changes git does not see", () => {
  it("a file that became a folder and a folder that became a file are looked at", async () => {
    write("kept/b.txt", "two\n");
    commit();
    rmSync(join(folder, "kept"), { recursive: true });
    write("kept", "three\n");
    rmSync(join(folder, "src"), { recursive: true });
    expect(await verdicts("deleted kept/b.txt", "created kept", "created kept/c.txt")).toEqual([
      "confirmed",
      "confirmed",
      "refuted",
    ]);
  });

  it("a path that cannot be there says nothing of the others", async () => {
    symlinkSync("itself", join(folder, "itself"));
    symlinkSync("nowhere", join(folder, "broken"));
    commit();
    write("trace.log", "1\n");
    const long = `${"x/".repeat(2000)}y`;
    expect(await verdicts("created itself/a", "created broken/a", "created src/a.txt/b", `created ${long}`)).toEqual([
      "refuted",
      "refuted",
      "refuted",
      "refuted",
    ]);
    for (const path of ["itself/a", "broken/a", "src/a.txt/b", long])
      expect(await verdicts(`created ${path}`, "created trace.log")).toEqual(["refuted", "unverifiable"]);
  });

  it("what is in a repository within ours is not seen, whether it is there or not", async () => {
    mkdirSync(join(folder, "library"));
    execFileSync("git", ["clone", "--quiet", ".git", "library"], { cwd: folder, stdio: "ignore" });
    commit();
    write("trace.log", "1\n");
    const said = ["modified library", "deleted library/x.txt", "created trace.log"];
    expect(await verdicts(...said)).toEqual(["unverifiable", "unverifiable", "unverifiable"]);
    rmSync(join(folder, "library"), { recursive: true });
    mkdirSync(join(folder, "library"));
    expect(await verdicts("deleted library/src/a.txt", "created trace.log")).toEqual(["unverifiable", "unverifiable"]);
  });

  it("a folder in which git knows no file may be new", async () => {
    mkdirSync(join(folder, "empty/inner"), { recursive: true });
    write("traces/trace.log", "1\n");
    const said = ["created empty/", "created empty", "created empty/inner", "created traces/", "created src/"];
    expect(await verdicts(...said)).toEqual([
      "unverifiable",
      "unverifiable",
      "unverifiable",
      "unverifiable",
      "refuted",
    ]);
    expect(await verdicts("deleted empty/", "deleted traces/", "created dist/")).toEqual([
      "refuted",
      "refuted",
      "refuted",
    ]);
  });
});

describe("a file that changed in the second in which git looked at it", () => {
  const nextSecond = (): Promise<void> => pause(1000 - (Date.now() % 1000) + 10);

  it("has changed, also when it has the same size and somebody looks later", async () => {
    const file = join(folder, "src/a.txt");
    const second = (): number => Math.floor(statSync(file).ctimeMs / 1000);
    let before = 0;
    do {
      write("src/a.txt", "two\n");
      commit();
      before = second();
      write("src/a.txt", "six\n");
    } while (second() !== before);
    await nextSecond();
    expect(await verdicts("modified src/a.txt")).toEqual(["confirmed"]);
  });

  it.each([
    [".gitattributes", []],
    ["src/.gitattributes", []],
    [".git/info/attributes", []],
    // The names in the index are then not whole, or in another file.
    ["src/.gitattributes", ["--index-version=4"]],
    ["src/.gitattributes", ["--split-index"]],
  ])(
    "has not changed when a filter of %s made it: git keeps something else than stands there (%j)",
    async (list, index) => {
      git("config", "filter.small.clean", "tr A-Z a-z");
      write(list, "*.txt filter=small\n");
      write("src/.gita", "");
      write("src/a.txt", "LOUD\n");
      commit();
      if (index.length > 0) git("update-index", ...index);
      await nextSecond();
      expect(await verdicts("modified src/a.txt")).toEqual(["refuted"]);
    },
  );
});
