import { AGENT_KINDS } from "../agent-kinds.ts";
import type { Dialect } from "../../protocol/dialect.ts";
import { dialectNamed } from "../../protocol/dialects/registry.ts";
import { fitsFileName } from "../../protocol/file-name-pattern.ts";
import type { RecordShape } from "../../protocol/shape.ts";
import type { JsonPath } from "../../shared/json-value.ts";
import type { Workflow, TaskDefinition, AgentDefinition } from "../definition.ts";
import { checkConditions } from "./check-conditions.ts";
import { checkContentFields } from "./check-content-fields.ts";
import { checkGraph, checkOutcomes, checkNames } from "./check-routes.ts";
import { agentShape, gateShape } from "./file-shape.ts";
import { Problems, type FileFinding, clipText } from "../../protocol/file-problems.ts";
import { type Follower, findCycles } from "../find-cycles.ts";
import { formatsOf } from "../workflow-formats.ts";
import { type WorkflowEdge, WorkflowGraph } from "./graph.ts";

/**
 * Proves before a run that every name exists, every outcome has a route, every loop is bounded and comes back,
 * every agent can be reached and the end can be reached from everywhere.
 */
export function checkWorkflow(workflow: Workflow): FileFinding[] {
  const problems = new Problems();
  checkInto(workflow, problems);
  return problems.findings;
}

/**
 * The same for a workflow whose file has errors, which are in `problems`. The graph is checked only if it is complete:
 * one misspelt route would make half of the agents unreachable.
 */
export function checkInto(workflow: Workflow, problems: Problems): void {
  checkNames(workflow, problems);
  checkOutcomes(workflow, problems);
  checkTasks(workflow.tasks, problems);
  checkPolicies(workflow, problems);
  checkContentFields(workflow, problems);
  checkConditions(workflow, problems);
  if (problems.findings.some((finding) => finding.severity === "error" && shapesGraph(finding))) return;
  checkGraph(workflow, problems);
  checkAgentCycles(workflow, problems);
  checkBlockedSelf(workflow, problems);
}

/** Keys that define edges of the graph, or select the agents that an edge leads to. */
const LEADING: readonly string[] = ["routes", "on_failure", "gates", "hub", "domain", "failed"];

/** Errors in the condition or the order of a route do not change where the route leads. */
const OF_ONE_ROUTE = new Set<string>(["bad-condition", "unreachable"]);

function shapesGraph({ code, path }: FileFinding): boolean {
  return !OF_ONE_ROUTE.has(code) && isOfGraph(path);
}

function isOfGraph(path: JsonPath): boolean {
  const [part, , key] = path;
  switch (part) {
    case "agents":
      return !isBeside(key, agentShape);
    case "gates":
      return !isBeside(key, gateShape);
    case "tasks":
      return key === "start";
    case "start":
    case "blocked":
    case undefined:
      return true;
    default:
      return false;
  }
}

/** False for an unknown key, which may be a misspelt key that defines edges. */
function isBeside(key: string | number | undefined, { fields }: RecordShape): boolean {
  return typeof key === "string" && Object.hasOwn(fields, key) && !LEADING.includes(key);
}

/**
 * A cycle of agents needs a bound. A `loop` has its own limit. A cycle through a hub, a failure policy or the blocked
 * table is decided anew in each round, and `budget.steps` bounds it.
 */
function checkAgentCycles(workflow: Workflow, problems: Problems): void {
  const graph = new WorkflowGraph(workflow);
  const isHub = (name: string): boolean => workflow.agents[name]?.hub === true;
  const isPlain = ({ leaf, by }: WorkflowEdge): boolean =>
    (by === "forward" || by === "gate") && (leaf.kind === "go" || leaf.kind === "choose");
  const following = (name: string): Follower[] =>
    isHub(name)
      ? []
      : graph
          .edges(name)
          .flatMap((edge) =>
            isPlain(edge) ? graph.targets(edge).map((to) => ({ name: to, path: edge.leaf.path })) : [],
          );
  for (const { names, path } of findCycles(graph.names, following))
    problems.add({
      code: "cycle",
      path,
      message: `Work can go round without a bound: ${names.join(" -> ")}.`,
      hint: `Write { loop: ${names.at(-1)} } here, which ends when it gets nowhere.`,
    });
}

