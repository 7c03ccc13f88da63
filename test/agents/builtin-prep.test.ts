import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { openSqliteLog } from "../../src/stores/sqlite/open-sqlite-log.ts";
import { removeJobFolders } from "./agent-jobs.ts";
import { BuiltinRoom } from "./builtin-room.ts";

const rooms: BuiltinRoom[] = [];
afterEach(() => rooms.splice(0).forEach((room) => room.remove()));
afterAll(removeJobFolders);

function newRoom(): BuiltinRoom {
  const room = new BuiltinRoom();
  rooms.push(room);
  return room;
}

const known = (number: number, more = {}) => ({ "issue.number": String(number), "issue.type": "bug", ...more });
const node = (script: string) => [process.execPath, "-e", script];

describe("prep", () => {
  it("makes the branch of the issue from the forge's base, and a port of its own", async () => {
    const room = newRoom();
    const { number } = await room.openIssue("--force; `rm -rf /` <b>&amp;");
    const { handoff, findings } = await room.work("prep", known(number));
    expect(findings).toEqual(['`workspace_path` should end with issue-1; found "' + room.workspace + '".']);
    expect(handoff).toMatchObject({
      from: "prep-agent",
      to: "implementer-agent",
      outcome: "done",
      status: "ready",
      work: { branch: "fix/issue-1-force-rm-rf-b-amp", workspace: { path: room.workspace, type: "in-place" } },
      checks: { environment: { dependencies: "not needed", build: "skipped", dev_server: "skipped" } },
    });
    expect(Number(handoff.work?.workspace?.port)).toBeGreaterThan(3000);
    expect(room.run("branch", "--show-current")).toBe("fix/issue-1-force-rm-rf-b-amp");
    expect(room.run("rev-parse", "HEAD")).toBe(room.run("rev-parse", "main"));
  });

  it("goes on with what an attempt before it made", async () => {
    const room = newRoom();
    const { number } = await room.openIssue("Again");
    const first = await room.work("prep", known(number));
    const head = room.commit("Work", { "work.txt": "1" });
    const second = await room.work("prep", known(number));
    expect(second.handoff.work).toEqual(first.handoff.work);
    expect(room.run("rev-parse", "HEAD")).toBe(head);
    room.run("switch", "--quiet", "main");
    await room.work("prep", known(number));
    expect(room.run("rev-parse", "HEAD")).toBe(head);
  });

  it("gives no two runs the same port, until one of them is over", async () => {
    const room = newRoom();
    const { number } = await room.openIssue("Ports");
    const log = openSqliteLog(join(room.stateFolder, "baton.db"));
    for (const run of ["a", "b"]) await log.create({ run, name: "issue", workflow: "w", at: 0 }, "worker", 1);
    const portOf = async (run: string) =>
      (await room.work("prep", known(number), { ports: { first: 42_000, step: 3 } }, { run })).handoff.work?.workspace
        ?.port;
    const ports = [await portOf("a"), await portOf("b"), await portOf("a")];
    expect(ports).toEqual(["42003", "42006", "42003"]);
    // A run that the store does not know cannot go on.
    expect(await portOf("unknown")).toBe("42009");
    expect(await portOf("c")).toBe("42009");
    await log.close();
  });

  it("installs, builds and sees that the server answers", async () => {
    const room = newRoom();
    const { number } = await room.openIssue("All of it");
    const server = "require('http').createServer((q, s) => s.end(q.url)).listen(process.env.PORT, '127.0.0.1')";
    const { handoff } = await room.work("prep", known(number), {
      install: node("require('fs').writeFileSync('installed', '')"),
      build: node("require('fs').readFileSync('installed')"),
      server: { command: node(server), path: "/health" },
    });
    expect(handoff.checks?.environment).toEqual({
      dependencies: "installed",
      build: "passing",
      dev_server: "verified",
    });
  });

  it.each([
    ["InstallError", { install: node("process.exit(3)") }, "exit code 3"],
    ["BuildError", { build: node("console.log('no such module'); process.exit(1)") }, "no such module"],
    ["BuildError", { build: ["no-such-program-here"] }, "was not found"],
    ["ServerError", { server: { command: node("process.exit(0)") } }, "ended before it answered"],
    ["ServerError", { server: { command: node("setInterval(() => 0, 1000)"), wait: "1s" } }, "did not answer"],
  ])("fails as %s of %j", async (type, options, words) => {
    const room = newRoom();
    const { number } = await room.openIssue("Broken");
    const { handoff } = await room.work("prep", known(number), options);
    expect(handoff).toMatchObject({ outcome: "failed", to: "orchestrator", error: { type, recoverable: false } });
    expect(handoff.error?.message).toContain(words);
  });

  it("says which lock of dependencies it goes by", async () => {
    const room = newRoom();
    const { number } = await room.openIssue("Dependencies");
    room.commit("Package", {
      "package.json": '{ "name": "p", "version": "1.0.0" }',
      "package-lock.json":
        '{ "name": "p", "version": "1.0.0", "lockfileVersion": 3, "requires": true, "packages": {} }',
    });
    const { handoff } = await room.work("prep", known(number));
    expect(handoff.checks?.environment).toMatchObject({ dependencies: "installed" });
  });

  it.each(["main", "--upload-pack=x", "fix/issue-2-other", "fix/issue-1-a/../../main", "refs/heads/main"])(
    "refuses the branch %j that an agent chose",
    async (branch) => {
      const room = newRoom();
      const { number } = await room.openIssue("Chosen");
      const { handoff } = await room.work("prep", known(number, { branch }));
      expect(handoff).toMatchObject({ outcome: "failed", error: { type: "WrongBranch" } });
      expect(room.run("branch", "--show-current")).toBe("main");
    },
  );

  it("touches nothing when there is uncommitted work", async () => {
    const room = newRoom();
    const { number } = await room.openIssue("Dirty");
    writeFileSync(join(room.workspace, "README.md"), "changed");
    const { handoff } = await room.work("prep", known(number));
    expect(handoff).toMatchObject({ outcome: "failed", error: { type: "DirtyWorkspace" } });
    expect(room.run("branch", "--show-current")).toBe("main");
  });

  it("says which issue it misses", async () => {
    const room = newRoom();
    const { number } = await room.openIssue("Closed");
    await (await room.forge()).closeIssue(number);
    for (const [facts, type] of [
      [{}, "MissingIssue"],
      [known(99), "MissingIssue"],
      [{ "issue.number": "1; drop" }, "MissingIssue"],
      [known(number), "IssueClosed"],
    ] as const)
      expect((await room.work("prep", facts)).handoff).toMatchObject({ outcome: "failed", error: { type } });
  });

  it("takes no port on which somebody listens", async () => {
    const room = newRoom();
    const { number } = await room.openIssue("Taken");
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(42_110, "127.0.0.1", resolve));
    const { handoff } = await room.work("prep", known(number), { ports: { first: 42_100, step: 10 } });
    await new Promise((resolve) => server.close(resolve));
    expect(Number(handoff.work?.workspace?.port)).toBeGreaterThan(42_110);
  });
});
