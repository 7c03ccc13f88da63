import type { Action } from "../definition.ts";
import type { Draft } from "../draft.ts";
import { escalate } from "./ask-person.ts";
import { releaseTasks } from "./schedule-tasks.ts";
import { checkContent } from "./check-content.ts";
import { planRetry } from "./failures.ts";
import { NOTHING, type ActionReason, type NextRule } from "./next-rule.ts";
import { advance } from "./advance.ts";
import { requestedNext, requestedAction, findAgent, sameAgent } from "./requested-next.ts";

/** Performs one action of the workflow. */
export function act(draft: Draft, task: string, action: Action, occasion: ActionReason): NextRule {
  switch (action.kind) {
    case "go":
      noteOverruledWish(draft, task, action.to);
      return goTo(draft, task, action.to, occasion);
    case "choose":
      return choose(draft, task, action, occasion);
    case "loop":
      return { do: "loop", to: action.to, occasion };
    case "retry": {
      const note = [occasion.why, ...(occasion.details ?? [])].join("\n");
      if (occasion.isPermanent !== true && planRetry(draft, task, action.most, note)) return NOTHING;
      return { do: "act", action: action.then, occasion };
    }
    case "return":
      return returnToCaller(draft, task, occasion);
    case "end":
      return finishTask(draft, task, occasion.why);
    case "person":
      escalate(draft, task, occasion.why, occasion.details);
      return NOTHING;
    case "fail":
      draft.record({ kind: "task-finished", task, status: "failed", reason: occasion.why });
      return NOTHING;
  }
}

function finishTask(draft: Draft, task: string, reason: string): NextRule {
  creditFacts(draft, task);
  draft.record({ kind: "task-finished", task, status: "done", reason });
  releaseTasks(draft, task);
  return NOTHING;
}

/**
 * Goes forward. If the next agent's required fields are missing, the handoff goes back to its author, unless a person lets it go
 * on or its repairs are used up.
 */
function goTo(draft: Draft, task: string, to: string, occasion: ActionReason): NextRule {
  const { agent } = draft.step(task);
  const handoff = draft.handoff(task);
  const isAsked = handoff !== null && occasion.isAllowed !== true && occasion.isUnusable !== true;
  const problems = isAsked ? checkContent(handoff, draft.agent(to).needs, `for ${to}`) : [];
  if (problems.length > 0) return { do: "send-back", problems };
  creditFacts(draft, task);
  const { callers } = draft.task(task);
  const delegates = draft.agent(agent).hub || occasion.isBlocked === true || occasion.isFailure === true;
  advance(draft, task, to, callersOf(callers, agent, to, delegates), occasion);
  return NOTHING;
}

/** The delegators that wait for a return. Work that reaches one of them directly ends its waiting, and that of those after it. */
function callersOf(callers: readonly string[], agent: string, to: string, delegates: boolean): readonly string[] {
  const waiting = delegates && callers.at(-1) !== agent ? [...callers, agent] : callers;
  const reached = waiting.indexOf(to);
  return reached === -1 ? waiting.slice(-MAX_CALLERS) : waiting.slice(0, reached);
}

const MAX_CALLERS = 32;

/** Hub and spoke (ruling 12): without a next agent, the work returns to the agent that delegated it. */
function returnToCaller(draft: Draft, task: string, occasion: ActionReason): NextRule {
  const { callers } = draft.task(task);
  const caller = callers.at(-1);
  if (caller === undefined) return finishTask(draft, task, occasion.why);
  creditFacts(draft, task);
  advance(draft, task, caller, callers.slice(0, -1), occasion, { kind: "return" });
  return NOTHING;
}

/** Follows the handoff's requested next agent if the workflow allows it; otherwise takes the other action, with the reason. */
function choose(draft: Draft, task: string, action: Action & { kind: "choose" }, occasion: ActionReason): NextRule {
  const handoff = draft.handoff(task);
  const requested = requestedAction(handoff, action);
  if (requested !== null) return { do: "act", action: requested, occasion };
  const { from, otherwise } = action;
  const { agent } = draft.step(task);
  const wish = requestedNext(handoff);
  const limits = `The workflow lets ${agent} choose only ${from.join(", ")}.`;
  const why = wish === null ? "The handoff names no next agent." : limits;
  draft.record({ kind: "wish-overruled", task, agent, wish: wish ?? "nothing", instead: otherwise.kind, why });
  const told = wish === null ? `${why} ${limits}` : `${agent} wished ${wish}. ${limits}`;
  return { do: "act", action: otherwise, occasion: { ...occasion, details: [...(occasion.details ?? []), told] } };
}

function noteOverruledWish(draft: Draft, task: string, chosen: string): void {
  const wish = draft.handoff(task)?.to;
  if (wish === undefined || wish === null || sameAgent(wish, chosen)) return;
  const { agent } = draft.step(task);
  const known = findAgent(wish, draft.workflow.agents);
  const why = known === null ? `The workflow has no agent ${wish}.` : "The workflow routes this outcome elsewhere.";
  draft.record({ kind: "wish-overruled", task, agent, wish, instead: chosen, why });
}

/**
 * Credits the facts that a step was given when its work goes on as done: its author says so, no claim is
 * refuted and no gate failed. A step goes on once, so its facts are credited once.
 */
function creditFacts(draft: Draft, task: string): void {
  const { id, given, gateFailed, claims } = draft.step(task);
  const outcome = draft.handoff(task)?.outcome;
  const wentWell = (outcome === "done" || outcome === "done-with-warnings") && !gateFailed && claims.refuted === 0;
  if (wentWell && given.length > 0) draft.record({ kind: "facts-helped", task, step: id, facts: given });
}