/** An agent that is blocked cannot resolve its own block. */
function checkBlockedSelf(workflow: Workflow, problems: Problems): void {
  const graph = new WorkflowGraph(workflow);
  const told = new Set<string>();
  for (const { from, leaf, by } of graph.allEdges()) {
    if (by !== "blocked" || leaf.to !== from || told.has(from)) continue;
    told.add(from);
    problems.add({
      code: "cycle",
      severity: "warning",
      path: leaf.path,
      message: `When \`${from}\` is blocked for this reason, it is sent to itself.`,
      hint: `Give \`${from}\` a route for \`blocked\` of its own, for example person.`,
    });
  }
}

/** Tasks must be able to start: their dependencies exist and form no cycle. */
function checkTasks(tasks: readonly TaskDefinition[], problems: Problems): void {
  const places = new Map<string, number>();
  for (const [index, { id }] of tasks.entries()) {
    if (places.has(id) && id !== "")
      problems.add({
        code: "duplicate-key",
        path: ["tasks", index, "id"],
        message: `Two tasks are called \`${id}\`.`,
        hint: "Ids are unique.",
      });
    places.set(id, index);
  }
  places.delete("");
  const ids = [...places.keys()];
  for (const [index, task] of tasks.entries())
    for (const [place, id] of task.dependsOn.entries())
      if (!places.has(id)) problems.unknownName("task", id, ids, ["tasks", index, "depends_on", place]);
  const following = (id: string): Follower[] =>
    (tasks[places.get(id) ?? -1]?.dependsOn ?? []).map((name, place) => ({
      name,
      path: ["tasks", places.get(id) ?? 0, "depends_on", place],
    }));
  for (const { names, path } of findCycles(ids, following))
    problems.add({
      code: "cycle",
      path,
      message: `Tasks wait for each other: ${clipCycle(names)}.`,
      hint: "Remove one of the dependencies.",
    });
}

function clipCycle(names: readonly string[]): string {
  const shown = names.length <= 12 ? names : [...names.slice(0, 6), `(${names.length - 11} more)`, ...names.slice(-5)];
  return shown.map(clipText).join(" -> ");
}

/** Settings that are allowed but do not have the effect that they suggest. */
function checkPolicies(workflow: Workflow, problems: Problems): void {
  checkBudget(workflow, problems);
  checkSteps(workflow, problems);
  checkAsks(workflow, problems);
  checkBuiltins(workflow, problems);
  checkFiles(workflow, problems);
  checkStandings(workflow, problems);
  checkFailures(workflow, problems);
}

/** `retry` and `escalate_after` decide how often `route_to` is asked; together they may say: never. */
function checkFailures({ agents }: Workflow, problems: Problems): void {
  for (const { name, onFailure } of Object.values(agents)) {
    const path: JsonPath = ["agents", name, "on_failure"];
    if (onFailure === null || problems.hasErrorAbove(path)) continue;
    const { retry, routeTo, escalateAfter } = onFailure;
    const tell = (key: string, message: string, hint: string): void =>
      problems.add({ code: "inconsistent", severity: "warning", path: [...path, key], message, hint });
    if (routeTo !== null && retry === 0 && Object.hasOwn(agents, routeTo))
      tell(
        "route_to",
        `No failure goes to \`${routeTo}\`: \`retry\` is 0.`,
        "Write `retry: 1`, or more, for the failures that go there.",
      );
    else if (escalateAfter !== null && escalateAfter <= retry)
      tell(
        "escalate_after",
        `Failure ${escalateAfter} already goes back to the agent that delegated, so that \`retry: ${retry}\` is never used up.`,
        `Write \`escalate_after: ${retry + 1}\`, or less \`retry\`.`,
      );
  }
}

/** If parallel tasks write the same file, the handoff of one would be taken for that of another. */
function checkFiles({ agents, parallel }: Workflow, problems: Problems): void {
  if (parallel === 1) return;
  for (const { name, file } of Object.values(agents)) {
    if (file === null || file.includes(TASK_IN_FILE)) continue;
    problems.add({
      code: "inconsistent",
      path: ["agents", name, "file"],
      message: `Tasks that are worked on at once would take each other's handoff: \`file\` is the same for all of them.`,
      hint: `Put \`${TASK_IN_FILE}\` into its name, for example \`handoffs/${TASK_IN_FILE}/${name}\`, or write \`parallel: 1\`.`,
    });
  }
}

