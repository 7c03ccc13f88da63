import type { JsonRecord } from "../../../shared/json-value.ts";
import { sameWordOtherSpelling } from "../../../shared/nearest-word.ts";
import type { Filling } from "../../dialect.ts";
import { relativePath } from "../../format.ts";
import { type Handoff, groupsOf } from "../../handoff.ts";
import { type AgentRole, roleOf } from "../agent-role.ts";
import { blockedReasonOf, statedCoverage } from "../blocked-reason.ts";
import { withNamedParts } from "../phase-yaml/named-context.ts";
import { headlineOf, isSaid, unsettledIssues, sayParts } from "../say-parts.ts";
import { compact, each, present, withExtensions, UNKNOWN_AGENT } from "../lift-and-lower.ts";
import { fits } from "../../unfilled-template.ts";
import { BLOCKED_REASONS, PHASES } from "./shape.ts";
import { WORDS } from "./words.ts";

export function lower(stated: Handoff, filling: Filling): JsonRecord {
  const handoff = withNamedParts(stated);
  const status = WORDS[handoff.outcome];
  const named = handoff.phase === undefined ? undefined : (sameWordOtherSpelling(handoff.phase, PHASES) ?? undefined);
  const phaseLayer = isPhaseLayer(handoff, named);
  const phase = named ?? phaseOf(handoff, filling);
  const summary = isBlank(handoff.summary) && !phaseLayer && !isOwn(handoff) ? headlineOf(handoff) : handoff.summary;
  const document = present({
    ...(phaseLayer ? statedMetadata(handoff) : lowerMetadata(handoff, status, filling)),
    status,
    ...(status === "blocked" && !phaseLayer ? lowerBlocked(handoff, filling) : statedReason(handoff)),
    phase,
    summary: isBlank(summary) ? undefined : summary,
    ...lowerFiles(handoff),
    verification: lowerVerification(handoff),
    handoff: lowerHandoff(handoff, { status, phase, summary }),
  });
  return withExtensions(document, handoff, "output-json");
}

function isOwn(handoff: Handoff): boolean {
  return handoff.dialect === "output-json";
}

const FOREIGN_PHASES: Readonly<Record<string, string>> = {
  Research: "architecture",
  Planning: "architecture",
  Infrastructure: "implementation",
  Implementation: "implementation",
  Integration: "implementation",
  Testing: "testing",
  QA: "testing",
};

const ROLE_PHASES: Readonly<Record<AgentRole, string | undefined>> = {
  research: "architecture",
  planning: "architecture",
  infrastructure: "implementation",
  implementation: "implementation",
  integration: "implementation",
  testing: "testing",
  review: undefined,
};

/** By the phase of the source, or by what its author does; not where the format has another end for that phase. */
function phaseOf(handoff: Handoff, filling: Filling): string | undefined {
  if (isOwn(handoff)) return undefined;
  const role = roleOf(handoff.from ?? filling.from);
  const phase = FOREIGN_PHASES[handoff.phase ?? ""] ?? (role && ROLE_PHASES[role]);
  return handoff.final === true && phase !== "testing" ? undefined : phase;
}

const DOCUMENTS = new Set(["documentation", "report"]);

/** Code that was created stands among the files, as changed code does; documents and reports among the artifacts. */
function lowerFiles(handoff: Handoff): JsonRecord {
  const { work, findings } = groupsOf(handoff);
  const artifacts = work.artifacts ?? [];
  const isCode = (artifact: (typeof artifacts)[number]) => artifact.type !== undefined && !DOCUMENTS.has(artifact.type);
  const fixed = (findings.fixes ?? []).map((fix) => fix.location?.replace(/:[\d:-]+$/, ""));
  const code = [...(work.created ?? []), ...artifacts.filter(isCode)].map((file) => file.path);
  const more = [...code, ...(isOwn(handoff) ? [] : fixed)].filter(isRelative);
  const own = each(work.modified, (file) => file.path)?.filter(isRelative);
  const documents = artifacts.filter((artifact) => !isCode(artifact)).map((artifact) => artifact.path ?? "");
  return {
    files_modified: more.length === 0 ? own : [...new Set([...(own ?? []), ...more])],
    artifacts: documents.length === 0 ? work.artifacts && [] : documents,
  } as JsonRecord;
}

function isRelative(path: string | undefined): boolean {
  return fits(path, relativePath);
}

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}

