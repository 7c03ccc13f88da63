import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { impliedClaims } from "../../src/evidence/claims/implied-claims.ts";
import { judgeClaims } from "../../src/evidence/judge-claims.ts";
import { listClaims } from "../../src/evidence/list-claims.ts";
import { observationsNeeded } from "../../src/evidence/observations-needed.ts";
import { gitRepository } from "../../src/git/git-repository.ts";
import type { Snapshot } from "../../src/ports/repository.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";

const room = mkdtempSync(join(tmpdir(), "baton-history-"));
afterAll(() => rmSync(room, { recursive: true, force: true }));

const ADA = "ada@example.org";
const HOUR = 3_600_000;

let folder = "";
let repository: ReturnType<typeof gitRepository>;
let before: Snapshot;

type Variables = Readonly<Record<string, string>>;

function git(args: readonly string[], env: Variables = {}): string {
  const settings = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const output = execFileSync("git", ["-c", "commit.gpgsign=false", ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", HOME: room, ...settings, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  return output.trim();
}

/** Each brings a file of its own. */
function commit(name: string, env: Variables = {}, ...args: string[]): string {
  writeFileSync(join(folder, `${name}.txt`), name);
  git(["add", "--all"]);
  git(["commit", "--quiet", "--message", name, ...args], env);
  return git(["rev-parse", "HEAD"]);
}

function at(milliseconds: number): Variables {
  const date = new Date(Date.now() + milliseconds).toISOString();
  return { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
}

beforeEach(async () => {
  folder = mkdtempSync(join(room, "work-"));
  git(["init", "--quiet", "--initial-branch=main"]);
  git(["config", "user.name", "Ada"]);
  git(["config", "user.email", ADA]);
  commit("start", at(-48 * HOUR));
  git(["checkout", "--quiet", "-b", "other"]);
  commit("elsewhere", { ...at(-24 * HOUR), GIT_AUTHOR_EMAIL: "bob@x.test", GIT_COMMITTER_EMAIL: "bob@x.test" });
  git(["checkout", "--quiet", "-b", "feature", "main"]);
  commit("begun", at(-12 * HOUR));
  repository = gitRepository({
    folder: mkdtempSync(join(room, "state-")),
    environment: { PATH: process.env["PATH"] ?? "", HOME: room },
  });
  const mark = await repository.mark(folder, "s1");
  if (mark === null) throw new Error("git does not rule here");
  before = mark;
});

/** What is told of the history, by the last word of its place. */
async function told(commits?: readonly string[], written = new Date().toISOString()): Promise<Record<string, string>> {
  const work = commits && { commits: commits.map((sha) => ({ sha })) };
  const handoff: Handoff = { dialect: "issue-xml", outcome: "done", at: written, ...(work && { work }) };
  const said = listClaims(handoff);
  const claims = [...said, ...impliedClaims(handoff, said)];
  const base = { ...before, name: "the state before the step", isKnown: true };
  const observations = await repository.look(folder, base, observationsNeeded(claims));
  const step = { startedAt: Date.now(), phase: null, runStartedAt: Date.now() - HOUR };
  const scene = { gates: [], commands: [], ledger: null, step, now: Date.now(), port: null, ownFiles: [] };
  return Object.fromEntries(
    judgeClaims(claims, { ...scene, observations }).flatMap(({ kind, where, verdict, evidence }) =>
      kind === "history" && verdict === "refuted" ? [[where.replace("history.", ""), evidence]] : [],
    ),
  );
}

describe("the history of a step", () => {
  it("is not spoken of when it was kept, and the commits are the account's own", async () => {
    const sha = commit("work");
    expect(await told()).toEqual({});
    expect(await told([sha])).toEqual({});
  });

  it("is told when the base was amended, also where the branch got another name", async () => {
    git(["commit", "--quiet", "--amend", "--message", "begun again"]);
    expect((await told())["base"]).toMatch(/^HEAD no longer contains [0-9a-f]{8}/);
    git(["branch", "--quiet", "-m", "renamed"]);
    expect((await told())["base"]).toContain("no longer contains");
  });

  it("is not told to be lost when the work went on on another branch", async () => {
    git(["checkout", "--quiet", "-b", "beside", "main"]);
    expect(await told()).toEqual({});
    git(["checkout", "--quiet", "main"]);
    git(["merge", "--quiet", "--squash", "feature"]);
    git(["commit", "--quiet", "--message", "squashed"]);
    git(["branch", "--quiet", "-D", "feature", "beside"]);
    expect(await told()).toEqual({});
  });

  it("tells another committer, and another author of what was first made now", async () => {
    commit("forged", {}, "--author=Linus <linus@example.org>");
    expect((await told())["authors"]).toMatch(/\(forged\) has the author linus@example.org; the account is ada/);
    git(["reset", "--quiet", "--hard", "HEAD~1"]);
    commit("forged", { GIT_COMMITTER_EMAIL: "linus@example.org" });
    expect((await told())["authors"]).toContain("(forged) was committed by linus@example.org");
  });

  it("does not believe an account that was set after the step began", async () => {
    git(["config", "user.email", "linus@example.org"]);
    commit("forged");
    expect((await told())["authors"]).toContain("linus@example.org");
  });

  it("takes picked, rebased and merged commits of others for what they are", async () => {
    git(["cherry-pick", "other"]);
    expect(await told()).toEqual({});
    git(["reset", "--quiet", "--hard", "HEAD~1"]);
    git(["merge", "--quiet", "--no-edit", "other"]);
    expect(await told()).toEqual({});
    git(["reset", "--quiet", "--hard", "HEAD~1"]);
    commit("own");
    git(["checkout", "--quiet", "other"]);
    git(["merge", "--quiet", "--no-edit", "feature"]);
    expect(await told()).toEqual({});
  });

  it("tells committers' dates that are not of the step, and not the authors'", async () => {
    commit("picked", { GIT_AUTHOR_DATE: "2020-01-01T10:00:00Z" });
    expect(await told()).toEqual({});
    commit("old", at(-5 * HOUR));
    expect((await told())["dates"]).toMatch(/\(old\) is dated [56] hours before the work began/);
    git(["reset", "--quiet", "--hard", "HEAD~1"]);
    commit("young", at(72 * HOUR));
    expect((await told())["dates"]).toMatch(/\(young\) is dated \d days in the future/);
  });

  it("tells commits that are not listed, that are older than the run, or younger than the handoff", async () => {
    const one = commit("one");
    commit("two");
    expect(await told([one])).toEqual({ listed: expect.stringMatching(/^1 commit not listed: [0-9a-f]{8} \(two\)/) });
    expect(await told([])).toMatchObject({ listed: expect.stringContaining("2 commits not listed") });
    const begun = before.commit ?? "";
    expect((await told([begun]))["own"]).toMatch(/^1 commit older than the run: [0-9a-f]{8} \(begun\)/);
    const early = new Date(Date.now() - 2 * HOUR).toISOString();
    expect((await told([one], early))["written"]).toMatch(
      /\(one\) is younger than the handoff, by \d+ (?:hours|minutes)/,
    );
  });
});
