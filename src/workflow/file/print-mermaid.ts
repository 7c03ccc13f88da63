import type { Workflow } from "../definition.ts";
import { type Edge, WorkflowGraph } from "./graph.ts";

/** The workflow as a Mermaid flowchart. Loops and everything that leaves the plain way are dotted. */
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

/** Mermaid takes some words, `end` above all, for its own. */
const PLACES = ["to_end", "to_return", "to_person", "to_fail"];

function targetOf({ leaf }: Edge, ids: ReadonlyMap<string, string>): string | null {
  if (leaf.to !== null) return ids.get(leaf.to) ?? null;
  return `to_${leaf.kind}`;
}

/** That a person is asked in the end holds nearly everywhere; drawn, it would hide the rest. */
function isUsualEscape({ leaf, by, outcome }: Edge): boolean {
  return leaf.kind === "person" && (by !== "forward" || outcome === "in-progress" || outcome === "pending");
}

function isDotted({ leaf, by }: Edge): boolean {
  return leaf.kind === "loop" || by !== "forward";
}

function labelOf({ leaf, by, outcome }: Edge): string {
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

/** Anything but plain letters is written by its number: no name can end its label or begin markup. */
function escaped(name: string): string {
  return name.replaceAll(/[^\w .-]/gu, (character) => `#${character.codePointAt(0)};`);
}
