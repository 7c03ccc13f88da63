import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { folderWorkspace, type WorkspacePlaces } from "../../src/agents/workspace.ts";
import { BuiltinRoom } from "./builtin-room.ts";

const rooms: BuiltinRoom[] = [];
afterEach(() => rooms.splice(0).forEach((room) => room.remove()));

function placesOf({ workspace: root, stateFolder }: BuiltinRoom): WorkspacePlaces {
  return { root, mainRoot: root, stateFolder, workFolder: stateFolder };
}

async function worktree(): Promise<{ room: BuiltinRoom; folder: string; release: () => Promise<void> }> {
  const room = new BuiltinRoom();
  rooms.push(room);
  const workspace = folderWorkspace(placesOf(room));
  return { room, folder: await workspace.prepare("r1", "worktree"), release: () => workspace.release("r1") };
}

it("a worktree that was left on no branch goes, with the branch of its run; again is nothing", async () => {
  const { room, folder, release } = await worktree();
  room.runIn(folder, "switch", "--quiet", "--detach");
  await release();
  await release();
  expect(existsSync(folder)).toBe(false);
  expect(readdirSync(join(room.stateFolder, "workspaces"))).not.toContain("r1.worktree");
  expect(room.run("worktree", "list").split("\n")).toHaveLength(1);
  expect(room.run("branch", "--format=%(refname:short)")).toBe("main");
});

it("a worktree on a branch stays: somebody has to look at its work", async () => {
  const { room, folder, release } = await worktree();
  await release();
  expect(room.runIn(folder, "branch", "--show-current")).toBe("baton/r1");
});

it("commits that no other branch has stay", async () => {
  const { room, folder, release } = await worktree();
  writeFileSync(join(folder, "work.txt"), "1");
  room.runIn(folder, "add", "--all");
  room.runIn(folder, "commit", "--quiet", "--message", "Work");
  room.runIn(folder, "switch", "--quiet", "--detach", "main");
  await release();
  expect(existsSync(folder)).toBe(false);
  expect(room.run("log", "-1", "--format=%s", "baton/r1")).toBe("Work");
});

it("a worktree with files that are not committed stays", async () => {
  const { room, folder, release } = await worktree();
  room.runIn(folder, "switch", "--quiet", "--detach");
  writeFileSync(join(folder, "new.txt"), "1");
  await expect(release()).rejects.toThrow("modified or untracked files");
  expect(existsSync(join(folder, "new.txt"))).toBe(true);
});

it("a lock that a killed git left in the worktree is gone when the next process begins", async () => {
  const { room, folder } = await worktree();
  const lock = join(room.runIn(folder, "rev-parse", "--absolute-git-dir"), "index.lock");
  writeFileSync(lock, "");
  await folderWorkspace(placesOf(room)).prepare("r1", "worktree");
  expect(existsSync(lock)).toBe(false);
});
