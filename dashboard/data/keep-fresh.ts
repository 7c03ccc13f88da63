import type { Query, QueryClient } from "@tanstack/react-query";
import type { Batch } from "./live-feed.ts";

/** Figures over many runs are dear to make: not more often than this. */
const FIGURES_EVERY = 5_000;
const RUNS_EVERY = 500;

/** Lists whose pages hang on each other: asked for as a whole, they would come page after page. */
const GROWS: ReadonlySet<string> = new Set(["runs", "audit"]);
const CHANGES_INBOX = /^(?:ask|run|task|command)-/;
const CHANGES_FACTS = /^(?:fact|handoff|claims|gate|run)-/;

/**
 * Asks again for what a batch has changed, and for nothing else. Lists that grow (runs, events, the log) look after
 * themselves.
 */
export function keepFresh(client: QueryClient): (batch: Batch) => void {
  const figures = throttled(() => void client.invalidateQueries({ queryKey: ["metrics"] }), FIGURES_EVERY);
  const runsOf = runRefresher(client);
  return ({ entries, runs, wasCut }) => {
    if (wasCut) {
      void client.invalidateQueries({
        predicate: ({ queryKey }) => !GROWS.has(String(queryKey[0])) && queryKey[2] !== "events",
      });
      return;
    }
    runsOf(runs);
    const kinds = entries.map(({ kind }) => kind);
    const touches = (pattern: RegExp): boolean => kinds.length === 0 || kinds.some((kind) => pattern.test(kind));
    if (touches(CHANGES_INBOX)) void client.invalidateQueries({ queryKey: ["inbox"] });
    if (touches(CHANGES_FACTS)) void client.invalidateQueries({ queryKey: ["facts"] });
    figures();
  };
}

/** A question that is under way is not asked anew before it was answered: a busy run would never be shown. */
function runRefresher(client: QueryClient): (runs: ReadonlySet<string>) => void {
  const changed = new Set<string>();
  const refresh = throttled(() => {
    if (client.isFetching({ predicate: (query) => isOf(query, changed) }) > 0) {
      setTimeout(refresh, RUNS_EVERY);
      return;
    }
    const runs = new Set(changed);
    changed.clear();
    void client.invalidateQueries({ predicate: (query) => isOf(query, runs) });
  }, RUNS_EVERY);
  return (runs) => {
    for (const run of runs) changed.add(run);
    refresh();
  };
}

/** Of one of these runs, or of the unique beginning of its id; its events are appended, not asked for again. */
function isOf({ queryKey: [what, id, of] }: Query, runs: ReadonlySet<string>): boolean {
  if (what !== "run" || typeof id !== "string" || of === "events") return false;
  return [...runs].some((run) => run.startsWith(id));
}

/** At once the first time, then at most once in that time, and never forgets the last. */
export function throttled(act: () => void, every: number): () => void {
  let waiting = false;
  let isDue = false;
  const run = (): void => {
    if (waiting) {
      isDue = true;
      return;
    }
    waiting = true;
    isDue = false;
    act();
    setTimeout(() => {
      waiting = false;
      if (isDue) run();
    }, every);
  };
  return run;
}
