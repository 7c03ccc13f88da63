import type { JsonRecord } from "../../../shared/json-value.ts";
import type { Filling } from "../../dialect.ts";
import { fileLine, relativePath } from "../../format.ts";
import { type Handoff, groupsOf } from "../../handoff.ts";
import { blockedReasonOf, statedCoverage, loopReasonOf, loopTargetOf } from "../blocked-reason.ts";
import { withNamedParts } from "../phase-yaml/named-context.ts";
import { isDone, isSaid, sayParts } from "../say-parts.ts";
import { each, present, withExtensions, UNKNOWN_AGENT } from "../lift-and-lower.ts";
import { fits, isUnfilledText } from "../../unfilled-template.ts";
import { WORDS } from "./words.ts";

const SEVERITY_WORDS: Readonly<Record<string, string>> = { important: "high", suggestion: "low" };

export function lower(stated: Handoff, filling: Filling): JsonRecord {
  const handoff = withNamedParts(stated);
  const loop = lowerLoop(handoff);
  const { findings } = groupsOf(handoff);
  const document = present({
    from_agent:
      handoff.from ?? filled(filling, "from_agent", filling.from ?? UNKNOWN_AGENT, "the source names no author"),
    to_agent: loop.loop_target ?? receiver(handoff, filling),
    timestamp: lowerTime(handoff, filling),
    status: WORDS[handoff.outcome],
    iteration: lowerIteration(handoff, filling),
    ...loop,
    artifacts: lowerArtifacts(handoff),
    context: lowerContext(handoff),
    test_requirements: lowerTestRequirements(handoff),
    issues: lowerIssues(handoff, filling),
    fixes_applied: each(findings.fixes, (fix) => fix.description ?? fix.location ?? "fixed"),
    issues_resolved: findings.resolved,
    new_issues: findings.new_issues,
    metrics: lowerMetrics(handoff),
    validation: lowerValidation(handoff, filling),
  });
  return withExtensions(document, handoff, "pipeline-json");
}

function lowerIteration({ iteration, attempt }: Handoff, filling: Filling): number {
  if (iteration !== undefined) return iteration;
  if (attempt !== undefined) return Math.max(0, Math.trunc(attempt)) + 1;
  return filled(filling, "iteration", 1, "the source counts no rounds");
}

/** What the source says beyond the three lists stands in the one that the next agent would look for it in. */
function lowerContext(handoff: Handoff): JsonRecord {
  const { context } = groupsOf(handoff);
  const own = handoff.dialect === "pipeline-json";
  return present({
    design_decisions: extendedBy(context.decisions, sayParts(handoff, ["summary", "task", "patterns"])),
    known_limitations: extendedBy(context.limitations, [
      ...(own || handoff.outcome === "done-with-warnings" ? [] : sayParts(handoff, ["remark"])),
      ...sayParts(handoff, ["text", "gotchas", "blockers", "blockedReason", "error", "failures", "onFailure"]),
      ...sayParts(handoff, ["attempted", "questions", "nextSteps", "filesToRead", "dependsOn"]),
    ]),
    assumptions: extendedBy(context.assumptions, sayParts(handoff, ["requirements", "references", "sources", "data"])),
  });
}

function extendedBy(own: string[] | undefined, more: readonly string[]): string[] | undefined {
  return more.length === 0 ? own : [...(own ?? []), ...more];
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
  const target = loopTargetOf(handoff);
  if (!isSaid(target) || target === handoff.from || target === "COMPLETE") {
    return { loop_required: false, loop_target: null, loop_reason: null };
  }
  return {
    loop_required: true,
    loop_target: target,
    loop_reason: handoff.routing?.loop?.reason ?? loopReasonOf(handoff),
  };
}

type Artifact = NonNullable<NonNullable<Handoff["work"]>["artifacts"]>[number];

