import type { JsonPath } from "../shared/json-value.ts";

export interface Follower {
  readonly name: string;
  readonly path: JsonPath;
}

interface Cycle {
  /** The names along the cycle; the first one is repeated at the end. */
  readonly names: readonly string[];
  /** The edge that closes it. */
  readonly path: JsonPath;
}

/**
 * Depth-first search without recursion, because chains of tasks may be long. Returns one cycle for each edge that
 * closes one.
 */
export function findCycles(names: readonly string[], following: (name: string) => readonly Follower[]): Cycle[] {
  const cycles: Cycle[] = [];
  const finished = new Set<string>();
  for (const start of names) if (!finished.has(start)) walk(start, following, finished, cycles);
  return cycles;
}

function walk(
  start: string,
  following: (name: string) => readonly Follower[],
  finished: Set<string>,
  cycles: Cycle[],
): void {
  const trail = [{ name: start, steps: following(start), taken: 0 }];
  const onTrail = new Map([[start, 0]]);
  for (let last = trail.at(-1); last !== undefined; last = trail.at(-1)) {
    const next = last.steps[last.taken++];
    if (next === undefined) {
      trail.pop();
      onTrail.delete(last.name);
      finished.add(last.name);
      continue;
    }
    const place = onTrail.get(next.name);
    if (place !== undefined) {
      const names = [...trail.slice(place).map(({ name }) => name), next.name];
      if (cycles.length < MAX_CYCLES) cycles.push({ names, path: next.path });
    } else if (!finished.has(next.name)) {
      onTrail.set(next.name, trail.length);
      trail.push({ name: next.name, steps: following(next.name), taken: 0 });
    }
  }
}

const MAX_CYCLES = 100;
