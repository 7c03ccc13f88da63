import {
  type Checks,
  type Forge,
  ForgeError,
  type Issue,
  type MergeResult,
  type MergeRequest,
  type NewComment,
  type NewIssue,
  type NewPullRequest,
  type PullRequest,
} from "../../ports/forge.ts";
import { isRecord } from "../../shared/json-value.ts";
import type { ForgeGit } from "../git.ts";
import { refOf, namedNumbers } from "../references.ts";
import { type ApiRequest, GithubApi, apiPath } from "./github-api.ts";
import { GithubBranches } from "./github-branches.ts";
import {
  bodyOf,
  changesFrom,
  checksFrom,
  isConflicting,
  issueFrom,
  listIn,
  githubNumber,
  pullFrom,
  referringIssue,
} from "./github-values.ts";

interface GithubForgeOptions {
  /** `owner/name`. */
  readonly repository: string;
  readonly api: string;
  readonly token: string;
  readonly base: string | null;
  readonly git: ForgeGit;
}

export function openGithubForge(options: GithubForgeOptions): Forge {
  return new GithubForge(options);
}

class GithubForge implements Forge {
  readonly #api: GithubApi;
  readonly #branches: GithubBranches;
  readonly #home: string;
  readonly #owner: string;
  #base: string | null;

  constructor({ repository, api, token, base, git }: GithubForgeOptions) {
    this.#api = new GithubApi({ api, token });
    this.#branches = new GithubBranches(api, repository, token, git);
    this.#home = apiPath`/repos/${repository}`;
    this.#owner = repository.split("/")[0] ?? "";
    this.#base = base;
  }

