import { DEFAULT_POLICY, type ClaimPolicy } from "../../evidence/policy.ts";
import { type JsonRecord, type JsonValue, type JsonPath, isRecord, ownValue } from "../../shared/json-value.ts";
import type {
  AgentDefinition,
  Budget,
  TaskDefinition,
  Workflow,
  ContentRule,
  FailurePolicy,
  LoopPolicy,
  Route,
  Action,
  PinnedFormat,
} from "../definition.ts";
import { DEFAULTS, DEFAULT_LOOP, DEFAULT_ROUTES, LIKE_DONE, PERSON, REASONS_FOR_A_PERSON } from "./defaults.ts";
import { durationOr, idOr, listOr, numberOr, recordOr, textOr, wordOr, sizeOr, textsOr } from "./loose-values.ts";
import type { Problems } from "../../protocol/file-problems.ts";
import { readGate } from "./read-gate.ts";
import { NO_REQUESTED_CONTEXT, readContext, contextFor, type RequestedContext } from "./read-context.ts";
import { readForge } from "./read-forge.ts";
import { readVerify } from "./read-verify.ts";
import { isBuiltin } from "../../protocol/dialects/registry.ts";
import { DIALECT_NAMES, type DialectName, OUTCOMES, type Outcome } from "../../protocol/handoff-words.ts";
import { checkContentRule } from "./content-rule.ts";
import { readRoutes, readAction } from "./read-action.ts";
import { readRunner } from "./read-runner.ts";
import { taskId } from "./words.ts";

const ONLY_HERE = "terminal-or-page";

/** The workflow that a file describes. It never fails: an invalid value is reported and then treated as absent. */
export function liftWorkflow(
  file: JsonRecord,
  { hash, formats }: { readonly hash: string; readonly formats?: () => Formats },
  problems: Problems,
): Workflow {
  const loop = readLoop(file["loop"], DEFAULT_LOOP);
  const asks = recordOr(file["asks"]);
  const verify = readVerify(file["verify"], DEFAULT_POLICY, ["verify"], problems);
  const context = readContext(file["context"], NO_REQUESTED_CONTEXT, ["context"], problems);
  const own = ownFormats(file["agents"], formats, problems);
  return {
    name: textOr(file["name"], ""),
    description: textOr(file["description"], ""),
    hash,
    mode: wordOr(file["mode"], ["autonomous", "semi", "supervised"] as const, DEFAULTS.mode),
    start: textOr(file["start"], ""),
    agents: readAll(file["agents"], (name, agent): AgentDefinition =>
      readAgent(name, agent, { loop, verify, context, formats: own }, problems),
    ),
    gates: readAll(file["gates"], (name, gate) => readGate(name, gate, problems)),
    loop,
    blocked: readBlocked(file["blocked"], problems),
    budget: readBudget(recordOr(file["budget"])),
    parallel: numberOr(file["parallel"], DEFAULTS.parallel),
    asks: {
      timeout: asks["timeout"] === "none" ? null : durationOr(asks["timeout"], durationOr(DEFAULTS.asks.timeout, null)),
      silence: wordOr(asks["silence"], ["remind", "reject", "fail"] as const, DEFAULTS.asks.silence),
      ...(asks["where"] === ONLY_HERE && { where: ONLY_HERE }),
    },
    workspace: wordOr(file["workspace"], ["in-place", "worktree"] as const, DEFAULTS.workspace),
    verify,
    learns: context !== null,
    ...(file["unknown"] === "continue" && { unknown: "continue" }),
    commands: wordOr(file["commands"], ["ask", "never"] as const, DEFAULTS.commands),
    tasks: listOr(file["tasks"]).map((task) => readTask(recordOr(task))),
    ...(Object.keys(own).length > 0 && { formats: own }),
    forge: readForge(file["forge"], problems),
  };
}

type Formats = Readonly<Record<string, PinnedFormat>>;

/** The formats that agents name and that are not among the five. */
function ownFormats(agents: JsonValue | undefined, formats: (() => Formats) | undefined, problems: Problems): Formats {
  const used: Record<string, PinnedFormat> = {};
  for (const [agent, value] of Object.entries(recordOr(agents))) {
    const name = textOr(recordOr(value)["dialect"], "");
    if (name === "" || isBuiltin(name)) continue;
    const known = formats?.() ?? {};
    const found = ownValue(known, name);
    if (found !== undefined) used[name] = found;
    else problems.unknownName("dialect", name, [...DIALECT_NAMES, ...Object.keys(known)], ["agents", agent, "dialect"]);
  }
  return used;
}

