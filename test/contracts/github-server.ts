import { existsSync, readFileSync } from "node:fs";
import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { openLocalForge } from "../../src/forges/local/local-forge.ts";
import type { Forge, Issue, MergeResult, PullRequest } from "../../src/ports/forge.ts";
import { type JsonRecord, type JsonValue, isRecord } from "../../src/shared/json-value.ts";
import type { ForgeRoom } from "./forge-room.ts";
import { serveGit } from "./git-over-http.ts";
import type { GithubDescription } from "./github-description.ts";

export const TOKEN = "ghp_token_of_the_test";
const HOME = "/repos/octo/shop";
const DESCRIBED_HOME = "/repos/{owner}/{repo}";

/** GitHub's own examples are not all as its description says. */
const UNDESCRIBED: JsonRecord = { requested_teams: [], language: null, source: undefined };

/** Does something else than answer; true when it has done it. */
export type Mischief = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Answer {
  readonly status: number;
  /** The described path whose example the answer is made of; null for one that has none. */
  readonly like: string | null;
  readonly value?: JsonValue;
}

/**
 * Stands in GitHub's place on this machine, with a local forge behind it. Each request is held against GitHub's
 * published description, and so is each answer, which is GitHub's own example with our values in it.
 */
export class GithubServer {
  readonly problems: string[] = [];
  readonly calls: string[] = [];
  mischief: Mischief | null = null;
  readonly #description: GithubDescription;
  readonly #room: ForgeRoom;
  readonly #forge: Forge;
  readonly #server: Server;
  readonly #conflicts = new Set<number>();
  #keys = 0;

  static async start(room: ForgeRoom, description: GithubDescription): Promise<GithubServer> {
    const folder = join(room.folder, "forge");
    const forge = await openLocalForge({ folder, source: room.workspace, base: null, git: room.git });
    const server = new GithubServer(room, description, forge);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  private constructor(room: ForgeRoom, description: GithubDescription, forge: Forge) {
    this.#room = room;
    this.#description = description;
    this.#forge = forge;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  comments(issue: number): JsonRecord[] {
    return this.#listOf(issue, "comments");
  }

  #listOf(number: number, key: string): JsonRecord[] {
    const item: unknown = JSON.parse(readFileSync(join(this.#room.folder, `forge/items/${number}.json`), "utf8"));
    return isRecord(item) ? list(item[key]).filter(isRecord) : [];
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (this.mischief?.(request, response) === true) return;
    const url = new URL(request.url ?? "", "http://localhost");
    try {
      if (url.pathname.startsWith("/octo/shop.git/")) this.#serveGit(url.pathname, body, request, response);
      else await this.#serveApi(url, body, request, response);
    } catch (error) {
      this.problems.push(`${request.method} ${url.pathname}: ${String(error)}`);
      response.writeHead(400).end();
    }
  }

  #serveGit(path: string, body: Buffer, request: IncomingMessage, response: ServerResponse): void {
    const expected = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString("base64")}`;
    if (request.headers.authorization !== expected) this.problems.push(`git at ${path} came without the token`);
    const inRepository = path.replace("/octo/shop.git", "/repository.git");
    serveGit(join(this.#room.folder, "forge"), inRepository, body, request, response);
  }

  async #serveApi(url: URL, body: Buffer, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? "";
    this.calls.push(`${method} ${url.pathname}`);
    this.#checkHeaders(request, body);
    const parsed = body.length === 0 ? undefined : (JSON.parse(body.toString("utf8")) as JsonValue);
    const call = { method, path: url.pathname, query: url.searchParams, body: parsed };
    this.problems.push(...this.#description.problemsOf(call));
    const { status, like, value } = await this.#answer(method, url, isRecord(parsed) ? parsed : {});
    if (like !== null && value !== undefined)
      this.problems.push(...this.#description.answerProblems(method.toLowerCase(), like, status, value));
    response.writeHead(status, { "content-type": "application/json" });
    response.end(value === undefined ? "" : JSON.stringify(value));
  }

  #checkHeaders({ headers }: IncomingMessage, body: Buffer): void {
    const expected: Record<string, string> = {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${TOKEN}`,
      "x-github-api-version": "2022-11-28",
      ...(body.length > 0 && { "content-type": "application/json" }),
    };
    for (const [name, value] of Object.entries(expected))
      if (headers[name] !== value) this.problems.push(`the header ${name} is ${String(headers[name])}`);
    if (headers["user-agent"] === undefined) this.problems.push("the header user-agent is missing");
  }

