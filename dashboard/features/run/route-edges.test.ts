import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GraphEdge, GraphNode } from "../../../src/api/answers.ts";
import { NODE, placeOf, type RoutedEdge, routeEdges } from "./route-edges.ts";

function node(id: string, column: number, row: number): GraphNode {
  return { id, kind: "agent", status: null, visits: 0, x: column * 240, y: row * 110 };
}

function edge(from: string, to: string, kind: GraphEdge["kind"] = "forward", taken = 1): GraphEdge {
  return { id: `${from} ${kind} ${to}`, from, to, kind, label: kind === "loop" ? "needs-fixes" : "done", taken };
}

/** The corners of a path. */
function pointsOf(path: string): { readonly x: number; readonly y: number }[] {
  return [...path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
}

describe("the ways between nodes", () => {
  const row = [node("a", 0, 0), node("b", 1, 0), node("c", 2, 0)];

  it("go straight to a neighbour, above others forward, and below them back", () => {
    const { edges } = routeEdges(row, [edge("a", "b"), edge("a", "c"), edge("c", "a", "loop")]);
    const [straight, above, below] = edges.map(({ path }) => pointsOf(path));
    expect(straight?.every(({ y }) => y > 0 && y < NODE.height)).toBe(true);
    expect(Math.min(...(above ?? []).map(({ y }) => y))).toBeLessThan(0);
    expect(Math.max(...(below ?? []).map(({ y }) => y))).toBeGreaterThan(NODE.height);
  });

  it("say how often they were taken, and why when it is not the usual way", () => {
    const { edges } = routeEdges(row, [
      edge("a", "b", "forward", 2),
      edge("c", "a", "loop", 3),
      edge("b", "c", "forward", 0),
    ]);
    expect(edges.map(({ text }) => text)).toEqual(["×2", "needs-fixes ×3", ""]);
  });

  it("go beside a node of the same column, not through it", () => {
    const nodes = [node("a", 0, 0), node("b", 0, 1), node("c", 1, 0), node("d", 2, 1)];
    const { edges } = routeEdges(nodes, [edge("b", "d"), edge("d", "a", "loop")]);
    const blocking = placeOf({ x: 0, y: 110 });
    const back = pointsOf(edges[1]?.path ?? "");
    const inside = back.slice(1).filter((to, index) => {
      const from = back[index] ?? to;
      return (
        Math.max(from.x, to.x) > blocking.x &&
        Math.min(from.x, to.x) < blocking.x + NODE.width &&
        Math.max(from.y, to.y) > blocking.y &&
        Math.min(from.y, to.y) < blocking.y + NODE.height
      );
    });
    expect(inside).toEqual([]);
  });

  it("have labels that do not lie on each other where ways cross", () => {
    const nodes = [node("a", 0, 0), node("b", 0, 1), node("c", 1, 0), node("d", 1, 1)];
    const { edges } = routeEdges(nodes, [edge("a", "d"), edge("b", "c")]);
    expect(overlapping(edges)).toEqual([]);
  });

  it("have labels that do not lie on each other, in any row of nodes", () => {
    const columns = fc.integer({ min: 3, max: 7 });
    fc.assert(
      fc.property(columns, fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 8 }), (width, pairs) => {
        const nodes = Array.from({ length: width }, (_, column) => node(`n${column}`, column, 0));
        const wanted = pairs
          .filter(([from, to]) => from !== to && from < width && to < width)
          .map(([from, to]) => edge(`n${from}`, `n${to}`, to < from ? "loop" : "forward"));
        const { edges, bounds } = routeEdges(nodes, [...new Map(wanted.map((one) => [one.id, one])).values()]);
        expect(overlapping(edges)).toEqual([]);
        for (const { label } of edges) expect(label.y >= bounds.y && label.y <= bounds.y + bounds.height).toBe(true);
      }),
    );
  });
});

/** Pairs of labels that cannot both be read. */
function overlapping(edges: readonly RoutedEdge[]): string[] {
  return edges.flatMap((one, index) =>
    edges
      .slice(index + 1)
      .filter((other) => {
        const widths = (one.text.length + other.text.length) * 6;
        return Math.abs(one.label.y - other.label.y) < 16 && Math.abs(one.label.x - other.label.x) < widths / 2;
      })
      .map((other) => `${one.edge.id} and ${other.edge.id}`),
  );
}
