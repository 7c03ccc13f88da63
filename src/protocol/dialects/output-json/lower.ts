import { type JsonRecord, isRecord } from "../../../shared/json-value.ts";
import { sameWordOtherSpelling } from "../../../shared/nearest-word.ts";
import type { Filling } from "../../dialect.ts";
import { relativePath } from "../../format.ts";
import type { Handoff } from "../../handoff.ts";
import { UNKNOWN_AGENT } from "../agent-name.ts";
import { present } from "../compact.ts";
import { withExtensions } from "../extensions.ts";
import { BLOCKED_REASONS, PHASES } from "./shape.ts";
import { WORDS } from "./words.ts";

export function lower(handoff: Handoff, filling: Filling): JsonRecord {
  const status = WORDS[handoff.outcome];
  const phase = handoff.phase === undefined ? undefined : (sameWordOtherSpelling(handoff.phase, PHASES) ?? undefined);
  const phaseLayer = isPhaseLayer(handoff, phase);
  const document = present({
    ...(phaseLayer ? statedMetadata(handoff) : lowerMetadata(handoff, filling)),
    status,
    ...lowerBlocked(handoff, status, phaseLayer, filling),
    phase,
    summary: handoff.summary === undefined || handoff.summary.trim() === "" ? undefined : handoff.summary,
    files_modified: handoff.work?.modified
      ?.map((file) => file.path)
      .filter((path) => path !== undefined && relativePath.accepts(path)),
    artifacts: handoff.work?.artifacts?.map((artifact) => artifact.path ?? ""),
    verification: lowerVerification(handoff),
    handoff: lowerHandoff(handoff, status, phase),
  });
  return withExtensions(document as JsonRecord, handoff, "output-json");
}

/** Only what names no author and no output, and has what the phase layer demands, is written in it. */
function isPhaseLayer(handoff: Handoff, phase: string | undefined): boolean {
  const { work, summary } = handoff;
  const hasMetadata = handoff.from !== undefined || work?.output_type !== undefined;
  if (hasMetadata || phase === undefined || summary === undefined || summary.trim() === "") return false;
  const blocked = WORDS[handoff.outcome] === "blocked";
  if (blocked && (handoff.blockers ?? []).length === 0) return false;
  return handoff.routing?.next_phase === "complete" || (handoff.context?.text ?? "") !== "";
}

/** In the phase layer nothing of the metadata is demanded. */
function statedMetadata(handoff: Handoff): JsonRecord {
  const { directory, skills, library_skills, verified } = handoff.work ?? {};
  return {
    timestamp: handoff.at,
    feature_directory: directory,
    skills_invoked: skills,
    library_skills_read: library_skills,
    source_files_verified: verified,
  };
}

function lowerMetadata(handoff: Handoff, filling: Filling): JsonRecord {
  const { work } = handoff;
  const fill = <T extends string>(field: string, value: T, why: string): T => {
    filling.told(field, value, why);
    return value;
  };
  return {
    agent: handoff.from ?? fill("agent", filling.from ?? UNKNOWN_AGENT, "the source names no author"),
    output_type: work?.output_type ?? fill("output_type", "handoff", "the source does not say"),
    timestamp:
      handoff.at ?? (filling.now === undefined ? undefined : fill("timestamp", filling.now, "the source has no time")),
    feature_directory: work?.directory ?? fill("feature_directory", ".", "the source does not say"),
    skills_invoked: work?.skills ?? [],
    library_skills_read: work?.library_skills ?? [],
    source_files_verified: work?.verified ?? [],
  };
}

function lowerBlocked(handoff: Handoff, status: string, phaseLayer: boolean, filling: Filling): JsonRecord {
  const reason = handoff.routing?.blocked_reason;
  const known = (BLOCKED_REASONS as readonly string[]).includes(reason ?? "") ? reason : undefined;
  const attempted = handoff.routing?.attempted;
  if (status !== "blocked" || phaseLayer) return { blocked_reason: known, attempted };
  if (known === undefined)
    filling.told("blocked_reason", "unknown", "blocked work must give a reason, and the source gives none of the six");
  if (attempted !== undefined && attempted.length > 0) return { blocked_reason: known ?? "unknown", attempted };
  const tried = `Handed over as ${handoff.status ?? handoff.outcome}; what was tried is not stated`;
  filling.told("attempted", tried, "blocked work must say what was tried");
  return { blocked_reason: known ?? "unknown", attempted: [tried] };
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
  const results = handoff.checks?.results;
  if (!isRecord(results)) return undefined;
  return Object.fromEntries(Object.entries(results).filter(([key, value]) => VERIFICATION_TYPES[key]?.(value) ?? true));
}

function lowerHandoff(handoff: Handoff, status: string, phase: string | undefined): JsonRecord | undefined {
  const next = handoff.routing?.next_phase ?? (handoff.final === true ? "complete" : undefined);
  const follows: Readonly<Record<string, string>> = {
    architecture: "implementation",
    implementation: "testing",
    testing: "complete",
  };
  const known = ["implementation", "testing", "complete"].includes(next ?? "");
  const fits = known && (phase === undefined || status !== "complete" || follows[phase] === next);
  const written = present({
    next_phase: fits ? next : undefined,
    next_agent: nextAgent(handoff, status),
    context: handoff.context?.text,
    blockers: status === "blocked" || handoff.blockers?.length === 0 ? handoff.blockers?.map(lowerBlocker) : undefined,
  });
  return Object.keys(written).length === 0 ? undefined : (written as JsonRecord);
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
