import type { Event } from "./event.ts";
import { LEDGER_EVENTS } from "./evolve-ledger.ts";
import { STEP_EVENTS } from "./evolve-steps.ts";
import { TASK_EVENTS } from "./evolve-tasks.ts";
import type { Handlers } from "./handlers.ts";
import type { RunState } from "./state.ts";

const HANDLERS: Handlers<Event["kind"]> = { ...TASK_EVENTS, ...STEP_EVENTS, ...LEDGER_EVENTS };

/** The state after an event. Total and pure: what was recorded is never judged again. */
export function evolve(state: RunState, event: Event): RunState {
  const handler = HANDLERS[event.kind] as (state: RunState, event: Event) => RunState;
  return handler(state, event);
}

export const EMPTY_RUN: RunState = {
  run: "",
  name: "",
  workflow: "",
  status: "running",
  reason: null,
  startedAt: 0,
  endedAt: null,
  brief: "",
  iteration: 1,
  tasks: {},
  steps: 0,
  ledger: {},
  loops: [],
  asks: {},
  asked: 0,
  timers: {},
  spent: {
    agent: 0,
    tokens: 0,
    money: 0,
    unknownTokens: 0,
    unknownMoney: 0,
    possibleTokens: 0,
    possibleMoney: 0,
  },
  known: {},
  notices: {},
  approved: [],
};
