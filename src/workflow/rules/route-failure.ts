import type { Handoff } from "../../protocol/handoff.ts";
import type { FailurePolicy } from "../definition.ts";
import type { Draft } from "../draft.ts";
import { countFailure } from "./count-failure.ts";
import { planRetry } from "./plan-retry.ts";
import { findAgent } from "./same-agent.ts";
import { NOTHING, type Turn } from "./turn.ts";
import { whatStopped } from "./what-stopped.ts";

/** An agent says that it failed: transient errors are tried again, then its failure policy, then its failed route. */
export function routeFailure(draft: Draft, task: string, handoff: Handoff): Turn {
  const agent = draft.agent(draft.step(task).agent);
  const why = handoff.error?.message ?? handoff.summary ?? failedBy(agent.name, handoff);
  const details = whatStopped(handoff);
  countFailure(draft, task, handoff, why);
  if (handoff.error?.recoverable === true && planRetry(draft, task, agent.retry.most, why)) return NOTHING;
  const policy = clampPolicy(draft, task, agent.onFailure, handoff);
  if (policy === null || handoff.error?.recoverable === false) return takeFailedRoute(why, details);
  return followPolicy(draft, task, policy, why, details);
}

/** 003 has no summary: what blocks says why. */
function failedBy(agent: string, { blockers = [] }: Handoff): string {
  const blocker = blockers[0]?.description;
  return blocker === undefined ? `${agent} failed` : `${agent} failed: ${blocker}`;
}

/** `on_failure` (002): notify; so many times to the agent that mends it, or again; then to the delegator. */
function followPolicy(
  draft: Draft,
  task: string,
  policy: FailurePolicy,
  why: string,
  details: readonly string[],
): Turn {
  const { agent } = draft.step(task);
  if (policy.notify !== null) draft.record({ kind: "agent-notified", agent: policy.notify, text: why, by: agent });
  const { failures, callers } = draft.task(task);
  const count = failures[agent] ?? 1;
  const note = policy.context === null ? why : `${why}\n${policy.context}`;
  const occasion = { why: note, details, isFailure: true };
  const escalates = policy.escalateAfter !== null && count >= policy.escalateAfter;
  if (escalates || count > policy.retry) {
    // Where retries are used up, a failed route of its own is what the workflow wants.
    const goesBack = callers.length > 0 && (escalates || draft.agent(agent).routes.failed === undefined);
    return goesBack ? { do: "act", action: { kind: "return" }, occasion } : takeFailedRoute(note, details);
  }
  if (policy.routeTo !== null) return { do: "act", action: { kind: "go", to: policy.routeTo }, occasion };
  return planRetry(draft, task, policy.retry, note) ? NOTHING : takeFailedRoute(note, details);
}

function takeFailedRoute(why: string, details: readonly string[]): Turn {
  return { do: "take-route", outcome: "failed", why, details };
}

/** A handoff may ask for less than the workflow allows, and only for agents that the workflow names for it. */
function clampPolicy(draft: Draft, task: string, own: FailurePolicy | null, handoff: Handoff): FailurePolicy | null {
  const wish = handoff.routing?.on_failure;
  if (wish === undefined) return own;
  const { name, retry } = draft.agent(draft.step(task).agent);
  const policy = own ?? { ...NO_POLICY, retry: retry.most };
  return {
    ...policy,
    retry: Math.max(0, Math.min(wish.retry ?? policy.retry, policy.retry)),
    routeTo: wish.route_to === undefined ? policy.routeTo : allowedRoute(draft, task, name, policy, wish.route_to),
    notify: findAgent(wish.notify ?? "", draft.workflow.agents) ?? policy.notify,
    escalateAfter: Math.min(wish.escalate_after ?? Infinity, policy.escalateAfter ?? Infinity),
    context: wish.context ?? policy.context,
  };
}

const NO_POLICY: FailurePolicy = {
  retry: 0,
  routeTo: null,
  notify: null,
  escalateAfter: null,
  context: null,
  mayRouteTo: [],
};

function allowedRoute(draft: Draft, task: string, agent: string, policy: FailurePolicy, wish: string): string | null {
  const found = findAgent(wish, draft.workflow.agents);
  if (found !== null && (found === policy.routeTo || policy.mayRouteTo.includes(found))) return found;
  const instead = policy.routeTo ?? "the failed route";
  const why = "The workflow does not let this agent's failures go there.";
  draft.record({ kind: "wish-overruled", task, agent, wish, instead, why });
  return policy.routeTo;
}
