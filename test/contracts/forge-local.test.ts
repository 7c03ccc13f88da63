import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openLocalForge } from "../../src/forges/local/local-forge.ts";
import { type Forge, ForgeError } from "../../src/ports/forge.ts";
import { ForgeRoom } from "./forge-room.ts";
import { forgeContract } from "./forge.ts";

const openIn = (room: ForgeRoom, folder = "forge"): Promise<Forge> =>
  openLocalForge({ folder: join(room.folder, folder), source: room.workspace, base: null, git: room.git });

forgeContract("local", async (room) => ({
  forge: await openIn(room),
  log: (...args) => room.runIn(join(room.folder, "forge/repository.git"), ...args),
  review: (...review) => room.review(...review),
  comments: async (issue) => readItem(room, issue)["comments"].length,
}));

function readItem(room: ForgeRoom, number: number): { comments: unknown[]; merging?: unknown } {
  return JSON.parse(readFileSync(join(room.folder, `forge/items/${number}.json`), "utf8")) as never;
}

describe("the folder of a local forge", () => {
  const rooms: ForgeRoom[] = [];
  afterAll(() => rooms.forEach((room) => room.remove()));
  function newRoom(): ForgeRoom {
    const room = new ForgeRoom();
    rooms.push(room);
    return room;
  }

  it("can be opened by many at once, and numbers are given once", async () => {
    const room = newRoom();
    const forges = await Promise.all(Array.from({ length: 8 }, () => openIn(room)));
    const opened = await Promise.all(
      forges.map((forge, index) => forge.openIssue({ key: `k${index}`, title: "t", body: "", labels: [] })),
    );
    expect(opened.map(({ number }) => number).toSorted((left, right) => left - right)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8,
    ]);
    expect(readdirSync(join(room.folder, "forge")).sort()).toEqual([".gitignore", "items", "lock", "repository.git"]);
  });

  it("follows the repository's own base while nothing is lost by it", async () => {
    const room = newRoom();
    const forge = await openIn(room);
    const ahead = room.commit("Ahead", { "a.txt": "1" });
    await openIn(room);
    expect(await forge.fetchBranch(room.workspace, "main")).toBe(ahead);
    const head = room.branch("fix/issue-1-x", { "x.txt": "1" });
    await forge.pushBranch(room.workspace, "fix/issue-1-x");
    const { number } = await forge.openPullRequest({ branch: "fix/issue-1-x", title: "x", body: "" });
    const merged = await forge.merge(number, { head, strategy: "squash", title: "x" });
    room.commit("Apart", { "b.txt": "1" });
    await openIn(room);
    expect(merged).toEqual({ kind: "merged", sha: await forge.fetchBranch(room.workspace, "main") });
  });

  it("takes a pull request that somebody wrote as a file", async () => {
    const room = newRoom();
    const forge = await openIn(room);
    mkdirSync(join(room.folder, "forge/items"));
    const file = join(room.folder, "forge/items/9.json");
    writeFileSync(file, JSON.stringify({ kind: "pull", title: "By hand", branch: "fix/issue-1-y" }));
    const head = room.branch("fix/issue-1-y", { "y.txt": "1" });
    await forge.pushBranch(room.workspace, "fix/issue-1-y");
    expect(await forge.pullRequest(9)).toMatchObject({ branch: "fix/issue-1-y", head, state: "open" });
    expect(await forge.merge(9, { head, strategy: "squash", title: "y" })).toMatchObject({ kind: "merged" });
    expect((await forge.openIssue({ key: "k", title: "t", body: "", labels: [] })).number).toBe(10);
  });

  it("settles a merge that was cut off before, and one that was cut off after the base had moved", async () => {
    const room = newRoom();
    const forge = await openIn(room);
    const head = room.branch("fix/issue-1-z", { "z.txt": "1" });
    await forge.pushBranch(room.workspace, "fix/issue-1-z");
    const { number } = await forge.openPullRequest({ branch: "fix/issue-1-z", title: "z", body: "" });
    const file = join(room.folder, `forge/items/${number}.json`);
    const item = JSON.parse(readFileSync(file, "utf8")) as object;
    // Noted, but the base was never moved to it.
    writeFileSync(file, JSON.stringify({ ...item, merging: { sha: head, head, commits: 1 } }));
    expect(await forge.pullRequest(number)).toMatchObject({ state: "open", merged: null });
    expect(readItem(room, number).merging).toBeUndefined();
    // Noted, and moved, but not called merged.
    const bare = join(room.folder, "forge/repository.git");
    writeFileSync(file, JSON.stringify({ ...item, merging: { sha: head, head, commits: 1 } }));
    room.runIn(bare, "update-ref", "refs/heads/main", head);
    expect(await forge.merge(number, { head, strategy: "squash", title: "z" })).toEqual({ kind: "merged", sha: head });
    expect(await forge.pullRequest(number)).toMatchObject({ state: "merged", merged: { sha: head, head } });
  });

  it("outwaits locks of git that a killed process left", async () => {
    const room = newRoom();
    const forge = await openIn(room);
    const head = room.branch("fix/issue-1-l", { "l.txt": "1" });
    await forge.pushBranch(room.workspace, "fix/issue-1-l");
    const { number } = await forge.openPullRequest({ branch: "fix/issue-1-l", title: "l", body: "" });
    writeFileSync(join(room.folder, "forge/repository.git/refs/heads/main.lock"), "");
    expect(await forge.merge(number, { head, strategy: "squash", title: "l" })).toMatchObject({ kind: "merged" });
  });

  it.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["too large", `"${"x".repeat(5 << 20)}"`],
  ])("says what is wrong with an item that is %s", async (_what, text) => {
    const room = newRoom();
    const forge = await openIn(room);
    mkdirSync(join(room.folder, "forge/items"));
    writeFileSync(join(room.folder, "forge/items/1.json"), text);
    await expect(forge.issue(1)).rejects.toThrow(/items\/1\.json/);
  });

  it("follows no link out, and runs no hook", async () => {
    const room = newRoom();
    const forge = await openIn(room);
    mkdirSync(join(room.folder, "forge/items"));
    writeFileSync(join(room.folder, "secret.json"), JSON.stringify({ kind: "issue", title: "secret" }));
    symlinkSync(join(room.folder, "secret.json"), join(room.folder, "forge/items/1.json"));
    await expect(forge.issue(1)).rejects.toThrow(ForgeError);
    const hook = `#!/bin/sh\ntouch ${join(room.folder, "hooked")}\n`;
    for (const folder of [join(room.folder, "forge/repository.git/hooks"), join(room.workspace, ".git/hooks")]) {
      mkdirSync(folder, { recursive: true });
      for (const name of ["reference-transaction", "post-update", "update", "pre-push", "post-checkout"])
        writeFileSync(join(folder, name), hook, { mode: 0o755 });
    }
    const head = room.run("rev-parse", "HEAD");
    room.run("-c", "core.hooksPath=/dev/null", "update-ref", "refs/heads/fix/issue-1-h", head);
    await forge.pushBranch(room.workspace, "fix/issue-1-h");
    await forge.fetchBranch(room.workspace, "main");
    await forge.deleteBranch("fix/issue-1-h");
    expect(readdirSync(room.folder)).not.toContain("hooked");
  });
});
