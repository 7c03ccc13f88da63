import type { JsonRecord } from "../../../shared/json-value.ts";
import { isRecord, shown } from "../../../shared/json-value.ts";
import { DEFAULT_LIMITS } from "../../limits.ts";
import { shape } from "../../shape.ts";
import { readKeptElement } from "../../syntax/xml-document.ts";

/** A handover between two roles that the format describes, with the fields it needs. */
export interface RoleEdge {
  readonly rule: string;
  readonly from?: string;
  readonly to?: string;
  readonly says: string;
  readonly required: readonly string[];
  /** Fields with one value on this edge only. */
  readonly fixed?: Readonly<Record<string, string>>;
}

const ISSUE = ["issue_url", "issue_number"];
const PULL_REQUEST = ["pr_url", "pr_number", "issue_number"];

export const EDGES: readonly RoleEdge[] = [
  {
    rule: "001-R11",
    from: "issue-manager",
    to: "prep-agent",
    says: "From issue-manager to prep-agent: issue_url, issue_number, issue_title, type, priority, summary and requirements.",
    required: [...ISSUE, "issue_title", "type", "priority", "summary", "requirements"],
  },
  {
    rule: "001-R12",
    from: "prep-agent",
    to: "implementer-agent",
    says: "From prep-agent to implementer-agent: issue, branch, workspace, port, status ready and the validation of the workspace.",
    required: [...ISSUE, "branch", "workspace_path", "workspace_type", "port", "status", "validation"],
    fixed: { status: "ready" },
  },
  {
    rule: "001-R13",
    from: "implementer-agent",
    to: "reviewer-agent",
    says: "From implementer-agent to reviewer-agent: issue, pull request, branch, summary, files_changed, tests_added, coverage and commits.",
    required: [
      ...ISSUE,
      "pr_url",
      "pr_number",
      "branch",
      "summary",
      "files_changed",
      "tests_added",
      "coverage",
      "commits",
    ],
  },
  {
    rule: "001-R14",
    from: "reviewer-agent",
    to: "fixer-agent",
    says: "From reviewer-agent to fixer-agent: pull request, review_status changes_requested, the three counts and the blocking issues.",
    required: [
      ...PULL_REQUEST,
      "review_status",
      "critical_count",
      "important_count",
      "suggestion_count",
      "blocking_issues",
    ],
    fixed: { review_status: "changes_requested" },
  },
  {
    rule: "001-R15",
    from: "reviewer-agent",
    to: "validator-agent",
    says: "From reviewer-agent to validator-agent: pull request, review_status approved, no critical and no important issue, and a summary.",
    required: [...PULL_REQUEST, "review_status", "critical_count", "important_count", "summary"],
    fixed: { review_status: "approved", critical_count: "0", important_count: "0" },
  },
  {
    rule: "001-R16",
    from: "fixer-agent",
    to: "reviewer-agent",
    says: "From fixer-agent to reviewer-agent: pull request, status ready-for-re-review, fixes_applied and commits_added.",
    required: [...PULL_REQUEST, "status", "fixes_applied", "commits_added"],
    fixed: { status: "ready-for-re-review" },
  },
  {
    rule: "001-R17",
    from: "validator-agent",
    to: "closer-agent",
    says: "From validator-agent to closer-agent: pull request, merge_status merged, merge_sha, merge_strategy and validation_summary.",
    required: [...PULL_REQUEST, "merge_status", "merge_sha", "merge_strategy", "validation_summary"],
    fixed: { merge_status: "merged" },
  },
  {
    rule: "001-R18",
    from: "validator-agent",
    to: "fixer-agent",
    says: "From validator-agent to fixer-agent: pull request, validation_status failed and the failures.",
    required: [...PULL_REQUEST, "validation_status", "failures"],
    fixed: { validation_status: "failed" },
  },
  {
    rule: "001-R20",
    says: "workflow-complete has issue, pull request, status completed, cycle_time, summary, actions_taken and metrics: review_iterations, total_commits, tests_added, coverage.",
    required: [
      "issue_number",
      "issue_url",
      "pr_number",
      "pr_url",
      "status",
      "cycle_time",
      "summary",
      "metrics",
      "actions_taken",
    ],
    fixed: { status: "completed" },
  },
];

/** What the metrics of workflow-complete must hold; they may hold more. */
export const COMPLETION_METRICS = ["review_iterations", "total_commits", "tests_added", "coverage"] as const;

const BY_ENDS = new Map(EDGES.map((edge) => [`${edge.from} ${edge.to}`, edge]));
const COMPLETION = EDGES.at(-1);

/** The described edges of these agents. The closer ends the run: its form names no ends. */
export function edgesBetween(from: string | undefined, to: string | undefined): readonly RoleEdge[] {
  return EDGES.filter(
    (edge) =>
      (from === undefined || from === (edge === COMPLETION ? "closer-agent" : edge.from)) &&
      (to === undefined || to === edge.to),
  );
}

/** The described edge a document is on, if any. Errors go to the orchestrator from everywhere. */
export function edgeOf(document: JsonRecord): RoleEdge | undefined {
  if (document["#root"] === "workflow-complete") return COMPLETION;
  if (fieldOf(document, "status") === "failure") return undefined;
  return BY_ENDS.get(`${shown(document["from"])} ${shown(document["to"])}`);
}

/** Whether that is this edge; most are ruled out by their ends alone. */
export function isOn(edge: RoleEdge, document: JsonRecord): boolean {
  const hasItsEnds = document["from"] === edge.from && document["to"] === edge.to;
  return (hasItsEnds || edge === COMPLETION) && edgeOf(document) === edge;
}

/** A field of the envelope or the payload, wherever it stands. */
export function fieldOf(document: JsonRecord, key: string): JsonRecord[string] {
  const direct = document[key];
  if (direct !== undefined || !isRecord(document["data"])) return direct;
  const inData = document["data"][key];
  return inData !== undefined && MOVABLE_KEYS.has(key) ? textOf(inData) : inData;
}

/** Fields of the envelope that a described form lists with its payload, so that they may stand in `<data>` too. */
export const MOVABLE = ["issue_number", "pr_number", "status", "summary"] as const;

const MOVABLE_KEYS: ReadonlySet<string> = new Set(MOVABLE);

/** `<data>` keeps them as elements it does not know. */
export function textOf(kept: JsonRecord[string]): JsonRecord[string] {
  return readKeptElement(kept, shape.text(), DEFAULT_LIMITS) as JsonRecord[string];
}

/** The document with those that stand in `<data>` only at their place. */
export function withEnvelope(document: JsonRecord): JsonRecord {
  const { data } = document;
  if (!isRecord(data)) return document;
  const moved = MOVABLE.filter((key) => document[key] === undefined && data[key] !== undefined);
  if (moved.length === 0) return document;
  return { ...document, ...Object.fromEntries(moved.map((key) => [key, fieldOf(document, key)])) };
}

/** Where that field could stand. */
export function placesOf(key: string): string[][] {
  return [[key], ["data", key]];
}

/** Where that field stands, for messages. */
export function pathOf(document: JsonRecord, key: string): string[] {
  const inData = document[key] === undefined && isRecord(document["data"]) && document["data"][key] !== undefined;
  return inData ? ["data", key] : [key];
}
