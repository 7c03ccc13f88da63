import { type Effort, folderOf, pathMatcher } from "../path-pattern.ts";
import type { ChangeSight } from "../sightings.ts";

/** How many files changed in which way. */
export type Tally = Readonly<Record<ChangeSight["change"], number>>;

/**
 * The changed files, in order, so that a folder or a pattern finds its own without walking through all. What was
 * found is kept: a handoff may name one folder many thousand times.
 */
export class ChangeIndex {
  readonly #changes: ReadonlyMap<string, ChangeSight>;
  readonly #tallies = new Map<string, Tally>();
  #sorted: readonly string[] | null = null;
  #former: Map<string, string> | null = null;

  constructor(changes: ReadonlyMap<string, ChangeSight>) {
    this.#changes = changes;
  }

  get(path: string): ChangeSight | undefined {
    return this.#changes.get(path);
  }

  entries(): Iterable<[string, ChangeSight]> {
    return this.#changes.entries();
  }

  /** Names that renamed files had before, with their new ones; their going is a part of the renaming. */
  formerNames(): ReadonlyMap<string, string> {
    if (this.#former !== null) return this.#former;
    this.#former = new Map();
    for (const [path, { from }] of this.#changes) if (from !== undefined) this.#former.set(from, path);
    return this.#former;
  }

  tallyBelow(folder: string): Tally {
    return this.#kept(`${folder}/`, () => this.#below(folder));
  }

  /** Only those below the pattern's own folder are compared. */
  tallyMatching(pattern: string, effort: Effort): Tally {
    return this.#kept(pattern, () => {
      if (effort.left <= 0) return [];
      return this.#below(folderOf(pattern) ?? ".").filter(pathMatcher(pattern, effort));
    });
  }

  #kept(key: string, find: () => readonly string[]): Tally {
    const known = this.#tallies.get(key) ?? this.#tally(find());
    this.#tallies.set(key, known);
    return known;
  }

  #tally(paths: readonly string[]): Tally {
    const tally = { created: 0, modified: 0, deleted: 0, renamed: 0 };
    for (const path of paths) {
      const change = this.#changes.get(path)?.change;
      if (change !== undefined) tally[change]++;
    }
    return tally;
  }

  #below(folder: string): readonly string[] {
    const sorted = (this.#sorted ??= [...this.#changes.keys()].sort());
    if (folder === ".") return sorted;
    const start = `${folder}/`;
    const first = firstFrom(sorted, start);
    let end = first;
    while (sorted[end]?.startsWith(start) === true) end++;
    return sorted.slice(first, end);
  }
}

function firstFrom(sorted: readonly string[], start: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? "") < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
