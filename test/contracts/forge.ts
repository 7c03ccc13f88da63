import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Forge, ForgeError } from "../../src/ports/forge.ts";
import { ForgeRoom } from "./forge-room.ts";

interface ForgeUnderTest {
  readonly forge: Forge;
  /** What the base branch of the forge holds, as `git` in it tells. */
  readonly log: (...args: readonly string[]) => string;
  /** Somebody reviews a pull request. */
  readonly review: (pull: number, by: string, state: "approved" | "changes_requested", body: string) => void;
  /** How many comments an issue has. */
  readonly comments: (issue: number) => Promise<number>;
}

/** What `src/ports/forge.ts` promises, asked of every forge. */
export function forgeContract(name: string, open: (room: ForgeRoom) => Promise<ForgeUnderTest>): void {
  describe(`the ${name} forge`, () => {
    const room = new ForgeRoom();
    let subject: ForgeUnderTest;
    let forge: Forge;
    beforeAll(async () => {
      subject = await open(room);
      ({ forge } = subject);
    });
    afterAll(() => room.remove());

    const issueOf = (key: string) => forge.openIssue({ key, title: `Issue ${key}`, body: "Words", labels: ["bug"] });

    async function pullOf(branch: string, files: Readonly<Record<string, string>>) {
      const head = room.branch(branch, files, await baseHere());
      expect(await forge.pushBranch(room.workspace, branch)).toBe(head);
      return { head, pull: await forge.openPullRequest({ branch, title: `Pull ${branch}`, body: "" }) };
    }

    async function baseHere(): Promise<string> {
      return (await forge.fetchBranch(room.workspace, "main")) ?? "";
    }

    it("knows its base branch", async () => {
      expect(await forge.base()).toBe("main");
      expect(await forge.fetchBranch(room.workspace, "main")).toBe(room.run("rev-parse", "main"));
      expect(await forge.fetchBranch(room.workspace, "not-there")).toBeNull();
    });

    it("opens an issue once for a key", async () => {
      const issue = await issueOf("a");
      expect(issue).toMatchObject({ title: "Issue a", state: "open", labels: ["bug"] });
      expect(issue.url).toMatch(new RegExp(`/${issue.number}$`));
      expect(Date.parse(issue.openedAt)).toBeGreaterThan(0);
      expect(await issueOf("a")).toEqual(issue);
      expect((await issueOf("b")).number).not.toBe(issue.number);
      expect(await forge.issue(issue.number)).toEqual(issue);
    });

    it("says null for what there is not", async () => {
      expect(await forge.issue(4711)).toBeNull();
      expect(await forge.pullRequest(4711)).toBeNull();
    });

    it("comments once for a key, and closes once", async () => {
      const { number } = await issueOf("c");
      for (const key of ["x", "x", "y", "x"]) await forge.comment(number, { key, body: `Comment ${key}` });
      expect(await subject.comments(number)).toBe(2);
      for (let times = 0; times < 2; times += 1) await forge.closeIssue(number);
      expect(await forge.issue(number)).toMatchObject({ state: "closed" });
    });

    it("finds issues that name each other", async () => {
      const one = await issueOf("one");
      const other = await forge.openIssue({ key: "o", title: "Other", body: `See #${one.number}.`, labels: [] });
      expect((await forge.relatedIssues(one.number)).map(({ number }) => number)).toEqual([other.number]);
      expect((await forge.relatedIssues(other.number)).map(({ number }) => number)).toEqual([one.number]);
    });

    it("opens a pull request once for a branch, which has a number of its own", async () => {
      const { head, pull } = await pullOf("feature/issue-1-once", { "once.txt": "1" });
      expect(pull).toMatchObject({ branch: "feature/issue-1-once", base: "main", state: "open", head, commits: 1 });
      expect(pull.merged).toBeNull();
      const again = await forge.openPullRequest({ branch: pull.branch, title: "Again", body: "" });
      expect(again.number).toBe(pull.number);
      expect(await forge.issue(pull.number)).toBeNull();
      expect(await forge.checks(head)).toEqual({ state: "none", failed: [] });
    });

    it.each(["squash", "merge", "rebase"] as const)("merges by %s, once", async (strategy) => {
      const { head, pull } = await pullOf(`feature/issue-2-${strategy}`, { [`${strategy}.txt`]: strategy });
      const before = Number(subject.log("rev-list", "--count", "main"));
      // The base has moved since the branch was made.
      await mergeSomething(`${strategy}-before`);
      const wish = { head, strategy, title: `Title of ${strategy}` };
      const merged = await forge.merge(pull.number, wish);
      expect(merged).toEqual({ kind: "merged", sha: subject.log("rev-parse", "main") });
      expect(subject.log("show", `main:${strategy}.txt`)).toBe(strategy);
      expect(Number(subject.log("rev-list", "--count", "main"))).toBe(before + (strategy === "merge" ? 3 : 2));
      const subjectLine = strategy === "rebase" ? `Work on ${pull.branch}` : wish.title;
      expect(subject.log("log", "-1", "--format=%s", "main")).toBe(subjectLine);
      expect(await forge.merge(pull.number, wish)).toEqual(merged);
      expect(await forge.pullRequest(pull.number)).toMatchObject({
        state: "merged",
        commits: 1,
        merged: { sha: subject.log("rev-parse", "main"), head },
      });
      expect(Number(subject.log("rev-list", "--count", "main"))).toBe(before + (strategy === "merge" ? 3 : 2));
    });

    async function mergeSomething(what: string): Promise<void> {
      const { head, pull } = await pullOf(`chore/issue-3-${what}`, { [`${what}.txt`]: what });
      const merged = await forge.merge(pull.number, { head, strategy: "squash", title: what });
      expect(merged.kind).toBe("merged");
    }

    it("merges only the commit that was named", async () => {
      const { head, pull } = await pullOf("feature/issue-4-moving", { "moving.txt": "1" });
      room.run("switch", "--quiet", "feature/issue-4-moving");
      const moved = room.commit("More", { "moving.txt": "2" });
      room.run("switch", "--quiet", "main");
      await forge.pushBranch(room.workspace, "feature/issue-4-moving");
      const before = subject.log("rev-parse", "main");
      const wish = { strategy: "squash", title: "t" } as const;
      expect(await forge.merge(pull.number, { head, ...wish })).toEqual({ kind: "moved", head: moved });
      expect(subject.log("rev-parse", "main")).toBe(before);
      expect(await forge.merge(pull.number, { head: moved, ...wish })).toMatchObject({ kind: "merged" });
      expect(await forge.merge(pull.number, { head, ...wish })).toMatchObject({ kind: "refused" });
    });

    it("never merges a commit that is pushed in the same moment", async () => {
      for (let times = 0; times < 3; times += 1) {
        const branch = `feature/issue-4-same-${times}`;
        const { head, pull } = await pullOf(branch, { [`same-${times}.txt`]: "reviewed" });
        room.run("switch", "--quiet", branch);
        const pushed = room.commit("More", { [`same-${times}.txt`]: "not reviewed" });
        room.run("switch", "--quiet", "main");
        const [, merged] = await Promise.all([
          forge.pushBranch(room.workspace, branch).catch(() => null),
          forge.merge(pull.number, { head, strategy: "squash", title: branch }),
        ]);
        if (merged.kind === "moved") expect(merged.head).toBe(pushed);
        else expect(subject.log("show", `main:same-${times}.txt`)).toBe("reviewed");
      }
    });

    it.each(["squash", "merge", "rebase"] as const)("leaves everything alone when %s conflicts", async (strategy) => {
      const { head, pull } = await pullOf(`feature/issue-5-${strategy}`, { "README.md": `one\n${strategy}\nthree\n` });
      const other = await pullOf(`feature/issue-6-${strategy}`, { "README.md": `one\nnot ${strategy}\nthree\n` });
      await forge.merge(other.pull.number, { head: other.head, strategy: "squash", title: "First" });
      const before = subject.log("rev-parse", "main");
      expect(await forge.merge(pull.number, { head, strategy, title: "t" })).toMatchObject({ kind: "conflict" });
      expect(subject.log("rev-parse", "main")).toBe(before);
      expect(await forge.pullRequest(pull.number)).toMatchObject({ state: "open", merged: null });
    });

    it("tells who asks for changes, until they approve", async () => {
      const { pull } = await pullOf("feature/issue-8-reviewed", { "reviewed.txt": "1" });
      expect(await forge.requestedChanges(pull.number)).toEqual([]);
      subject.review(pull.number, "ada", "changes_requested", "No tests");
      subject.review(pull.number, "bob", "approved", "");
      expect(await forge.requestedChanges(pull.number)).toEqual(["ada: No tests"]);
      subject.review(pull.number, "ada", "approved", "");
      expect(await forge.requestedChanges(pull.number)).toEqual([]);
    });

    it("takes a branch that was written anew, and deletes it once", async () => {
      const { pull } = await pullOf("fix/issue-7-anew", { "anew.txt": "1" });
      room.run("switch", "--quiet", "--force-create", pull.branch, "main");
      const head = room.commit("Written anew", { "anew.txt": "2" });
      room.run("switch", "--quiet", "main");
      expect(await forge.pushBranch(room.workspace, pull.branch)).toBe(head);
      expect(await forge.fetchBranch(room.workspace, pull.branch)).toBe(head);
      for (let times = 0; times < 2; times += 1) await forge.deleteBranch(pull.branch);
      expect(await forge.fetchBranch(room.workspace, pull.branch)).toBeNull();
    });

    it("keeps its base branch", async () => {
      await expect(forge.deleteBranch("main")).rejects.toThrow(ForgeError);
      await expect(forge.pushBranch(room.workspace, "main")).rejects.toThrow(ForgeError);
    });

    it.each(HOSTILE_BRANCHES)("refuses the branch %j", async (branch) => {
      await expect(forge.fetchBranch(room.workspace, branch)).rejects.toThrow(ForgeError);
      await expect(forge.pushBranch(room.workspace, branch)).rejects.toThrow(ForgeError);
      await expect(forge.openPullRequest({ branch, title: "t", body: "" })).rejects.toThrow(ForgeError);
      await expect(forge.deleteBranch(branch)).rejects.toThrow(ForgeError);
      expect(subject.log("for-each-ref", "--format=%(refname)")).toContain("refs/heads/main");
    });
  });
}

const HOSTILE_BRANCHES = [
  "--upload-pack=touch /tmp/pwned",
  "-d",
  "",
  "../../main",
  "a/../main",
  "refs/heads/../main",
  "main..other",
  "a b",
  "a\nb",
  "a\0b",
  "@{-1}",
  "main^{commit}",
  "main~1",
  "x:refs/heads/main",
  "+main",
  "*",
  "a.lock",
  "a/",
  "/a",
  "a//b",
  "a?ref=main",
  "%2e%2e/main",
];
