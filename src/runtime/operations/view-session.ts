import { type RunView, runView } from "../../views/run-view.ts";
import type { Event } from "../../workflow/event.ts";
import type { RunSession } from "../run-session.ts";

/** The view of a run that this process drives, without reading its log again. */
export function viewOf({ workflow, state }: RunSession, before: RunView | null, events: readonly Event[]): RunView {
  const view = runView(workflow, state, events);
  if (before === null) return view;
  const agents = view.agents.map((agent, index) => {
    const earlier = before.agents[index];
    if (earlier === undefined) return agent;
    const status =
      agent.status === "waiting" && earlier.status !== "working" && earlier.status !== "asking"
        ? earlier.status
        : agent.status;
    return { ...agent, status, visits: agent.visits + earlier.visits, refused: agent.refused + earlier.refused };
  });
  return { ...view, agents };
}
