import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { cleanEnvironment } from "../../src/agents/process-group/clean-environment.ts";
import { forgeGit } from "../../src/forges/git.ts";
import { openGithubForge } from "../../src/forges/github/github-forge.ts";
import type { Forge } from "../../src/ports/forge.ts";
import { ForgeRoom } from "./forge-room.ts";
import { forgeContract } from "./forge.ts";
import { githubDescription } from "./github-description.ts";
import { GithubServer, type Mischief, TOKEN } from "./github-server.ts";

const description = githubDescription();

function openAt(server: GithubServer, room: ForgeRoom, api = server.address): Forge {
  return openGithubForge({ repository: "octo/shop", api, token: TOKEN, base: null, git: room.git });
}

describe.skipIf(description === null)("requests to GitHub are as GitHub describes them:", () => {
  const servers: GithubServer[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.stop())));
  afterEach(() => expect(servers.flatMap(({ problems }) => problems.splice(0))).toEqual([]));

  forgeContract("GitHub", async (room) => {
    if (description === null) throw new Error("no description");
    const server = await GithubServer.start(room, description);
    servers.push(server);
    return {
      forge: openAt(server, room),
      log: (...args) => room.runIn(join(room.folder, "forge/repository.git"), ...args),
      review: (...review) => room.review(...review),
      comments: async (issue) => server.comments(issue).length,
    };
  });
});

