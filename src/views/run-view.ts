import type { Workflow } from "../workflow/definition.ts";
import type { Event } from "../workflow/event.ts";
import {
  REMARK_KINDS,
  type RunState,
  type TaskStatus,
  askShape,
  ledgerIssueShape,
  spendingShape,
} from "../workflow/state.ts";
import { remarksOf } from "../workflow/remarks.ts";
import { WATCHED, sessionUsageShape, sessionUsageView } from "./observed-run.ts";
import { Takeovers, takeoverShape } from "./takeovers.ts";
import { decide } from "../workflow/decide.ts";
import type { Outcome } from "../protocol/handoff.ts";
import { type Infer, data } from "../protocol/shape.ts";
import { groupBy } from "../shared/group-by.ts";

const agentViewShape = data.record({
  name: data.text(),
  /**
   * `not-started` before its first step, the outcome after its handoff, `failed` when its step ended without a handoff,
   * `stopped` when it was working as its task was cancelled.
   */
  status: data.word<"not-started" | "working" | "asking" | "stopped" | Outcome>(),
  visits: data.count(),
  refused: data.count(),
  /** When its current step started. */
  since: data.nullable(data.count()),
});
export type AgentView = Infer<typeof agentViewShape>;

const taskViewShape = data.record({
  id: data.text(),
  name: data.text(),
  status: data.word<TaskStatus>(),
  agent: data.nullable(data.text()),
  depends_on: data.list(data.text()),
  reason: data.nullable(data.text()),
});

/** Everything but the questions: the page of a run adds the effect of each choice. */
export const runStatusShape = data.record({
  run: data.text(),
  workflow: data.text(),
  status: data.text(),
  reason: data.nullable(data.text()),
  /** What a run that ended well does not prove: worst first. */
  remarks: data.list(data.record({ kind: data.oneOf(REMARK_KINDS), text: data.text() })),
  /** What to do about a failed run whose budget does not allow a retry; null when a retry may help. */
  retry_refused: data.nullable(data.text()),
  started_at: data.count(),
  ended_at: data.nullable(data.count()),
  /** The session of a client that is watched; null for a run that is driven. */
  observed: data.nullable(
    data.record({
      client: data.text(),
      session: data.text(),
      /** The workflow whose expectations hold; null when there is none. */
      follows: data.nullable(data.text()),
      /** What the client says that the session has used; null until it does. */
      usage: data.nullable(sessionUsageShape),
      /** What was otherwise than `follows` has it; the last ones. */
      deviations: data.list(data.record({ agent: data.text(), says: data.text() })),
      /** What `follows` would do next; null before the first handoff. */
      suggestion: data.nullable(data.text()),
      /** Agents that owe no handoff, by type: nothing of them is checked. */
      others: data.list(data.record({ agent: data.text(), seen: data.count(), at_work: data.count() })),
    }),
  ),
  iteration: data.count(),
  steps: data.count(),
  agents: data.list(agentViewShape),
  tasks: data.list(taskViewShape),
  issues: data.list(ledgerIssueShape),
  spent: spendingShape,
  /** Attempts whose time is not in `spent`: they were lost, or stopped with their task. */
  unwatched_attempts: data.count(),
  known: data.map(data.text()),
  takeovers: data.list(takeoverShape),
});

const runViewShape = data.extend(runStatusShape, { asks: data.list(askShape) });
/** The status of a run, for every surface. */
export type RunView = Infer<typeof runViewShape>;

/** What is to be said of an issue that is open: another agent than the one that reported it calls it settled. */
export function describeClaimed({ claimed }: RunView["issues"][number]): string | null {
  if (claimed === undefined) return null;
  return claimed.status === "fixed" ? `said to be fixed by ${claimed.by}` : `not to be fixed, says ${claimed.by}`;
}

export function runView(workflow: Workflow, state: RunState, events: readonly Event[]): RunView {
  return new GrowingView().after(workflow, state, events);
}

/** The view of a run in progress. It accumulates what the state does not hold. */
export class GrowingView {
  readonly #agents = new AgentTallies();
  readonly #unwatched = new UnwatchedAttempts();
  readonly #takeovers = new Takeovers();
  /** Agents that owe no handoff, by id. */
  readonly #others = new Map<string, { readonly agent: string; readonly isAtWork: boolean }>();
  readonly #notes = new SessionNotes();

  /** `events` are the events since the last call, and `state` is the state after them. */
  after(workflow: Workflow, state: RunState, events: readonly Event[]): RunView {
    for (const event of events) {
      this.#agents.note(event);
      this.#unwatched.note(event);
      this.#takeovers.note(event);
      this.#notes.note(event);
      if (event.kind === "other-agent-seen")
        this.#others.set(event.id, { agent: event.agent, isAtWork: event.has === "started" });
    }
    this.#agents.meet(state);
    return viewWith(workflow, state, {
      agents: this.#agents.views(Object.keys(workflow.agents), state),
      unwatched_attempts: this.#unwatched.found,
      takeovers: this.#takeovers.views(),
      session: { ...this.#notes.found, others: countOthers([...this.#others.values()]) },
    });
  }
}

type Others = NonNullable<RunView["observed"]>["others"];

function countOthers(others: readonly { readonly agent: string; readonly isAtWork: boolean }[]): Others {
  return [...groupBy(others, ({ agent }) => agent)].map(([agent, own]) => ({
    agent,
    seen: own.length,
    at_work: own.filter(({ isAtWork }) => isAtWork).length,
  }));
}

const MAX_DEVIATIONS = 50;

/** What was noted of a session beside the workflow that it follows. */
class SessionNotes {
  #deviations: { readonly agent: string; readonly says: string }[] = [];
  #suggestion: string | null = null;

