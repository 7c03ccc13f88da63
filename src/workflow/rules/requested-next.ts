import { sameAgent } from "../../protocol/agent-names.ts";
import type { Handoff } from "../../protocol/handoff.ts";
import type { Action } from "../definition.ts";

/** Where the handoff asks to go: `end` for `COMPLETE` and workflow-complete, `return` for `None` and null, or an agent. */
export function requestedNext(handoff: Handoff | null): string | null {
  if (handoff === null) return null;
  if (handoff.final === true) return "end";
  if (handoff.to === null) return "return";
  return handoff.to ?? handoff.routing?.next_phase ?? null;
}

/** The agent that the handoff requires a loop to; null when it requires none, or names no agent for it. */
export function requiredLoop(handoff: Handoff | null): string | null {
  const { required = false, target } = handoff?.routing?.loop ?? {};
  return required && (target ?? "").trim() !== "" ? (target ?? null) : null;
}

/** The requested action if the workflow lets the handoff choose it; otherwise null. */
export function requestedAction(handoff: Handoff | null, { from }: Action & { kind: "choose" }): Action | null {
  const requested = requestedNext(handoff);
  const chosen = requested === null ? undefined : from.find((name) => sameAgent(name, requested));
  return chosen === undefined ? null : namedAction(chosen);
}

function namedAction(name: string): Action {
  return name === "end" || name === "return" || name === "person" || name === "fail"
    ? { kind: name }
    : { kind: "go", to: name };
}

/** The agent of the workflow with this name, in any spelling; null when there is none. */
export function findAgent(name: string, agents: Readonly<Record<string, unknown>>): string | null {
  if (Object.hasOwn(agents, name)) return name;
  return Object.keys(agents).find((known) => sameAgent(known, name)) ?? null;
}
