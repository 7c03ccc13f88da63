import type { JsonRecord } from "../shared/json-value.ts";
import type { Event } from "../workflow/event.ts";
import { type Tone, eventLine } from "./event-line.ts";

/** One event in words, and as it is stored. */
export interface EventItem {
  /** Over all runs; only grows. */
  readonly position: number;
  readonly run: string;
  readonly sequence: number;
  readonly at: number;
  readonly kind: string;
  readonly tone: Tone;
  /** Null for what only the machine cares about. */
  readonly text: string | null;
  /** Null once it was pruned. */
  readonly data: unknown;
}

type Entry = Pick<EventItem, "position" | "run" | "sequence" | "at" | "kind"> & { readonly data: JsonRecord | null };

export function eventItem({ position, run, sequence, at, kind, data }: Entry): EventItem {
  const line = data === null || kind === "input" ? null : lineOf(data as unknown as Event);
  return { position, run, sequence, at, kind, tone: line?.tone ?? "quiet", text: line?.text ?? null, data };
}

/** A newer baton may have written events that this one has no words for. */
function lineOf(event: Event): ReturnType<typeof eventLine> {
  try {
    return eventLine(event);
  } catch {
    return null;
  }
}
