import { checkShape } from "../../protocol/check-shape.ts";
import { DocumentCheck } from "../../protocol/document-check.ts";
import { DEFAULT_LIMITS } from "../../protocol/limits.ts";
import { type Field, type RecordShape, type Shape, field, shape } from "../../protocol/shape.ts";
import type { JsonPath, JsonRecord } from "../../shared/json-value.ts";
import { BUILTIN_NAMES, type BuiltinName } from "../definition.ts";
import { type Problems, checkKeys } from "../../protocol/file-problems.ts";
import { anyText, duration, serverPath } from "./words.ts";

function may<T>(of: Shape<T>, about: string): Field<T, false> {
  return field.optional(of, { rule: "workflow", about });
}

const command = shape.list(shape.formatted(anyText), { minimum: 1 });
const time = shape.formatted(duration);
const port = (minimum: number): Shape<number> => shape.number({ integer: true, minimum, maximum: 60_000 });

/** The order in which the validator runs them. */
export const CHECK_NAMES = ["lint", "type_check", "unit", "integration", "e2e", "audit", "build"] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export const MERGE_STRATEGIES = ["squash", "merge", "rebase"] as const;
export type MergeStrategy = (typeof MERGE_STRATEGIES)[number];

/** Options of the built-in agents, by agent. */
export const BUILTIN_OPTIONS: Readonly<Record<BuiltinName, Shape & RecordShape>> = {
  prep: shape.record({
    install: may(command, "How dependencies are installed; without it, by the lock file that is found."),
    build: may(command, "How the project is built; without it, the build is skipped and said to be."),
    server: may(
      shape.record({
        command: may(command, "How the development server is started; it finds its port in PORT."),
        path: may(shape.formatted(serverPath), "What is asked of it; `/` unless given."),
        wait: may(time, "How long it may take until it answers; `30s` unless given."),
      }),
      "The development server, started to see that it answers, and ended again.",
    ),
    ports: may(
      shape.record({
        first: may(port(1024), "Ports are looked for after this one; `3000` unless given."),
        step: may(port(1), "How far they are apart; `100` unless given."),
      }),
      "Which ports are leased.",
    ),
    timeout: may(time, "How long each command may take; `10m` unless given."),
  }),
  validator: shape.record({
    ...Object.fromEntries(CHECK_NAMES.map((name) => [name, may(command, `The check \`${name}\`.`)])),
    network: may(shape.list(shape.oneOf(CHECK_NAMES)), "Checks that may reach other machines; `[audit]` unless given."),
    merge: may(shape.oneOf(MERGE_STRATEGIES), "How the pull request is merged; `squash` unless given."),
    timeout: may(time, "How long each check may take; `15m` unless given."),
    wait: may(time, "How long checks of the forge are waited for; `10m` unless given."),
  }),
  closer: shape.record({
    keep_branch: may(shape.boolean(), "Leave the branch of the pull request; it is removed unless `true`."),
  }),
};

export function isBuiltinName(name: unknown): name is BuiltinName {
  return (BUILTIN_NAMES as readonly unknown[]).includes(name);
}

export function checkBuiltinOptions(name: BuiltinName, options: JsonRecord, path: JsonPath, problems: Problems): void {
  const check = new DocumentCheck(DEFAULT_LIMITS);
  checkShape(options, BUILTIN_OPTIONS[name], check, "workflow");
  for (const { rule: _rule, ...finding } of check.findings)
    problems.add({ ...finding, severity: finding.severity ?? "error", path: [...path, ...finding.path] });
  checkKeys(options, BUILTIN_OPTIONS[name], path, problems);
}
