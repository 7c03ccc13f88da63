import { ownValue } from "../../shared/json-value.ts";
import type { Draft } from "../draft.ts";
import type { Ask } from "../state.ts";
import { chooseForAsk } from "./answer-ask.ts";
import { failRun } from "./fail-run.ts";

export function fireTimer(draft: Draft, id: string): void {
  const timer = ownValue(draft.state.timers, id);
  if (timer === undefined || timer.dueAt > draft.at) {
    draft.record({ kind: "input-ignored", input: "fire-timer", why: `No timer ${id} is due.` });
    return;
  }
  draft.record({ kind: "timer-cleared", timer: id });
  if (timer.purpose === "wall") return failRun(draft, "The run has taken all the time its budget allows.");
  if (timer.purpose === "ask") return expireAsk(draft, timer.subject);
  const { step, callers } = draft.task(timer.subject);
  if (step?.phase !== "delay") return;
  const next = { agent: step.agent, reason: step.reason, approved: true };
  draft.record({ kind: "task-advanced", task: timer.subject, next, callers });
}

/** Silence is never consent: it is asked again, or it counts as a no. */
function expireAsk(draft: Draft, id: string): void {
  const ask = ownValue(draft.state.asks, id);
  if (ask === undefined) return;
  const { silence, timeout } = draft.workflow.asks;
  if (silence === "remind") return remind(draft, ask, timeout ?? 0);
  // A no to finished work would only make the agent do it again and again, with nobody there.
  const canSayNo = ask.kind === "before" || ask.kind === "command";
  const choice = silence === "reject" && canSayNo ? "reject" : "fail";
  draft.record({ kind: "ask-expired", ask: id, consequence: choice });
  chooseForAsk(draft, ask, { choice, text: "Nobody answered in time.", by: "timeout" });
}

function remind(draft: Draft, ask: Ask, timeout: number): void {
  const dueAt = draft.at + timeout;
  draft.record({ kind: "ask-reminded", ask: ask.id, dueAt });
  draft.record({ kind: "timer-set", timer: { id: `ask:${ask.id}`, dueAt, purpose: "ask", subject: ask.id } });
  draft.want({ kind: "notify", who: "person", text: `${ask.id} still waits (${ask.reminders + 1}): ${ask.title}` });
}
