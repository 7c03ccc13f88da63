import type { Issue, PullRequest } from "../../ports/forge.ts";
import { hasShape, valueOr } from "../../protocol/find-mismatch.ts";
import { data } from "../../protocol/shape.ts";
import { type JsonRecord, isRecord } from "../../shared/json-value.ts";

/** Nobody answers there: it only names things as other forges do. */
const SITE = "http://forge.localhost";

const TEXT = data.text();
const LIST = data.list(data.anything());
const COMMIT_ID = data.text({ pattern: "^(?:[0-9a-f]{40}|[0-9a-f]{64})$" });
const MERGE = data.record({ sha: COMMIT_ID, head: COMMIT_ID });

/** Anybody may write these files, so nothing of them is taken for granted; the number is the file's name. */
export function issueOf(number: number, item: JsonRecord): Issue | null {
  if (item["kind"] !== "issue") return null;
  return {
    number,
    url: `${SITE}/issues/${number}`,
    title: text(item["title"]),
    body: text(item["body"]),
    state: item["state"] === "closed" ? "closed" : "open",
    labels: list(item["labels"]).filter((label) => typeof label === "string"),
    openedAt: text(item["opened_at"]),
  };
}

export interface StoredPull extends PullRequest {
  readonly base: string;
  /** A merge whose end nobody has noted yet. */
  readonly merging: StoredMerge | null;
}

interface StoredMerge {
  readonly sha: string;
  readonly head: string;
  readonly commits: number;
}

export function pullOf(number: number, item: JsonRecord, base: string): StoredPull | null {
  if (item["kind"] !== "pull") return null;
  const merged = mergeOf(item["merged"]);
  return {
    number,
    url: `${SITE}/pulls/${number}`,
    title: text(item["title"]),
    branch: text(item["branch"]),
    base: text(item["base"]) === "" ? base : text(item["base"]),
    state: merged !== null ? "merged" : item["state"] === "closed" ? "closed" : "open",
    head: null,
    merged,
    commits: merged?.commits ?? 0,
    merging: mergeOf(item["merging"]),
  };
}

function mergeOf(value: unknown): StoredMerge | null {
  if (!hasShape(MERGE, value) || !isRecord(value)) return null;
  const { sha, head, commits } = value as JsonRecord & StoredMerge;
  return { sha, head, commits: valueOr(data.number(), commits, 0) };
}

/** `reviews: [{ by, state, body }]`, of which the last one of each reviewer counts. */
export function requestedChanges(item: JsonRecord): string[] {
  const last = new Map<string, JsonRecord>();
  for (const review of list(item["reviews"])) if (isRecord(review)) last.set(text(review["by"]), review);
  return [...last].flatMap(([by, { state, body }]) => (state === "changes_requested" ? [`${by}: ${text(body)}`] : []));
}

export function commentKeys(item: JsonRecord): string[] {
  return list(item["comments"]).flatMap((comment) => (isRecord(comment) ? [text(comment["key"])] : []));
}

export function allWords(item: JsonRecord): string {
  const comments = list(item["comments"]).map((comment) => (isRecord(comment) ? text(comment["body"]) : ""));
  return [text(item["title"]), text(item["body"]), ...comments].join("\n");
}

export function list(value: unknown): readonly unknown[] {
  return valueOr(LIST, value, []);
}

function text(value: unknown): string {
  return valueOr(TEXT, value, "");
}
