import type { Outcome } from "../../protocol/handoff.ts";
import { holds } from "../condition.ts";
import type { Action, AgentDefinition, Route } from "../definition.ts";
import type { Draft } from "../draft.ts";
import { factsOf } from "./facts.ts";
import type { Turn } from "./turn.ts";
import { wishedAction } from "./wish.ts";

/** The first route of this outcome whose condition holds. */
export function takeRoute(draft: Draft, task: string, { do: _do, outcome, ...occasion }: Taking): Turn {
  return {
    do: "act",
    action: actionFor(draft, task, outcome),
    occasion,
  };
}

function actionFor(draft: Draft, task: string, outcome: Outcome): Action {
  const state = draft.task(task);
  const agent = draft.agent(draft.step(task).agent);
  const facts = factsOf(draft.state, state, draft.handoff(task), agent.loop);
  const route = routesFor(agent, outcome).find(({ when }) => when === null || holds(when, facts));
  return route?.action ?? { kind: "person" };
}

/** Whether what a person lets go on would get anywhere: where it would only be asked about again, that is no way on. */
export function hasWayOn(draft: Draft, task: string): boolean {
  let action = actionFor(draft, task, "done-with-warnings");
  while (action.kind === "choose") action = wishedAction(draft.handoff(task), action) ?? action.otherwise;
  return action.kind !== "person";
}

type Taking = Extract<Turn, { readonly do: "take-route" }>;

/** What an agent's silence on an outcome means: as `done`, or again, or a person. */
function routesFor(agent: AgentDefinition, outcome: Outcome): readonly Route[] {
  const own = agent.routes[outcome];
  if (own !== undefined) return own;
  switch (outcome) {
    case "done-with-warnings":
    case "needs-review":
    case "skipped":
      return agent.routes.done ?? [];
    case "in-progress":
    case "pending":
      return [always({ kind: "retry", most: agent.retry.most, then: { kind: "person" } })];
    default:
      return [];
  }
}

function always(action: Action): Route {
  return { when: null, action };
}
