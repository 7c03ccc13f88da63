import type { GraphEdge, GraphNode } from "../../../src/api/answers.ts";
import type { Box, Known, Point, Side } from "./drawn-way.ts";
import { placeLabels } from "./place-labels.ts";

interface Routes {
  readonly edges: readonly RoutedEdge[];
  readonly bounds: Box;
}

export interface RoutedEdge {
  readonly edge: GraphEdge;
  /** For an SVG path. */
  readonly path: string;
  readonly label: Point;
  readonly text: string;
}

export const NODE = { width: 146, height: 50 } as const;
/** The server leaves wide gaps; closer together more of them can be read at once. */
const SQUEEZE = { x: 0.79, y: 0.82 } as const;
const LANE = 24;
const ROUND = 10;
/** How far beside its column an edge goes around other nodes. */
const BESIDE = 16;

export function placeOf({ x, y }: Point): Point {
  return { x: Math.round(x * SQUEEZE.x), y: Math.round(y * SQUEEZE.y) };
}

/**
 * The server says where nodes stand; this finds a way for each edge that crosses none of them. Edges to a free
 * neighbour go straight; other ways forward go in lanes above, ways back in lanes below, the short ones inside.
 */
export function routeEdges(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Routes {
  const boxes = new Map(nodes.map((node) => [node.id, { ...placeOf(node), ...NODE }]));
  const known = edges.flatMap((edge) => {
    const from = boxes.get(edge.from);
    const to = boxes.get(edge.to);
    return from === undefined || to === undefined ? [] : [{ edge, from, to, side: sideOf(edge, from, to, boxes) }];
  });
  const ports = portsOf(known);
  const lanes = new Map([...lanesOf(known, "above"), ...lanesOf(known, "below")]);
  const top = Math.min(...[...boxes.values()].map(({ y }) => y));
  const bottom = Math.max(...[...boxes.values()].map(({ y }) => y + NODE.height));
  const routes = known.map((one) => {
    const lane = (lanes.get(one.edge.id) ?? 0) + 1;
    const level = one.side === "above" ? top - lane * LANE : bottom + lane * LANE;
    return { ...one, level, points: pointsOf(one, { ports, boxes: [...boxes.values()] }, level) };
  });
  const drawn = placeLabels(routes, [...boxes.values()]).map(({ edge, side, points, label, text }) => ({
    edge,
    path: side === "straight" ? curve(points) : rounded(points),
    label,
    text,
  }));
  return {
    edges: drawn,
    bounds: boundsOf(
      [...boxes.values()],
      routes.flatMap(({ points }) => points),
    ),
  };
}

/** Everything that is drawn, with room for the labels of the outermost lanes. */
function boundsOf(boxes: readonly Box[], points: readonly Point[]): Box {
  const xs = [...boxes.flatMap(({ x, width }) => [x, x + width]), ...points.map(({ x }) => x)];
  const ys = [...boxes.flatMap(({ y, height }) => [y, y + height]), ...points.map(({ y }) => y)];
  const x = Math.min(...xs);
  const y = Math.min(...ys) - 12;
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) + 12 - y };
}

function sideOf(edge: GraphEdge, from: Box, to: Box, boxes: ReadonlyMap<string, Box>): Side {
  if (to.x <= from.x) return "below";
  const start = { x: from.x + NODE.width, y: from.y + NODE.height / 2 };
  const end = { x: to.x, y: to.y + NODE.height / 2 };
  const others = [...boxes].filter(([id]) => id !== edge.from && id !== edge.to).map(([, box]) => box);
  return others.some((box) => crosses(start, end, box)) ? "above" : "straight";
}

/** Whether the line comes near a box. */
function crosses(start: Point, end: Point, box: Box): boolean {
  const left = Math.max(start.x, box.x - 8);
  const right = Math.min(end.x, box.x + box.width + 8);
  if (left >= right) return false;
  const at = (x: number): number => start.y + ((end.y - start.y) * (x - start.x)) / (end.x - start.x);
  const low = Math.min(at(left), at(right));
  const high = Math.max(at(left), at(right));
  return high > box.y - 8 && low < box.y + box.height + 8;
}

