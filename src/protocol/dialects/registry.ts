import type { Dialect, SyntaxName } from "../dialect.ts";
import { DIALECT_NAMES, type DialectName } from "../handoff-words.ts";
import { issueXml } from "./issue-xml/dialect.ts";
import { outputJson } from "./output-json/dialect.ts";
import { phaseYaml } from "./phase-yaml/dialect.ts";
import { pipelineJson } from "./pipeline-json/dialect.ts";
import { taskYaml } from "./task-yaml/dialect.ts";

/**
 * The formats Baton speaks, in the order of their numbers. Each is looked up when it is asked for, so that
 * the command loads only those it meets.
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

/** The dialects of a syntax, known by their names without loading them. */
export function dialectsIn(syntax: SyntaxName): readonly DialectName[] {
  return BY_SYNTAX[syntax];
}

const BY_SYNTAX: Readonly<Record<SyntaxName, readonly DialectName[]>> = {
  json: DIALECT_NAMES.filter((name) => name.endsWith("-json")),
  yaml: DIALECT_NAMES.filter((name) => name.endsWith("-yaml")),
  xml: DIALECT_NAMES.filter((name) => name.endsWith("-xml")),
};
