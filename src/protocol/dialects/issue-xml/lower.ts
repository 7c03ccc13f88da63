import { type JsonRecord, type JsonValue, isRecord } from "../../../shared/json-value.ts";
import { toUtc } from "../../../shared/utc-time.ts";
import type { Filling } from "../../dialect.ts";
import { fileLine, integerText, percentText, webAddress, word } from "../../format.ts";
import { type Handoff, groupsOf } from "../../handoff.ts";
import { fitsXmlMap } from "../../syntax/xml-document.ts";
import { isXmlName, withoutIllegal } from "../../syntax/xml.ts";
import { fits, isUnfilledText } from "../../unfilled-template.ts";
import { compact, each, present, withExtensions, UNKNOWN_AGENT } from "../lift-and-lower.ts";
import { blockedReasonOf, statedCoverage } from "../blocked-reason.ts";
import { withNamedParts } from "../phase-yaml/named-context.ts";
import { headlineOf, isDone, isSaid, unsettledIssues, sayParts, troubleOf } from "../say-parts.ts";
import { COMPLETION_METRICS } from "./edges.ts";
import { agentNameFor, lowerStatus, lowerVerdict } from "./lower-status.ts";

export function lower(stated: Handoff, filling: Filling): JsonRecord {
  const handoff = withNamedParts(stated);
  const complete = handoff.final === true && isCompletion(handoff);
  const payload = lowerPayload(handoff, complete, filling);
  const envelope = {
    "#root": complete ? "workflow-complete" : "handoff",
    from: complete && handoff.from === undefined ? undefined : author(handoff, filling),
    to: complete ? undefined : receiver(handoff, filling),
    timestamp: complete && handoff.at === undefined ? undefined : time(handoff, filling),
    issue_number: lowerIssueNumber(handoff, filling),
    pr_number: whole(handoff.pull_request?.number),
    status: lowerStatus(handoff, complete, filling),
    summary: lowerSummary(handoff, complete, filling),
  };
  const document = present(complete ? { ...envelope, ...payload } : { ...envelope, data: present(payload) });
  return withExtensions(document, handoff, "issue-xml");
}

/** workflow-complete is written only with all that its form demands. */
function isCompletion(handoff: Handoff): boolean {
  const { issue = {}, pull_request = {}, metrics = {} } = handoff;
  const { cycle_time, ...figures } = metrics;
  const demanded = [
    whole(issue.number),
    whole(pull_request.number),
    address(issue.url),
    address(pull_request.url),
    filledOrNone(handoff.summary),
    duration(cycle_time),
    actions(handoff),
  ];
  const measured = COMPLETION_METRICS.every((name) => isMeasured(figures[name])) && fitsXmlMap(figures);
  return measured && !demanded.includes(undefined) && (handoff.outcome === "done" || handoff.dialect === "issue-xml");
}

function isMeasured(figure: JsonValue | undefined): boolean {
  return figure !== undefined && (typeof figure !== "string" || filledOrNone(figure) !== undefined);
}

function actions(handoff: Handoff): string[] | undefined {
  return list(groupsOf(handoff).work.actions?.filter((text) => text.trim() !== ""));
}

function author(handoff: Handoff, filling: Filling): string {
  if (handoff.from !== undefined) return agentNameFor(handoff.from, filling);
  const name = agentNameFor(filling.from ?? UNKNOWN_AGENT, filling);
  filling.filledIn("from", name, "the source names no author");
  return name;
}

function receiver(handoff: Handoff, filling: Filling): string {
  if (lowerStatus(handoff, false, filling) === "failure") return "orchestrator";
  if (typeof handoff.to === "string") return agentNameFor(handoff.to, filling);
  const name = agentNameFor(filling.to ?? "orchestrator", filling);
  filling.filledIn("to", name, "the source names no next agent, so the orchestrator decides");
  return name;
}

function time(handoff: Handoff, filling: Filling): string | undefined {
  if (handoff.at !== undefined) return toUtc(handoff.at) ?? undefined;
  if (filling.now !== undefined) filling.filledIn("timestamp", filling.now, "the source has no time");
  return filling.now;
}

