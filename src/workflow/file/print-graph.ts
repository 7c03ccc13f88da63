import { OUTCOMES, type Outcome } from "../../protocol/handoff-words.ts";
import { count } from "../../shared/count.ts";
import { ownValue, sameJson } from "../../shared/json-value.ts";
import { printable } from "../../shared/printable.ts";
import type { AgentDefinition, Route, GateDefinition, Workflow, Action } from "../definition.ts";
import { DEFAULT_ROUTES, LIKE_DONE, PERSON } from "./defaults.ts";
import { printDuration } from "./words.ts";
import type { Condition, Literal, Operand } from "../../shared/condition.ts";
import { type WorkflowEdge, WorkflowGraph } from "./graph.ts";

/** The workflow for a terminal. `verbose` includes default routes. */
export function renderWorkflowGraph(
  workflow: Workflow,
  { verbose = false }: { readonly verbose?: boolean } = {},
): string {
  const lines = [
    printable([workflow.name, workflow.description].filter((text) => text !== "").join(": ")),
    `start -> ${printable(workflow.start)}   ${settings(workflow).join(", ")}`,
    ...Object.values(workflow.agents).flatMap((agent) => ["", ...agentLines(agent, verbose)]),
    ...section("gates", Object.values(workflow.gates), (gate) => [
      gate.name,
      `${gateWork(gate).join(", ")}; failed: ${describeAction(gate.failed)}`,
    ]),
    ...section("blocked", blockedRows(workflow, verbose), (row) => row),
    ...section("tasks", workflow.tasks, (task) => [
      task.id,
      [task.priority, ...(task.dependsOn.length === 0 ? [] : [`after ${task.dependsOn.join(", ")}`])].join(", "),
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

function gateWork({ command, times, require, limits, place }: GateDefinition): string[] {
  return [
    ...(command.length === 0 ? [] : [`${command.join(" ")}${times > 1 ? ` (${times} times)` : ""}`]),
    ...(require === null ? [] : [`requires ${require.text}`]),
    ...(limits.network ? ["with network"] : []),
    ...(place === "workspace" ? ["in the workspace"] : []),
  ];
}

function settings({ mode, parallel, loop, budget }: Workflow): string[] {
  return [
    mode,
    `${parallel} at once`,
    `at most ${loop.limit} rounds`,
    `${budget.steps} steps`,
    ...(budget.wall === null ? [] : [`${printDuration(budget.wall)} in all`]),
    ...(budget.agent === null ? [] : [`${printDuration(budget.agent)} of agents`]),
    ...(budget.tokens === null ? [] : [`${budget.tokens} tokens`]),
    ...(budget.money === null ? [] : [`$${budget.money}`]),
  ];
}

function agentLines(agent: AgentDefinition, verbose: boolean): string[] {
  const marks = [
    agent.dialect,
    agent.runner.kind,
    ...(agent.hub ? ["hub"] : []),
    ...(agent.approve === null ? [] : [`approval ${agent.approve}`]),
    ...(agent.gates.length === 0 ? [] : [`gates ${agent.gates.join(", ")}`]),
  ];
  const failure = agent.onFailure?.routeTo ?? null;
  return [
    `${printable(agent.name)}   ${printable(marks.join(", "))}`,
    ...routeLines(agent, verbose),
    ...(failure === null
      ? []
      : [line("on failure", `-> ${printable(failure)}, ${count(agent.onFailure?.retry ?? 0, "time")}`)]),
  ];
}

/** Where the work goes, by outcome. */
export function routeLines(agent: AgentDefinition, verbose = false): string[] {
  return OUTCOMES.flatMap((outcome) => outcomeLines(agent, outcome, verbose));
}

function outcomeLines(agent: AgentDefinition, outcome: Outcome, verbose: boolean): string[] {
  const isDefault = isDefaultRoute(agent, outcome);
  if (isDefault && !verbose) return [];
  const routes = agent.routes[outcome];
  if (routes === undefined) return [line(outcome, "by the table of blocked work  (default)")];
  return routes.map((route, index) =>
    line(index === 0 ? outcome : "", `${describeRoute(route)}${isDefault ? "  (default)" : ""}`),
  );
}

function isDefaultRoute(agent: AgentDefinition, outcome: Outcome): boolean {
  const routes: readonly Route[] | undefined = agent.routes[outcome];
  if (routes === undefined) return true;
  return sameJson(routes, LIKE_DONE.includes(outcome) ? agent.routes.done : DEFAULT_ROUTES[outcome]);
}

const WIDTH = Math.max(...OUTCOMES.map((outcome) => outcome.length));

function line(label: string, text: string): string {
  return `  ${label.padEnd(WIDTH)}  ${text}`;
}

function blockedRows({ blocked }: Workflow, verbose: boolean): [string, string][] {
  return Object.keys(blocked).flatMap((reason): [string, string][] => {
    const row = ownValue(blocked, reason) ?? {};
    if (!verbose && sameJson(row, { default: PERSON })) return [];
    const places = Object.entries(row).map(([domain, action]) => `${domain} ${describeAction(action)}`);
    return [[reason, places.join(", ")]];
  });
}

function section<T>(title: string, items: readonly T[], describe: (item: T) => readonly [string, string]): string[] {
  if (items.length === 0) return [];
  const rows = items.map(describe);
  const width = Math.max(WIDTH, ...rows.map(([label]) => printable(label).length));
  return ["", title, ...rows.map(([label, text]) => `  ${printable(label).padEnd(width)}  ${printable(text)}`)];
}

/** An action in one line. Loops are marked, because they lead back. */
function describeAction(action: Action): string {
  switch (action.kind) {
    case "go":
      return `-> ${printable(action.to)}`;
    case "loop":
      return `<= loop to ${printable(action.to)}`;
    case "retry":
      return `retry ${action.most}, then ${bare(action.then)}`;
    case "choose":
      return `-> one of ${action.from.map(printable).join(", ")}; otherwise ${bare(action.otherwise)}`;
    case "return":
      return "-> return to who delegated";
    case "person":
    case "end":
    case "fail":
      return `-> ${action.kind}`;
  }
}

function bare(action: Action): string {
  return describeAction(action).replace(/^-> /, "");
}

export function describeRoute({ when, action }: Route): string {
  const described = describeAction(action);
  return when === null ? described : `${described}  if ${printCondition(when)}`;
}

/** In the notation of a workflow file, with as few parentheses as possible. */
export function printCondition(condition: Condition): string {
  switch (condition.kind) {
    case "or":
      return `${printCondition(condition.left)} or ${bracketed(condition.right, ["or"])}`;
    case "and":
      return `${bracketed(condition.left, ["or"])} and ${bracketed(condition.right, ["or", "and"])}`;
    case "not":
      return `not ${bracketed(condition.of, ["or", "and"])}`;
    case "compare":
      return `${printOperand(condition.left)} ${condition.sign} ${printOperand(condition.right)}`;
    case "in":
      return `${printOperand(condition.left)} in [${condition.list.map(printLiteral).join(", ")}]`;
    case "value":
      return printOperand(condition.of);
  }
}

function bracketed(condition: Condition, kinds: readonly Condition["kind"][]): string {
  const printed = printCondition(condition);
  return kinds.includes(condition.kind) ? `(${printed})` : printed;
}

function printOperand(operand: Operand): string {
  return operand.kind === "name" ? printable(operand.name) : printLiteral(operand.value);
}

/** The grammar has no escapes: a string contains at most one kind of quote. */
function printLiteral(value: Literal): string {
  if (typeof value !== "string") return String(value);
  return value.includes("'") ? `"${printable(value)}"` : `'${printable(value)}'`;
}

/** The workflow as a Mermaid flowchart. Loops and edges that leave the normal path are dotted. */
export function printMermaid(workflow: Workflow): string {
  const graph = new WorkflowGraph(workflow);
  const ids = new Map(graph.names.map((name, index) => [name, `a${index}`]));
  const arrows = new Map<string, Set<string>>();
  for (const edge of graph.allEdges()) {
    const to = targetOf(edge, ids);
    if (to === null || isUsualEscape(edge)) continue;
    const key = `${ids.get(edge.from)} ${isDotted(edge) ? "-.->" : "-->"} ${to}`;
    arrows.set(key, (arrows.get(key) ?? new Set()).add(labelOf(edge)));
  }
  const used = PLACES.filter((place) => [...arrows.keys()].some((key) => key.endsWith(` ${place}`)));
  return [
    "flowchart TD",
    "  start((start))",
    ...graph.names.map((name) => `  ${ids.get(name)}${workflow.agents[name]?.hub === true ? hub(name) : box(name)}`),
    ...used.map((place) => `  ${place}([${place.slice("to_".length)}])`),
    ...[...new Set(graph.starts())].flatMap((name) => (ids.has(name) ? [`  start --> ${ids.get(name)}`] : [])),
    ...[...arrows].map(([key, labels]) => {
      const [from, arrow, to] = key.split(" ");
      return `  ${from} ${arrow}|"${[...labels].join(", ")}"| ${to}`;
    }),
    "",
  ].join("\n");
}

/** Mermaid reserves some words, above all `end`. */
const PLACES = ["to_end", "to_return", "to_person", "to_fail"];

function targetOf({ leaf }: WorkflowEdge, ids: ReadonlyMap<string, string>): string | null {
  if (leaf.to !== null) return ids.get(leaf.to) ?? null;
  return `to_${leaf.kind}`;
}

/** Nearly every agent can end up asking a person. These edges are not drawn, because they would hide the others. */
function isUsualEscape({ leaf, by, outcome }: WorkflowEdge): boolean {
  return leaf.kind === "person" && (by !== "forward" || outcome === "in-progress" || outcome === "pending");
}

function isDotted({ leaf, by }: WorkflowEdge): boolean {
  return leaf.kind === "loop" || by !== "forward";
}

function labelOf({ leaf, by, outcome }: WorkflowEdge): string {
  if (by === "gate") return "gate failed";
  if (by === "failure") return "on failure";
  return leaf.kind === "loop" ? `loop: ${outcome}` : String(outcome);
}

function box(name: string): string {
  return `["${escaped(name)}"]`;
}

function hub(name: string): string {
  return `{{"${escaped(name)}"}}`;
}

/** Writes special characters as numeric entities, so that a name cannot end its label or start markup. */
function escaped(name: string): string {
  return name.replaceAll(/[^\w .-]/gu, (character) => `#${character.codePointAt(0)};`);
}
