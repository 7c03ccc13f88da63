import type { Fact, Severity } from "./fact.ts";
import type { CheckedFact, WeighedFact } from "./packet.ts";
import { keywordsIn } from "./words.ts";

/** What the work is about, for telling near facts from far ones. */
export interface WorkSignals {
  readonly run: string;
  /** Tasks it stands on. */
  readonly tasks: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  readonly now: number;
}

/** By nearness, nearest first; ties by id, so that the same facts always stand in the same order. */
export function weighFacts(candidates: readonly CheckedFact[], signals: WorkSignals): WeighedFact[] {
  return candidates
    .map(({ fact, freshness }) => ({ fact, freshness, score: scoreOf(fact, signals) }))
    .sort((left, right) => right.score - left.score || (left.fact.id < right.fact.id ? -1 : 1));
}

const SEVERITY: Readonly<Record<Severity, number>> = { critical: 4, high: 3, medium: 1, low: 0 };
const DAY = 86_400_000;

/**
 * Lineage counts most, then files, tags and words it shares with the work, how bad it is, how young, and how often
 * work that was given it went well.
 */
function scoreOf(fact: Fact, { run, tasks, tags, words, files, now }: WorkSignals): number {
  const own = fact.witnesses.filter((witness) => witness.run === run);
  const lineage = own.some(({ task }) => tasks.has(task)) ? 8 : own.length > 0 ? 2 : 0;
  const shared = {
    files: fact.files.filter((path) => files.has(path)).length,
    tags: fact.tags.filter((tag) => tags.has(tag)).length,
    words: keywordsIn(fact.text).filter((word) => words.has(word)).length,
  };
  const age = Math.max(0, now - (fact.witnesses.at(-1)?.at ?? 0)) / DAY;
  return (
    lineage +
    3 * Math.min(3, shared.files) +
    2 * Math.min(4, shared.tags) +
    Math.min(5, shared.words) +
    (fact.severity === null ? 0 : SEVERITY[fact.severity]) +
    2 / (1 + age / 7) +
    Math.min(2, Math.log2(1 + fact.helped)) +
    Math.min(1, 0.5 * (fact.witnesses.length - 1))
  );
}
