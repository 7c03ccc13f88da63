export interface Place {
  readonly x: number;
  readonly y: number;
}

interface Arrow {
  readonly from: string;
  readonly to: string;
}

const COLUMN = 240;
const ROW = 110;

/**
 * Layers from left to right: each node one further than the furthest that leads to it, ways back left out. Within a
 * layer those come first whose predecessors do. The ends stand in the last layer.
 */
export function placeNodes(
  names: readonly string[],
  arrows: readonly Arrow[],
  ends: readonly string[],
): Map<string, Place> {
  const inner = names.filter((name) => !ends.includes(name));
  const layers = layersOf(inner, withoutWaysBack(inner, arrows));
  const last = Math.max(0, ...layers.values()) + 1;
  for (const name of names) if (ends.includes(name)) layers.set(name, last);
  const places = new Map<string, Place>();
  for (let layer = 0; layer <= last; layer++) {
    const column = names.filter((name) => layers.get(name) === layer);
    const wish = (name: string): number => meanRow(name, arrows, places);
    column.sort((left, right) => wish(left) - wish(right));
    for (const [row, name] of column.entries())
      places.set(name, { x: layer * COLUMN, y: Math.round((row - (column.length - 1) / 2) * ROW) });
  }
  return lifted(places);
}

/** Of those before it; what has none stays where the file has it. */
function meanRow(name: string, arrows: readonly Arrow[], places: ReadonlyMap<string, Place>): number {
  const rows = arrows.flatMap(({ from, to }) => (to === name ? [places.get(from)?.y ?? 0] : []));
  return rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length;
}

/** Depth first, in the order of the file: what leads to a node that is still being walked leads back. */
function withoutWaysBack(names: readonly string[], arrows: readonly Arrow[]): Arrow[] {
  const kept: Arrow[] = [];
  const seen = new Set<string>();
  const walking = new Set<string>();
  const walk = (name: string): void => {
    seen.add(name);
    walking.add(name);
    for (const arrow of arrows) {
      if (arrow.from !== name || !names.includes(arrow.to) || walking.has(arrow.to)) continue;
      kept.push(arrow);
      if (!seen.has(arrow.to)) walk(arrow.to);
    }
    walking.delete(name);
  };
  for (const name of names) if (!seen.has(name)) walk(name);
  return kept;
}

function layersOf(names: readonly string[], arrows: readonly Arrow[]): Map<string, number> {
  const layers = new Map(names.map((name) => [name, name === "start" ? 0 : 1]));
  // As many rounds as there are nodes are enough: without ways back no path is longer.
  for (let round = 0; round < names.length; round++) {
    let moved = false;
    for (const { from, to } of arrows) {
      const wanted = (layers.get(from) ?? 0) + 1;
      if (wanted <= (layers.get(to) ?? 0)) continue;
      layers.set(to, wanted);
      moved = true;
    }
    if (!moved) break;
  }
  return layers;
}

/** So that the highest stands at zero. */
function lifted(places: ReadonlyMap<string, Place>): Map<string, Place> {
  const top = Math.min(0, ...[...places.values()].map(({ y }) => y));
  return new Map([...places].map(([name, { x, y }]) => [name, { x, y: y - top }]));
}