function lowerIssueNumber(handoff: Handoff, filling: Filling): string | undefined {
  const own = whole(handoff.issue?.number);
  if (own !== undefined || filling.issue === undefined) return own;
  filling.filledIn("issue_number", filling.issue, "it was given for the conversion");
  return filling.issue;
}

function lowerSummary(handoff: Handoff, complete: boolean, filling: Filling): string | undefined {
  const own = handoff.dialect === "issue-xml" ? handoff.summary : headlineOf(handoff);
  const line = withoutIllegal(own ?? "")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line !== "") return line;
  if (complete || (handoff.summary === undefined && handoff.dialect === "issue-xml")) return undefined;
  const summary = `Handed over as ${handoff.status ?? handoff.outcome}`;
  filling.filledIn("summary", summary, "the source has no summary");
  return summary;
}

function lowerPayload(handoff: Handoff, complete: boolean, filling: Filling): JsonRecord {
  return {
    ...lowerReferences(handoff),
    ...lowerWork(handoff),
    ...lowerFigures(handoff, complete),
    ...lowerVerdict(handoff, filling),
    ...given(lowerFindings(handoff)),
    ...given(lowerChecks(handoff)),
    error: lowerError(handoff, filling),
    context: lowerContext(handoff, filling),
  };
}

function given(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter((entry) => entry[1] !== undefined));
}

/** All that has no element of its own, as the next agent would be told. */
function lowerContext(handoff: Handoff, filling: Filling): string | undefined {
  const { text } = groupsOf(handoff).context;
  const { outcome, dialect } = handoff;
  const isLacking = dialect !== "issue-xml" && outcome !== "skipped" && outcome !== "pending";
  const isFailure = lowerStatus(handoff, false, filling) === "failure";
  const rest = {
    ...handoff,
    blockers: isFailure && handoff.error === undefined ? handoff.blockers?.slice(1) : handoff.blockers,
  };
  const sentences = [
    ...(isLacking ? sayParts(handoff, ["remark"]) : []),
    ...sayParts(rest, ["loop", "onFailure", "blockers", "blockedReason", "attempted"]),
    ...sayParts(
      handoff,
      ["task", "decisions", "limitations", "assumptions", "patterns", "gotchas"],
      headlineOf(handoff),
    ),
    ...sayParts(suggestions(handoff), ["issues", "settledIssues"]),
    ...sayParts(handoff, [
      "questions",
      "nextSteps",
      "tests",
      "files",
      "filesToRead",
      "dependsOn",
      "command",
      "sources",
      "data",
    ]),
  ];
  return filledOrNone(sentences.length === 0 ? text : [text, ...sentences].filter(isSaid).join("\n"));
}

/** The issues that block nothing. */
function suggestions(handoff: Handoff): Handoff {
  const issues = (handoff.findings?.issues ?? []).filter((issue) => !isBlocking(issue, handoff));
  return { ...handoff, findings: { issues } };
}

type Issue = NonNullable<NonNullable<Handoff["findings"]>["issues"]>[number];

/** A reviewer of this format calls critical and important what must be fixed; anything else is a suggestion. */
function isBlocking({ severity, status }: Issue, handoff: Handoff): boolean {
  if (status === "fixed" || status === "wontfix" || severity === "low") return false;
  return severity !== "medium" || !isDone(handoff);
}

function lowerReferences(handoff: Handoff): JsonRecord {
  const { issue = {}, pull_request = {} } = handoff;
  return {
    issue_url: address(issue.url),
    issue_title: filledOrNone(issue.title),
    type: among(issue.type, ["feature", "bug", "enhancement", "refactor", "chore"]),
    priority: among(issue.priority, ["critical", "high", "medium", "low"]),
    requirements: list(handoff.requirements?.filter((text) => text.trim() !== "")),
    pr_url: address(pull_request.url),
  };
}

