import type { JsonRecord } from "../../../shared/json-value.ts";
import type { Filling } from "../../dialect.ts";
import { fileLine, relativePath } from "../../format.ts";
import { type Handoff, groupsOf } from "../../handoff.ts";
import { isUnfilledText } from "../../unfilled-template.ts";
import { each, present, withExtensions, UNKNOWN_AGENT } from "../lift-and-lower.ts";
import { fits } from "../../unfilled-template.ts";
import { WORDS } from "./words.ts";

const SEVERITY_WORDS: Readonly<Record<string, string>> = { important: "high", suggestion: "low" };

export function lower(handoff: Handoff, filling: Filling): JsonRecord {
  const loop = lowerLoop(handoff);
  const { work, context, findings } = groupsOf(handoff);
  const document = present({
    from_agent:
      handoff.from ?? filled(filling, "from_agent", filling.from ?? UNKNOWN_AGENT, "the source names no author"),
    to_agent: loop.loop_target ?? receiver(handoff, filling),
    timestamp: lowerTime(handoff, filling),
    status: WORDS[handoff.outcome],
    iteration: handoff.iteration ?? filled(filling, "iteration", 1, "the source counts no rounds"),
    ...loop,
    artifacts: each(work.artifacts, lowerArtifact) ?? [],
    context: present({
      design_decisions: context.decisions,
      known_limitations: context.limitations,
      assumptions: context.assumptions,
    }),
    test_requirements: lowerTestRequirements(handoff),
    issues: each(findings.issues, lowerIssue),
    fixes_applied: each(findings.fixes, (fix) => fix.description ?? fix.location ?? "fixed"),
    issues_resolved: findings.resolved,
    new_issues: findings.new_issues,
    metrics: lowerMetrics(handoff),
    validation: lowerValidation(handoff, filling),
  });
  return withExtensions(document, handoff, "pipeline-json");
}

function lowerTime(handoff: Handoff, filling: Filling): string | undefined {
  if (handoff.at !== undefined || filling.now === undefined) return handoff.at;
  return filled(filling, "timestamp", filling.now, "the source has no time");
}

function filled<T extends string | number>(filling: Filling, field: string, value: T, why: string): T {
  filling.filledIn(field, value, why);
  return value;
}

function receiver(handoff: Handoff, filling: Filling): string {
  if (handoff.final === true) return "COMPLETE";
  if (typeof handoff.to === "string" && handoff.to.trim() !== "") return handoff.to;
  return filled(
    filling,
    "to_agent",
    filling.to ?? "Orchestrator",
    "the source names no next agent, so whoever runs the pipeline decides",
  );
}

function lowerLoop(handoff: Handoff): {
  loop_required: boolean;
  loop_target: string | null;
  loop_reason: string | null;
} {
  const loop = handoff.routing?.loop;
  const isNowhere = loop?.target === handoff.from || loop?.target === "COMPLETE";
  if (loop?.required !== true || typeof loop.target !== "string" || isNowhere) {
    return { loop_required: false, loop_target: null, loop_reason: null };
  }
  return { loop_required: true, loop_target: loop.target, loop_reason: loop.reason ?? "FIXES_REQUIRED" };
}

type Artifact = NonNullable<NonNullable<Handoff["work"]>["artifacts"]>[number];

function lowerArtifact(artifact: Artifact): JsonRecord {
  const { path } = artifact;
  return {
    ...artifact,
    type: oneOf(artifact.type, ["source_file", "test_file", "documentation", "config_file", "report"], "documentation"),
    path: fits(path, relativePath) ? path : "unknown",
    purpose: artifact.purpose ?? "",
    priority: oneOf(artifact.priority, ["critical", "high", "medium", "low"], "medium"),
  };
}

type Issue = NonNullable<NonNullable<Handoff["findings"]>["issues"]>[number];

function lowerIssue(issue: Issue, index: number): JsonRecord {
  const { location, severity } = issue;
  return {
    ...issue,
    id: issue.id ?? `ISSUE-${index + 1}`,
    severity: oneOf(SEVERITY_WORDS[severity ?? ""] ?? severity, ["critical", "high", "medium", "low"], "medium"),
    category: oneOf(issue.category, ["bug", "security", "performance", "quality"], "bug"),
    location: fits(location, fileLine) ? location : "unknown:1",
    description: issue.description ?? "",
    remediation: issue.remediation ?? "",
    status: oneOf(issue.status, ["open", "fixed", "wontfix"], "open"),
  };
}

function oneOf(word: string | undefined, words: readonly string[], otherwise: string): string {
  return word !== undefined && words.includes(word) ? word : otherwise;
}

function lowerTestRequirements(handoff: Handoff): JsonRecord | undefined {
  const wanted = handoff.test_requirements;
  if (wanted?.coverage === undefined) return undefined;
  return {
    ...wanted,
    critical_paths: wanted.critical_paths ?? [],
    edge_cases_to_test: wanted.edge_cases_to_test ?? [],
  };
}

/** Metrics are an open set, except for the four names this format gives a meaning. */
function lowerMetrics(handoff: Handoff): JsonRecord | undefined {
  if (handoff.metrics === undefined) return undefined;
  const metrics: JsonRecord = { ...handoff.metrics };
  const time = metrics["execution_time"];
  if (typeof time !== "string" || isUnfilledText(time)) delete metrics["execution_time"];
  for (const [key, most] of [
    ["lines_of_code", Number.MAX_SAFE_INTEGER],
    ["test_coverage", 100],
    ["quality_score", 10],
  ] as const) {
    const value = metrics[key];
    const keeps =
      typeof value === "number" && value >= 0 && value <= most && (key !== "lines_of_code" || Number.isInteger(value));
    if (!keeps) delete metrics[key];
  }
  return metrics;
}

function lowerValidation(handoff: Handoff, filling: Filling): JsonRecord {
  const checks = handoff.checks;
  if (checks?.command === undefined)
    filling.filledIn("validation.command", "", "the source gives no command to check the work");
  const { environment: _environment, results: _results, status: _status, ...own } = checks ?? {};
  return {
    ...own,
    command: checks?.command ?? "",
    expected_result: checks?.expected_result ?? "",
    checklist: checks?.checklist ?? [],
  };
}
