import { type JsonRecord, isRecord } from "../../../shared/json-value.ts";
import { sameWordOtherSpelling } from "../../../shared/nearest-word.ts";
import type { Filling } from "../../dialect.ts";
import { relativePath } from "../../format.ts";
import { type Handoff, groupsOf } from "../../handoff.ts";
import { compact, each, present, withExtensions, UNKNOWN_AGENT } from "../lift-and-lower.ts";
import { fits } from "../../unfilled-template.ts";
import { BLOCKED_REASONS, PHASES } from "./shape.ts";
import { WORDS } from "./words.ts";

export function lower(handoff: Handoff, filling: Filling): JsonRecord {
  const status = WORDS[handoff.outcome];
  const phase = handoff.phase === undefined ? undefined : (sameWordOtherSpelling(handoff.phase, PHASES) ?? undefined);
  const phaseLayer = isPhaseLayer(handoff, phase);
  const { work } = groupsOf(handoff);
  const document = present({
    ...(phaseLayer ? statedMetadata(handoff) : lowerMetadata(handoff, filling)),
    status,
    ...(status === "blocked" && !phaseLayer ? lowerBlocked(handoff, filling) : statedReason(handoff)),
    phase,
    summary: isBlank(handoff.summary) ? undefined : handoff.summary,
    files_modified: each(work.modified, (file) => file.path)?.filter(isRelative),
    artifacts: each(work.artifacts, (artifact) => artifact.path ?? ""),
    verification: lowerVerification(handoff),
    handoff: lowerHandoff(handoff, status, phase),
  });
  return withExtensions(document as JsonRecord, handoff, "output-json");
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

function lowerMetadata(handoff: Handoff, filling: Filling): JsonRecord {
  const { work } = groupsOf(handoff);
  const stated = (field: string, value: string | undefined, otherwise: string | undefined, why: string) => {
    if (value === undefined && otherwise !== undefined) filling.filledIn(field, otherwise, why);
    return value ?? otherwise;
  };
  return {
    agent: stated("agent", handoff.from, filling.from ?? UNKNOWN_AGENT, "the source names no author"),
    output_type: stated("output_type", work.output_type, "handoff", "the source does not say"),
    timestamp: stated("timestamp", handoff.at, filling.now, "the source has no time"),
    feature_directory: stated("feature_directory", work.directory, ".", "the source does not say"),
    skills_invoked: work.skills ?? [],
    library_skills_read: work.library_skills ?? [],
    source_files_verified: work.verified ?? [],
  };
}

function statedReason(handoff: Handoff): JsonRecord {
  const { blocked_reason, attempted } = groupsOf(handoff).routing;
  const known = (BLOCKED_REASONS as readonly string[]).includes(blocked_reason ?? "");
  return { blocked_reason: known ? blocked_reason : undefined, attempted };
}

function lowerBlocked(handoff: Handoff, filling: Filling): JsonRecord {
  const { blocked_reason, attempted } = statedReason(handoff);
  if (blocked_reason === undefined) {
    filling.filledIn(
      "blocked_reason",
      "unknown",
      "blocked work must give a reason, and the source gives none of the six",
    );
  }
  const reason = blocked_reason ?? "unknown";
  if (Array.isArray(attempted) && attempted.length > 0) return { blocked_reason: reason, attempted };
  const tried = `Handed over as ${handoff.status ?? handoff.outcome}; what was tried is not stated`;
  filling.filledIn("attempted", tried, "blocked work must say what was tried");
  return { blocked_reason: reason, attempted: [tried] };
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
  const results = groupsOf(handoff).checks.results;
  if (!isRecord(results)) return undefined;
  return Object.fromEntries(Object.entries(results).filter(([key, value]) => VERIFICATION_TYPES[key]?.(value) ?? true));
}

function lowerHandoff(handoff: Handoff, status: string, phase: string | undefined): JsonRecord | undefined {
  const { blockers } = handoff;
  const written = compact({
    next_phase: nextPhase(handoff, status, phase),
    next_agent: nextAgent(handoff, status),
    context: groupsOf(handoff).context.text,
    blockers: status === "blocked" || blockers?.length === 0 ? each(blockers, lowerBlocker) : undefined,
  });
  return written ?? (status === "blocked" ? {} : undefined);
}

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
  if (handoff.to === undefined) return undefined;
  return status === "blocked" || handoff.to === null || handoff.to.trim() === "" ? null : handoff.to;
}

function lowerBlocker(blocker: NonNullable<Handoff["blockers"]>[number]): JsonRecord {
  return {
    ...blocker,
    type: blocker.type ?? "unknown",
    description: blocker.description ?? "",
    resolution: blocker.resolution ?? "",
  };
}