function lowerWork(handoff: Handoff): JsonRecord {
  const { work } = groupsOf(handoff);
  const { workspace = {}, merge = {} } = work;
  return {
    branch: oneWord(work.branch),
    workspace_path: filledOrNone(workspace.path),
    workspace_type: among(workspace.type, ["worktree", "in-place", "cloud"]),
    port: whole(workspace.port),
    commits: each(work.commits, ({ sha, message, ...rest }) => ({
      ...attributes(rest),
      "@sha": oneWord(sha) ?? "unknown",
      "#text": filledOr(message, "not stated"),
    })),
    merge_status: among(merge.status, ["merged"]),
    merge_sha: oneWord(merge.sha),
    merge_strategy: filledOrNone(merge.strategy),
    actions_taken: actions(handoff),
  };
}

function lowerFindings(handoff: Handoff): JsonRecord {
  const { findings } = groupsOf(handoff);
  const blocking = findings.issues?.filter((issue) => isBlocking(issue, handoff));
  const fixed = (findings.issues ?? []).filter((issue) => issue.status === "fixed");
  const fixes = fixed.map(({ location, description }) => present({ location, description }));
  return {
    ...lowerReview(findings.review),
    blocking_issues: each(
      blocking?.length === 0 ? findings.issues?.slice(0, 0) : blocking,
      ({ location, severity, description, ...rest }) => ({
        ...attributes(rest),
        "@location": place(location),
        "@severity": severity === "critical" ? "critical" : "important",
        "#text": filledOr(description, "not stated"),
      }),
    ),
    fixes_applied: each(
      fixes.length === 0 ? findings.fixes : [...(findings.fixes ?? []), ...fixes],
      ({ location, description, ...rest }) => ({
        ...attributes(rest),
        "@location": place(location),
        "#text": filledOr(description, "not stated"),
      }),
    ),
    failures: list(
      each(findings.failures, ({ type, description, ...rest }) => ({
        ...attributes(rest),
        "@type": among(type, ["test", "lint", "type_check"]) ?? "test",
        "#text": filledOr(description, "not stated"),
      })),
    ),
  };
}

function place(location: string | undefined): string {
  return fits(location, fileLine) ? location : "unknown:1";
}

function lowerChecks(handoff: Handoff): JsonRecord {
  const { checks } = groupsOf(handoff);
  return {
    validation: textRecord(checks.environment, ["dependencies", "build", "dev_server"]),
    validation_summary: textRecord(checks.results, ["tests", "coverage", "lint", "type_check", "security"]),
    validation_status: among(checks.status, ["failed"]),
  };
}

/** Figures with an element of their own, and `<metrics>` for the rest that XML can hold. */
function lowerFigures(handoff: Handoff, complete: boolean): JsonRecord {
  const counted = complete ? {} : countedFigures(handoff);
  const metrics = handoff.metrics ?? counted;
  if (handoff.metrics === undefined && Object.keys(counted).length === 0) return {};
  const own: JsonRecord = complete
    ? {}
    : {
        files_changed: whole(metrics["files_changed"] ?? counted["files_changed"]),
        tests_added: whole(metrics["tests_added"]),
        coverage: percentage(metrics["coverage"] ?? counted["coverage"]),
        commits_added: whole(metrics["commits_added"]),
      };
  own["cycle_time"] = duration(metrics["cycle_time"]);
  const rest = Object.entries(metrics).filter(([key, value]) => own[key] === undefined && fitsXmlMap({ [key]: value }));
  const stands = rest.length > 0 || Object.keys(metrics).length === 0;
  return { ...own, metrics: stands ? Object.fromEntries(rest) : undefined };
}

/** Figures that the lists and results of the source show. */
function countedFigures(handoff: Handoff): JsonRecord {
  if (handoff.dialect === "issue-xml") return {};
  const { created, modified } = groupsOf(handoff).work;
  const paths = new Set([...(created ?? []), ...(modified ?? [])].map((file) => file.path));
  const coverage = statedCoverage(handoff);
  return {
    ...(paths.size > 0 && { files_changed: paths.size }),
    ...(coverage !== undefined && { coverage: `${coverage}%` }),
  };
}

