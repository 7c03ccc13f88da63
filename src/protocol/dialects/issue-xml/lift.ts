import { type JsonRecord, isRecord } from "../../../shared/json-value.ts";
import type { Origin } from "../../dialect.ts";
import type { Handoff } from "../../handoff.ts";
import { OUTCOMES, type Outcome } from "../../handoff-words.ts";
import { numberAsWritten } from "../../syntax/syntax.ts";
import { compact, present, extended, unknownFields } from "../lift-and-lower.ts";
import { withEnvelope } from "./edges.ts";
import { STATUS_OUTCOMES } from "./words.ts";
import { type IssueDocument, type IssuePayload, issueShape } from "./shape.ts";

/** Names of figures that stand beside the payload, and are metrics everywhere else. */
const FIGURES = ["files_changed", "tests_added", "coverage", "commits_added", "cycle_time"] as const;

export function lift(raw: JsonRecord, _origin: Origin, isClosed = false): Handoff {
  const document = withEnvelope(raw) as unknown as IssueDocument;
  const payload: IssuePayload = isRecord(document.data) ? { ...document.data, ...document } : document;
  const complete = document["#root"] === "workflow-complete";
  const handoff: Handoff = present({
    dialect: "issue-xml",
    from: document.from,
    to: complete ? null : document.to,
    final: complete ? true : undefined,
    at: document.timestamp,
    issue: compact({
      number: document.issue_number,
      url: payload.issue_url,
      title: payload.issue_title,
      type: payload.type,
      priority: payload.priority,
    }),
    pull_request: compact({ number: document.pr_number, url: payload.pr_url }),
    outcome: liftOutcome(document.status, payload),
    status: document.status ?? payload.review_status ?? payload.merge_status ?? payload.validation_status,
    summary: document.summary,
    requirements: payload.requirements,
    work: liftWork(payload),
    context: compact({ text: payload.context }),
    findings: liftFindings(payload),
    checks: compact({
      status: payload.validation_status,
      environment: payload.validation,
      results: payload.validation_summary,
    }),
    metrics: liftMetrics(payload),
    error: payload.error && { ...payload.error, recoverable: payload.error.recoverable === "true" },
  });
  return isClosed ? handoff : extended(handoff, unknownFields(withoutLiftedWhole(raw), issueShape));
}

function liftWork(payload: IssuePayload) {
  return compact({
    commits: payload.commits?.map((item) => withOthers(item, { sha: item["@sha"], message: item["#text"] }, COMMIT)),
    branch: payload.branch,
    workspace: compact({ path: payload.workspace_path, type: payload.workspace_type, port: payload.port }),
    merge: compact({ status: payload.merge_status, sha: payload.merge_sha, strategy: payload.merge_strategy }),
    actions: payload.actions_taken,
  });
}

function liftFindings(payload: IssuePayload) {
  return compact({
    issues: payload.blocking_issues?.map((item) => {
      const { "@location": location, "@severity": severity, "#text": description } = item;
      return withOthers(item, { location, severity, description }, ISSUE);
    }),
    fixes: payload.fixes_applied?.map((item) =>
      withOthers(item, { location: item["@location"], description: item["#text"] }, FIX),
    ),
    failures: payload.failures?.map((item) =>
      withOthers(item, { type: item["@type"], description: item["#text"] }, FAILURE),
    ),
    review: liftReview(payload),
  });
}

const COMMIT: ReadonlySet<string> = new Set(["@sha", "#text"]);
const ISSUE: ReadonlySet<string> = new Set(["@location", "@severity", "#text"]);
const FIX: ReadonlySet<string> = new Set(["@location", "#text"]);
const FAILURE: ReadonlySet<string> = new Set(["@type", "#text"]);

/** What was lifted of an item, and the attributes it has beside the known ones, without their sign. */
function withOthers<T extends object>(item: object, lifted: T, known: ReadonlySet<string>): T {
  let others: JsonRecord | undefined;
  for (const key in item) if (!known.has(key)) (others ??= {})[key.replace(/^@/, "")] = (item as JsonRecord)[key];
  return others === undefined ? lifted : { ...others, ...lifted };
}

/** The weakest word decides: a review that asks for changes is not done because its author was. */
function liftOutcome(status: string | undefined, payload: IssuePayload): Outcome {
  const outcomes: Outcome[] = [];
  if (status !== undefined) outcomes.push(STATUS_OUTCOMES[status] ?? "failed");
  if (payload.review_status === "changes_requested" || payload.validation_status === "failed")
    outcomes.push("needs-fixes");
  if (status === "blocked" && outcomes.includes("needs-fixes")) return "needs-fixes";
  return outcomes.sort((left, right) => OUTCOMES.indexOf(right) - OUTCOMES.indexOf(left))[0] ?? "done";
}

function liftReview(payload: IssuePayload): JsonRecord | undefined {
  const { review_status, critical_count, important_count, suggestion_count } = payload;
  return compact({
    status: review_status,
    critical_count: figure(critical_count),
    important_count: figure(important_count),
    suggestion_count: figure(suggestion_count),
  });
}

function liftMetrics(payload: IssuePayload): JsonRecord | undefined {
  const figures: JsonRecord = { ...payload.metrics };
  for (const name of FIGURES) if (payload[name] !== undefined) figures[name] = figure(payload[name]);
  return Object.keys(figures).length === 0 && payload.metrics === undefined ? undefined : figures;
}

function figure(text: string | undefined): string | number | undefined {
  return text === undefined ? undefined : (numberAsWritten(text) ?? text);
}

/** Records lifted with their unknown keys. */
function withoutLiftedWhole(raw: JsonRecord): JsonRecord {
  const drop = ({
    validation: _validation,
    validation_summary: _summary,
    error: _error,
    ...rest
  }: JsonRecord): JsonRecord => rest;
  const kept = drop(raw);
  return isRecord(kept["data"]) ? { ...kept, data: drop(kept["data"]) } : kept;
}