/** Only what names no author and no output, and has what the phase layer demands, is written in it. */
function isPhaseLayer(handoff: Handoff, phase: string | undefined): boolean {
  const { work, routing, context } = groupsOf(handoff);
  const hasMetadata = handoff.from !== undefined || work.output_type !== undefined;
  if (hasMetadata || phase === undefined || isBlank(handoff.summary)) return false;
  if (WORDS[handoff.outcome] === "blocked" && (handoff.blockers ?? []).length === 0) return false;
  return routing.next_phase === "complete" || (context.text ?? "") !== "";
}

/** In the phase layer nothing of the metadata is demanded. */
function statedMetadata(handoff: Handoff): JsonRecord {
  const { work } = groupsOf(handoff);
  return {
    timestamp: handoff.at,
    feature_directory: work.directory,
    skills_invoked: work.skills,
    library_skills_read: work.library_skills,
    source_files_verified: work.verified,
  };
}

function lowerMetadata(handoff: Handoff, status: string, filling: Filling): JsonRecord {
  const { work } = groupsOf(handoff);
  const stated = (field: string, value: string | undefined, otherwise: string | undefined, why: string) => {
    if (value === undefined && otherwise !== undefined) filling.filledIn(field, otherwise, why);
    return value ?? otherwise;
  };
  return {
    agent: stated("agent", handoff.from, filling.from ?? UNKNOWN_AGENT, "the source names no author"),
    output_type: stated("output_type", work.output_type, outputType(handoff, status), "the source does not say"),
    timestamp: stated("timestamp", handoff.at, filling.now, "the source has no time"),
    feature_directory: stated("feature_directory", work.directory, ".", "the source does not say"),
    skills_invoked: work.skills ?? [],
    library_skills_read: work.library_skills ?? [],
    source_files_verified: work.verified ?? [],
  };
}

function outputType({ from }: Handoff, status: string): string {
  const role = roleOf(from);
  const type = role === "planning" ? "architecture" : (role ?? "handoff");
  return status === "blocked" ? `${type}-blocked` : type;
}

function statedReason(handoff: Handoff): JsonRecord {
  const { blocked_reason, attempted } = groupsOf(handoff).routing;
  const known = (BLOCKED_REASONS as readonly string[]).includes(blocked_reason ?? "");
  return { blocked_reason: known ? blocked_reason : undefined, attempted };
}

function lowerBlocked(handoff: Handoff, filling: Filling): JsonRecord {
  const reason = blockedReasonOf(handoff);
  if (reason === undefined) {
    filling.filledIn(
      "blocked_reason",
      "unknown",
      "blocked work must give a reason, and the source gives none of the six",
    );
  }
  const stated = groupsOf(handoff).routing.attempted ?? [];
  const tried = stated.some(isSaid) ? stated : triesOf(handoff);
  if (tried.length > 0) return { blocked_reason: reason ?? "unknown", attempted: tried };
  const filled = `Handed over as ${handoff.status ?? handoff.outcome}; what was tried is not stated`;
  filling.filledIn("attempted", filled, "blocked work must say what was tried");
  return { blocked_reason: reason ?? "unknown", attempted: [filled] };
}

/** What the source says was done about it. */
function triesOf(handoff: Handoff): string[] {
  if (isOwn(handoff)) return [];
  const { checks, findings } = groupsOf(handoff);
  return [
    handoff.error?.details,
    isSaid(checks.command) ? `Ran ${checks.command}` : undefined,
    ...(findings.fixes ?? []).map((fix) => fix.description),
    (handoff.attempt ?? 0) > 0 ? `Tried again ${handoff.attempt} times` : undefined,
  ].filter(isSaid);
}

const VERIFICATION_TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  tests_passed: isBoolean,
  build_success: isBoolean,
  lint_passed: isBoolean,
  coverage_percent: (value) => typeof value === "number" && value >= 0 && value <= 100,
  command_output: (value) => typeof value === "string",
  patterns_referenced: isBoolean,
  decisions_documented: isBoolean,
  rationale_provided: isBoolean,
};

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function lowerVerification(handoff: Handoff): JsonRecord | undefined {
  const results = { ...(isOwn(handoff) ? {} : handoff.metrics), ...groupsOf(handoff).checks.results };
  const coverage = statedCoverage(handoff);
  const { tests_failed, tests_passed } = handoff.metrics ?? {};
  const figures = {
    ...(typeof tests_failed === "number" &&
      (tests_failed > 0 || tests_passed !== 0) && { tests_passed: tests_failed === 0 }),
    ...(coverage !== undefined && { coverage_percent: coverage }),
  };
  const own = Object.entries(results).filter(([key, value]) => VERIFICATION_TYPES[key]?.(value) ?? true);
  const written = { ...(isOwn(handoff) ? {} : figures), ...Object.fromEntries(own) };
  return Object.keys(written).length === 0 ? handoff.checks?.results && {} : written;
}