  async #answer(method: string, url: URL, body: JsonRecord): Promise<Answer> {
    const place = decodeURIComponent(url.pathname).slice(HOME.length);
    const [, kind = "", name = "", part = ""] = /^\/(\w+)(?:\/([^/]+))?(?:\/(.+))?$/.exec(place) ?? [];
    switch (`${method} ${kind}${name === "" ? "" : "/N"}${part === "" || kind === "git" ? "" : `/${part}`}`) {
      case "GET ":
        return this.#like("", { default_branch: await this.#forge.base(), ...UNDESCRIBED }, 200, "get");
      case "GET issues":
        return this.#list("/issues", await this.#allIssues());
      case "POST issues":
        return this.#issueAnswer(await this.#openIssue(body), 201, "/issues", "post");
      case "GET issues/N":
        return this.#issueAnswer(await this.#forge.issue(Number(name)), 200, "/issues/{issue_number}", "get");
      case "PATCH issues/N":
        await this.#forge.closeIssue(Number(name));
        return this.#issueAnswer(await this.#forge.issue(Number(name)), 200, "/issues/{issue_number}", "patch");
      case "GET issues/N/comments":
        return this.#list("/issues/{issue_number}/comments", this.comments(Number(name)).map(commentValues));
      case "POST issues/N/comments": {
        const comment = { key: `c${(this.#keys += 1)}`, body: textOf(body["body"]) };
        await this.#forge.comment(Number(name), comment);
        return this.#like("/issues/{issue_number}/comments", commentValues(comment), 201, "post");
      }
      case "GET issues/N/timeline":
        return this.#timeline(Number(name));
      default:
        return this.#answerPulls(`${method} ${kind}`, name, part, url, body);
    }
  }

  async #answerPulls(what: string, name: string, part: string, url: URL, body: JsonRecord): Promise<Answer> {
    switch (what) {
      case "GET pulls":
        if (part === "reviews") return this.#reviews(Number(name));
        return name === "" ? this.#openPulls(url) : this.#pullAnswer(Number(name), 200, "/pulls/{pull_number}", "get");
      case "POST pulls":
        return this.#openPull(body);
      case "PUT pulls":
        return this.#merge(Number(name), body);
      case "GET commits":
        return part === "status"
          ? this.#like("/commits/{ref}/status", { statuses: [], total_count: 0, state: "pending" }, 200, "get")
          : this.#like("/commits/{ref}/check-runs", { check_runs: [], total_count: 0 }, 200, "get");
      case "DELETE git":
        return this.#deleteRef(part);
      default:
        return { status: 404, like: null, value: { message: "Not Found" } };
    }
  }

  async #openIssue({ title, body, labels }: JsonRecord): Promise<Issue> {
    const texts = Array.isArray(labels) ? labels.map(textOf) : [];
    const key = `i${(this.#keys += 1)}`;
    return this.#forge.openIssue({ key, title: textOf(title), body: textOf(body), labels: texts });
  }

  async #allIssues(): Promise<JsonRecord[]> {
    const issues: JsonRecord[] = [];
    for (let number = 1; existsSync(join(this.#room.folder, `forge/items/${number}.json`)); number += 1) {
      const issue = await this.#forge.issue(number);
      if (issue !== null) issues.unshift(this.#issueValues(issue));
    }
    return issues;
  }

  async #timeline(number: number): Promise<Answer> {
    const like = "/issues/{issue_number}/timeline";
    const naming = (await this.#forge.relatedIssues(number)).filter(({ body }) => body.includes(`#${number}`));
    const issue = this.#exampleOf("/issues/{issue_number}", 200, "get");
    const events = naming.map((one) => ({
      event: "cross-referenced",
      created_at: one.openedAt,
      updated_at: one.openedAt,
      source: { type: "issue", issue: { ...issue, ...this.#issueValues(one) } },
    }));
    return { status: 200, like: DESCRIBED_HOME + like, value: events };
  }

  #reviews(number: number): Answer {
    const like = "/pulls/{pull_number}/reviews";
    const reviews = this.#listOf(number, "reviews").map(({ by, state, body }) => ({ by, state: textOf(state), body }));
    const [example] = list(this.#description.example("get", DESCRIBED_HOME + like, 200));
    const user = recordOf(recordOf(example)["user"]);
    return this.#list(
      like,
      reviews.map(({ by, state, body }) => ({
        user: { ...user, login: textOf(by) },
        state: state.toUpperCase(),
        body: textOf(body),
      })),
    );
  }

  async #openPulls(url: URL): Promise<Answer> {
    const found: JsonRecord[] = [];
    for (let number = 1; existsSync(join(this.#room.folder, `forge/items/${number}.json`)); number += 1) {
      const pull = await this.#forge.pullRequest(number);
      if (pull?.state === "open" && `octo:${pull.branch}` === url.searchParams.get("head"))
        found.push({ number, state: "open", title: pull.title, ...UNDESCRIBED });
    }
    return this.#list("/pulls", found);
  }

  async #openPull({ head, base, title, body }: JsonRecord): Promise<Answer> {
    const branch = textOf(head);
    const exists = await this.#forge.fetchBranch(this.#room.workspace, branch).catch(() => null);
    if (exists === null || base !== (await this.#forge.base()))
      return {
        status: 422,
        like: null,
        value: { message: "Validation Failed", errors: [{ message: "head invalid" }] },
      };
    const { number } = await this.#forge.openPullRequest({ branch, title: textOf(title), body: textOf(body) });
    return this.#pullAnswer(number, 201, "/pulls", "post");
  }

  async #merge(number: number, { sha, merge_method, commit_title }: JsonRecord): Promise<Answer> {
    const strategy = merge_method === "merge" || merge_method === "rebase" ? merge_method : "squash";
    const title = typeof commit_title === "string" ? commit_title : "";
    const result: MergeResult = await this.#forge.merge(number, { head: textOf(sha), strategy, title });
    if (result.kind === "conflict") this.#conflicts.add(number);
    if (result.kind === "merged")
      return this.#like("/pulls/{pull_number}/merge", { sha: result.sha, merged: true, message: "merged" }, 200, "put");
    const status = result.kind === "moved" ? 409 : 405;
    return {
      status,
      like: null,
      value: { message: result.kind === "moved" ? "Head branch was modified" : "Not mergeable" },
    };
  }

  async #deleteRef(ref: string): Promise<Answer> {
    const branch = ref.replace(/^heads\//, "");
    if ((await this.#forge.fetchBranch(this.#room.workspace, branch)) === null)
      return { status: 422, like: null, value: { message: "Reference does not exist" } };
    await this.#forge.deleteBranch(branch);
    return { status: 204, like: null };
  }

  #issueAnswer(issue: Issue | null, status: number, like: string, method: string): Answer {
    if (issue === null) return { status: 404, like: null, value: { message: "Not Found" } };
    return this.#like(like, this.#issueValues(issue), status, method);
  }

  #issueValues({ number, title, body, state, labels, openedAt }: Issue): JsonRecord {
    const html_url = `https://github.com/octo/shop/issues/${number}`;
    const named = labels.map((name) => ({
      id: 1,
      name,
      color: "f29513",
      description: "",
      default: false,
      node_id: "",
      url: "",
    }));
    return { number, title, body, state, labels: named, created_at: openedAt, html_url, pull_request: undefined };
  }

  async #pullAnswer(number: number, status: number, like: string, method: string): Promise<Answer> {
    const pull = await this.#forge.pullRequest(number);
    if (pull === null) return { status: 404, like: null, value: { message: "Not Found" } };
    return this.#like(like, this.#pullValues(pull, this.#exampleOf(like, status, method)), status, method);
  }

  #pullValues(
    { number, title, branch, base, state, head, merged, commits }: PullRequest,
    example: JsonRecord,
  ): JsonRecord {
    const isConflicting = this.#conflicts.has(number);
    return {
      number,
      title,
      commits,
      html_url: `https://github.com/octo/shop/pull/${number}`,
      state: state === "open" ? "open" : "closed",
      merged: merged !== null,
      merge_commit_sha: merged?.sha ?? null,
      mergeable: !isConflicting,
      mergeable_state: isConflicting ? "dirty" : "clean",
      ...UNDESCRIBED,
      head: { ...recordOf(example["head"]), ref: branch, sha: merged?.head ?? head ?? "0".repeat(40) },
      base: { ...recordOf(example["base"]), ref: base },
    };
  }

  #like(like: string, values: JsonRecord, status: number, method: string): Answer {
    return { status, like: DESCRIBED_HOME + like, value: { ...this.#exampleOf(like, status, method), ...values } };
  }

  #list(like: string, values: readonly JsonRecord[]): Answer {
    const example = this.#description.example("get", DESCRIBED_HOME + like, 200);
    const first = recordOf(Array.isArray(example) ? example[0] : undefined);
    return { status: 200, like: DESCRIBED_HOME + like, value: values.map((one) => ({ ...first, ...one })) };
  }

  #exampleOf(like: string, status: number, method: string): JsonRecord {
    const example = this.#description.example(method, DESCRIBED_HOME + like, status);
    const { pull_request: _pull, ...rest } = recordOf(example);
    return rest;
  }
}

function commentValues({ body }: JsonRecord): JsonRecord {
  return { body: textOf(body) };
}

function list(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function recordOf(value: JsonValue | undefined): JsonRecord {
  return isRecord(value) ? value : {};
}
