import type { Draft } from "../draft.ts";
import { NOTHING, type NextRule } from "./next-rule.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { Action, Workflow, FailurePolicy } from "../definition.ts";
import { countFailure, planRetry } from "./failures.ts";
import { findAgent } from "./requested-next.ts";

/** Routes the work by its outcome. The workflow owns the graph; a handoff can only ask. */
export function routeHandoff(draft: Draft, task: string): NextRule {
  const { last } = draft.task(task);
  const { routeAs } = draft.step(task);
  if (routeAs !== null) return { do: "take-route", outcome: routeAs, why: "the loop has ended" };
  if (last === null) return NOTHING;
  const { handoff } = last;
  if (handoff.outcome === "blocked") return routeBlocked(draft, task, handoff);
  if (handoff.outcome === "failed") return routeFailure(draft, task, handoff);
  const why = handoff.summary ?? `${last.agent} ended ${handoff.status ?? handoff.outcome}`;
  return { do: "take-route", outcome: handoff.outcome, why, details: whatStopped(handoff) };
}

/** The reason and the agent's domain select the route (004-R24); the helping agent returns to the blocked one. */
function routeBlocked(draft: Draft, task: string, handoff: Handoff): NextRule {
  const agent = draft.agent(draft.step(task).agent);
  const reason = handoff.routing?.blocked_reason ?? "unknown";
  const why = `${agent.name} is blocked: ${reason}`;
  const details = whatStopped(handoff);
  if (agent.routes.blocked !== undefined) return { do: "take-route", outcome: "blocked", why, details };
  const action = actionFor(draft.workflow, reason, agent.domain);
  return { do: "act", action, occasion: { why, details, isBlocked: true } };
}

function actionFor({ blocked }: Workflow, reason: string, domain: string): Action {
  const byDomain = ownValue(blocked, reason) ?? ownValue(blocked, "default");
  if (byDomain === undefined) return { kind: "person" };
  return ownValue(byDomain, domain) ?? ownValue(byDomain, "default") ?? { kind: "person" };
}

/** Routes reported failures: transient errors are retried, then the failure policy applies, then the failed route. */
function routeFailure(draft: Draft, task: string, handoff: Handoff): NextRule {
  const agent = draft.agent(draft.step(task).agent);
  const why = handoff.error?.message ?? handoff.summary ?? failedBy(agent.name, handoff);
  const details = whatStopped(handoff);
  countFailure(draft, task, handoff, why);
  if (handoff.error?.recoverable === true && planRetry(draft, task, agent.retry.most, why)) return NOTHING;
  const policy = clampPolicy(draft, task, agent.onFailure, handoff);
  if (policy === null || handoff.error?.recoverable === false) return takeFailedRoute(why, details);
  return followPolicy(draft, task, policy, why, details);
}

/** 003 has no summary, so the blockers are the reason. */
function failedBy(agent: string, { blockers = [] }: Handoff): string {
  const blocker = blockers[0]?.description;
  return blocker === undefined ? `${agent} failed` : `${agent} failed: ${blocker}`;
}

/** `on_failure` (002): notify, then go to the repairing agent or retry a bounded number of times, then return to the delegator. */
function followPolicy(
  draft: Draft,
  task: string,
  policy: FailurePolicy,
  why: string,
  details: readonly string[],
): NextRule {
  const { agent } = draft.step(task);
  if (policy.notify !== null) draft.record({ kind: "agent-notified", agent: policy.notify, text: why, by: agent });
  const { failures, callers } = draft.task(task);
  const count = failures[agent] ?? 1;
  const note = policy.context === null ? why : `${why}\n${policy.context}`;
  const occasion = { why: note, details, isFailure: true };
  const escalates = policy.escalateAfter !== null && count >= policy.escalateAfter;
  if (escalates || count > policy.retry) {
    // When the retries are used up, the agent's own failed route applies.
    const goesBack = callers.length > 0 && (escalates || draft.agent(agent).routes.failed === undefined);
    return goesBack ? { do: "act", action: { kind: "return" }, occasion } : takeFailedRoute(note, details);
  }
  if (policy.routeTo !== null) return { do: "act", action: { kind: "go", to: policy.routeTo }, occasion };
  return planRetry(draft, task, policy.retry, note) ? NOTHING : takeFailedRoute(note, details);
}

function takeFailedRoute(why: string, details: readonly string[]): NextRule {
  return { do: "take-route", outcome: "failed", why, details };
}

/** A handoff may narrow the policy, and may name only agents that the workflow allows. */
function clampPolicy(draft: Draft, task: string, own: FailurePolicy | null, handoff: Handoff): FailurePolicy | null {
  const requested = handoff.routing?.on_failure;
  if (requested === undefined) return own;
  const { retry } = draft.agent(draft.step(task).agent);
  const policy = own ?? { ...NO_POLICY, retry: retry.most };
  const { route_to: route, notify, escalate_after: escalateAfter = Infinity, context = policy.context } = requested;
  return {
    ...policy,
    retry: clampRetries(draft, task, policy, requested.retry),
    routeTo: route === undefined ? policy.routeTo : allowedRoute(draft, task, policy, route),
    notify: notify === undefined ? policy.notify : knownAgent(draft, task, policy, notify),
    escalateAfter: Math.min(escalateAfter, policy.escalateAfter ?? Infinity),
    context,
  };
}

function clampRetries(draft: Draft, task: string, { retry }: FailurePolicy, wish: number | undefined): number {
  if (wish === undefined) return retry;
  if (wish > retry) overrule(draft, task, `${wish} retries`, `${retry} retries`, "The workflow allows no more.");
  return Math.max(0, Math.min(wish, retry));
}

function knownAgent(draft: Draft, task: string, { notify }: FailurePolicy, wish: string): string | null {
  const found = findAgent(wish, draft.workflow.agents);
  if (found !== null) return found;
  overrule(draft, task, `notify ${wish}`, notify ?? "no notification", `The workflow has no agent ${wish}.`);
  return notify;
}

function overrule(draft: Draft, task: string, wish: string, instead: string, why: string): void {
  draft.record({ kind: "wish-overruled", task, agent: draft.step(task).agent, wish, instead, why });
}

const NO_POLICY: FailurePolicy = {
  retry: 0,
  routeTo: null,
  notify: null,
  escalateAfter: null,
  context: null,
  mayRouteTo: [],
};

function allowedRoute(draft: Draft, task: string, policy: FailurePolicy, requested: string): string | null {
  const found = findAgent(requested, draft.workflow.agents);
  if (found !== null && (found === policy.routeTo || policy.mayRouteTo.includes(found))) return found;
  const instead = policy.routeTo ?? "the failed route";
  const why = "The workflow does not let this agent's failures go there.";
  overrule(draft, task, requested, instead, why);
  return policy.routeTo;
}

/** Why the work stopped, one line for each reason, for the person or agent that decides. */
function whatStopped({ blockers = [], error, routing }: Handoff): string[] {
  return [
    ...blockers.map(({ description = "", resolution }) =>
      resolution === undefined ? description : `${description} (suggested: ${resolution})`,
    ),
    ...filled(error?.details),
    ...filled(error?.suggested_action).map((action) => `suggested: ${action}`),
    ...(routing?.attempted ?? []).map((tried) => `tried: ${tried}`),
  ];
}

function filled(text: string | undefined): string[] {
  return text === undefined || text.trim() === "" ? [] : [text];
}
