import type { Event } from "../workflow/event.ts";

/** An event with where and when it was stored. */
export interface TimedEvent {
  /** Over all runs. */
  readonly position: number;
  readonly at: number;
  readonly event: Event;
}
