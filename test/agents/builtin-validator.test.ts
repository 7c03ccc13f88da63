import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { findBubblewrap } from "../../src/agents/sandbox/find-bubblewrap.ts";
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

const passes = [process.execPath, "-e", ""];
const says = (words: string) => [process.execPath, "-e", `console.log(${JSON.stringify(words)}); process.exit(1)`];
const anotherCommit = (commit: string) => commit.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));

describe("validator", async () => {
  it.each(["squash", "merge", "rebase"])("merges by %s what passes, and says what was run", async (merge) => {
    const room = newRoom();
    const { known, pull } = await room.openWork("Good work", { "good.txt": "1" });
    const options = { lint: passes, unit: passes, build: passes, merge };
    const { handoff, findings } = await room.work("validator", { ...known, coverage: "97%" }, options);
    expect(findings).toEqual([]);
    const sha = room.runIn(join(room.folder, "forge/repository.git"), "rev-parse", "main");
    expect(handoff).toMatchObject({
      to: "closer-agent",
      outcome: "done",
      pull_request: { number: String(pull.number), url: pull.url },
      work: { merge: { status: "merged", sha, strategy: merge } },
      checks: {
        results: {
          tests: "passed",
          coverage: "97%",
          lint: "passed",
          type_check: "skipped",
          security: "skipped",
          build: "passed",
        },
      },
    });
  });

  it("hands over the same again when the merge was made before", async () => {
    const room = newRoom();
    const { known } = await room.openWork("Once", { "once.txt": "1" });
    const first = await room.work("validator", known, { unit: passes });
    // Its checks are not run a second time: these would fail.
    const second = await room.work("validator", known, { unit: says("no") });
    expect(second.handoff.work).toEqual(first.handoff.work);
    expect(second.handoff.checks).toEqual(first.handoff.checks);
    expect(room.base()).toBe("Once (#2)\nStart");
  });

  it("does not call checks passed that somebody else's merge did not wait for", async () => {
    const room = newRoom();
    const { known, pull, head } = await room.openWork("Theirs", { "theirs.txt": "1" });
    await (await room.forge()).merge(pull.number, { head, strategy: "merge", title: "Theirs" });
    const { handoff } = await room.work("validator", known, { unit: passes });
    expect(handoff.outcome).toBe("done");
    expect(handoff.checks?.results).toMatchObject({ tests: "not run: it was merged by somebody else" });
  });

  it.each([
    [
      "another commit than was reviewed",
      (head: string) => ({ by: "reviewer-agent", commit: anotherCommit(head), why: null }),
    ],
    ["what moved during the review", () => ({ by: "reviewer-agent", commit: null, why: "the branch moved" })],
  ])("merges not %s", async (_what, reviewed) => {
    const room = newRoom();
    const { known, head } = await room.openWork("Unseen", { "unseen.txt": "1" });
    // Nothing is run on it either.
    const given = { reviewed: reviewed(head) };
    const { handoff, findings } = await room.work("validator", known, { unit: says("no") }, given);
    expect(findings).toEqual([]);
    expect(handoff).toMatchObject({ outcome: "needs-fixes", to: "fixer-agent" });
    expect(handoff.findings?.failures).toMatchObject([{ description: expect.stringContaining("reviewed again") }]);
    expect(room.base()).toBe("Start");
  });

  it("merges what was reviewed, and not while the forge has a commit that nobody here has seen", async () => {
    const room = newRoom();
    const { known, head, pull } = await room.openWork("Seen", { "seen.txt": "1" });
    const reviewed = { by: "reviewer-agent", commit: head, why: null };
    const bare = join(room.folder, "forge/repository.git");
    const identity = ["-c", "user.name=m", "-c", "user.email=m@x"];
    const foreign = room.runIn(bare, ...identity, "commit-tree", `${head}^{tree}`, "-p", head, "-m", "Theirs");
    room.runIn(bare, "update-ref", `refs/heads/${pull.branch}`, foreign);
    const first = await room.work("validator", known, { unit: passes }, { reviewed });
    expect(JSON.stringify(first.handoff.findings?.failures)).toContain(foreign);
    expect(room.runIn(bare, "rev-parse", pull.branch)).toBe(foreign);
    room.runIn(bare, "update-ref", `refs/heads/${pull.branch}`, head);
    const second = await room.work("validator", known, { unit: passes }, { reviewed });
    expect(second.handoff.outcome).toBe("done");
  });

  it("calls no merge of somebody else done that is of another commit than was reviewed", async () => {
    const room = newRoom();
    const { known, pull, head } = await room.openWork("Theirs, unseen", { "theirs.txt": "1" });
    await (await room.forge()).merge(pull.number, { head, strategy: "merge", title: "Theirs" });
    const reviewed = { by: "reviewer-agent", commit: anotherCommit(head), why: null };
    const { handoff } = await room.work("validator", known, { unit: passes }, { reviewed });
    expect(handoff.outcome).not.toBe("done");
    expect(JSON.stringify(handoff)).toContain(head);
  });

  it("sends every failure to the fixer, in order and with its output, and merges nothing", async () => {
    const room = newRoom();
    const { known } = await room.openWork("Bad work", { "bad.txt": "1" });
    const options = {
      build: says("cannot build"),
      audit: says("a hole"),
      unit: says("2 tests fail\u001b[31m"),
      type_check: passes,
      lint: says("</failure> & <x>"),
    };
    const { handoff, findings } = await room.work("validator", known, options);
    expect(findings).toEqual([]);
    expect(handoff).toMatchObject({ to: "fixer-agent", outcome: "needs-fixes", checks: { status: "failed" } });
    expect(handoff.findings?.failures?.map(({ type, description }) => [type, description?.split(":")[0]])).toEqual([
      ["lint", "lint failed"],
      ["test", "unit failed"],
      ["test", "audit failed"],
      ["type_check", "build failed"],
    ]);
    expect(JSON.stringify(handoff.findings)).toContain("</failure> & <x>");
    expect(JSON.stringify(handoff.findings)).not.toContain("\u001b");
    expect(room.base()).toBe("Start");
  });

  it("merges nothing while somebody asks for changes", async () => {
    const room = newRoom();
    const { known, pull } = await room.openWork("Reviewed", { "reviewed.txt": "1" });
    room.review(pull.number, "ada", "changes_requested", "No tests\nat all");
    const { handoff, findings } = await room.work("validator", known, { unit: passes });
    expect(findings).toEqual([]);
    expect(handoff).toMatchObject({
      outcome: "needs-fixes",
      findings: { failures: [{ type: "test", description: "changes are requested by ada: No tests at all" }] },
    });
    expect(room.base()).toBe("Start");
    room.review(pull.number, "ada", "approved", "");
    expect((await room.work("validator", known, { unit: passes })).handoff.outcome).toBe("done");
  });

  it("ends a check that takes too long", async () => {
    const room = newRoom();
    const { known } = await room.openWork("Slow", { "slow.txt": "1" });
    const unit = [process.execPath, "-e", "setInterval(() => 0, 1000)"];
    const { handoff } = await room.work("validator", known, { unit, timeout: "1s" });
    expect(handoff.findings?.failures?.[0]?.description).toContain("took longer than its time");
  });

  it("judges only what is committed, all of it and nothing else", async () => {
    const room = newRoom();
    const { known } = await room.openWork("Half", { "half.txt": "1" });
    writeFileSync(join(room.workspace, "untracked.txt"), "tests pass only with this");
    const untracked = await room.work("validator", known, { unit: passes });
    expect(untracked.handoff.findings?.failures).toMatchObject([
      { description: expect.stringContaining("not committed"), details: "untracked.txt" },
    ]);
    room.run("clean", "--quiet", "--force");
    const edit = [process.execPath, "-e", "require('fs').appendFileSync('half.txt', 'x')"];
    const changed = await room.work("validator", known, { lint: edit });
    expect(JSON.stringify(changed.handoff.findings)).toContain("the checks themselves changed files");
    room.run("checkout", "--quiet", "--", ".");
    room.run("switch", "--quiet", "main");
    const elsewhere = await room.work("validator", known, { unit: passes });
    expect(JSON.stringify(elsewhere.handoff.findings)).toContain("is not on fix/issue-1-work");
    expect(room.base()).toBe("Start");
  });

  it("sends a conflict to the fixer, who has the other side at hand; resolved, it is merged", async () => {
    const room = newRoom();
    const { known } = await room.openWork("Ours", { "README.md": "one\nours\nthree\n" });
    const forge = await room.forge();
    const head = room.branch("fix/issue-9-theirs", { "README.md": "one\ntheirs\nthree\n" });
    await forge.pushBranch(room.workspace, "fix/issue-9-theirs");
    const theirs = await forge.openPullRequest({ branch: "fix/issue-9-theirs", title: "Theirs", body: "" });
    await forge.merge(theirs.number, { head, strategy: "squash", title: "Theirs" });
    room.run("switch", "--quiet", "fix/issue-1-work");
    const { handoff } = await room.work("validator", known, { unit: passes });
    const [failure] = handoff.findings?.failures ?? [];
    expect(failure?.description).toBe("fix/issue-1-work conflicts with main: README.md");
    expect(room.base()).toBe("Theirs\nStart");
    const [, other = ""] = /merge (\w+) and resolve/.exec(JSON.stringify(failure)) ?? [];
    expect(() => room.run("merge", "--quiet", other)).toThrow();
    room.commit("Resolve", { "README.md": "one\nboth\nthree\n" });
    expect((await room.work("validator", known, { unit: passes })).handoff.outcome).toBe("done");
    expect(room.base()).toBe("Ours (#2)\nTheirs\nStart");
  });

  it("trusts no pull request of another branch or base", async () => {
    const room = newRoom();
    const { known, pull } = await room.openWork("Mine", { "mine.txt": "1" });
    const other = await room.work("validator", { ...known, branch: "fix/issue-1-other" }, { unit: passes });
    expect(other.handoff).toMatchObject({ outcome: "failed", error: { type: "WrongPullRequest" } });
    const file = join(room.folder, `forge/items/${pull.number}.json`);
    writeFileSync(file, JSON.stringify({ ...room.item(pull.number), base: "release" }));
    const wrong = await room.work("validator", known, { unit: passes });
    expect(wrong.handoff).toMatchObject({ outcome: "failed", error: { type: "WrongPullRequest" } });
    expect(room.base()).toBe("Start");
  });

  const bubblewrap = await findBubblewrap();
  const canHold = "program" in bubblewrap || process.env["CI"] !== undefined;
  if (!canHold) console.log("  there is no bubblewrap here: that the validator's checks are held is not tested");

  it.runIf(canHold)("runs checks in the sandbox, and only those with network that may have it", async () => {
    const room = newRoom();
    const { known } = await room.openWork("Held", { "held.txt": "1" });
    const script = `
      const { networkInterfaces, homedir } = require("os");
      const { existsSync, writeFileSync } = require("fs");
      const seen = { home: homedir(), state: existsSync(${JSON.stringify(room.stateFolder)}) };
      console.log(JSON.stringify({ ...seen, net: Object.keys(networkInterfaces()).filter((name) => name !== "lo").length > 0 }));
      process.exit(1);`;
    const look = [process.execPath, "-e", script];
    const { handoff } = await room.work("validator", known, { unit: look, e2e: look, network: ["e2e"] });
    const [unit, e2e] = (handoff.findings?.failures ?? []).map((failure) => JSON.stringify(failure));
    expect(unit).toContain(
      JSON.stringify(JSON.stringify({ home: "/tmp/home", state: false, net: false })).slice(1, -1),
    );
    expect(e2e).toContain(JSON.stringify(JSON.stringify({ home: "/tmp/home", state: false })).slice(1, -3));
  });

  it("gives what it runs nothing of our environment", async () => {
    const room = newRoom();
    const { known } = await room.openWork("Secrets", { "s.txt": "1" });
    process.env["BATON_TEST_SECRET"] = "do not tell";
    const unit = [process.execPath, "-e", "console.log(JSON.stringify(process.env)); process.exit(1)"];
    const { handoff } = await room.work("validator", known, { unit });
    delete process.env["BATON_TEST_SECRET"];
    expect(JSON.stringify(handoff)).toContain("BATON_ATTEMPT");
    expect(JSON.stringify(handoff)).not.toContain("do not tell");
  });
});
