import type { GateDefinition } from "../definition.ts";
import type { Draft } from "../draft.ts";
import type { Step } from "../state.ts";
import { isFinished } from "./finished-work.ts";
import { failGate, unmetRequirement } from "./gate-requirement.ts";
import { NOTHING, type Turn } from "./turn.ts";

/** Runs the next gate of the step, or goes on when all have passed. */
export function nextGate(draft: Draft, task: string): Turn {
  const step = draft.step(task);
  const { id, agent, gate } = step;
  const name = draft.agent(agent).gates[gate];
  if (name === undefined || !isFinished(draft, task)) return { do: "check-command" };
  const definition = draft.workflow.gates[name];
  if (definition !== undefined && definition.command.length === 0) return judgeOnly(draft, task, definition);
  draft.want({ kind: "run-gate", task, step: id, gate: name, command: null, gateRun: gateRun(step, name) });
  return NOTHING;
}

/** A gate that runs nothing asks only what is known. */
function judgeOnly(draft: Draft, task: string, gate: GateDefinition): Turn {
  const unmet = unmetRequirement(draft, task, gate, null);
  if (unmet !== null) return failGate(draft, task, gate, { message: unmet, output: "", milliseconds: 0 });
  const message = gate.require?.text ?? "";
  draft.record({ kind: "gate-passed", task, gate: gate.name, isLast: true, message, milliseconds: 0, figures: null });
  return { do: "pass-gates" };
}

/** One name for each run of a gate: of a step, for one of its handoffs, the so-many-th of those that must pass. */
export function gateRun({ id, accepted, passes }: Step, gate: string): string {
  return `${id}.${accepted}/${gate}/${passes + 1}`;
}
