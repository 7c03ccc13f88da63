import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ForgeRoom } from "../contracts/forge-room.ts";
import { githubDescription } from "../contracts/github-description.ts";
import { GithubServer, TOKEN } from "../contracts/github-server.ts";
import { removeJobFolders } from "./agent-jobs.ts";
import { BuiltinRoom } from "./builtin-room.ts";

const description = githubDescription();
afterAll(removeJobFolders);

describe.skipIf(description === null)("agents that come along, on GitHub", () => {
  it("take an issue from its branch to its closing, and tell the token to nobody", async () => {
    if (description === null) return;
    const room = new BuiltinRoom();
    const server = await GithubServer.start(room, description);
    process.env["TEST_FORGE_TOKEN"] = TOKEN;
    try {
      const { number } = await room.openIssue("Gift cards");
      const forge = {
        kind: "github",
        repository: "octo/shop",
        api: server.address,
        token: "TEST_FORGE_TOKEN",
        base: null,
      } as const;
      const known = { "issue.number": String(number), "issue.type": "feature" };
      const prepared = await room.work("prep", known, {}, { forge });
      expect(prepared.handoff).toMatchObject({ status: "ready", work: { branch: "feature/issue-1-gift-cards" } });
      room.commit("Add gift cards", { "cards.txt": "1" });
      const branch = "feature/issue-1-gift-cards";
      // The implementer pushes and opens the pull request by itself.
      room.run("push", "--quiet", join(room.folder, "forge/repository.git"), branch);
      const pull = await (await room.forge()).openPullRequest({ branch, title: "Gift cards", body: "" });
      const facts = { ...known, branch, "pull_request.number": String(pull.number) };
      const env = [process.execPath, "-e", "process.exit(JSON.stringify(process.env).includes('ghp_') ? 1 : 0)"];
      const merged = await room.work("validator", facts, { unit: env }, { forge });
      expect(merged.handoff).toMatchObject({ outcome: "done", work: { merge: { status: "merged" } } });
      expect(merged.handoff.pull_request?.url).toBe(`https://github.com/octo/shop/pull/${pull.number}`);
      for (let times = 0; times < 2; times += 1) {
        const { handoff } = await room.work("closer", facts, {}, { forge });
        expect(handoff).toMatchObject({ final: true, metrics: { total_commits: "1" } });
      }
      expect(server.comments(number)).toHaveLength(1);
      expect(room.base()).toBe(`Gift cards (#${pull.number})\nStart`);
      expect(room.run("branch", "--format=%(refname:short)")).toBe("main");
      expect(JSON.stringify([prepared.report, merged.report])).not.toContain(TOKEN);
      expect(server.problems).toEqual([]);
    } finally {
      delete process.env["TEST_FORGE_TOKEN"];
      await server.stop();
      room.remove();
    }
  });

  it("say which issue is not there", async () => {
    if (description === null) return;
    const [room, other] = [new BuiltinRoom(), new ForgeRoom()];
    const server = await GithubServer.start(other, description);
    process.env["TEST_FORGE_TOKEN"] = TOKEN;
    const forge = {
      kind: "github",
      repository: "octo/shop",
      api: server.address,
      token: "TEST_FORGE_TOKEN",
      base: null,
    } as const;
    const { handoff } = await room.work("prep", { "issue.number": "7" }, {}, { forge });
    delete process.env["TEST_FORGE_TOKEN"];
    await server.stop();
    expect(handoff).toMatchObject({ outcome: "failed", error: { type: "MissingIssue" } });
    room.remove();
    other.remove();
  });
});
