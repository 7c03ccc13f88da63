import { OUTCOMES, type Outcome } from "../../protocol/handoff-words.ts";
import { count } from "../../shared/count.ts";
import { ownValue, sameJson } from "../../shared/json-value.ts";
import { printable } from "../../shared/printable.ts";
import type { AgentDefinition, Route, GateDefinition, Workflow } from "../definition.ts";
import { DEFAULT_ROUTES, LIKE_DONE, PERSON } from "./defaults.ts";
import { describeAction, describeRoute } from "./describe-action.ts";
import { printDuration } from "./words.ts";

/** The workflow for a terminal. `verbose` also shows the routes that nobody wrote. */
export function printGraph(workflow: Workflow, { verbose = false }: { readonly verbose?: boolean } = {}): string {
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

/** Where its work goes, by outcome. */
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
