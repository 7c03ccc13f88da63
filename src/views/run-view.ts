import type { Outcome } from "../protocol/handoff.ts";
import type { Workflow } from "../workflow/definition.ts";
import type { Event } from "../workflow/event.ts";
import type { Ask, LedgerIssue, RunState, Spending, TaskStatus } from "../workflow/state.ts";
import { type TakeoverView, takeoversOf } from "./takeovers.ts";

/** Where a run stands, for every surface. */
export interface RunView {
  readonly run: string;
  readonly workflow: string;
  readonly status: string;
  readonly reason: string | null;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly iteration: number;
  readonly steps: number;
  readonly agents: readonly AgentView[];
  readonly tasks: readonly TaskView[];
  readonly asks: readonly Ask[];
  readonly issues: readonly LedgerIssue[];
  readonly spent: Spending;
  readonly known: Readonly<Record<string, string>>;
  readonly takeovers: readonly TakeoverView[];
}

export interface AgentView {
  readonly name: string;
  readonly status: "waiting" | "working" | "asking" | Outcome;
  readonly visits: number;
  readonly refused: number;
  /** Since when it works. */
  readonly since: number | null;
}

export interface TaskView {
  readonly id: string;
  readonly name: string;
  readonly status: TaskStatus;
  readonly agent: string | null;
  readonly depends_on: readonly string[];
  readonly reason: string | null;
}

export function runView(workflow: Workflow, state: RunState, events: readonly Event[]): RunView {
  const asking = Object.keys(state.asks).length > 0 && !isWorking(state);
  return {
    run: state.run,
    workflow: workflow.name,
    status: state.status === "running" && asking ? "waiting" : state.status,
    reason: state.reason,
    started_at: state.startedAt,
    ended_at: state.endedAt,
    iteration: state.iteration,
    steps: state.steps,
    agents: Object.keys(workflow.agents).map((name) => agentView(name, state, events)),
    tasks: Object.values(state.tasks).map(({ id, name, status, step, next, dependsOn, reason }) => ({
      id,
      name,
      status,
      agent: step?.agent ?? next?.agent ?? null,
      depends_on: dependsOn,
      reason,
    })),
    asks: Object.values(state.asks),
    issues: Object.values(state.ledger),
    spent: state.spent,
    known: Object.fromEntries(Object.entries(state.known).map(([name, fact]) => [name, fact.value])),
    takeovers: takeoversOf(events),
  };
}

function isWorking(state: RunState): boolean {
  return Object.values(state.tasks).some(({ step }) => step !== null && step.phase !== "asking");
}

function agentView(name: string, state: RunState, events: readonly Event[]): AgentView {
  const steps = Object.values(state.tasks).flatMap(({ step }) => (step?.agent === name ? [step] : []));
  const [step] = steps;
  const last = events.findLast((event) => event.kind === "handoff-accepted" && event.agent === name);
  const outcome = last?.kind === "handoff-accepted" ? last.delivery.handoff.outcome : "waiting";
  return {
    name,
    status: step === undefined ? outcome : step.phase === "asking" ? "asking" : "working",
    visits: events.filter((event) => event.kind === "step-started" && event.agent === name).length,
    refused: events.filter((event) => event.kind === "handoff-refused" && event.agent === name).length,
    since: step?.startedAt ?? null,
  };
}
