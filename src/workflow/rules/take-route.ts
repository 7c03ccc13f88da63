import type { Outcome } from "../../protocol/handoff.ts";
import { sameAgent } from "../../protocol/agent-names.ts";
import { shown } from "../../shared/json-value.ts";
import { type Condition, judgeCondition, conditionNames } from "../../shared/condition.ts";
import type { Action, AgentDefinition, Route } from "../definition.ts";
import type { Draft } from "../draft.ts";
import { printCondition } from "../file/print-graph.ts";
import { factsOf } from "./facts.ts";
import type { ActionReason, NextRule } from "./next-rule.ts";
import { findAgent, requestedAction, requestedNext, requiredLoop } from "./requested-next.ts";

type Taking = Extract<NextRule, { readonly do: "take-route" }>;

/** Takes the first route of this outcome whose condition holds, or the loop that the handoff requires. */
export function takeRoute(draft: Draft, task: string, { do: _do, outcome, ...occasion }: Taking): NextRule {
  const isSettled = draft.step(task).routeAs === outcome || occasion.isAllowed === true;
  if (isSettled) return { do: "act", action: wayOn(draft, task), occasion };
  const target = occasion.isUnusable === true ? null : requiredLoop(draft.handoff(task));
  if (target !== null && ANSWERED.includes(outcome)) return followLoopRequest(draft, task, target, occasion);
  return followRoutes(draft, task, outcome, occasion);
}

/** Outcomes of finished work; others are retried, helped or routed as failures, whatever they ask for. */
const ANSWERED: readonly Outcome[] = ["done", "done-with-warnings", "needs-fixes", "needs-review", "skipped"];

/** A required loop is taken when a loop route of any outcome leads to its target (ruling 3); otherwise a person is asked. */
function followLoopRequest(draft: Draft, task: string, target: string, occasion: ActionReason): NextRule {
  const agent = draft.agent(draft.step(task).agent);
  const [route] = loopRoutes(agent, target);
  if (route !== undefined) return { do: "loop", to: loopTarget(route.action) ?? target, occasion };
  const why = `No route of ${agent.name} loops back to ${target}.`;
  draft.record({
    kind: "wish-overruled",
    task,
    agent: agent.name,
    wish: `loop to ${target}`,
    instead: "person",
    why,
  });
  const asked = `${agent.name} requires a loop to ${target}, which the workflow does not have.`;
  return {
    do: "act",
    action: { kind: "person" },
    occasion: { ...occasion, why: asked, details: [occasion.why, ...(occasion.details ?? [])] },
  };
}

/** The routes of any outcome that loop back to an agent. */
export function loopRoutes(agent: AgentDefinition, target: string): readonly Route[] {
  return Object.values(agent.routes)
    .flat()
    .filter(({ action }) => {
      const to = loopTarget(action);
      return to !== null && sameAgent(to, target);
    });
}

function loopTarget(action: Action): string | null {
  if (action.kind === "retry") return loopTarget(action.then);
  if (action.kind === "choose") return loopTarget(action.otherwise);
  return action.kind === "loop" ? action.to : null;
}

function followRoutes(draft: Draft, task: string, outcome: Outcome, occasion: ActionReason): NextRule {
  const agent = draft.agent(draft.step(task).agent);
  // An earlier agent cannot fix a handoff that is missing or cannot be used.
  const routes = routesFor(agent, outcome).filter(
    ({ action }) => occasion.isUnusable !== true || action.kind !== "loop",
  );
  const { chosen, unknown } = chooseRoute(draft, task, routes);
  const action = chosen?.action ?? { kind: "person" };
  const isForward = !GUARDS.includes(leadsTo(draft, task, action));
  const guard = unknown.find((route) => GUARDS.includes(route.action.kind));
  const isAsked = isForward && guard !== undefined && draft.workflow.unknown !== "continue";
  for (const { when } of unknown) noteUnknown(draft, task, when, isAsked);
  if (isAsked) return askAboutUnknown(guard, agent.name, occasion);
  noteOverruledRequest(draft, task, action);
  const when = isForward ? null : (chosen?.when ?? null);
  return { do: "act", action, occasion: when === null ? occasion : withCondition(draft, task, when, occasion) };
}

