import type { Workflow } from "./definition.ts";
import { Draft } from "./draft.ts";
import type { Effect } from "./effect.ts";
import type { Event } from "./event.ts";
import type { Input } from "./input.ts";
import { answerAsk } from "./rules/answer-ask.ts";
import { cancelRun } from "./rules/cancel-run.ts";
import { endAttempt } from "./rules/end-attempt.ts";
import { fireTimer } from "./rules/fire-timer.ts";
import { passGate } from "./rules/pass-gate.ts";
import { retryRun } from "./rules/retry-run.ts";
import { scheduleTasks } from "./rules/schedule-tasks.ts";
import { startRun } from "./rules/start-run.ts";
import type { RunState } from "./state.ts";

export interface Decision {
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
  readonly state: RunState;
}

/** What follows from one input. Pure and total; the same input on the same state decides the same. */
export function decide(workflow: Workflow, state: RunState, input: Input): Decision {
  const draft = new Draft(workflow, state, input.at);
  const refusal = refuse(state, input);
  if (refusal !== null) draft.record({ kind: "input-ignored", input: input.kind, why: refusal });
  else {
    apply(draft, input);
    scheduleTasks(draft);
  }
  return { events: draft.events, effects: withoutUndone(draft.effects), state: draft.state };
}

/** What was asked for and taken back in one decision is not asked for at all. */
function withoutUndone(effects: readonly Effect[]): readonly Effect[] {
  const stopped = new Set(effects.flatMap((effect) => (effect.kind === "stop-agent" ? [effect.attempt] : [])));
  const undone = new Set(
    effects.flatMap((effect) => (effect.kind === "start-agent" && stopped.has(effect.attempt) ? [effect.attempt] : [])),
  );
  return effects.filter((effect) => !("attempt" in effect) || !undone.has(effect.attempt));
}

function refuse(state: RunState, input: Input): string | null {
  if (state.run === "") return input.kind === "start-run" ? null : "The run has not started.";
  if (input.kind === "start-run") return "The run has started already.";
  if (input.kind === "retry-run") return state.status === "failed" ? null : `The run is ${state.status}, not failed.`;
  return state.status === "running" ? null : `The run is ${state.status}.`;
}

function apply(draft: Draft, input: Input): void {
  switch (input.kind) {
    case "start-run":
      return startRun(draft, input);
    case "report-attempt":
      return endAttempt(draft, input);
    case "report-gate":
      return passGate(draft, input);
    case "fire-timer":
      return fireTimer(draft, input.timer);
    case "answer":
      return answerAsk(draft, input);
    case "cancel-run":
      return cancelRun(draft, input.by, input.reason);
    case "retry-run":
      return retryRun(draft, input.by, input.note);
  }
}
