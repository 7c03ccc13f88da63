import type { Handoff, Outcome } from "../../protocol/handoff.ts";
import { count } from "../../shared/count.ts";
import type { Action } from "../definition.ts";
import type { Draft } from "../draft.ts";
import { escalate } from "./ask-person.ts";
import { releaseTasks } from "./schedule-tasks.ts";
import { checkContent } from "./check-content.ts";
import { planRetry } from "./failures.ts";
import { NOTHING, type ActionReason, type NextRule } from "./next-rule.ts";
import { advance } from "./advance.ts";
import { requestedNext, requestedAction } from "./requested-next.ts";

/** Performs one action of the workflow. */
export function act(draft: Draft, task: string, action: Action, occasion: ActionReason): NextRule {
  if (occasion.isGate === true && LEAVES.includes(action.kind)) passOverGate(draft, task);
  switch (action.kind) {
    case "go":
      return goTo(draft, task, action.to, occasion);
    case "choose":
      return choose(draft, task, action, occasion);
    case "loop":
      return { do: "loop", to: action.to, occasion };
    case "retry":
      return retryOr(draft, task, action, occasion);
    case "return":
      return returnToCaller(draft, task, occasion);
    case "end":
      return finishTask(draft, task, occasion);
    case "person":
      escalate(draft, task, occasion.why, occasion.details, occasion.roundTo ?? null);
      return NOTHING;
    case "fail":
      draft.record({ kind: "task-finished", task, status: "failed", reason: occasion.why });
      return NOTHING;
  }
}

function isWaived(draft: Draft, task: string): boolean {
  const { agent } = draft.step(task);
  return draft.state.waived.some((waiver) => waiver.task === task && waiver.agent === agent);
}

const UNFINISHED: readonly Outcome[] = ["failed", "blocked", "in-progress", "pending"];

/** Actions by which work goes on although a gate refused it. */
const LEAVES: readonly Action["kind"][] = ["go", "end", "return"];

function passOverGate(draft: Draft, task: string): void {
  const { id: step, agent, gate } = draft.step(task);
  const name = draft.agent(agent).gates[gate] ?? "";
  draft.record({ kind: "gate-waived", task, step, agent, gate: name, by: null });
}

function finishTask(draft: Draft, task: string, { why, isUnusable, isAllowed }: ActionReason): NextRule {
  const { id: step, agent } = draft.step(task);
  const outcome = draft.handoff(task)?.outcome ?? "failed";
  const isUnfinished = isUnusable === true || UNFINISHED.includes(outcome);
  if (isUnfinished && isAllowed !== true && !isWaived(draft, task))
    draft.record({ kind: "failure-waived", task, step, agent, why });
  creditFacts(draft, task);
  draft.record({ kind: "task-finished", task, status: "done", reason: why });
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
  if (handoff?.outcome === "blocked" && occasion.isAllowed !== true && !requestHelp(draft, task, handoff, to))
    return { do: "act", action: { kind: "person" }, occasion: askAboutHelp(agent, to, occasion) };
  creditFacts(draft, task);
  const { callers } = draft.task(task);
  const delegates = draft.agent(agent).hub || occasion.isBlocked === true || occasion.isFailure === true;
  advance(draft, task, to, callersOf(callers, agent, to, delegates), occasion);
  return NOTHING;
}

function retryOr(
  draft: Draft,
  task: string,
  { most, then }: Action & { kind: "retry" },
  occasion: ActionReason,
): NextRule {
  const note = [occasion.why, ...(occasion.details ?? [])].join("\n");
  if (occasion.isPermanent !== true && planRetry(draft, task, most, note)) return NOTHING;
  const why =
    occasion.isPermanent === true ? occasion.why : `${occasion.why}, after ${count(most, "retry", "retries")}`;
  return { do: "act", action: then, occasion: { ...occasion, why } };
}

/** Sends the helper of a blocked agent. False when it was sent for the same reason before: it would not help again. */
function requestHelp(draft: Draft, task: string, { routing }: Handoff, helper: string): boolean {
  const { agent } = draft.step(task);
  const reason = routing?.blocked_reason ?? "unknown";
  const { helps } = draft.task(task);
  if (helps.some((help) => help.agent === agent && help.reason === reason && help.helper === helper)) return false;
  draft.record({ kind: "help-requested", task, agent, reason, helper });
  return true;
}

function askAboutHelp(agent: string, helper: string, occasion: ActionReason): ActionReason {
  const why = `${agent} is blocked again for the same reason, after ${helper} was sent to help.`;
  return { why, details: [occasion.why, ...(occasion.details ?? [])] };
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
  if (caller === undefined) return finishTask(draft, task, occasion);
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
  const told = wish === null ? `${why} ${limits}` : `${agent} asks for ${wish}. ${limits}`;
  const details = [occasion.why, ...(occasion.details ?? [])];
  return { do: "act", action: otherwise, occasion: { ...occasion, why: told, details } };
}

/**
 * Credits the facts that a step was given when its work goes on as done: its author says so, no claim is
 * refuted and no gate failed. A step goes on once, so its facts are credited once.
 */
function creditFacts(draft: Draft, task: string): void {
  const { id, given, gateFailed, claims } = draft.step(task);
  const outcome = draft.handoff(task)?.outcome;
  const isProven = !gateFailed && !isWaived(draft, task) && claims.refuted === 0;
  const wentWell = (outcome === "done" || outcome === "done-with-warnings") && isProven;
  if (wentWell && given.length > 0) draft.record({ kind: "facts-helped", task, step: id, facts: given });
}