const TASK_IN_FILE = "{task}";

/** Where a handoff is read, `file` of the agent decides. A format that stands in files only may say otherwise. */
function checkStandings(workflow: Workflow, problems: Problems): void {
  if (workflow.formats === undefined) return;
  for (const { name, dialect, file, runner } of Object.values(workflow.agents)) {
    const files = onlyFiles(dialectNamed(dialect, formatsOf(workflow)));
    const written = file?.replaceAll(/\{\w+\}/g, "1") ?? "";
    if (runner.kind === "human" || files.length === 0 || files.some((pattern) => fitsFileName(written, pattern)))
      continue;
    const names = files.map((pattern) => `\`${pattern}\``).join(" or ");
    const but = file === null ? "has no `file`: its last message is read" : `writes \`${clipText(file)}\``;
    problems.add({
      code: "inconsistent",
      severity: "warning",
      path: ["agents", name, file === null ? "dialect" : "file"],
      message: `A ${dialect} handoff stands in a file named ${names}, but \`${name}\` ${but}.`,
      hint: `Write \`file: ${(files[0] ?? "").replaceAll("*", "{run}")}\`, or change \`stands\` of the format.`,
    });
  }
}

/** The names of files of a format that is recognised by them alone. */
function onlyFiles({ stands }: Dialect): readonly string[] {
  if (stands === undefined || stands.keys.length > 0) return [];
  return stands.heading === null && stands.element === null ? stands.files : [];
}

function checkBuiltins({ agents, forge }: Workflow, problems: Problems): void {
  for (const { name, runner, dialect } of Object.values(agents)) {
    if (runner.kind !== "builtin") continue;
    if (forge === null)
      problems.add({
        code: "inconsistent",
        path: ["agents", name, "run", "builtin"],
        message: `\`${runner.name}\` works with issues and pull requests, but the workflow names no \`forge\`.`,
        hint: "Add `forge: { local: ../forge }` or `forge: { github: owner/name }`.",
      });
    if (dialect !== "issue-xml")
      problems.add({
        code: "inconsistent",
        path: ["agents", name, "dialect"],
        message: `\`${runner.name}\` hands over in issue-xml only.`,
        hint: "Write `dialect: issue-xml`.",
      });
  }
}

function checkBudget({ agents, budget }: Workflow, problems: Problems): void {
  for (const kind of ["tokens", "money"] as const) {
    if (budget[kind] === null) continue;
    const unsure = Object.values(agents).filter(
      (agent) => !AGENT_KINDS[agent.runner.kind].isFree && agent.cost[kind] === null,
    );
    if (unsure.length > 0)
      problems.add({
        code: "unsure-budget",
        severity: "warning",
        path: ["budget", kind],
        message: `The budget of ${kind} cannot be promised: nobody knows what an attempt of ${listed(unsure)} costs at most.`,
        hint: `Give each of them \`cost: { ${kind}: ... }\`.`,
      });
  }
}

/** Every task takes at least one step, so with a smaller budget the run would always fail. */
function checkSteps({ tasks, budget }: Workflow, problems: Problems): void {
  if (tasks.length <= budget.steps) return;
  problems.add({
    code: "inconsistent",
    path: ["tasks"],
    atKey: true,
    message: `${tasks.length} tasks take at least as many steps, and \`budget.steps\` allows ${budget.steps}.`,
    hint: "Raise it, so that there is room for retries, too.",
  });
}

function listed(agents: readonly AgentDefinition[]): string {
  const names = agents.slice(0, 5).map((agent) => agent.name);
  return agents.length > names.length
    ? `${names.join(", ")} and ${agents.length - names.length} more`
    : names.join(", ");
}

function checkAsks({ asks }: Workflow, problems: Problems): void {
  if (asks.timeout !== null) return;
  problems.add({
    code: "waits-for-ever",
    severity: "warning",
    path: ["asks", "timeout"],
    message: `Without a timeout a question to a person waits for ever${asks.silence === "remind" ? "" : ` and never ends in \`${asks.silence}\``}.`,
    hint: "Write a duration, for example 24h.",
  });
}
