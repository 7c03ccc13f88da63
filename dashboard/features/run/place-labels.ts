import type { GraphEdge } from "../../../src/api/answers.ts";
import type { Box, Known, Point } from "./drawn-way.ts";

interface Route extends Known {
  /** Of its lane. */
  readonly level: number;
  readonly points: readonly Point[];
}

interface Labelled extends Route {
  readonly label: Point;
  readonly text: string;
}

const LETTER = 6.4;
const LABEL_HEIGHT = 18;
const MAX_LETTERS = 22;
/** Where along its way a label may stand, the best place first. */
const PLACES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.12, 0.88];

/** Each label on its own edge, away from nodes and from other labels; those that were taken choose first. */
export function placeLabels(routes: readonly Route[], nodes: readonly Box[]): Labelled[] {
  const taken: Box[] = [...nodes];
  const places = new Map<string, Point>();
  for (const route of routes.toSorted((left, right) => right.edge.taken - left.edge.taken)) {
    const size = { width: widthOf(labelText(route)), height: LABEL_HEIGHT };
    const candidates = PLACES.map((share) => pointAt(route, share));
    const free = candidates.find((point) => !taken.some((box) => overlap(boxAround(point, size), box)));
    const place = free ?? candidates[0] ?? { x: 0, y: 0 };
    places.set(route.edge.id, place);
    taken.push(boxAround(place, size));
  }
  return routes.map((route) => ({
    ...route,
    label: places.get(route.edge.id) ?? { x: 0, y: 0 },
    text: labelText(route),
  }));
}

const WORDS: Readonly<Record<GraphEdge["kind"], (label: string) => string>> = {
  // The usual way needs no word: how often says enough.
  forward: (label) => (label.startsWith("done") ? "" : label),
  loop: (label) => label,
  failure: () => "failed",
  blocked: () => "blocked",
  gate: () => "gate failed",
  person: () => "asked",
};

/** Between neighbours there is room for a word or two; what does not fit stands in the list. */
function labelText({ edge: { label, kind, taken }, side, points }: Route): string {
  const often = taken > 0 ? `×${taken}` : "";
  const words = WORDS[kind](label);
  const cut = words.length > MAX_LETTERS ? `${words.slice(0, MAX_LETTERS - 1)}…` : words;
  const whole = [cut, often].filter((part) => part !== "").join(" ");
  const room = side === "straight" ? (points[1]?.x ?? 0) - (points[0]?.x ?? 0) : Number.POSITIVE_INFINITY;
  return widthOf(whole) < room ? whole : often;
}

function widthOf(text: string): number {
  return text.length * LETTER + 10;
}

/** Straight ways from end to end; ways in lanes only along the lane. */
function pointAt({ side, points, level }: Route, share: number): Point {
  const [from, to] = side === "straight" ? points : points.filter(({ y }) => y === level);
  if (from === undefined || to === undefined) return { x: 0, y: 0 };
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

function boxAround({ x, y }: Point, { width, height }: { readonly width: number; readonly height: number }): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

function overlap(left: Box, right: Box): boolean {
  return (
    left.x < right.x + right.width &&
    right.x < left.x + left.width &&
    left.y < right.y + right.height &&
    right.y < left.y + left.height
  );
}
