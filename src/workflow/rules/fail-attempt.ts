import type { Draft } from "../draft.ts";
import type { AttemptEnd, ReportAttempt } from "../input.ts";
import { countFailure } from "./count-failure.ts";
import { planRetry } from "./plan-retry.ts";
import { NOTHING, type Turn } from "./turn.ts";

/**
 * The agent itself broke: nothing of its work is believed. Tried again after a while, unless that would change nothing,
 * then the failed route.
 */
export function failAttempt(draft: Draft, task: string, { end, message, isPermanent }: ReportAttempt): Turn {
  const why = `${draft.step(task).agent} ${ENDS[end]}${message === "" ? "" : `: ${message}`}`;
  countFailure(draft, task, null, why);
  const broken = { do: "take-route", outcome: "failed", why, isUnusable: true } as const;
  if (isPermanent === true) return { ...broken, isPermanent };
  if (planRetry(draft, task, draft.agent(draft.step(task).agent).retry.most, why)) return NOTHING;
  return broken;
}

const ENDS: Readonly<Record<AttemptEnd, string>> = {
  finished: "finished",
  crashed: "crashed",
  "timed-out": "took too long",
  flooded: "printed too much",
  "could-not-start": "could not be started",
  lost: "was lost",
  stopped: "was stopped",
};
