import type { Dialect } from "../dialect.ts";
import type { DialectName } from "../handoff.ts";
import { issueXml } from "./issue-xml/dialect.ts";
import { outputJson } from "./output-json/dialect.ts";
import { phaseYaml } from "./phase-yaml/dialect.ts";
import { pipelineJson } from "./pipeline-json/dialect.ts";
import { taskYaml } from "./task-yaml/dialect.ts";

/** The formats Baton speaks, in the order of their numbers. */
export const DIALECTS: Readonly<Record<DialectName, Dialect>> = {
  "pipeline-json": pipelineJson,
  "issue-xml": issueXml,
  "phase-yaml": phaseYaml,
  "task-yaml": taskYaml,
  "output-json": outputJson,
};
