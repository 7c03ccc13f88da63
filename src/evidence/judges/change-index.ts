import { type Effort, folderOf, pathMatcher } from "../path-pattern.ts";
import type { ChangeSight } from "../sightings.ts";

/** The changed files, in order, so that a folder or a pattern finds its own without walking through all. */
export class ChangeIndex {
  readonly #changes: ReadonlyMap<string, ChangeSight>;
  #sorted: string[] | null = null;
  #former: Map<string, string> | null = null;

  constructor(changes: ReadonlyMap<string, ChangeSight>) {
    this.#changes = changes;
  }

  get(path: string): ChangeSight | undefined {
    return this.#changes.get(path);
  }

  /** Names that renamed files had before; their going is a part of the renaming. */
  formerNames(): ReadonlyMap<string, string> {
    if (this.#former !== null) return this.#former;
    this.#former = new Map();
    for (const [path, { from }] of this.#changes) if (from !== undefined) this.#former.set(from, path);
    return this.#former;
  }

  entries(): Iterable<[string, ChangeSight]> {
    return this.#changes.entries();
  }

  below(folder: string): string[] {
    const sorted = (this.#sorted ??= [...this.#changes.keys()].sort());
    if (folder === ".") return sorted;
    const start = `${folder}/`;
    const found: string[] = [];
    for (let at = firstFrom(sorted, start); sorted[at]?.startsWith(start) === true; at++) found.push(sorted[at] ?? "");
    return found;
  }

  /** Only those below the pattern's own folder are compared. */
  matching(pattern: string, effort: Effort): string[] {
    const folder = folderOf(pattern);
    const candidates = folder === null ? [...this.#changes.keys()] : this.below(folder);
    return candidates.filter(pathMatcher(pattern, effort));
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
