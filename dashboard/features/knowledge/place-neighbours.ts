import type { FactGraph } from "../../../src/api/answers.ts";

export interface PlacedNode {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly x: number;
  readonly y: number;
}

const COLUMN = 276;
const ROW = 52;

/** Columns by how far a node is from the fact; within a column by kind, then as they came. */
export function placeNeighbours({ nodes, edges }: FactGraph, root: string): PlacedNode[] {
  const distances = distancesFrom(root, edges);
  const columns = Map.groupBy(nodes, ({ id }) => distances.get(id) ?? 1);
  return [...columns].flatMap(([distance, column]) =>
    column
      .toSorted((left, right) => left.kind.localeCompare(right.kind))
      .map((node, row) => ({ ...node, x: distance * COLUMN, y: Math.round((row - (column.length - 1) / 2) * ROW) })),
  );
}

function distancesFrom(root: string, edges: FactGraph["edges"]): Map<string, number> {
  const distances = new Map([[root, 0]]);
  let front = [root];
  while (front.length > 0) {
    const next: string[] = [];
    for (const { from, to } of edges) {
      const other = front.includes(from) ? to : front.includes(to) ? from : null;
      if (other === null || distances.has(other)) continue;
      next.push(other);
    }
    const distance = Math.max(...distances.values()) + 1;
    for (const id of next) distances.set(id, distance);
    front = [...new Set(next)];
  }
  return distances;
}
