import type { Event } from "./event.ts";
import { STEP_EVENTS } from "./evolve-steps.ts";
import type { LedgerIssue, RunState, TaskState } from "./state.ts";
import { taskOf, withTask, omitKey, withStep, type Handlers } from "./change-state.ts";
import type { TaskDefinition } from "./definition.ts";
import { ownValue } from "../shared/json-value.ts";

/** The state after an event. Pure and total: a recorded event is never judged again. */
export function evolve(state: RunState, event: Event): RunState {
  const handler = HANDLERS[event.kind] as (state: RunState, event: Event) => RunState;
  return handler(state, event);
}

export const EMPTY_RUN: RunState = {
  run: "",
  name: "",
  workflow: "",
  status: "running",
  reason: null,
  beganInRepository: false,
  startedAt: 0,
  endedAt: null,
  brief: "",
  iteration: 1,
  tasks: {},
  steps: 0,
  ledger: {},
  loops: [],
  asks: {},
  asked: 0,
  timers: {},
  spent: {
    agent: 0,
    tokens: 0,
    money: 0,
    unknownTokens: 0,
    unknownMoney: 0,
    possibleTokens: 0,
    possibleMoney: 0,
  },
  known: {},
  notices: {},
  approved: [],
  raised: {},
  waived: [],
  unknowns: [],
};

/** Events of the run as a whole and of its tasks. */
const TASK_EVENTS: Handlers<
  | "run-started"
  | "run-completed"
  | "run-failed"
  | "run-cancelled"
  | "run-reopened"
  | "task-added"
  | "task-advanced"
  | "task-finished"
  | "task-blocked"
  | "task-released"
  | "timer-set"
  | "timer-cleared"
  | "workspace-changed"
  | "files-trusted"
  | "handoff-continued"
  | "session-noted"
  | "other-agent-seen"
  | "session-measured"
  | "input-ignored"
> = {
  "run-started": (state, { run, name, workflow, brief, known, inRepository, trusted, observed, at }) => ({
    ...state,
    ...(trusted !== undefined && { trusted }),
    ...(observed !== undefined && { observed }),
    run,
    name,
    workflow,
    brief,
    beganInRepository: inRepository === true,
    startedAt: at,
    known: Object.fromEntries(
      Object.entries(known).map(([key, value]) => [key, { value, by: "the start of the run" }]),
    ),
  }),
  "run-completed": (state, { at, reason }) => ended(state, "completed", at, reason),
  "run-failed": (state, { at, reason }) => ended(state, "failed", at, reason),
  "run-cancelled": (state, { at, reason }) => ended(state, "cancelled", at, reason),
  "run-reopened": (state) => ({ ...state, status: "running", reason: null, endedAt: null }),
  "task-added": (state, { task }) => ({ ...state, tasks: { ...state.tasks, [task.id]: newTask(task) } }),
  "task-advanced": (state, { task, next, callers }) => {
    const { step } = taskOf(state, task);
    const moved = step === null || step.agent !== next.agent;
    return withTask(state, task, {
      status: "waiting",
      next,
      callers,
      step: null,
      ...(moved && { retries: 0 }),
    });
  },
  // A failed task keeps the step that was about to start, for a retry.
  "task-finished": (state, { task, status, reason }) =>
    withTask(withStopped(state, task), task, {
      status,
      reason,
      step: null,
      ...(status !== "failed" && { next: null }),
    }),
  "task-blocked": (state, { task, blocker }) =>
    withTask(state, task, { blockers: [...taskOf(state, task).blockers, blocker] }),
  "task-released": (state, { task, by }) =>
    withTask(state, task, { blockers: taskOf(state, task).blockers.filter((blocker) => blocker.by !== by) }),
  "timer-set": (state, { timer }) => ({ ...state, timers: { ...state.timers, [timer.id]: timer } }),
  "timer-cleared": (state, { timer }) => ({ ...state, timers: omitKey(state.timers, timer) }),
  "workspace-changed": (state, { paths, more, by }) => ({ ...state, foreignChanges: { paths, more, by } }),
  "files-trusted": (state, { files, gone, gatesOf }) => {
    const named = new Set([...gone, ...files.map(({ path }) => path)]);
    const trusted = [...(state.trusted ?? []).filter(({ path }) => !named.has(path)), ...files];
    return gatesOf === undefined ? { ...state, trusted } : withStep({ ...state, trusted }, gatesOf, { phase: "gates" });
  },
  "handoff-continued": (state, { task, agent, delivery: { text, handoff } }) =>
    withTask(state, task, { last: { agent, step: "", text, handoff } }),
  "session-noted": (state) => state,
  "other-agent-seen": (state, { id, agent, has }) => {
    const others = omitKey(state.others ?? {}, id);
    return { ...state, others: has === "started" ? { ...others, [id]: agent } : others };
  },
  "session-measured": (state, { usage }) => ({ ...state, sessionUsage: usage }),
  "input-ignored": (state) => state,
};

