import type { JsonRecord } from "../../../shared/json-value.ts";

/** What the metadata layer asks for besides the status. */
export const METADATA_FIELDS = [
  "agent",
  "output_type",
  "timestamp",
  "feature_directory",
  "skills_invoked",
  "library_skills_read",
  "source_files_verified",
];

/** Ruling 21: a document with an author belongs to the metadata layer, any other to the phase layer. */
export function isMetadataLayer(document: JsonRecord): boolean {
  return document["agent"] !== undefined || document["output_type"] !== undefined;
}

/** Whether a record is a metadata block, and not other JSON that has one of its words somewhere inside. */
export function isMetadataBlock(document: JsonRecord): boolean {
  return METADATA_SIGNS.some((keys) => keys.every((key) => document[key] !== undefined));
}

/** The keys by which the outermost record is known, together in each line. */
export const METADATA_SIGNS: readonly (readonly string[])[] = [
  ["output_type"],
  ["skills_invoked"],
  ["library_skills_read"],
  ["blocked_reason"],
  ["agent", "status"],
  ["status", "handoff"],
  ["status", "phase", "summary"],
];

/** The same for editors. */
export const METADATA_LAYER: JsonRecord = { anyOf: [{ required: ["agent"] }, { required: ["output_type"] }] };
export const PHASE_LAYER: JsonRecord = { not: METADATA_LAYER };

const PHASE_LAYER_RULES = new Set(["004-R14", "004-R15", "004-R20"]);

/** Ruling 21: a document must satisfy its own layer; fields of the other are read when they are there. */
export function severityIn(rule: string | null, document: JsonRecord): "warning" | undefined {
  return rule !== null && PHASE_LAYER_RULES.has(rule) && isMetadataLayer(document) ? "warning" : undefined;
}
