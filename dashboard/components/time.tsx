import { type ReactNode, useSyncExternalStore } from "react";
import { exactTime, relativeTime, spanOf } from "./format.ts";

/** A moment, in words and in the reader's zone; the exact time on hover. */
export function When({ at }: { readonly at: number }): ReactNode {
  const now = useNow();
  return (
    <time dateTime={isoTime(at)} title={exactTime(at)} className="when">
      {relativeTime(at, now)}
    </time>
  );
}

/** For how long; goes on while there is no end. */
export function Took({ from, to }: { readonly from: number; readonly to: number | null }): ReactNode {
  const now = useNow();
  return (
    <span className="when" title={`from ${exactTime(from)}${to === null ? "" : ` to ${exactTime(to)}`}`}>
      {spanOf(Math.max(0, (to ?? now) - from))}
    </span>
  );
}

function isoTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

/** One clock for all that is shown. */
const TICK = 1_000;
const watchers = new Set<() => void>();
let ticking: number | null = null;
let now = Date.now();

function watchClock(watcher: () => void): () => void {
  watchers.add(watcher);
  ticking ??= window.setInterval(() => {
    now = Date.now();
    for (const each of watchers) each();
  }, TICK);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0 || ticking === null) return;
    clearInterval(ticking);
    ticking = null;
  };
}

export function useNow(): number {
  return useSyncExternalStore(watchClock, () => now);
}