/** Files that were created or changed are artifacts too; a deleted one is none. */
function lowerArtifacts(handoff: Handoff): JsonRecord[] {
  const { work } = groupsOf(handoff);
  const named = new Set(work.artifacts?.map((artifact) => artifact.path));
  const files = [...(work.created ?? []), ...(work.modified ?? [])].filter(
    (file) => file.change_type !== "delete" && fits(file.path, relativePath) && !named.has(file.path),
  );
  return [
    ...(work.artifacts ?? []),
    ...files.map(({ path, purpose, description }): Artifact => {
      return present({ path, type: artifactType(path ?? ""), purpose: purpose ?? description ?? "changed" });
    }),
  ].map(lowerArtifact);
}

function artifactType(path: string): NonNullable<Artifact["type"]> {
  if (/(?:^|\/)(?:tests?|specs?|__tests__)\/|[._-](?:test|spec)\.|_test\./i.test(path)) return "test_file";
  if (/(?:^|\/)reports?\//i.test(path)) return "report";
  if (/\.(?:md|mdx|txt|rst|adoc)$/i.test(path)) return "documentation";
  if (/\.(?:json|ya?ml|toml|ini|cfg|env|lock)$|(?:^|\/)(?:Dockerfile|Makefile|\.[a-z]+rc)$/i.test(path))
    return "config_file";
  return "source_file";
}

function lowerArtifact(artifact: Artifact): JsonRecord {
  const { path } = artifact;
  return {
    ...artifact,
    type: oneOf(
      artifact.type ?? artifactType(path ?? ""),
      ["source_file", "test_file", "documentation", "config_file", "report"],
      "documentation",
    ),
    path: fits(path, relativePath) ? path : "unknown",
    purpose: artifact.purpose ?? "",
    priority: oneOf(artifact.priority, ["critical", "high", "medium", "low"], "medium"),
  };
}

type Issue = NonNullable<NonNullable<Handoff["findings"]>["issues"]>[number];

/** Checks that failed and what blocks the work need attention, too. */
function lowerIssues(handoff: Handoff, filling: Filling): JsonRecord[] | undefined {
  const { findings } = groupsOf(handoff);
  const isSecurity = blockedReasonOf(handoff) === "security_concern";
  const failures = (findings.failures ?? []).map(({ location, description }, at): Issue =>
    present({ id: `FAILURE-${at + 1}`, severity: "high", category: "bug", location, description }),
  );
  const blockers = (isDone(handoff) ? [] : (handoff.blockers ?? [])).map(({ description, resolution }, at): Issue =>
    present({
      id: `BLOCKER-${at + 1}`,
      severity: "high",
      category: isSecurity ? "security" : "quality",
      description,
      remediation: resolution,
    }),
  );
  const issues = [...(findings.issues ?? []), ...failures, ...blockers].map(lowerIssue);
  if (failures.length + blockers.length > 0 && issues.some((issue) => issue["location"] === NO_PLACE))
    filling.filledIn("issues.location", NO_PLACE, "the source does not say where");
  return issues.length === 0 ? findings.issues && [] : issues;
}

const NO_PLACE = "unknown:1";

function lowerIssue(issue: Issue, index: number): JsonRecord {
  const { location, severity } = issue;
  return {
    ...issue,
    id: issue.id ?? `ISSUE-${index + 1}`,
    severity: oneOf(SEVERITY_WORDS[severity ?? ""] ?? severity, ["critical", "high", "medium", "low"], "medium"),
    category: oneOf(issue.category, ["bug", "security", "performance", "quality"], "bug"),
    location: fits(location, fileLine) ? location : NO_PLACE,
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
  const figures = figuresOf(handoff);
  if (figures === undefined) return undefined;
  const metrics: JsonRecord = { ...figures };
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

/** The metrics, with the coverage by the name that it has here. */
function figuresOf(handoff: Handoff): JsonRecord | undefined {
  const coverage = handoff.dialect === "pipeline-json" ? undefined : statedCoverage(handoff);
  return coverage === undefined ? handoff.metrics : { test_coverage: coverage, ...handoff.metrics };
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