interface Written {
  readonly status: string;
  readonly phase: string | undefined;
  readonly summary: string | undefined;
}

function lowerHandoff(handoff: Handoff, { status, phase, summary }: Written): JsonRecord | undefined {
  const blockers = status === "blocked" ? lowerBlockers(handoff) : handoff.blockers?.length === 0 ? [] : undefined;
  const written = compact({
    next_phase: nextPhase(handoff, status, phase),
    next_agent: nextAgent(handoff, status),
    context: lowerContext(handoff, status, summary),
    blockers,
  });
  return written ?? (status === "blocked" ? {} : undefined);
}

/** The context of this format is what the next agent reads: all that has no field of its own stands in it. */
function lowerContext(handoff: Handoff, status: string, summary: string | undefined): string | undefined {
  const { text } = groupsOf(handoff).context;
  const isBlocked = status === "blocked";
  const isLacking = !isOwn(handoff) && handoff.outcome !== "needs-review";
  const sentences = [
    ...sayParts(handoff, [...(isLacking ? (["remark"] as const) : []), "loop", "onFailure"]),
    ...sayParts(handoff, ["task", "decisions", "limitations", "assumptions", "patterns", "gotchas"], summary),
    ...sayParts(handoff, isBlocked ? ["settledIssues"] : ["blockers", "issues", "settledIssues", "failures", "error"]),
    ...sayParts(
      handoff,
      ["questions", "nextSteps", "tests", "requirements", "describedFiles", "filesToRead", "dependsOn"],
      summary,
    ),
    ...sayParts(handoff, ["fixes", "command", "references", "data"]),
    ...(isBlocked && isSaid(handoff.to) ? [`Meant for: ${handoff.to}`] : []),
  ];
  if (sentences.length === 0) return text;
  return [text, ...sentences].filter(isSaid).join("\n");
}

/** Whatever stands in the way. */
function lowerBlockers(handoff: Handoff): JsonRecord[] | undefined {
  const stated = each(handoff.blockers, lowerBlocker);
  if (isOwn(handoff)) return stated;
  const { findings, routing } = groupsOf(handoff);
  const { error } = handoff;
  const all: Blocker[] = [
    ...(error === undefined
      ? []
      : [present({ type: error.type, description: error.message, resolution: error.suggested_action })]),
    ...unsettledIssues(handoff).map((issue) =>
      present({ type: issue.category, description: withPlace(issue), resolution: issue.remediation }),
    ),
    ...(findings.failures ?? []).map((failure) => present({ type: failure.type, description: withPlace(failure) })),
    ...(handoff.questions ?? [])
      .filter((question) => question.blocking === true)
      .map(({ question, recommendation }) =>
        present({ type: "unclear_requirement", description: question, resolution: recommendation }),
      ),
    ...(stated === undefined || stated.length === 0 ? [present({ description: routing.on_failure?.context })] : []),
  ];
  const found = all.filter((blocker) => isSaid(blocker.description));
  return found.length === 0 ? stated : [...(stated ?? []), ...found.map(lowerBlocker)];
}

function withPlace({ description, location }: NonNullable<Findings["failures"]>[number]): string | undefined {
  return isSaid(description) && isSaid(location) ? `${description} (${location})` : description;
}

type Findings = NonNullable<Handoff["findings"]>;
type Blocker = NonNullable<Handoff["blockers"]>[number];

const FOLLOWS: Readonly<Record<string, string>> = {
  architecture: "implementation",
  implementation: "testing",
  testing: "complete",
};

function nextPhase(handoff: Handoff, status: string, phase: string | undefined): string | undefined {
  const next = groupsOf(handoff).routing.next_phase ?? (handoff.final === true ? "complete" : "");
  const inOrder = phase === undefined || status !== "complete" || FOLLOWS[phase] === next;
  return inOrder && Object.values(FOLLOWS).includes(next) ? next : undefined;
}

function nextAgent(handoff: Handoff, status: string): string | null | undefined {
  if (handoff.to === undefined) return status === "blocked" && !isOwn(handoff) ? null : undefined;
  return status === "blocked" || handoff.to === null || handoff.to.trim() === "" ? null : handoff.to;
}

function lowerBlocker(blocker: Blocker): JsonRecord {
  return {
    ...blocker,
    type: blocker.type ?? "unknown",
    description: blocker.description ?? "",
    resolution: blocker.resolution ?? "",
  };
}