function percentage(value: unknown): string | undefined {
  return typeof value === "string" && fits(value, percentText) ? value : undefined;
}

function lowerReview(review: JsonRecord | undefined): JsonRecord {
  if (review === undefined) return {};
  return {
    review_status: among(review["status"], ["approved", "changes_requested"]),
    critical_count: whole(review["critical_count"]),
    important_count: whole(review["important_count"]),
    suggestion_count: whole(review["suggestion_count"]),
  };
}

function lowerError(handoff: Handoff, filling: Filling): JsonRecord | undefined {
  const said = handoff.status ?? handoff.outcome;
  if (handoff.error === undefined && lowerStatus(handoff, false, filling) !== "failure") return undefined;
  const {
    type,
    message,
    details = "",
    recoverable = false,
    suggested_action,
    ...rest
  } = handoff.error ?? errorOf(handoff) ?? {};
  if (message === undefined && handoff.error === undefined)
    filling.filledIn("error", said, "a failure must carry an error");
  return {
    ...Object.fromEntries(keepable(rest)),
    type: filledOr(type, "Failure"),
    message: filledOr(message ?? headlineOf(handoff), `Handed over as ${said}`),
    details: details.trim(),
    recoverable: String(recoverable),
    suggested_action: filledOr(suggested_action, "Ask the author"),
  };
}

/** The error that the blockers or issues of the source describe; work that only has to be fixed can be tried again. */
function errorOf(handoff: Handoff): Handoff["error"] {
  const message = troubleOf(handoff);
  const recoverable = handoff.outcome === "needs-fixes";
  if (message === undefined) return { recoverable };
  const blocker = handoff.blockers?.[0];
  const [issue] = unsettledIssues(handoff);
  const reason = blockedReasonOf(handoff);
  return present({
    ...(reason !== undefined && { type: reason }),
    message,
    details: blocker === undefined ? issue?.location : blocker.impact,
    recoverable,
    suggested_action: blocker === undefined ? issue?.remediation : blocker.resolution,
  });
}

function whole(value: unknown): string | undefined {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  return fits(text, integerText) ? text : undefined;
}

/** `2` is read as a number. */
function duration(value: unknown): string | undefined {
  return filledOrNone(typeof value === "number" ? String(value) : value);
}

function address(text: string | undefined): string | undefined {
  return fits(text, webAddress) ? text : undefined;
}

function oneWord(text: string | undefined): string | undefined {
  return fits(text, word) ? text : undefined;
}

function among(value: unknown, words: readonly string[]): string | undefined {
  return typeof value === "string" && words.includes(value) ? value : undefined;
}

function filledOrNone(value: unknown): string | undefined {
  const text = typeof value === "string" ? withoutIllegal(value).trim() : "";
  return text === "" || isUnfilledText(text) ? undefined : text;
}

function filledOr(value: string | undefined, otherwise: string): string {
  return filledOrNone(value) ?? otherwise;
}

function list<T>(items: T[] | undefined): T[] | undefined {
  return items === undefined || items.length === 0 ? undefined : items;
}

/** Keys of an item that have no place of their own: texts become attributes, kept elements stay elements. */
function attributes(rest: object): JsonRecord {
  return Object.fromEntries(keepable(rest).map(([key, value]) => [typeof value === "string" ? `@${key}` : key, value]));
}

function keepable(record: object): [string, JsonValue][] {
  const entries = Object.entries(record) as [string, JsonValue][];
  return entries.filter(
    ([key, value]) =>
      isXmlName(key) && (typeof value === "string" || (isRecord(value) && typeof value["#xml"] === "string")),
  );
}

/** A record of these texts, all of them filled; anything else stays out and is carried. */
function textRecord(record: JsonRecord | undefined, keys: readonly string[]): JsonRecord | undefined {
  if (!isRecord(record)) return undefined;
  const texts = compact(Object.fromEntries(keys.map((key) => [key, filledOrNone(record[key])])));
  if (texts === undefined || Object.keys(texts).length < keys.length) return undefined;
  return { ...Object.fromEntries(keepable(record)), ...texts };
}