describe.skipIf(description === null)("a GitHub that does not answer well", () => {
  const room = new ForgeRoom();
  let server: GithubServer;
  let forge: Forge;
  beforeAll(async () => {
    if (description === null) return;
    server = await GithubServer.start(room, description);
    forge = openAt(server, room);
  });
  afterEach(() => {
    server.mischief = null;
  });
  afterAll(async () => {
    await server.stop();
    room.remove();
  });

  /** The first requests are answered so, later ones well. */
  function firstOnes(count: number, mischief: Mischief): { seen: number } {
    const told = { seen: 0 };
    server.mischief = (request, response) => {
      told.seen += 1;
      return told.seen <= count && mischief(request, response);
    };
    return told;
  }

  it.each([500, 502, 503, 429])("is asked again after %d", async (status) => {
    const told = firstOnes(2, (_, response) => Boolean(response.writeHead(status, { "retry-after": "0" }).end()));
    expect(await forge.issue(1)).toBeNull();
    expect(told.seen).toBe(3);
  });

  it("is asked again when a limit of requests is told with 403, but not for 403 alone", async () => {
    const told = firstOnes(1, (_, response) => Boolean(response.writeHead(403, { "retry-after": "0" }).end()));
    expect(await forge.issue(1)).toBeNull();
    expect(told.seen).toBe(2);
    firstOnes(9, (_, response) => Boolean(response.writeHead(403).end('{"message":"Forbidden"}')));
    await expect(forge.issue(1)).rejects.toMatchObject({
      message: expect.stringContaining("permission"),
      isPassing: false,
    });
  });

  it("is not waited for longer than a minute", async () => {
    firstOnes(9, (_, response) => Boolean(response.writeHead(429, { "retry-after": "3600" }).end()));
    await expect(forge.issue(1)).rejects.toMatchObject({ isPassing: true });
  });

  it("is asked again when the connection breaks, but nothing is made twice", async () => {
    const told = firstOnes(1, (request) => Boolean(request.socket.destroy()));
    expect(await forge.issue(1)).toBeNull();
    expect(told.seen).toBe(2);
    // The issue is made, but nobody hears of it.
    server.mischief = (request, response) => {
      if (request.method !== "POST") return false;
      response.end = (() => request.socket.destroy()) as never;
      return false;
    };
    const wish = { key: "lost", title: "Lost", body: "", labels: [] };
    await expect(forge.openIssue(wish)).rejects.toMatchObject({ isPassing: true });
    server.mischief = null;
    const issue = await forge.openIssue(wish);
    expect(issue).toMatchObject({ number: 1, title: "Lost" });
    expect(await forge.issue(2)).toBeNull();
  });

  it("gives the same merge when its answer was lost", async () => {
    const head = room.branch("fix/issue-1-lost", { "lost.txt": "1" });
    await forge.pushBranch(room.workspace, "fix/issue-1-lost");
    const { number } = await forge.openPullRequest({ branch: "fix/issue-1-lost", title: "t", body: "" });
    let lost = 0;
    server.mischief = (request, response) => {
      if (request.method !== "PUT" || lost++ > 0) return false;
      response.end = (() => request.socket.destroy()) as never;
      return false;
    };
    const merged = await forge.merge(number, { head, strategy: "squash", title: "t" });
    const bare = join(room.folder, "forge/repository.git");
    expect(merged).toEqual({ kind: "merged", sha: room.runIn(bare, "rev-parse", "main") });
    expect(room.runIn(bare, "rev-list", "--count", "main")).toBe("2");
  });

  it("calls no merge ours that somebody made of another commit in the same moment", async () => {
    const branch = "fix/issue-1-theirs";
    const head = room.branch(branch, { "theirs.txt": "reviewed" });
    await forge.pushBranch(room.workspace, branch);
    const { number } = await forge.openPullRequest({ branch, title: "t", body: "" });
    server.mischief = (request, response) => {
      if (request.method !== "PUT") return false;
      // They push one more commit, and merge that.
      const theirs = room.branch(`${branch}-more`, { "theirs.txt": "not reviewed" }, branch);
      const file = join(room.folder, `forge/items/${number}.json`);
      const item = JSON.parse(readFileSync(file, "utf8")) as object;
      const merged = { sha: theirs, head: theirs, commits: 2, at: new Date().toISOString() };
      room.runIn(
        join(room.folder, "forge/repository.git"),
        "fetch",
        "--quiet",
        room.workspace,
        `+${branch}-more:${branch}`,
      );
      writeFileSync(file, JSON.stringify({ ...item, state: "closed", merged }));
      response.writeHead(409, { "content-type": "application/json" });
      response.end(JSON.stringify({ message: "Head branch was modified. Review and try the merge again." }));
      return true;
    };
    const merge = await forge.merge(number, { head, strategy: "squash", title: "t" });
    expect(merge).toMatchObject({ kind: "refused", reason: expect.stringContaining("another commit") });
  });

  it("gets no token where it sends us", async () => {
    const heard: (string | undefined)[] = [];
    const elsewhere = new ForgeRoom();
    const other = await GithubServer.start(elsewhere, description as never);
    other.mischief = (request, response) => {
      heard.push(request.headers.authorization);
      return Boolean(response.end("{}"));
    };
    server.mischief = (request, response) =>
      Boolean(response.writeHead(307, { location: `${other.address}${request.url}` }).end());
    await expect(forge.issue(1)).rejects.toThrow("sent elsewhere");
    await expect(forge.fetchBranch(room.workspace, "main")).rejects.toThrow("git ls-remote failed");
    await other.stop();
    elsewhere.remove();
    expect(heard).toEqual([]);
  });

  it("is reached without the operator's git settings, which an agent may have written", async () => {
    const home = join(room.folder, "home");
    mkdirSync(home);
    writeFileSync(join(home, ".gitconfig"), "[http]\n\tproxy = http://127.0.0.1:9\n");
    const git = forgeGit({ environment: { ...cleanEnvironment(), HOME: home }, isOurs: () => false });
    const reached = openGithubForge({ repository: "octo/shop", api: server.address, token: TOKEN, base: null, git });
    expect(await reached.fetchBranch(room.workspace, "main")).toMatch(/^[0-9a-f]{40}$/);
  });

  it("is not read without end", async () => {
    server.mischief = (_, response) => Boolean(response.end(Buffer.alloc(9 << 20, 32)));
    await expect(forge.issue(1)).rejects.toThrow("more than 8 MB");
  });

  it.each(["", "[]", "<html>", '{"number":"1"}', "null", '{"number":1,"title":null}'])(
    "is not believed when it says %j",
    async (text) => {
      server.mischief = (_, response) => Boolean(response.end(text));
      await expect(forge.issue(1)).rejects.toThrow("GitHub's answer");
    },
  );

  it("is told what is wrong with a token", async () => {
    server.mischief = (_, response) => Boolean(response.writeHead(401).end('{"message":"Bad credentials"}'));
    await expect(forge.issue(1)).rejects.toThrow("Bad credentials. The token is not valid");
  });
});