function dialectOr(value: JsonValue | undefined, formats: Formats): DialectName {
  const name = textOr(value, "");
  return isBuiltin(name) || Object.hasOwn(formats, name) ? name : "pipeline-json";
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

/** Policies that apply to every agent without its own. */
interface PoliciesAbove {
  readonly loop: LoopPolicy;
  readonly verify: ClaimPolicy | null;
  readonly context: RequestedContext | null;
  readonly formats: Formats;
}

function readAgent(name: string, file: JsonRecord, above: PoliciesAbove, problems: Problems): AgentDefinition {
  const path: JsonPath = ["agents", name];
  const retry = recordOr(file["retry"]);
  const cost = recordOr(file["cost"]);
  const runner = readRunner(file["run"], [...path, "run"], problems);
  return {
    name,
    runner,
    dialect: dialectOr(file["dialect"], above.formats),
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
    ...(recordOr(file["asks"])["where"] === ONLY_HERE && { asksWhere: ONLY_HERE }),
    loop: readLoop(file["loop"], above.loop),
    needs: readContentRule(file["needs"], [...path, "needs"], problems),
    gives: readGives(recordOr(file["gives"]), [...path, "gives"], problems),
    cost: { tokens: numberOr(cost["tokens"], null), money: numberOr(cost["money"], null) },
    file: textOr(file["file"], null),
    hub: file["hub"] === true,
    ...(typeof file["writes_tests"] === "boolean" && { writesTests: file["writes_tests"] }),
  };
}

type Routes = Partial<Record<Outcome, readonly Route[]>>;

/** Fills in all defaults but that of `blocked`, which is routed by the table of reasons unless it has routes. */
function readAgentRoutes(written: JsonRecord, path: JsonPath, problems: Problems): Routes {
  const routes: Routes = {};
  for (const outcome of OUTCOMES) {
    const value = written[outcome];
    if (value !== undefined) routes[outcome] = readRoutes(value, [...path, outcome], problems);
  }
  for (const outcome of LIKE_DONE) if (routes.done !== undefined) routes[outcome] ??= routes.done;
  return { ...DEFAULT_ROUTES, ...routes };
}

function readLoop(value: JsonValue | undefined, above: LoopPolicy): LoopPolicy {
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

/** The blocked table with its default rows. Each value is a word: an agent, end, return, person or fail. */
function readBlocked(value: JsonValue | undefined, problems: Problems): Workflow["blocked"] {
  const written = recordOr(value);
  const table: Record<string, Readonly<Record<string, Action>>> = {};
  for (const reason of Object.keys(written)) {
    checkKey(reason, "reason", ["blocked", reason], problems);
    table[reason] = readRow(written[reason], ["blocked", reason], problems);
  }
  for (const reason of REASONS_FOR_A_PERSON)
    if (ownValue(table, reason) === undefined) table[reason] = { default: PERSON };
  const rest = ownValue(table, "default") ?? {};
  return { ...table, default: { ...rest, default: ownValue(rest, "default") ?? PERSON } };
}

function readRow(value: JsonValue | undefined, path: JsonPath, problems: Problems): Record<string, Action> {
  if (!isRecord(value)) {
    const action = readPlace(value, path, problems);
    return action === null ? {} : { default: action };
  }
  const row: Record<string, Action> = {};
  for (const domain of Object.keys(value)) {
    checkKey(domain, "domain", [...path, domain], problems);
    const action = readPlace(value[domain], [...path, domain], problems);
    if (action !== null) row[domain] = action;
  }
  return row;
}

function readPlace(value: JsonValue | undefined, path: JsonPath, problems: Problems): Action | null {
  if (typeof value === "string") return readAction(value, path, problems);
  problems.add({
    code: "wrong-type",
    path,
    message: "Blocked work goes to an agent, or to end, return, person or fail.",
    hint: "For example: { backend: backend-security, default: person }",
  });
  return null;
}

function checkKey(key: string, what: string, path: JsonPath, problems: Problems): void {
  if (taskId.accepts(key)) return;
  problems.add({
    code: "bad-format",
    path,
    atKey: true,
    message: `A ${what} is one word of at most 64 letters, digits, \`-\`, \`_\` and \`.\`.`,
    hint: "For example: security_concern",
  });
}
