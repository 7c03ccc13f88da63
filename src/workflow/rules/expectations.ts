import type { Handoff } from "../../protocol/handoff.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { Action, Workflow } from "../definition.ts";
import type { SessionNote } from "../event.ts";
import { describeRoute } from "../file/print-graph.ts";
import type { RunState, TaskState } from "../state.ts";
import { checkContent } from "./check-content.ts";
import { routesFor } from "./take-route.ts";

interface HandedOver {
  readonly agent: string;
  readonly handoff: Handoff;
}

/** The handoff of a session that was accepted last. */
export function lastHandedOver({ tasks }: RunState): HandedOver | null {
  const lasts = Object.values(tasks).flatMap(({ last }) => (last === null ? [] : [last]));
  return lasts.sort((left, right) => numberOf(left) - numberOf(right)).at(-1) ?? null;
}

function numberOf({ step }: NonNullable<TaskState["last"]>): number {
  return Number(step.slice(1));
}

interface Note {
  readonly what: SessionNote;
  readonly says: string;
}

/**
 * What an accepted handoff of a session is like beside the workflow that the session follows: which agent it should have
 * come from, its format, what it must hold, the gates that nobody ran here, and the agent that comes next.
 */
export function expectationsOn(
  workflow: Workflow,
  state: RunState,
  { agent: name, before, handoff }: HandedOver & { readonly before: HandedOver | null },
): Note[] {
  const agent = ownValue(workflow.agents, name);
  if (agent === undefined) return [];
  const format =
    handoff.dialect === agent.dialect ? [] : [`it handed over in ${handoff.dialect}, not in ${agent.dialect}`];
  if (state.observed?.follows === undefined) return format.map(deviation);
  const missing = checkContent(handoff, agent.gives[handoff.outcome] ?? null, handoff.outcome);
  const gates = agent.gates.length === 0 ? [] : [`its gates did not run in the session: ${agent.gates.join(", ")}`];
  const [route] = routesFor(agent, handoff.outcome);
  const next = route === undefined ? "a person decides" : describeRoute(route).replace(/^-> /, "");
  return [
    ...[...format, ...unexpected(workflow, name, before), ...missing.map(({ message }) => message), ...gates].map(
      deviation,
    ),
    {
      what: "suggestion",
      says: `after ${handoff.outcome} the workflow ${state.observed.follows} goes on with ${next}`,
    },
  ];
}

function deviation(says: string): Note {
  return { what: "deviation", says };
}

/** An agent that the workflow would not have sent the work to. */
function unexpected(workflow: Workflow, name: string, before: HandedOver | null): string[] {
  if (before === null)
    return name === workflow.start ? [] : [`the session began with it, and the workflow begins with ${workflow.start}`];
  const sender = ownValue(workflow.agents, before.agent);
  if (sender === undefined || before.agent === name) return [];
  const { outcome } = before.handoff;
  const targets = routesFor(sender, outcome).flatMap(({ action }) => targetsOf(action));
  if (targets.includes(name) || targets.includes("return")) return [];
  const expected = targets.length === 0 ? "nobody" : targets.join(" or ");
  return [`it came after ${before.agent} (${outcome}), which the workflow sends to ${expected}`];
}

/** The agents that an action can lead to; `return` stands for the one that delegated. */
function targetsOf(action: Action): string[] {
  switch (action.kind) {
    case "go":
    case "loop":
      return [action.to];
    case "choose":
      return [...action.from, ...targetsOf(action.otherwise)];
    case "retry":
      return targetsOf(action.then);
    case "return":
      return ["return"];
    case "end":
    case "person":
    case "fail":
      return [];
  }
}
