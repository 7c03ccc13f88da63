import { DEFAULT_POLICY } from "../../evidence/policy.ts";
import type { JsonRecord, JsonValue } from "../../shared/json-value.ts";
import type { AgentDefinition, Budget, TaskDefinition, Workflow } from "../definition.ts";
import { DEFAULTS, DEFAULT_LOOP } from "./defaults.ts";
import { durationOr, idOr, listOr, numberOr, recordOr, textOr, wordOr } from "./loose-values.ts";
import type { Problems } from "./problems.ts";
import { readAgent, readLoop } from "./read-agent.ts";
import { readBlocked } from "./read-blocked.ts";
import { readGate } from "./read-gate.ts";
import { NO_WISH, readContext } from "./read-context.ts";
import { readForge } from "./read-forge.ts";
import { readVerify } from "./read-verify.ts";

/** The workflow that a file describes. Never fails: what is wrong is told, and read as if it were absent. */
export function liftWorkflow(file: JsonRecord, hash: string, problems: Problems): Workflow {
  const loop = readLoop(file["loop"], DEFAULT_LOOP);
  const asks = recordOr(file["asks"]);
  const verify = readVerify(file["verify"], DEFAULT_POLICY, ["verify"], problems);
  const context = readContext(file["context"], NO_WISH, ["context"], problems);
  return {
    name: textOr(file["name"], ""),
    description: textOr(file["description"], ""),
    hash,
    mode: wordOr(file["mode"], ["autonomous", "semi", "supervised"] as const, DEFAULTS.mode),
    start: textOr(file["start"], ""),
    agents: readAll(file["agents"], (name, agent): AgentDefinition =>
      readAgent(name, agent, { loop, verify, context }, problems),
    ),
    gates: readAll(file["gates"], (name, gate) => readGate(name, gate, problems)),
    loop,
    blocked: readBlocked(file["blocked"], problems),
    budget: readBudget(recordOr(file["budget"])),
    parallel: numberOr(file["parallel"], DEFAULTS.parallel),
    asks: {
      timeout: asks["timeout"] === "none" ? null : durationOr(asks["timeout"], durationOr(DEFAULTS.asks.timeout, null)),
      silence: wordOr(asks["silence"], ["remind", "reject", "fail"] as const, DEFAULTS.asks.silence),
    },
    workspace: wordOr(file["workspace"], ["in-place", "worktree"] as const, DEFAULTS.workspace),
    verify,
    learns: context !== null,
    commands: wordOr(file["commands"], ["ask", "never"] as const, DEFAULTS.commands),
    tasks: listOr(file["tasks"]).map((task) => readTask(recordOr(task))),
    forge: readForge(file["forge"], problems),
  };
}

function readAll<T>(value: JsonValue | undefined, read: (name: string, inner: JsonRecord) => T): Record<string, T> {
  return Object.fromEntries(
    Object.entries(recordOr(value)).map(([name, inner]) => [name, read(name, recordOr(inner))]),
  );
}

function readBudget(budget: JsonRecord): Budget {
  return {
    wall: durationOr(budget["wall"], null),
    agent: durationOr(budget["agent"], null),
    tokens: numberOr(budget["tokens"], null),
    money: numberOr(budget["money"], null),
    steps: numberOr(budget["steps"], DEFAULTS.steps),
  };
}

function readTask(task: JsonRecord): TaskDefinition {
  const id = idOr(task["id"], "");
  return {
    id,
    name: textOr(task["name"], id),
    priority: wordOr(task["priority"], ["critical", "high", "medium", "low"] as const, DEFAULTS.priority),
    dependsOn: listOr(task["depends_on"]).map((other) => idOr(other, "")),
    start: textOr(task["start"], null),
    brief: textOr(task["brief"], ""),
  };
}
