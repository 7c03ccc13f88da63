import type { Draft } from "../draft.ts";
import { routeBlocked } from "./route-blocked.ts";
import { routeFailure } from "./route-failure.ts";
import { NOTHING, type Turn } from "./turn.ts";
import { whatStopped } from "./what-stopped.ts";

/** Where the work goes by how it ended. The workflow owns the graph; the handoff can only wish. */
export function routeHandoff(draft: Draft, task: string): Turn {
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
