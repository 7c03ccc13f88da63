import type { Draft } from "../draft.ts";
import type { Ask } from "../state.ts";
import { hasWayOn } from "./take-route.ts";

type NewAsk = Pick<Ask, "kind" | "agent" | "title" | "details" | "choices" | "roundTo">;

/** Pauses the task until a person answers. The question survives restarts, and silence is never consent. */
export function askPerson(draft: Draft, task: string, ask: NewAsk): void {
  const id = `q${draft.state.asked + 1}`;
  const { timeout } = draft.workflow.asks;
  const dueAt = timeout === null ? null : draft.at + timeout;
  draft.record({ kind: "ask-opened", ask: { ...ask, id, task, openedAt: draft.at, dueAt, reminders: 0 } });
  if (dueAt !== null)
    draft.record({ kind: "timer-set", timer: { id: `ask:${id}`, dueAt, purpose: "ask", subject: id } });
  draft.want({ kind: "notify", who: "person", text: `${id}: ${ask.title}` });
}

/**
 * Asks a person what the workflow cannot decide. `round` is offered where a loop could go on, with the agent that it
 * goes back to; `continue` where the handoff has a route on.
 */
export function escalate(
  draft: Draft,
  task: string,
  why: string,
  details: readonly string[] = [],
  roundTo: string | null = null,
): void {
  const { step, last } = draft.task(task);
  const agent = step?.agent ?? draft.workflow.start;
  const canContinue = step !== null && last?.step === step.id && hasWayOn(draft, task);
  askPerson(draft, task, {
    kind: "escalation",
    agent,
    title: why,
    details,
    choices: [...(roundTo === null ? [] : ["round"]), "retry", ...(canContinue ? ["continue"] : []), "fail"],
    ...(roundTo !== null && { roundTo }),
  });
}
