import type { Handoff } from "../protocol/handoff.ts";
import { DEFAULT_LIMITS } from "../protocol/limits.ts";
import { manifestShape } from "../protocol/read-manifest.ts";
import { parseBlock } from "../protocol/syntax/parse-block.ts";
import type { NumberSpelling } from "../protocol/syntax/written-number.ts";
import { printYaml } from "../protocol/syntax/yaml.ts";
import { type JsonRecord, type JsonValue, isRecord } from "../shared/json-value.ts";

export interface Contribution {
  readonly agent: string;
  readonly handoff: Handoff;
  /** ISO 8601. */
  readonly at: string;
  /** Where the feature lives, from the root. */
  readonly directory: string;
  /** Whether the run that it belongs to has ended well; without a run the handoff's own words count. */
  readonly isOver?: boolean;
  /** Whether there is such a file, from the root; without it every named file is believed to be there. */
  readonly isThere?: (path: string) => boolean;
  /** Files that the handoff itself may stand in, from the root. */
  readonly ownFiles?: readonly string[];
}

/**
 * Adds one output to the MANIFEST.yaml of a feature (004). Existing content stays; the same output twice is
 * written once. Null when the file exists and cannot be read, so that it is not overwritten.
 */
export function updateManifest(text: string | null, contribution: Contribution): string | null {
  const found = text === null ? { content: newManifest(contribution), spelling: undefined } : parseManifest(text);
  if (found === null) return null;
  const { content } = found;
  const { agent, handoff, at } = contribution;
  const status = statusOf(handoff);
  const entry = { agent, artifact: artifactOf(contribution) ?? "", timestamp: handoff.at ?? at, status };
  const others = listOf(content["agents_contributed"]).filter((item) => !isSame(item, entry));
  const updated: JsonRecord = {
    ...content,
    status: featureStatus(status, contribution),
    agents_contributed: [...others, entry],
    artifacts: mergeArtifacts(listOf(content["artifacts"]), contribution),
    ...phasesOf(content, contribution),
  };
  return printYaml(updated, found.spelling);
}

/** The manifest of a feature whose run has ended well; null when it says so already or cannot be read. */
export function completeManifest(text: string): string | null {
  const found = parseManifest(text);
  if (found === null || found.content["status"] === "complete") return null;
  return printYaml({ ...found.content, status: "complete" }, found.spelling);
}

function featureStatus(
  status: ReturnType<typeof statusOf>,
  { handoff, isOver = isLast(handoff) }: Contribution,
): string {
  if (isOver) return "complete";
  return status === "blocked" ? "blocked" : "in-progress";
}

interface FoundManifest {
  readonly content: JsonRecord;
  /** How its numbers are written. */
  readonly spelling: NumberSpelling | undefined;
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

function parseManifest(text: string): FoundManifest | null {
  const parsed = parseBlock(text, { syntax: "yaml", shape: manifestShape, mark: "feature_name" }, DEFAULT_LIMITS);
  if (parsed === null || !isRecord(parsed.document)) return null;
  return { content: parsed.document, spelling: parsed.spelling ?? undefined };
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function isSame(item: JsonValue, entry: { readonly agent: string; readonly timestamp: string }): boolean {
  return isRecord(item) && item["agent"] === entry.agent && item["timestamp"] === entry.timestamp;
}

/** Its first output that is there, or else the file that the handoff stands in. */
function artifactOf(contribution: Contribution): string | undefined {
  const { agent, handoff, isThere, ownFiles = [] } = contribution;
  const usual = `${agent}-${handoff.work?.output_type ?? "output"}.md`;
  const named = (handoff.work?.artifacts ?? []).flatMap(({ path }) => (path === undefined ? [] : [path]));
  return [...named, usual].find((path) => isArtifact(path, contribution)) ?? ownFiles.find((path) => isThere?.(path));
}

/** Artifacts are named from the root or from the directory of the feature. */
function isArtifact(path: string, { directory, isThere = () => true }: Contribution): boolean {
  return isThere(path) || isThere(`${directory}/${path}`);
}

/** Files that a manifest could name for this contribution: whoever knows the workspace looks which of them are there. */
export function manifestFiles({ agent, handoff, directory, ownFiles = [] }: Contribution): string[] {
  const usual = `${agent}-${handoff.work?.output_type ?? "output"}.md`;
  const named = (handoff.work?.artifacts ?? []).flatMap(({ path }) => (path === undefined ? [] : [path]));
  return [...[...named, usual].flatMap((path) => [path, `${directory}/${path}`]), ...ownFiles];
}

function statusOf({ outcome }: Handoff): "blocked" | "in-progress" | "needs-review" | "complete" {
  if (outcome === "blocked" || outcome === "failed") return "blocked";
  if (outcome === "in-progress") return "in-progress";
  return outcome === "needs-review" ? "needs-review" : "complete";
}

function isLast({ outcome, final, routing }: Handoff): boolean {
  return outcome !== "in-progress" && (final === true || routing?.next_phase === "complete");
}

function mergeArtifacts(known: readonly JsonValue[], contribution: Contribution): JsonValue[] {
  const { agent, handoff } = contribution;
  const paths = new Set(
    known.flatMap((item) => (isRecord(item) && typeof item["path"] === "string" ? [item["path"]] : [])),
  );
  const made = (handoff.work?.artifacts ?? []).flatMap(({ path, type }) =>
    path === undefined || paths.has(path) || !isArtifact(path, contribution)
      ? []
      : [{ path, type: type ?? "document", agent }],
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
