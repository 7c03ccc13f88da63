import type { Outcome } from "../../protocol/handoff.ts";
import { holds } from "../condition.ts";
import type { Action, AgentDefinition, Route } from "../definition.ts";
import type { Draft } from "../draft.ts";
import { factsOf } from "./facts.ts";
import type { NextRule } from "./next-rule.ts";
import { requestedAction } from "./requested-next.ts";

/** Takes the first route of this outcome whose condition holds. */
export function takeRoute(draft: Draft, task: string, { do: _do, outcome, ...occasion }: Taking): NextRule {
  const isSettled = draft.step(task).routeAs === outcome || occasion.isAllowed === true;
  return {
    do: "act",
    action: isSettled ? wayOn(draft, task) : actionFor(draft, task, outcome),
    occasion,
  };
}

function actionFor(draft: Draft, task: string, outcome: Outcome): Action {
  const route = routesFor(draft.agent(draft.step(task).agent), outcome).find(holdsFor(draft, task));
  return route?.action ?? { kind: "person" };
}

function holdsFor(draft: Draft, task: string): (route: Route) => boolean {
  const agent = draft.agent(draft.step(task).agent);
  const facts = factsOf(draft.state, draft.task(task), draft.handoff(task), agent.loop);
  return ({ when }) => when === null || holds(when, facts);
}

/** The first route without a loop, for work whose loop has ended or that a person lets continue. */
function wayOn(draft: Draft, task: string): Action {
  const agent = draft.agent(draft.step(task).agent);
  const routes = [...routesFor(agent, "done-with-warnings"), ...routesFor(agent, "done")];
  const way = routes.filter(holdsFor(draft, task)).find(({ action }) => leadsTo(draft, task, action) !== "loop");
  return way?.action ?? { kind: "person" };
}

/** Whether `continue` leads anywhere: a route that only asks a person again does not count. */
export function hasWayOn(draft: Draft, task: string): boolean {
  return leadsTo(draft, task, wayOn(draft, task)) !== "person";
}

function leadsTo(draft: Draft, task: string, action: Action): Action["kind"] {
  if (action.kind === "retry") return leadsTo(draft, task, action.then);
  if (action.kind !== "choose") return action.kind;
  return leadsTo(draft, task, requestedAction(draft.handoff(task), action) ?? action.otherwise);
}

type Taking = Extract<NextRule, { readonly do: "take-route" }>;

/** The routes of an outcome that the workflow does not name: as `done`, a retry, or a person. */
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
    case "done":
    case "needs-fixes":
    case "blocked":
    case "failed":
      return [];
  }
}

function always(action: Action): Route {
  return { when: null, action };
}