/** Several edges on one side of a node leave and come in beside each other. Keys: id and end. */
function portsOf(known: readonly Known[]): Map<string, number> {
  const ends = known.flatMap((one) => [
    {
      key: `${one.edge.id} out`,
      at: `${one.edge.from} ${one.side === "straight" ? "right" : one.side}`,
      towards: one.to,
      side: one.side,
    },
    {
      key: `${one.edge.id} in`,
      at: `${one.edge.to} ${one.side === "straight" ? "left" : one.side}`,
      towards: one.from,
      side: one.side,
    },
  ]);
  const ports = new Map<string, number>();
  for (const group of Map.groupBy(ends, ({ at }) => at).values()) {
    const sorted = group.toSorted((a, b) =>
      a.side === "straight" ? a.towards.y - b.towards.y : a.towards.x - b.towards.x,
    );
    const step = Math.min(16, 100 / group.length);
    for (const [index, { key }] of sorted.entries()) ports.set(key, (index - (sorted.length - 1) / 2) * step);
  }
  return ports;
}

/** The lowest free lane for each, the shortest first. */
function lanesOf(known: readonly Known[], side: Side): Map<string, number> {
  const spans = known
    .filter((one) => one.side === side)
    .map(({ edge, from, to }) => ({
      id: edge.id,
      left: Math.min(from.x, to.x),
      right: Math.max(from.x, to.x) + NODE.width,
    }))
    .toSorted((a, b) => a.right - a.left - (b.right - b.left));
  const lanes: { readonly left: number; readonly right: number }[][] = [];
  const found = new Map<string, number>();
  for (const span of spans) {
    let lane = lanes.findIndex((taken) => taken.every(({ left, right }) => span.right <= left || span.left >= right));
    if (lane === -1) lane = lanes.push([]) - 1;
    lanes[lane]?.push(span);
    found.set(span.id, lane);
  }
  return found;
}

function pointsOf({ edge, from, to, side }: Known, around: Around, level: number): Point[] {
  const out = around.ports.get(`${edge.id} out`) ?? 0;
  const into = around.ports.get(`${edge.id} in`) ?? 0;
  if (side === "straight") {
    return [
      { x: from.x + NODE.width, y: from.y + NODE.height / 2 + Math.max(-16, Math.min(16, out)) },
      { x: to.x, y: to.y + NODE.height / 2 + Math.max(-16, Math.min(16, into)) },
    ];
  }
  const start = legOf({ box: from, port: out, gap: NODE.width }, side, around.boxes, level);
  const end = legOf({ box: to, port: into, gap: 0 }, side, around.boxes, level);
  return [...start, ...end.toReversed()];
}

interface Around {
  readonly ports: ReadonlyMap<string, number>;
  readonly boxes: readonly Box[];
}

/** From a node to its lane: straight up or down, or beside its column when another node of it stands in the way. */
function legOf(
  { box, port, gap }: { readonly box: Box; readonly port: number; readonly gap: number },
  side: Side,
  boxes: readonly Box[],
  level: number,
): Point[] {
  const isAbove = side === "above";
  const isBlocked = boxes.some((other) => other.x === box.x && (isAbove ? other.y < box.y : other.y > box.y));
  if (!isBlocked) {
    const x = box.x + NODE.width / 2 + port;
    return [
      { x, y: isAbove ? box.y : box.y + NODE.height },
      { x, y: level },
    ];
  }
  const edge = box.x + gap;
  const x = edge + (gap > 0 ? 1 : -1) * (BESIDE + port / 3);
  const y = box.y + NODE.height / 2 + (isAbove ? -10 : 10);
  return [
    { x: edge, y },
    { x, y },
    { x, y: level },
  ];
}

function curve([start, end]: readonly Point[]): string {
  if (start === undefined || end === undefined) return "";
  const bend = Math.max(24, (end.x - start.x) / 2);
  return `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`;
}

/** Straight pieces with round corners. */
function rounded(points: readonly Point[]): string {
  const [start, ...rest] = points;
  if (start === undefined) return "";
  let path = `M${start.x} ${start.y}`;
  for (const [index, corner] of rest.entries()) {
    const before = points[index];
    const after = rest[index + 1];
    if (before === undefined || after === undefined) {
      path += `L${corner.x} ${corner.y}`;
      continue;
    }
    const near = towards(corner, before);
    const far = towards(corner, after);
    path += `L${near.x} ${near.y}Q${corner.x} ${corner.y} ${far.x} ${far.y}`;
  }
  return path;
}

function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const part = length === 0 ? 0 : Math.min(ROUND, length / 2) / length;
  return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
}