  get found(): Omit<SeenSession, "others"> {
    return { deviations: [...this.#deviations], suggestion: this.#suggestion };
  }

  note(event: Event): void {
    if (event.kind !== "session-noted") return;
    const { what, says, agent } = event;
    if (what === "deviation")
      this.#deviations = [...this.#deviations, { agent: agent ?? "", says }].slice(-MAX_DEVIATIONS);
    if (what === "suggestion") this.#suggestion = says;
  }
}

type SeenSession = Pick<NonNullable<RunView["observed"]>, "deviations" | "suggestion" | "others">;

interface Counted extends Pick<RunView, "agents" | "unwatched_attempts" | "takeovers"> {
  readonly session: SeenSession;
}

function viewWith(workflow: Workflow, state: RunState, counted: Counted): RunView {
  const asking = Object.keys(state.asks).length > 0 && !isWorking(state);
  return {
    run: state.run,
    workflow: workflow.name,
    status: statusOf(state, asking),
    reason: state.reason,
    remarks: remarksOf(workflow, state),
    retry_refused: retryRefusal(workflow, state, state.endedAt ?? state.startedAt)?.help ?? null,
    started_at: state.startedAt,
    ended_at: state.endedAt,
    observed: observedView(state, counted.session),
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

function statusOf({ status, observed }: RunState, asking: boolean): string {
  if (status !== "running") return status;
  return asking ? "waiting" : observed === undefined ? status : WATCHED;
}

function observedView({ observed, sessionUsage }: RunState, seen: SeenSession): RunView["observed"] {
  if (observed === undefined) return null;
  const { client, session, follows = null } = observed;
  return {
    client,
    session,
    follows,
    usage: sessionUsage === undefined ? null : sessionUsageView(sessionUsage),
    ...seen,
  };
}

function isWorking(state: RunState): boolean {
  return Object.values(state.tasks).some(({ step }) => step !== null && step.phase !== "asking");
}

/**
 * Counts attempts that were not observed to their end: they were lost, or stopped with their task. Their time is
 * unknown.
 */
export class UnwatchedAttempts {
  /** Tasks with a running attempt. */
  readonly #atWork = new Set<string>();
  #found = 0;

  get found(): number {
    return this.#found;
  }

  note(event: Event): void {
    if (event.kind === "attempt-started") this.#atWork.add(event.task);
    else if (event.kind === "attempt-ended") {
      this.#atWork.delete(event.task);
      if ((event.end === "lost" && event.usage.milliseconds === 0) || event.isBeginUnknown === true) this.#found++;
    } else if (event.kind === "task-finished" && this.#atWork.delete(event.task)) this.#found++;
  }
}

export interface RetryRefusal {
  readonly why: string;
  /** What to do instead. */
  readonly help: string;
}

/** Why the budget would end a retry of a failed run at once; null when a retry may help. */
export function retryRefusal(workflow: Workflow, state: RunState, at: number): RetryRefusal | null {
  if (state.status !== "failed") return null;
  const { events } = decide(workflow, state, { kind: "retry-run", at, by: "", note: null });
  const refused = events.find((event) => event.kind === "budget-refused");
  if (refused === undefined) return null;
  return {
    why: `The budget of run ${state.run} does not allow a retry: ${refused.why}`,
    help: `Raise the budget of this run first: \`baton budget ${state.run} --${refused.budget} LIMIT\`.`,
  };
}

interface Tally {
  visits: number;
  refused: number;
  /** The task of its last step. */
  task: string | null;
  /** Result of its last step; null while that step has no valid handoff. */
  word: Outcome | "stopped" | null;
}

/** Progress of each agent, updated event by event, so that the log need not be read again. */
export class AgentTallies {
  readonly #tallies = new Map<string, Tally>();

  note(event: Event): void {
    note(this.#tallies, event);
  }

  /** Adds agents that are working: a follower of a resumed run has not seen their steps start. */
  meet({ tasks }: RunState): void {
    for (const { id, step } of Object.values(tasks)) {
      if (step !== null && !this.#tallies.has(step.agent)) tallyOf(this.#tallies, step.agent).task = id;
    }
  }

  /** In the order of `names`. */
  views(names: readonly string[], state: RunState): AgentView[] {
    return names.map((name) => agentView(name, this.#tallies.get(name), state));
  }
}

function note(tallies: Map<string, Tally>, event: Event): void {
  if (event.kind === "step-started")
    Object.assign(tallyOf(tallies, event.agent), { task: event.task, word: null }).visits++;
  if (event.kind === "handoff-accepted")
    Object.assign(tallyOf(tallies, event.agent), { task: event.task, word: event.delivery.handoff.outcome });
  // Applies to accepted handoffs as well, when a gate refuted a claim.
  if (event.kind === "handoff-refused")
    Object.assign(tallyOf(tallies, event.agent), { task: event.task, word: null }).refused++;
  if (event.kind === "task-finished" && event.status === "cancelled")
    for (const tally of tallies.values()) if (tally.task === event.task) tally.word ??= "stopped";
}

function tallyOf(tallies: Map<string, Tally>, agent: string): Tally {
  const known = tallies.get(agent);
  if (known !== undefined) return known;
  const tally = { ...NOTHING };
  tallies.set(agent, tally);
  return tally;
}

function agentView(name: string, tally: Tally | undefined, state: RunState): AgentView {
  const step = Object.values(state.tasks).find((task) => task.step?.agent === name)?.step ?? null;
  const { visits, refused, word } = tally ?? NOTHING;
  const ended = word ?? (tally === undefined ? "not-started" : "failed");
  const status = step === null ? ended : step.phase === "asking" ? "asking" : "working";
  return { name, status, visits, refused, since: step?.startedAt ?? null };
}

const NOTHING: Tally = { visits: 0, refused: 0, task: null, word: null };
