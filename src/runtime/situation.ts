import type { Situation } from "../ports/agent.ts";
import { OUTCOMES, type Outcome } from "../protocol/handoff.ts";
import type { AgentDefinition, Workflow } from "../workflow/definition.ts";
import type { RunState, TaskState } from "../workflow/state.ts";

/** What the run knows, for agents that take data instead of a prompt. */
export function situationOf(workflow: Workflow, state: RunState, task: TaskState): Situation {
  const agent = workflow.agents[task.step?.agent ?? ""];
  return {
    run: state.run,
    task: task.id,
    brief: state.brief,
    startedAt: state.startedAt,
    trail: task.trail,
    known: Object.fromEntries(Object.entries(state.known).map(([name, { value }]) => [name, value])),
    last: task.last?.handoff ?? null,
    next: agent === undefined ? {} : nextAgents(agent),
    workspace: workflow.workspace,
    // A run that began before there were forges was stored without one.
    forge: workflow.forge ?? null,
  };
}

function nextAgents({ routes }: AgentDefinition): Situation["next"] {
  const next: Partial<Record<Outcome, string>> = {};
  for (const outcome of OUTCOMES) {
    const [only, ...others] = routes[outcome] ?? [];
    if (only === undefined || others.length > 0 || only.when !== null) continue;
    if (only.action.kind === "go" || only.action.kind === "loop") next[outcome] = only.action.to;
  }
  return next;
}
