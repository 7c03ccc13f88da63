import type { Handoff } from "../../protocol/handoff.ts";
import { ownValue } from "../../shared/json-value.ts";
import type { Action, Workflow } from "../definition.ts";
import type { Draft } from "../draft.ts";
import type { Turn } from "./turn.ts";
import { whatStopped } from "./what-stopped.ts";

/** The reason and the domain of the agent give the route (004-R24); whoever helps returns to the blocked agent. */
export function routeBlocked(draft: Draft, task: string, handoff: Handoff): Turn {
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