  async base(): Promise<string> {
    if (this.#base !== null) return this.#base;
    const branch = listIn((await this.#get("")).data, "default_branch");
    if (typeof branch !== "string") throw new ForgeError("GitHub names no default branch");
    return (this.#base = branch);
  }

  async issue(number: number): Promise<Issue | null> {
    const { status, data } = await this.#get(apiPath`/issues/${number}`, [200, 404, 410]);
    return status === 200 ? issueFrom(data) : null;
  }

  async openIssue({ key, title, body, labels }: NewIssue): Promise<Issue> {
    const query = { state: "all", sort: "created", direction: "desc" };
    const newest = await this.#api.list({ method: "GET", path: `${this.#home}/issues`, query });
    const found = newest.find((item) => bodyOf(item).includes(markOf(key)));
    const asked = { title, body: marked(body, key), labels };
    const data = found ?? (await this.#change("POST", "/issues", asked, [201])).data;
    const issue = issueFrom(data);
    if (issue === null) throw new ForgeError("GitHub made no issue");
    return issue;
  }

  async comment(issue: number, { key, body }: NewComment): Promise<void> {
    const place = apiPath`/issues/${issue}/comments`;
    const comments = await this.#api.list({ method: "GET", path: this.#home + place });
    if (comments.some((comment) => bodyOf(comment).includes(markOf(key)))) return;
    await this.#change("POST", place, { body: marked(body, key) }, [201]);
  }

  async closeIssue(number: number): Promise<void> {
    const issue = await this.issue(number);
    if (issue === null) throw new ForgeError(`GitHub has no issue ${number}`);
    if (issue.state === "closed") return;
    await this.#change("PATCH", apiPath`/issues/${number}`, { state: "closed", state_reason: "completed" });
  }

  async relatedIssues(number: number): Promise<readonly Issue[]> {
    const events = await this.#api.list({ method: "GET", path: this.#home + apiPath`/issues/${number}/timeline` });
    const own = await this.issue(number);
    // An issue of another repository has a number of its own.
    const here = `/${this.#home.slice("/repos/".length)}/`;
    const naming = events.map(referringIssue).filter((issue) => issue?.url.includes(here) === true);
    const named = namedNumbers(own?.body ?? "").filter((other) => !naming.some((issue) => issue?.number === other));
    const others = await Promise.all(named.slice(0, MAX_RELATED).map((other) => this.issue(other)));
    const all = [...naming, ...others].flatMap((issue) => (issue === null || issue.number === number ? [] : [issue]));
    return [...new Map(all.map((issue) => [issue.number, issue])).values()];
  }

  async pullRequest(number: number): Promise<PullRequest | null> {
    const { status, data } = await this.#get(apiPath`/pulls/${number}`, [200, 404]);
    return status === 200 ? pullFrom(data) : null;
  }

  async openPullRequest({ branch, title, body }: NewPullRequest): Promise<PullRequest> {
    refOf(branch);
    const base = await this.base();
    const found = await this.#openPullOf(branch, base);
    if (found !== null) return found;
    const asked = { title, body, head: branch, base };
    const { status, data } = await this.#change("POST", "/pulls", asked, [201, 422]);
    if (status === 201) return pullFrom(data);
    // It may have been opened a moment ago.
    const other = await this.#openPullOf(branch, base);
    if (other !== null) return other;
    throw new ForgeError(`GitHub opens no pull request of ${branch} into ${base}: ${problemsOf(data)}`);
  }

  async #openPullOf(branch: string, base: string): Promise<PullRequest | null> {
    const query = { state: "open", head: `${this.#owner}:${branch}`, base };
    const [found] = await this.#api.list({ method: "GET", path: `${this.#home}/pulls`, query });
    return found === undefined ? null : this.pullRequest(githubNumber(found));
  }

  async requestedChanges(pull: number): Promise<readonly string[]> {
    return changesFrom(await this.#api.list({ method: "GET", path: this.#home + apiPath`/pulls/${pull}/reviews` }));
  }

  async checks(commit: string): Promise<Checks> {
    const runs = { method: "GET", path: this.#home + apiPath`/commits/${commit}/check-runs` } as const;
    const statuses = { method: "GET", path: this.#home + apiPath`/commits/${commit}/status` } as const;
    return checksFrom(
      await this.#api.list(runs, (data) => listIn(data, "check_runs")),
      await this.#api.list(statuses, (data) => listIn(data, "statuses")),
    );
  }

  async merge(number: number, { head, strategy, title }: MergeRequest): Promise<MergeResult> {
    const pull = await this.pullRequest(number);
    if (pull === null) throw new ForgeError(`GitHub has no pull request ${number}`);
    if (pull.merged !== null) return mergedAt(pull.merged, head);
    if (pull.state === "closed") return { kind: "refused", reason: "the pull request is closed" };
    if (pull.head !== head) return { kind: "moved", head: pull.head };
    const asked = { sha: head, merge_method: strategy, ...(strategy !== "rebase" && { commit_title: title }) };
    const { status, data } = await this.#change("PUT", apiPath`/pulls/${number}/merge`, asked, [200, 405, 409, 422]);
    if (status === 200) return { kind: "merged", sha: String(listIn(data, "sha")) };
    return this.#whyNot(number, head, problemsOf(data));
  }

  /** Another process may have merged it meanwhile; the branch may have moved; or it conflicts. */
  async #whyNot(number: number, head: string, reason: string): Promise<MergeResult> {
    const { data } = await this.#get(apiPath`/pulls/${number}`);
    const pull = pullFrom(data);
    if (pull.merged !== null) return mergedAt(pull.merged, head);
    if (pull.head !== head) return { kind: "moved", head: pull.head };
    if (isConflicting(data)) return { kind: "conflict", files: [] };
    return { kind: "refused", reason };
  }

  async fetchBranch(workspace: string, branch: string): Promise<string | null> {
    return this.#branches.fetch(workspace, branch);
  }

  async pushBranch(workspace: string, branch: string): Promise<string> {
    if (branch === (await this.base())) throw new ForgeError(`${branch} is changed by pull requests only`);
    return this.#branches.push(workspace, branch);
  }

  async deleteBranch(branch: string): Promise<void> {
    if (branch === (await this.base()))
      throw new ForgeError(`${branch} is what pull requests are merged into: it stays`);
    // GitHub answers 422 when there is no such branch.
    await this.#change("DELETE", apiPath`/git/${refOf(branch)}`, undefined, [204, 404, 422]);
  }

  #get(place: string, accepts?: readonly number[]) {
    return this.#api.request({ method: "GET", path: this.#home + place, ...(accepts !== undefined && { accepts }) });
  }

  #change(method: ApiRequest["method"], place: string, body?: ApiRequest["body"], accepts?: readonly number[]) {
    const request: ApiRequest = { method, path: this.#home + place };
    return this.#api.request({
      ...request,
      ...(body !== undefined && { body }),
      ...(accepts !== undefined && { accepts }),
    });
  }
}

const MAX_RELATED = 50;
function mergedAt(merged: NonNullable<PullRequest["merged"]>, head: string): MergeResult {
  return merged.head === head ? { kind: "merged", sha: merged.sha } : ALREADY_MERGED;
}

const ALREADY_MERGED: MergeResult = { kind: "refused", reason: "it was merged already, at another commit" };

/** Readers do not see it; by it a thing is known again. */
function markOf(key: string): string {
  return `<!-- baton:${encodeURIComponent(key).replaceAll("--", "-%2D")} -->`;
}

function marked(body: string, key: string): string {
  return `${body}\n\n${markOf(key)}`;
}

function problemsOf(data: unknown): string {
  if (!isRecord(data)) return "no reason given";
  const errors = Array.isArray(data["errors"]) ? (data["errors"] as unknown[]) : [];
  const details = errors.flatMap((error) =>
    isRecord(error) && typeof error["message"] === "string" ? [error["message"]] : [],
  );
  const message = typeof data["message"] === "string" ? data["message"] : "no reason given";
  return [message, ...details].join(": ").slice(0, 500);
}
