import type { Handoff } from "../protocol/handoff.ts";
import { DEFAULT_LIMITS } from "../protocol/limits.ts";
import { manifestShape } from "../protocol/read-manifest.ts";
import { parseBlock } from "../protocol/syntax/parse-block.ts";
import { printYaml } from "../protocol/syntax/yaml.ts";
import { type JsonRecord, type JsonValue, isRecord } from "../shared/json-value.ts";

export interface Contribution {
  readonly agent: string;
  readonly handoff: Handoff;
  /** ISO 8601. */
  readonly at: string;
  /** Where the feature lives, from the root. */
  readonly directory: string;
}

/**
 * Adds one output to the MANIFEST.yaml of a feature (004). Existing content stays; the same output twice is
 * written once. Null when the file exists and cannot be read, so that it is not overwritten.
 */
export function updateManifest(text: string | null, contribution: Contribution): string | null {
  const found = text === null ? newManifest(contribution) : parseManifest(text);
  if (found === null) return null;
  const { agent, handoff, at } = contribution;
  const status = statusOf(handoff);
  const entry = { agent, artifact: artifactOf(contribution), timestamp: handoff.at ?? at, status };
  const others = listOf(found["agents_contributed"]).filter((item) => !isSame(item, entry));
  const updated: JsonRecord = {
    ...found,
    status: status === "blocked" ? "blocked" : isLast(handoff) ? "complete" : "in-progress",
    agents_contributed: [...others, entry],
    artifacts: mergeArtifacts(listOf(found["artifacts"]), contribution),
    ...phasesOf(found, contribution),
  };
  return printYaml(updated);
}

function newManifest({ agent, handoff, at, directory }: Contribution): JsonRecord {
  const slug = directory.replace(/\/+$/, "").split("/").at(-1) ?? "feature";
  return {
    feature_name: slug.replaceAll("-", " "),
    feature_slug: slug,
    created_at: at,
    created_by: agent,
    description: handoff.summary ?? "",
  };
}

function parseManifest(text: string): JsonRecord | null {
  const parsed = parseBlock(text, { syntax: "yaml", shape: manifestShape, mark: "feature_name" }, DEFAULT_LIMITS);
  return parsed !== null && isRecord(parsed.document) ? parsed.document : null;
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isSame(item: JsonValue, entry: { readonly agent: string; readonly timestamp: string }): boolean {
  return isRecord(item) && item["agent"] === entry.agent && item["timestamp"] === entry.timestamp;
}

function artifactOf({ agent, handoff }: Contribution): string {
  return handoff.work?.artifacts?.[0]?.path ?? `${agent}-${handoff.work?.output_type ?? "output"}.md`;
}

function statusOf({ outcome }: Handoff): "blocked" | "in-progress" | "needs-review" | "complete" {
  if (outcome === "blocked" || outcome === "failed") return "blocked";
  if (outcome === "in-progress") return "in-progress";
  return outcome === "needs-review" ? "needs-review" : "complete";
}

function isLast({ outcome, final, routing }: Handoff): boolean {
  return outcome !== "in-progress" && (final === true || routing?.next_phase === "complete");
}

function mergeArtifacts(known: readonly JsonValue[], { agent, handoff }: Contribution): JsonValue[] {
  const paths = new Set(
    known.flatMap((item) => (isRecord(item) && typeof item["path"] === "string" ? [item["path"]] : [])),
  );
  const made = (handoff.work?.artifacts ?? []).flatMap(({ path, type }) =>
    path === undefined || paths.has(path) ? [] : [{ path, type: type ?? "document", agent }],
  );
  return [...known, ...made];
}

function phasesOf(found: JsonRecord, { handoff, at }: Contribution): JsonRecord {
  if (handoff.phase === undefined) return {};
  const phases = isRecord(found["phases"]) ? found["phases"] : {};
  const status = PHASE_WORDS[statusOf(handoff)];
  return {
    current_phase: handoff.phase,
    phases: { ...phases, [handoff.phase]: { status, timestamp: handoff.at ?? at } },
  };
}

/** The status word of a phase; work that waits for a review counts as done for its agent. */
const PHASE_WORDS = {
  blocked: "blocked",
  "in-progress": "in_progress",
  "needs-review": "complete",
  complete: "complete",
} as const;
