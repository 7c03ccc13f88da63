import type { Dialect, SyntaxName } from "../dialect.ts";
import { AppError } from "../../shared/app-error.ts";
import { type BuiltinDialect, DIALECT_NAMES, type DialectName } from "../handoff-words.ts";
import { issueXml } from "./issue-xml/dialect.ts";
import { outputJson } from "./output-json/dialect.ts";
import { phaseYaml } from "./phase-yaml/dialect.ts";
import { pipelineJson } from "./pipeline-json/dialect.ts";
import { taskYaml } from "./task-yaml/dialect.ts";

/**
 * The formats Baton speaks, in the order of their numbers. Each is looked up when it is used, so that the command
 * loads only those that it meets.
 */
export const DIALECTS: Readonly<Record<BuiltinDialect, Dialect>> = {
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

/** Formats beside the five, as they are passed along: there is no list of them that code could change. */
export type Formats = readonly Dialect[];

export const NO_FORMATS: Formats = [];

export function isBuiltin(name: string): name is BuiltinDialect {
  return DIALECT_NAMES.some((known) => known === name);
}

/** The dialect of this name: one of the five, or one of the formats that were given. */
export function dialectNamed(name: DialectName, formats: Formats = NO_FORMATS): Dialect {
  const found = findDialect(name, formats);
  if (found !== undefined) return found;
  const known = [...DIALECT_NAMES, ...formats.map((format) => format.name)];
  throw new AppError("wrong-usage", `There is no dialect ${String(name)}.`, `Name one of ${known.join(", ")}.`);
}

function findDialect(name: DialectName, formats: Formats = NO_FORMATS): Dialect | undefined {
  return isBuiltin(name) ? DIALECTS[name] : formats.find((format) => format.name === name);
}

/** The dialects of a syntax; the end of a name says which it is. */
export function dialectsIn(syntax: SyntaxName): readonly BuiltinDialect[] {
  return BY_SYNTAX[syntax];
}

const BY_SYNTAX: Readonly<Record<SyntaxName, readonly BuiltinDialect[]>> = {
  json: DIALECT_NAMES.filter((name) => name.endsWith("-json")),
  yaml: DIALECT_NAMES.filter((name) => name.endsWith("-yaml")),
  xml: DIALECT_NAMES.filter((name) => name.endsWith("-xml")),
};

/**
 * Keys that no other dialect of the same syntax has: a document with one of them at its root is this dialect.
 * An XML document is known by its element.
 */
export const ROOT_KEYS: Readonly<Record<BuiltinDialect, readonly string[]>> = {
  "pipeline-json": ["from_agent", "to_agent", "loop_required", "loop_target", "loop_reason"],
  "issue-xml": [],
  "phase-yaml": ["handoff"],
  "task-yaml": ["outcome"],
  "output-json": ["output_type", "skills_invoked", "library_skills_read", "blocked_reason"],
};
