import type { Event } from "./event.ts";
import type { RunState } from "./state.ts";

/** One handler for each kind of event: the state after it. */
export type Handlers<Kind extends Event["kind"]> = {
  readonly [K in Kind]: (state: RunState, event: Extract<Event, { kind: K }>) => RunState;
};