/** The agent of a task that ends early is stopped, and its cost is unknown. */
function withStopped(state: RunState, task: string): RunState {
  if (taskOf(state, task).step?.phase !== "working") return state;
  const { spent } = state;
  const unknown = { unknownTokens: spent.unknownTokens + 1, unknownMoney: spent.unknownMoney + 1 };
  return { ...state, spent: { ...spent, ...unknown } };
}

/** Clears all timers and questions. */
function ended(state: RunState, status: RunState["status"], at: number, reason: string): RunState {
  return { ...state, status, endedAt: at, reason, asks: {}, timers: {} };
}

function newTask(task: TaskDefinition): TaskState {
  return {
    ...task,
    status: "waiting",
    reason: null,
    next: null,
    step: null,
    retries: 0,
    failures: {},
    callers: [],
    last: null,
    received: null,
    trail: [],
    began: {},
    since: {},
    confirmed: {},
    blockers: [],
    answers: [],
    round: 1,
    before: null,
    granted: 0,
    helps: [],
    refuted: {},
    unusable: [],
    acceptedClaims: [],
  };
}

/** Events of the issue ledger, of loops and of what is known along the chain. */
const LEDGER_EVENTS: Handlers<
  | "loop-began"
  | "loop-ended"
  | "round-granted"
  | "issue-opened"
  | "issue-seen"
  | "fix-claimed"
  | "issue-changed"
  | "issues-waived"
  | "condition-unknown"
  | "fact-learned"
> = {
  // Issues that are worked on again are no longer waived.
  "loop-began": (state, { loop, issues }) => {
    const ledger = Object.fromEntries(
      Object.entries(state.ledger).map(([id, issue]) => [id, issues.includes(id) ? withoutWaiver(issue) : issue]),
    );
    const begun = { ...state, ledger, iteration: loop.iteration, loops: [...state.loops, loop] };
    const open = Object.values(state.ledger).filter(({ task, status }) => task === loop.task && status === "open");
    return withTask(begun, loop.task, {
      round: taskOf(state, loop.task).round + 1,
      before: Object.fromEntries(open.map(({ id, reopened }) => [id, reopened])),
    });
  },
  "loop-ended": (state, { task, asker, end, goesOn, why }) => {
    if (!goesOn) return state;
    const waiver = { task, agent: asker, what: "loop", name: why, by: null } as const;
    const waived = end === "converged" ? state : { ...state, waived: [...state.waived, waiver] };
    return withStep(waived, task, { routeAs: "done-with-warnings", phase: "gates" });
  },
  "round-granted": (state, { task }) => withTask(state, task, { granted: taskOf(state, task).granted + 1 }),
  "condition-unknown": (state, { task, agent, condition }) => ({
    ...state,
    unknowns: [...state.unknowns, { task, agent, condition }].slice(-MAX_UNKNOWNS),
  }),
  "issue-seen": (state, { id, by, tree }) =>
    replaceIssue(state, id, ({ claimed: _claimed, ...issue }) => ({
      ...issue,
      seenBy: by,
      ...(tree !== undefined && { tree }),
    })),
  "fix-claimed": (state, { id, status, by, at }) =>
    replaceIssue(state, id, (issue) => ({
      ...issue,
      claimed: { status, by },
      history: [...issue.history, { status: "claimed", by, at }],
    })),
  "issues-waived": (state, { issues, by }) =>
    issues.reduce((waived, id) => replaceIssue(waived, id, (issue) => ({ ...issue, waivedBy: by })), state),
  "issue-opened": (state, { issue }) => ({ ...state, ledger: { ...state.ledger, [issue.id]: issue } }),
  "issue-changed": (state, { id, status, by, at, tree }) =>
    replaceIssue(state, id, ({ claimed: _claimed, ...issue }) => ({
      ...issue,
      status: status === "reopened" ? "open" : status,
      reopened: issue.reopened + (status === "reopened" ? 1 : 0),
      history: [...issue.history, { status, by, at }],
      ...(tree !== undefined && { tree }),
    })),
  "fact-learned": (state, { name, value, by }) => ({ ...state, known: { ...state.known, [name]: { value, by } } }),
};

const MAX_UNKNOWNS = 1_000;

function withoutWaiver({ waivedBy: _by, ...issue }: LedgerIssue): LedgerIssue {
  return issue;
}

function replaceIssue(state: RunState, id: string, change: (issue: LedgerIssue) => LedgerIssue): RunState {
  const issue = ownValue(state.ledger, id);
  return issue === undefined ? state : { ...state, ledger: { ...state.ledger, [id]: change(issue) } };
}

const HANDLERS: Handlers<Event["kind"]> = { ...TASK_EVENTS, ...STEP_EVENTS, ...LEDGER_EVENTS };
