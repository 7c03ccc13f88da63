import { sameJson } from "../../shared/json-value.ts";
import { RULES_VERSION, decide } from "../../workflow/decide.ts";
import type { Workflow } from "../../workflow/definition.ts";
import type { Event } from "../../workflow/event.ts";
import { EMPTY_RUN, evolve } from "../../workflow/evolve.ts";
import type { Input } from "../../workflow/input.ts";
import { type KeptInput, wholeInput } from "../../workflow/stored/kept-input.ts";
import type { LogEntry } from "../read-log.ts";

export { RULES_VERSION };

export interface ReplayStep {
  readonly sequence: number;
  readonly input: Input;
  /** The version of the rules that decided it then. Later rules may decide otherwise; what is recorded stands. */
  readonly rules: number;
  readonly recorded: readonly Event[];
  /** The events decided now; the same as recorded when nothing has changed. */
  readonly decided: readonly Event[];
  readonly isSame: boolean;
}

/**
 * Decides every input of the log again. Each input is applied to the recorded state, so that one difference does not
 * propagate to later steps.
 */
export function replayRun(workflow: Workflow, entries: readonly LogEntry[]): ReplayStep[] {
  const steps: ReplayStep[] = [];
  let state = EMPTY_RUN;
  for (const { sequence, kept, recorded } of inputsOf(entries)) {
    const input = wholeInput(kept, recorded);
    const decided = decideSafely(workflow, state, input);
    steps.push({ sequence, input, rules: kept.rules ?? 1, recorded, decided, isSame: sameJson(recorded, decided) });
    for (const event of recorded) state = evolve(state, event);
  }
  return steps;
}

/** A changed workflow may lack an agent that the log names. */
function decideSafely(workflow: Workflow, state: typeof EMPTY_RUN, input: Input): readonly Event[] {
  try {
    // Converted through JSON like the recorded events: an absent key and an undefined value are the same.
    return JSON.parse(JSON.stringify(decide(workflow, state, input).events)) as Event[];
  } catch (error) {
    const reason = `This workflow cannot decide it: ${error instanceof Error ? error.message : String(error)}`;
    return [{ kind: "run-failed", at: input.at, reason }];
  }
}

interface Recorded {
  readonly sequence: number;
  readonly kept: KeptInput;
  readonly recorded: Event[];
}

function inputsOf(entries: readonly LogEntry[]): Recorded[] {
  const inputs: Recorded[] = [];
  for (const { event, input, sequence } of entries) {
    if (input !== null) inputs.push({ sequence, kept: input, recorded: [] });
    else if (event !== null) inputs.at(-1)?.recorded.push(event);
  }
  return inputs;
}
