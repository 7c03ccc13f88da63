import type { Draft } from "../draft.ts";
import { NOTHING, type Turn } from "./turn.ts";

/** Runs the next gate of the step, or goes on when all have passed. */
export function nextGate(draft: Draft, task: string): Turn {
  const { id, agent, gate, passes, routeAs } = draft.step(task);
  const name = draft.agent(agent).gates[gate];
  // Work that its author calls unfinished is not worth a gate; its route is known.
  if (name === undefined || !mayPass(routeAs ?? draft.handoff(task)?.outcome)) return { do: "review" };
  draft.want({ kind: "run-gate", task, step: id, gate: name, gateRun: gateRun(id, name, passes) });
  return NOTHING;
}

/** Outcomes that lead forward: none of them gets past a gate. */
const GO_ON: readonly string[] = ["done", "done-with-warnings", "needs-review", "skipped"];

function mayPass(outcome: string | undefined): boolean {
  return GO_ON.includes(outcome ?? "");
}

export function gateRun(step: string, gate: string, passes: number): string {
  return `${step}/${gate}/${passes + 1}`;
}
