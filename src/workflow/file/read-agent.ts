import { DIALECT_NAMES, OUTCOMES, type Outcome } from "../../protocol/handoff-words.ts";
import type { ClaimPolicy } from "../../evidence/policy.ts";
import { type JsonPath, type JsonRecord, type JsonValue, isRecord } from "../../shared/json-value.ts";
import type { AgentDefinition, ContentRule, FailurePolicy, LoopPolicy, Route } from "../definition.ts";
import { checkContentRule } from "./content-rule.ts";
import { DEFAULTS, DEFAULT_ROUTES, LIKE_DONE } from "./defaults.ts";
import { durationOr, numberOr, recordOr, sizeOr, textOr, textsOr, wordOr } from "./loose-values.ts";
import type { Problems } from "./problems.ts";
import { readRoutes } from "./read-action.ts";
import { contextFor, type ContextWish, readContext } from "./read-context.ts";
import { readVerify } from "./read-verify.ts";
import { readRunner } from "./read-runner.ts";

/** What holds for every agent unless it says otherwise. */
export interface PoliciesAbove {
  readonly loop: LoopPolicy;
  readonly verify: ClaimPolicy | null;
  readonly context: ContextWish | null;
}

export function readAgent(name: string, file: JsonRecord, above: PoliciesAbove, problems: Problems): AgentDefinition {
  const path: JsonPath = ["agents", name];
  const retry = recordOr(file["retry"]);
  const cost = recordOr(file["cost"]);
  const runner = readRunner(file["run"], [...path, "run"], problems);
  return {
    name,
    runner,
    dialect: wordOr(file["dialect"], DIALECT_NAMES, "pipeline-json"),
    domain: textOr(file["domain"], name.split("-")[0] ?? name),
    phase: textOr(file["phase"], null),
    prompt: textOr(file["prompt"], ""),
    routes: readAgentRoutes(recordOr(file["routes"]), [...path, "routes"], problems),
    retry: {
      most: numberOr(retry["most"], DEFAULTS.agent.retry.most),
      delay: durationOr(retry["delay"], durationOr(DEFAULTS.agent.retry.delay, 0)),
    },
    repairs: numberOr(file["repairs"], DEFAULTS.agent.repairs),
    timeout: durationOr(file["timeout"], durationOr(DEFAULTS.agent.timeout, 0)),
    output: sizeOr(file["output"], sizeOr(DEFAULTS.agent.output, 0)),
    onFailure: readFailurePolicy(file["on_failure"]),
    verify: readVerify(file["verify"], above.verify, [...path, "verify"], problems),
    context: contextFor(readContext(file["context"], above.context, [...path, "context"], problems), runner),
    gates: textsOr(file["gates"]),
    approve: wordOr(file["approve"], ["before", "after"] as const, null),
    loop: readLoop(file["loop"], above.loop),
    needs: readContentRule(file["needs"], [...path, "needs"], problems),
    gives: readGives(recordOr(file["gives"]), [...path, "gives"], problems),
    cost: { tokens: numberOr(cost["tokens"], null), money: numberOr(cost["money"], null) },
    file: textOr(file["file"], null),
    hub: file["hub"] === true,
  };
}

type Routes = Partial<Record<Outcome, readonly Route[]>>;

/** With every default filled in, but for `blocked`: without routes of its own it goes by the table of reasons. */
function readAgentRoutes(written: JsonRecord, path: JsonPath, problems: Problems): Routes {
  const routes: Routes = {};
  for (const outcome of OUTCOMES) {
    const value = written[outcome];
    if (value !== undefined) routes[outcome] = readRoutes(value, [...path, outcome], problems);
  }
  for (const outcome of LIKE_DONE) if (routes.done !== undefined) routes[outcome] ??= routes.done;
  return { ...DEFAULT_ROUTES, ...routes };
}

export function readLoop(value: JsonValue | undefined, above: LoopPolicy): LoopPolicy {
  const loop = recordOr(value);
  const ends = ["person", "continue", "fail"] as const;
  return {
    limit: numberOr(loop["limit"], above.limit),
    blocking: textsOr(loop["blocking"], above.blocking),
    stuck: wordOr(loop["stuck"], ends, above.stuck),
    capped: wordOr(loop["capped"], ends, above.capped),
  };
}

function readFailurePolicy(value: JsonValue | undefined): FailurePolicy | null {
  if (!isRecord(value)) return null;
  return {
    retry: numberOr(value["retry"], 0),
    routeTo: textOr(value["route_to"], null),
    notify: textOr(value["notify"], null),
    escalateAfter: numberOr(value["escalate_after"], null),
    context: textOr(value["context"], null),
    mayRouteTo: textsOr(value["may_route_to"]),
  };
}

function readContentRule(value: JsonValue | undefined, path: JsonPath, problems: Problems): ContentRule | null {
  if (!isRecord(value)) return null;
  checkContentRule(value, path, problems);
  return value;
}

function readGives(written: JsonRecord, path: JsonPath, problems: Problems): AgentDefinition["gives"] {
  const gives: Partial<Record<Outcome, ContentRule>> = {};
  for (const outcome of OUTCOMES) {
    const rule = readContentRule(written[outcome], [...path, outcome], problems);
    if (rule !== null) gives[outcome] = rule;
  }
  return gives;
}
