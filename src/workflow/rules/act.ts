import type { Action } from "../definition.ts";
import type { Draft } from "../draft.ts";
import { escalate } from "./ask-person.ts";
import { releaseTasks } from "./block-tasks.ts";
import { checkContent } from "./check-content.ts";
import { creditFacts } from "./credit-facts.ts";
import { planRetry } from "./plan-retry.ts";
import { findAgent, sameAgent } from "./same-agent.ts";
import { NOTHING, type Occasion, type Turn } from "./turn.ts";
import { advance } from "./advance.ts";
import { wishOf, wishedAction } from "./wish.ts";

/** Carries one action of the workflow out. */
export function act(draft: Draft, task: string, action: Action, occasion: Occasion): Turn {
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

function finishTask(draft: Draft, task: string, reason: string): Turn {
  creditFacts(draft, task);
  draft.record({ kind: "task-finished", task, status: "done", reason });
  releaseTasks(draft, task);
  return NOTHING;
}

/**
 * Forward. What the next agent needs must be there, or the handoff goes back to its author, unless a person lets it go
 * on or its author has been asked in vain.
 */
function goTo(draft: Draft, task: string, to: string, occasion: Occasion): Turn {
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

/** An agent that is reached by itself no longer waits for anybody's return. */
function callersOf(callers: readonly string[], agent: string, to: string, delegates: boolean): readonly string[] {
  const waiting = delegates && callers.at(-1) !== agent ? [...callers, agent] : callers;
  const reached = waiting.indexOf(to);
  return reached === -1 ? waiting.slice(-MOST_CALLERS) : waiting.slice(0, reached);
}

const MOST_CALLERS = 32;

/** Hub and spoke (ruling 12): no next agent means back to whoever delegated. */
function returnToCaller(draft: Draft, task: string, occasion: Occasion): Turn {
  const { callers } = draft.task(task);
  const caller = callers.at(-1);
  if (caller === undefined) return finishTask(draft, task, occasion.why);
  creditFacts(draft, task);
  advance(draft, task, caller, callers.slice(0, -1), occasion, { kind: "return" });
  return NOTHING;
}

/** The author's wish, as far as the workflow lets it choose. Whoever is asked instead is told what was wished. */
function choose(draft: Draft, task: string, action: Action & { kind: "choose" }, occasion: Occasion): Turn {
  const handoff = draft.handoff(task);
  const wished = wishedAction(handoff, action);
  if (wished !== null) return { do: "act", action: wished, occasion };
  const { from, otherwise } = action;
  const { agent } = draft.step(task);
  const wish = wishOf(handoff);
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
