import type { GraphEdge, RunGraph } from "../../../src/api/answers.ts";

const EXCEPTIONS: ReadonlySet<GraphEdge["kind"]> = new Set(["failure", "blocked", "gate", "person"]);

/** Every agent can fail and ask: ways for that are drawn once they were taken, or when all are asked for. */
export function shownEdges({ edges }: RunGraph, all: boolean): GraphEdge[] {
  return edges.filter(({ kind, taken }) => all || taken > 0 || !EXCEPTIONS.has(kind));
}
