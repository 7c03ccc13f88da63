import type { StoredEntry } from "../../ports/event-log.ts";
import { type JsonRecord, sameJson } from "../../shared/json-value.ts";
import { decide } from "../../workflow/decide.ts";
import type { Workflow } from "../../workflow/definition.ts";
import type { Event } from "../../workflow/event.ts";
import { EMPTY_RUN, evolve } from "../../workflow/evolve.ts";
import type { Input } from "../../workflow/input.ts";
import { keptInput } from "../stored-input.ts";

export interface ReplayStep {
  readonly sequence: number;
  readonly input: Input;
  readonly recorded: readonly Event[];
  /** What is decided now; the same when nothing has changed. */
  readonly decided: readonly Event[];
  readonly isSame: boolean;
}

/**
 * Decides again, from the log. Every input meets the state that was recorded, so that one difference
 * does not drag all later ones with it: each step tells what this workflow would have done there.
 */
export function replayRun(workflow: Workflow, entries: readonly StoredEntry[]): ReplayStep[] {
  const steps: ReplayStep[] = [];
  let state = EMPTY_RUN;
  for (const { sequence, told, recorded } of inputsOf(entries)) {
    const input = keptInput(told, recorded);
    const decided = decideSafely(workflow, state, input);
    steps.push({ sequence, input, recorded, decided, isSame: sameJson(recorded, decided) });
    for (const event of recorded) state = evolve(state, event);
  }
  return steps;
}

/** A changed workflow may lack an agent that the log names. */
function decideSafely(workflow: Workflow, state: typeof EMPTY_RUN, input: Input): readonly Event[] {
  try {
    // Through JSON, as what was recorded: an absent key and an undefined value are one.
    return JSON.parse(JSON.stringify(decide(workflow, state, input).events)) as Event[];
  } catch (error) {
    const reason = `This workflow cannot decide it: ${error instanceof Error ? error.message : String(error)}`;
    return [{ kind: "run-failed", at: input.at, reason }];
  }
}

interface Recorded {
  readonly sequence: number;
  readonly told: JsonRecord;
  readonly recorded: Event[];
}

function inputsOf(entries: readonly StoredEntry[]): Recorded[] {
  const inputs: Recorded[] = [];
  for (const { kind, data, sequence } of entries) {
    if (data === null) continue;
    if (kind === "input") inputs.push({ sequence, told: data, recorded: [] });
    else inputs.at(-1)?.recorded.push(data as unknown as Event);
  }
  return inputs;
}
