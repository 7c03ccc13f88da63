import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { folderWorkspace, type WorkspacePlaces } from "./workspace.ts";

const base = mkdtempSync(join(tmpdir(), "baton-workspace-"));
afterEach(() => rmSync(base, { recursive: true, force: true }));

function repository(): WorkspacePlaces {
  const root = join(base, "repository");
  mkdirSync(root, { recursive: true });
  const git = (...args: string[]): unknown =>
    execFileSync("git", ["-C", root, "-c", "user.name=a", "-c", "user.email=a@b", ...args]);
  git("init", "--quiet");
  writeFileSync(join(root, "a.txt"), "a");
  git("add", "a.txt");
  git("commit", "--quiet", "-m", "a");
  mkdirSync(join(root, ".git/baton"));
  return { root, mainRoot: root, stateFolder: join(root, ".git/baton"), workFolder: join(root, ".baton") };
}

describe("a worktree of a run", () => {
  it("is made once, also when it is asked for at once, and found again", async () => {
    const places = repository();
    const workspace = folderWorkspace(places);
    const [one, other] = await Promise.all([workspace.prepare("r1", "worktree"), workspace.prepare("r1", "worktree")]);
    expect(one).toBe(other);
    expect(readFileSync(join(one, "a.txt"), "utf8")).toBe("a");
    writeFileSync(join(one, "b.txt"), "b");
    await folderWorkspace(places).prepare("r1", "worktree");
    expect(existsSync(join(one, "b.txt"))).toBe(true);
  });

  it("that somebody has taken away is not made again in silence, and comes back as is told", async () => {
    const places = repository();
    const { root } = places;
    const folder = await folderWorkspace(places).prepare("r1", "worktree");
    rmSync(folder, { recursive: true });
    const told = await folderWorkspace(places)
      .prepare("r1", "worktree")
      .catch((error: Error) => error.message);
    const [, command = ""] = /`(.+)`/.exec(told) ?? [];
    execFileSync("sh", ["-c", command], { cwd: root, stdio: "ignore" });
    expect(await folderWorkspace(places).prepare("r1", "worktree")).toBe(folder);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("a");
  });

  it("that was cut off is made again", async () => {
    const places = repository();
    mkdirSync(join(places.workFolder, "worktrees/r2"), { recursive: true });
    const folder = await folderWorkspace(places).prepare("r2", "worktree");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("a");
  });
});

describe("a file that is rewritten", () => {
  it("is made with its folder, and changed whole", async () => {
    const places = repository();
    const { root } = places;
    const workspace = folderWorkspace(places);
    await workspace.rewrite(root, "x/y/M.yaml", (text) => `${text ?? "new"}!`);
    await workspace.rewrite(root, "x/y/M.yaml", (text) => `${text ?? "new"}!`);
    expect(readFileSync(join(root, "x/y/M.yaml"), "utf8")).toBe("new!!");
    await workspace.rewrite(root, "x/y/M.yaml", () => null);
    expect(readFileSync(join(root, "x/y/M.yaml"), "utf8")).toBe("new!!");
  });

  it("never lies outside, by name or by link", async () => {
    const places = repository();
    const { root } = places;
    const outside = join(base, "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(root, "linked"));
    symlinkSync(join(outside, "target"), join(root, "link.yaml"));
    const workspace = folderWorkspace(places);
    for (const path of ["../outside/a", "linked/a", "link.yaml", "/tmp/a", ".git/config"])
      await workspace.rewrite(root, path, () => "written");
    expect(existsSync(join(outside, "a"))).toBe(false);
    expect(existsSync(join(outside, "target"))).toBe(false);
    expect(readFileSync(join(root, ".git/config"), "utf8")).not.toContain("written");
  });
});

describe("a file that somebody else writes too", () => {
  it("gets the change on top of what they wrote", async () => {
    const places = repository();
    const { root } = places;
    const seen: (string | null)[] = [];
    await folderWorkspace(places).rewrite(root, "a.txt", (text) => {
      if (seen.length === 0) writeFileSync(join(root, "a.txt"), "theirs");
      seen.push(text);
      return `${text ?? ""}, ours`;
    });
    expect(seen).toEqual(["a", "theirs"]);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("theirs, ours");
  });

  it("keeps its mode, and is refused as a whole when it is too large or no text", async () => {
    const places = repository();
    const { root } = places;
    const workspace = folderWorkspace(places);
    chmodSync(join(root, "a.txt"), 0o600);
    await workspace.rewrite(root, "a.txt", () => "b");
    expect(statSync(join(root, "a.txt")).mode & 0o777).toBe(0o600);
    writeFileSync(join(root, "large.txt"), Buffer.alloc(16_777_217, 32));
    await expect(workspace.rewrite(root, "large.txt", (text) => text)).rejects.toThrow("larger than");
    expect(statSync(join(root, "large.txt")).size).toBe(16_777_217);
    writeFileSync(join(root, "bytes"), Uint8Array.of(0xff, 0xfe));
    await expect(workspace.rewrite(root, "bytes", (text) => text)).rejects.toThrow("not UTF-8");
  });
});
