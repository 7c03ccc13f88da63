import type { StoredEntry } from "../ports/event-log.ts";
import type { Event } from "../workflow/event.ts";
import { EMPTY_RUN, evolve } from "../workflow/evolve.ts";
import type { RunState } from "../workflow/state.ts";

export interface Decision {
  readonly events: readonly Event[];
  readonly before: RunState;
  /** After it. */
  readonly state: RunState;
  readonly at: number;
}

/** A decision is an input and all that follows from it. */
export function decisionsIn(entries: readonly StoredEntry[]): Decision[] {
  const decisions: Decision[] = [];
  let [before, state] = [EMPTY_RUN, EMPTY_RUN];
  let events: Event[] = [];
  for (const [at, entry] of entries.entries()) {
    if (entry.kind !== "input") {
      const event = entry.data as unknown as Event;
      events.push(event);
      state = evolve(state, event);
    }
    const next = entries[at + 1];
    if (events.length > 0 && (next === undefined || next.kind === "input")) {
      decisions.push({ events, before, state, at: entry.at });
      before = state;
      events = [];
    }
  }
  return decisions;
}
