import type { Dialect, SyntaxName } from "../dialect.ts";
import { DIALECT_NAMES, type DialectName } from "../handoff-words.ts";
import { issueXml } from "./issue-xml/dialect.ts";
import { outputJson } from "./output-json/dialect.ts";
import { phaseYaml } from "./phase-yaml/dialect.ts";
import { pipelineJson } from "./pipeline-json/dialect.ts";
import { taskYaml } from "./task-yaml/dialect.ts";

/**
 * The formats Baton speaks, in the order of their numbers. Each is looked up when it is used, so that the command
 * loads only those that it meets.
 */
export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  get "pipeline-json"() {
    return pipelineJson;
  },
  get "issue-xml"() {
    return issueXml;
  },
  get "phase-yaml"() {
    return phaseYaml;
  },
  get "task-yaml"() {
    return taskYaml;
  },
  get "output-json"() {
    return outputJson;
  },
};

/** The dialects of a syntax; the end of a name says which it is. */
export function dialectsIn(syntax: SyntaxName): readonly DialectName[] {
  return BY_SYNTAX[syntax];
}

const BY_SYNTAX: Readonly<Record<SyntaxName, readonly DialectName[]>> = {
  json: DIALECT_NAMES.filter((name) => name.endsWith("-json")),
  yaml: DIALECT_NAMES.filter((name) => name.endsWith("-yaml")),
  xml: DIALECT_NAMES.filter((name) => name.endsWith("-xml")),
};

/**
 * Keys that no other dialect of the same syntax has: a document with one of them at its root is this dialect.
 * An XML document is known by its element.
 */
export const ROOT_KEYS: Readonly<Record<DialectName, readonly string[]>> = {
  "pipeline-json": ["from_agent", "to_agent"],
  "issue-xml": [],
  "phase-yaml": ["handoff"],
  "task-yaml": ["outcome"],
  "output-json": ["output_type", "skills_invoked", "library_skills_read", "blocked_reason"],
};