/** A person or agent that is asked because of a condition is told which, and with which values. */
function withCondition(draft: Draft, task: string, when: Condition, occasion: ActionReason): ActionReason {
  const facts = factsFor(draft, task);
  const values = conditionNames(when).map((name) => `${name} is ${shown(facts(name))}`);
  return { ...occasion, why: `${occasion.why} (${printCondition(when)}: ${values.join(", ")})` };
}

/** Actions that stop work from going forward. */
const GUARDS: readonly Action["kind"][] = ["loop", "retry", "person", "fail"];

type Conditional = Route & { readonly when: Condition };

/** The first route that holds, and those before it whose condition cannot be decided. */
function chooseRoute(
  draft: Draft,
  task: string,
  routes: readonly Route[],
): { chosen: Route | null; unknown: Conditional[] } {
  const facts = factsFor(draft, task);
  const unknown: Conditional[] = [];
  for (const route of routes) {
    const { when } = route;
    const verdict = when === null ? true : judgeCondition(when, facts);
    if (verdict === true) return { chosen: route, unknown };
    if (verdict === undefined && when !== null) unknown.push({ ...route, when });
  }
  return { chosen: null, unknown };
}

function factsFor(draft: Draft, task: string): ReturnType<typeof factsOf> {
  const agent = draft.agent(draft.step(task).agent);
  return factsOf(draft.state, draft.task(task), draft.handoff(task), agent.loop);
}

function noteUnknown(draft: Draft, task: string, when: Condition, isAsked: boolean): void {
  const { id: step, agent } = draft.step(task);
  const facts = factsFor(draft, task);
  const names = conditionNames(when).filter((name) => typeof facts(name) !== "number");
  draft.record({ kind: "condition-unknown", task, step, agent, condition: printCondition(when), names, isAsked });
}

function askAboutUnknown({ when, action }: Conditional, agent: string, occasion: ActionReason): NextRule {
  const text = printCondition(when);
  const why = `It is not known whether ${text} holds: the handoff of ${agent} and its gates do not say.`;
  const to = loopTarget(action);
  return {
    do: "act",
    action: { kind: "person" },
    occasion: {
      ...occasion,
      why,
      details: [occasion.why, ...(occasion.details ?? [])],
      ...(to !== null && { roundTo: to }),
    },
  };
}

/** The first route without a loop, for work whose loop has ended or that a person lets continue. */
function wayOn(draft: Draft, task: string): Action {
  const agent = draft.agent(draft.step(task).agent);
  const routes = [...routesFor(agent, "done-with-warnings"), ...routesFor(agent, "done")];
  const forward = routes.filter(({ action }) => leadsTo(draft, task, action) !== "loop");
  return chooseRoute(draft, task, forward).chosen?.action ?? { kind: "person" };
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

/** Logs where the handoff asked to go, if the workflow takes the work elsewhere. `choose` logs its own. */
function noteOverruledRequest(draft: Draft, task: string, action: Action): void {
  const handoff = draft.handoff(task);
  const wish = requestedNext(handoff);
  const isPhase = handoff?.to === undefined;
  if (wish === null || action.kind === "choose" || !isRequest(wish)) return;
  if (isGranted(draft, wish, action, isPhase)) return;
  const { agent } = draft.step(task);
  const isKnown = isPhase || wish === "end" || findAgent(wish, draft.workflow.agents) !== null;
  const why = isKnown ? "The workflow routes this outcome elsewhere." : `The workflow has no agent ${wish}.`;
  const instead = action.kind === "go" || action.kind === "loop" ? action.to : action.kind;
  draft.record({ kind: "wish-overruled", task, agent, wish, instead, why });
}

/** To name no next agent is no request, and neither is an error for whoever orchestrates (001-R21). */
function isRequest(wish: string): boolean {
  return wish !== "return" && !sameAgent(wish, "orchestrator");
}

/** `isPhase`: the request names a phase (004), which says nothing about agents that have none. */
function isGranted(draft: Draft, wish: string, action: Action, isPhase: boolean): boolean {
  if (action.kind === "go" || action.kind === "loop") {
    const { phase } = draft.agent(action.to);
    return isPhase && wish !== "end" ? phase === null || sameAgent(phase, wish) : sameAgent(action.to, wish);
  }
  if (action.kind === "end" || action.kind === "return") return wish === "end" || sameAgent(wish, "complete");
  return false;
}

/** The routes of an outcome that the workflow does not name: as `done`, a retry, or a person. */
export function routesFor(agent: AgentDefinition, outcome: Outcome): readonly Route[] {
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
