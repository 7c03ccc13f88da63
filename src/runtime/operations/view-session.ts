import { type AgentView, type RunView, runView } from "../../views/run-view.ts";
import type { Event } from "../../workflow/event.ts";
import type { RunSession } from "../run-session.ts";

/** The view of a run that goes on, from what it was before, without reading its log again. */
export function viewOf(
  { workflow, state }: Pick<RunSession, "workflow" | "state">,
  before: RunView | null,
  events: readonly Event[],
): RunView {
  const view = runView(workflow, state, events);
  if (before === null) return view;
  const agents = view.agents.map((agent, index) => {
    const earlier = before.agents[index];
    if (earlier === undefined) return agent;
    const status = agent.status === "not-started" ? statusSince(state, earlier) : agent.status;
    return { ...agent, status, visits: agent.visits + earlier.visits, refused: agent.refused + earlier.refused };
  });
  return { ...view, agents };
}

/** Of an agent that is not at work and has not just handed over: what its last handoff said, if there was one. */
function statusSince({ tasks, status: run }: RunSession["state"], { name, status }: AgentView): AgentView["status"] {
  if (status !== "working" && status !== "asking") return status;
  const last = Object.values(tasks).find((task) => task.last?.agent === name)?.last;
  return last?.handoff.outcome ?? (run === "cancelled" ? "stopped" : "failed");
}
