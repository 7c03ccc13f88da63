import type { ClaimKind, Judgement } from "../claim.ts";
import { type Effort, folderOf, pathMatcher } from "../path-pattern.ts";
import type { Evidence, ObservedChange, ObservedLedger } from "../observations.ts";
import { claimedPath } from "../claimed-path.ts";
import { readPlace } from "../wording.ts";

/** The part of a judgement that a judge returns. */
export type ClaimFinding = Pick<
  Judgement,
  "verdict" | "procedure" | "evidence" | "lacksGate" | "isUnnamed" | "isDoubtful"
> & {
  /** Given when the evidence shows that the claim is of another kind than its words tell. */
  readonly kind?: ClaimKind;
};

/** The evidence, with its changes and issues indexed once for all claims. */
export interface JudgeContext extends Evidence {
  readonly index: ChangeIndex;
  /** Null where there is no run. */
  readonly issues: LedgerIndex | null;
  /** The budget for comparing patterns, shared by all claims. */
  readonly effort: Effort;
}

export function confirmed(procedure: string, evidence: string): ClaimFinding {
  return { verdict: "confirmed", procedure, evidence };
}

export function refuted(procedure: string, evidence: string): ClaimFinding {
  return { verdict: "refuted", procedure, evidence };
}

export function unverifiable(procedure: string, evidence: string): ClaimFinding {
  return { verdict: "unverifiable", procedure, evidence };
}

/** Unverifiable, and told: nothing that is known fits the claim. */
export function doubtful(procedure: string, evidence: string): ClaimFinding {
  return { verdict: "unverifiable", procedure, evidence, isDoubtful: true };
}

/** For a path that is not read. A file may have an odd name, so such a claim is not untrue for its name alone. */
export function unread({ why, mayBeName }: { readonly why: string; readonly mayBeName: boolean }): ClaimFinding {
  const evidence = `This path is not looked at: ${why}.`;
  return mayBeName ? unverifiable(NOT_OBSERVED, evidence) : refuted(NOT_OBSERVED, evidence);
}

/** The claim was judged by its text alone. */
export const NOT_OBSERVED = "not looked at";
export const NO_PROCEDURE = "no procedure";
export const PRESENCE = "look at the file in the workspace";
export const LEDGER_LOOKUP = "look into the issue ledger of the run";

export const SHALLOW = "The clone is shallow: it may be among what was not fetched.";
export const TOO_SHORT = "So few digits may be the beginning of several commit ids; 7 and more are looked for.";

export const TOO_MUCH = "Its patterns are too much to be compared with all changed files.";

export function diffProcedure({ observations }: Evidence): string {
  return `git diff against ${observations.base ?? "nothing"}`;
}

/** The number of files for each kind of change. */
export type Tally = Readonly<Record<ObservedChange["change"], number>>;

/**
 * The changed files in sorted order, so that a folder or a pattern finds its files without a scan of all of them.
 * Results are cached: a handoff may name one folder many thousand times.
 */
export class ChangeIndex {
  readonly #changes: ReadonlyMap<string, ObservedChange>;
  readonly #own: ReadonlySet<string>;
  readonly #tallies = new Map<string, Tally>();
  #sorted: readonly string[] | null = null;
  #former: Map<string, string> | null = null;
  #spellings: Map<string, string> | null = null;

  /** Files of the handoff itself are no work: they do not count in a folder or a pattern. */
  constructor(changes: ReadonlyMap<string, ObservedChange>, ownFiles: readonly string[]) {
    this.#changes = changes;
    this.#own = new Set(ownFiles);
  }

  get(path: string): ObservedChange | undefined {
    return this.#changes.get(path);
  }

  entries(): Iterable<[string, ObservedChange]> {
    return this.#changes.entries();
  }

  /** The former names of renamed files with the new ones; a former name does not count as deleted. */
  formerNames(): ReadonlyMap<string, string> {
    if (this.#former !== null) return this.#former;
    this.#former = new Map();
    for (const [path, { from }] of this.#changes) if (from !== undefined) this.#former.set(from, path);
    return this.#former;
  }

  /** A changed file whose name differs in its Unicode form only. */
  spelledLike(path: string): string | undefined {
    if (/^[\0-\x7f]*$/.test(path)) return undefined;
    if (this.#spellings === null) {
      this.#spellings = new Map();
      for (const name of this.#changes.keys()) this.#spellings.set(name.normalize("NFC"), name);
    }
    return this.#spellings.get(path.normalize("NFC"));
  }

  tallyBelow(folder: string): Tally {
    return this.#cached(`${folder}/`, () => this.#below(folder));
  }

  /** Compares only files below the pattern's own folder. */
  tallyMatching(pattern: string, effort: Effort): Tally {
    return this.#cached(pattern, () => {
      if (effort.left <= 0) return [];
      return this.#below(folderOf(pattern) ?? ".").filter(pathMatcher(pattern, effort));
    });
  }

  #cached(key: string, find: () => readonly string[]): Tally {
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
    const sorted = (this.#sorted ??= [...this.#changes.keys()].filter((path) => !this.#own.has(path)).sort());
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

/** The issues of a run by id and by file. */
export class LedgerIndex {
  readonly #byId = new Map<string, ObservedLedger>();
  readonly #byFile = new Map<string, ObservedLedger[]>();
  /** A failed check is an issue without a place. */
  readonly hasSomeWithoutFile: boolean;

  constructor(issues: readonly ObservedLedger[]) {
    this.hasSomeWithoutFile = issues.some(({ location }) => location === null || fileOf(location) === null);
    for (const issue of issues) {
      this.#byId.set(issue.id, issue);
      // Where two agents use one id, the ledger adds the agent's name to it.
      const at = issue.id.lastIndexOf("@");
      const plain = at > 0 ? issue.id.slice(0, at) : issue.id;
      if (!this.#byId.has(plain)) this.#byId.set(plain, issue);
      const file = issue.location === null ? null : fileOf(issue.location);
      if (file !== null) this.#byFile.set(file, [...(this.#byFile.get(file) ?? []), issue]);
    }
  }

  find(id: string): ObservedLedger | undefined {
    return this.#byId.get(id);
  }

  inFile(path: string): readonly ObservedLedger[] {
    return this.#byFile.get(path) ?? [];
  }
}

function fileOf(location: string): string | null {
  const claimed = claimedPath(readPlace(location).path);
  return claimed.isSafe ? claimed.path : null;
}
