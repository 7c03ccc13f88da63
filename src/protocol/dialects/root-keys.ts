import type { DialectName } from "../handoff-words.ts";

/**
 * Keys that no other dialect of the same syntax has: a document with one of them at its root is this dialect,
 * and is known for it before the dialect is loaded. An XML document is known by its element.
 */
export const ROOT_KEYS: Readonly<Record<DialectName, readonly string[]>> = {
  "pipeline-json": ["from_agent", "to_agent"],
  "issue-xml": [],
  "phase-yaml": ["handoff"],
  "task-yaml": ["outcome"],
  "output-json": ["output_type", "skills_invoked", "library_skills_read", "blocked_reason"],
};
