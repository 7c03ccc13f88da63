import { type Checks, ForgeError, type Issue, type PullRequest } from "../../ports/forge.ts";
import { isRecord } from "../../shared/json-value.ts";

/** Values out of answers: what is not as GitHub describes it is an error, never a guess. */

type Answer = Readonly<Record<string, unknown>>;

function recordIn(value: unknown, what: string): Answer {
  if (isRecord(value)) return value;
  throw new ForgeError(`GitHub's answer holds no ${what}`);
}

function textIn(record: Answer, key: string): string {
  const value = record[key];
  if (typeof value === "string") return value;
  throw new ForgeError(`GitHub's answer holds no text under ${key}`);
}

function numberIn(record: Answer, key: string): number {
  const value = record[key];
  if (typeof value === "number") return value;
  throw new ForgeError(`GitHub's answer holds no number under ${key}`);
}

export function listIn(value: unknown, key: string): unknown {
  return recordIn(value, key)[key];
}

/** Null for a pull request, which GitHub counts among the issues. */
export function issueFrom(data: unknown): Issue | null {
  const issue = recordIn(data, "issue");
  if (issue["pull_request"] !== undefined) return null;
  const labels = Array.isArray(issue["labels"]) ? (issue["labels"] as unknown[]) : [];
  return {
    number: numberIn(issue, "number"),
    url: textIn(issue, "html_url"),
    title: textIn(issue, "title"),
    body: bodyOf(issue),
    state: issue["state"] === "closed" ? "closed" : "open",
    labels: labels.flatMap((label) => (typeof label === "string" ? [label] : nameOf(label))),
    openedAt: textIn(issue, "created_at"),
  };
}

function nameOf(label: unknown): string[] {
  return isRecord(label) && typeof label["name"] === "string" ? [label["name"]] : [];
}

export function bodyOf(item: unknown): string {
  return isRecord(item) && typeof item["body"] === "string" ? item["body"] : "";
}

export function githubNumber(item: unknown): number {
  return numberIn(recordIn(item, "number"), "number");
}

export function pullFrom(data: unknown): PullRequest {
  const pull = recordIn(data, "pull request");
  const head = recordIn(pull["head"], "head");
  const isMerged = pull["merged"] === true;
  const sha = textIn(head, "sha");
  return {
    number: numberIn(pull, "number"),
    url: textIn(pull, "html_url"),
    title: textIn(pull, "title"),
    branch: textIn(head, "ref"),
    base: textIn(recordIn(pull["base"], "base"), "ref"),
    state: isMerged ? "merged" : pull["state"] === "closed" ? "closed" : "open",
    head: sha,
    merged: isMerged ? { sha: textIn(pull, "merge_commit_sha"), head: sha } : null,
    commits: typeof pull["commits"] === "number" ? pull["commits"] : 0,
  };
}

/** The issue whose words made this entry of a timeline. */
export function referringIssue(event: unknown): Issue | null {
  const source = isRecord(event) && event["event"] === "cross-referenced" ? event["source"] : null;
  return isRecord(source) && isRecord(source["issue"]) ? issueFrom(source["issue"]) : null;
}

export function isConflicting(data: unknown): boolean {
  return isRecord(data) && (data["mergeable"] === false || data["mergeable_state"] === "dirty");
}

/** Comments decide nothing; of the rest the last word of each reviewer counts. */
export function changesFrom(reviews: readonly unknown[]): string[] {
  const last = new Map<string, Answer>();
  for (const one of reviews) {
    const review = recordIn(one, "review");
    const who = isRecord(review["user"]) ? textIn(review["user"], "login") : "a deleted account";
    if (review["state"] !== "COMMENTED") last.set(who, review);
  }
  return [...last].flatMap(([who, review]) =>
    review["state"] === "CHANGES_REQUESTED" ? [`${who}: ${bodyOf(review)}`] : [],
  );
}

const BAD_ENDS = new Set<unknown>(["failure", "cancelled", "timed_out", "action_required", "startup_failure", "stale"]);

/** Check runs and the older commit statuses together: the worst decides. */
export function checksFrom(runs: readonly unknown[], statuses: readonly unknown[]): Checks {
  const checks = [
    ...runs.map((run) => recordIn(run, "check run")).map(runState),
    ...statuses.map((status) => recordIn(status, "status")).map(statusState),
  ];
  const failed = checks.filter(({ state }) => state === "failing").map(({ name }) => name);
  if (failed.length > 0) return { state: "failing", failed };
  if (checks.some(({ state }) => state === "pending")) return { state: "pending", failed };
  return { state: checks.length === 0 ? "none" : "passing", failed };
}

interface OneCheck {
  readonly name: string;
  readonly state: "failing" | "pending" | "passing";
}

function runState(run: Answer): OneCheck {
  const name = textIn(run, "name");
  if (run["status"] !== "completed") return { name, state: "pending" };
  return { name, state: BAD_ENDS.has(run["conclusion"]) ? "failing" : "passing" };
}

function statusState(status: Answer): OneCheck {
  const name = textIn(status, "context");
  if (status["state"] === "pending") return { name, state: "pending" };
  return { name, state: status["state"] === "success" ? "passing" : "failing" };
}
