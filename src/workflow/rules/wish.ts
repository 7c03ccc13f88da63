import type { Handoff } from "../../protocol/handoff.ts";
import type { Action } from "../definition.ts";
import { sameAgent } from "./same-agent.ts";

/** `COMPLETE` and workflow-complete end the run, `None` and null return; a name is a name. */
export function wishOf(handoff: Handoff | null): string | null {
  if (handoff === null) return null;
  if (handoff.final === true) return "end";
  if (handoff.to === null) return "return";
  return handoff.to ?? handoff.routing?.next_phase ?? null;
}

/** What the author wishes, as far as the workflow lets it choose; null where it does not. */
export function wishedAction(handoff: Handoff | null, { from }: Action & { kind: "choose" }): Action | null {
  const wish = wishOf(handoff);
  const chosen = wish === null ? undefined : from.find((name) => sameAgent(name, wish));
  return chosen === undefined ? null : namedAction(chosen);
}

function namedAction(name: string): Action {
  return name === "end" || name === "return" || name === "person" || name === "fail"
    ? { kind: name }
    : { kind: "go", to: name };
}
