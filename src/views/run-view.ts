import type { Workflow } from "../workflow/definition.ts";
import type { Event } from "../workflow/event.ts";
import type { Ask, LedgerIssue, RunState, Spending, TaskStatus } from "../workflow/state.ts";
import { AgentTallies, type AgentView } from "./agent-view.ts";
import { retryRefusal } from "./retry-refusal.ts";
import { Takeovers, type TakeoverView } from "./takeovers.ts";
import { UnwatchedAttempts } from "./unwatched-attempts.ts";

export type { AgentView } from "./agent-view.ts";

/** Where a run stands, for every surface. */
export interface RunView {
  readonly run: string;
  readonly workflow: string;
  readonly status: string;
  readonly reason: string | null;
  /** What helps a failed run that its budget would not let go on; null where a retry may help. */
  readonly retry_refused: string | null;
  readonly started_at: number;
  readonly ended_at: number | null;
  readonly iteration: number;
  readonly steps: number;
  readonly agents: readonly AgentView[];
  readonly tasks: readonly TaskView[];
  readonly asks: readonly Ask[];
  readonly issues: readonly LedgerIssue[];
  readonly spent: Spending;
  /** Attempts whose time is not in `spent`: they were lost, or stopped with their task. */
  readonly unwatched_attempts: number;
  readonly known: Readonly<Record<string, string>>;
  readonly takeovers: readonly TakeoverView[];
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
  return new GrowingView().after(workflow, state, events);
}

/** The view of a run that goes on: what its state does not tell is counted on from look to look. */
export class GrowingView {
  readonly #agents = new AgentTallies();
  readonly #unwatched = new UnwatchedAttempts();
  readonly #takeovers = new Takeovers();

  /** After these events, which are new, and in this state, to which they have led. */
  after(workflow: Workflow, state: RunState, events: readonly Event[]): RunView {
    for (const event of events) {
      this.#agents.note(event);
      this.#unwatched.note(event);
      this.#takeovers.note(event);
    }
    this.#agents.meet(state);
    return viewWith(workflow, state, {
      agents: this.#agents.views(Object.keys(workflow.agents), state),
      unwatched_attempts: this.#unwatched.found,
      takeovers: this.#takeovers.views(),
    });
  }
}

type Counted = Pick<RunView, "agents" | "unwatched_attempts" | "takeovers">;

function viewWith(workflow: Workflow, state: RunState, counted: Counted): RunView {
  const asking = Object.keys(state.asks).length > 0 && !isWorking(state);
  return {
    run: state.run,
    workflow: workflow.name,
    status: state.status === "running" && asking ? "waiting" : state.status,
    reason: state.reason,
    retry_refused: retryRefusal(workflow, state, state.endedAt ?? state.startedAt)?.help ?? null,
    started_at: state.startedAt,
    ended_at: state.endedAt,
    iteration: state.iteration,
    steps: state.steps,
    agents: counted.agents,
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
    unwatched_attempts: counted.unwatched_attempts,
    known: Object.fromEntries(Object.entries(state.known).map(([name, fact]) => [name, fact.value])),
    takeovers: counted.takeovers,
  };
}

function isWorking(state: RunState): boolean {
  return Object.values(state.tasks).some(({ step }) => step !== null && step.phase !== "asking");
}
