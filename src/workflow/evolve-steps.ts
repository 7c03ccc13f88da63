import type { Figures } from "../evidence/sightings.ts";
import { ownValue } from "../shared/json-value.ts";
import { taskOf, withStep, withTask, without } from "./change-state.ts";
import { NO_CLAIMS, keepRetold, looked, settle } from "./evolve-claims.ts";
import type { AttemptEnded } from "./event.ts";
import type { Handlers } from "./handlers.ts";
import type { RunState, Spending, Step, StepReason, TaskState } from "./state.ts";

/** Events of steps, attempts, gates and the people who are asked. */
export const STEP_EVENTS: Handlers<
  | "step-started"
  | "attempt-started"
  | "attempt-ended"
  | "attempt-delayed"
  | "handoff-accepted"
  | "handoff-refused"
  | "claims-verified"
  | "command-approved"
  | "command-ended"
  | "wish-overruled"
  | "gate-passed"
  | "gate-failed"
  | "facts-helped"
  | "failure-counted"
  | "agent-notified"
  | "ask-opened"
  | "ask-answered"
  | "ask-reminded"
  | "ask-expired"
  | "budget-refused"
  | "budget-overrun"
> = {
  "step-started": (state, { task, step, agent, reason, at }) => {
    const before = taskOf(state, task);
    const isRetry = before.trail.at(-1) === agent && (reason.kind === "retry" || reason.kind === "gate");
    const notices = ownValue(state.notices, agent) ?? [];
    return withTask({ ...state, steps: state.steps + 1 }, task, {
      status: "working",
      next: null,
      trail: [...before.trail, agent],
      began: { ...before.began, [agent]: beginning(before, agent, step, reason) },
      retries: isRetry ? before.retries + 1 : before.retries,
      step: { ...NEW_STEP, id: step, agent, reason, startedAt: at, notices },
    });
  },
  "attempt-started": (state, { task, attempt, reason, held }) => {
    const step = taskOf(state, task).step ?? NEW_STEP;
    return withStep(withTask(state, task, { status: "working" }), task, {
      phase: "working",
      attempt,
      attempts: step.attempts + 1,
      repairs: reason.kind === "repair" ? step.repairs + 1 : step.repairs,
      reason,
      held,
      // Of the handoff to come nothing is known yet.
      claims: NO_CLAIMS,
      settled: {},
      retold: [],
    });
  },
  "attempt-ended": (state, event) => {
    const { held, given, repairs, reason } = taskOf(state, event.task).step ?? NEW_STEP;
    const spent = { ...state, spent: spend(state.spent, event, held) };
    // A repair whose watcher died was none: the author has not been heard.
    const isUnheard = event.end === "lost" && reason.kind === "repair";
    return withStep(spent, event.task, {
      ...(event.session !== null && { session: event.session }),
      held: NO_HOLD,
      phase: "delay",
      repairs: isUnheard ? repairs - 1 : repairs,
      given: givenBy(given, event),
    });
  },
  "attempt-delayed": (state, { task, reason }) => withStep(state, task, { phase: "delay", reason }),
  "handoff-accepted": (state, { task, step, agent, delivery: { handoff, text } }) => {
    const { failures, step: before, confirmed, last: known, received } = taskOf(state, task);
    const last = { agent, step, text, handoff };
    const kept = { ...confirmed, [agent]: keepRetold(confirmed[agent], before?.retold ?? []) };
    const change = {
      last,
      received: known === null || known.agent === agent ? received : known,
      confirmed: kept,
      ...(handoff.outcome !== "failed" && { failures: without(failures, agent) }),
    };
    return withStep(withTask(withoutTold(state, agent, before?.notices ?? []), task, change), task, {
      phase: "gates",
      accepted: (before?.accepted ?? 0) + 1,
      gate: 0,
      passes: 0,
      gateFailed: false,
      routeAs: null,
      figures: null,
      shown: [],
      commandDone: false,
    });
  },
  "handoff-refused": (state) => state,
  "claims-verified": (state, { task, gate, judgements }) => {
    const { claims = NO_CLAIMS, settled = {} } = taskOf(state, task).step ?? {};
    return withStep(state, task, gate === null ? looked(judgements) : settle({ claims, settled }, judgements));
  },
  "command-approved": (state, { task, command }) =>
    withStep({ ...state, approved: [...state.approved, command] }, task, { phase: "gates" }),
  "command-ended": (state, { task }) => withStep(state, task, { commandDone: true }),
  "wish-overruled": (state) => state,
  "gate-passed": (state, { task, gate: name, isLast, message, figures }) => {
    const { gate = 0, passes = 0, figures: known = null, shown = [] } = taskOf(state, task).step ?? {};
    if (!isLast) return withStep(state, task, { passes: passes + 1, figures: laterFigures(known, figures) });
    const all = [...shown, { gate: name, message, figures }];
    return withStep(state, task, { gate: gate + 1, passes: 0, figures: laterFigures(known, figures), shown: all });
  },
  "gate-failed": (state, { task }) => withStep(state, task, { gateFailed: true }),
  "facts-helped": (state) => state,
  "failure-counted": (state, { task, agent }) => {
    const { failures } = taskOf(state, task);
    return withTask(state, task, { failures: { ...failures, [agent]: (failures[agent] ?? 0) + 1 } });
  },
  "agent-notified": (state, { agent, text }) => ({
    ...state,
    notices: { ...state.notices, [agent]: [...(ownValue(state.notices, agent) ?? []), text].slice(-MOST_NOTICES) },
  }),
  "ask-opened": (state, { ask }) => {
    const open = { ...state, asked: state.asked + 1, asks: { ...state.asks, [ask.id]: ask } };
    return withStep(withTask(open, ask.task, { status: "asking" }), ask.task, { phase: "asking" });
  },
  "ask-answered": (state, event) => {
    const ask = state.asks[event.ask];
    const closed = { ...state, asks: without(state.asks, event.ask) };
    if (ask === undefined) return closed;
    const { choice, text, by } = event;
    const { step, answers } = taskOf(state, ask.task);
    return withTask(closed, ask.task, {
      status: step === null ? "waiting" : "working",
      answers: [...answers, { question: ask.title, choice, text, by }].slice(-MOST_ANSWERS),
    });
  },
  "ask-reminded": (state, { ask, dueAt }) => {
    const open = state.asks[ask];
    if (open === undefined) return state;
    return { ...state, asks: { ...state.asks, [ask]: { ...open, dueAt, reminders: open.reminders + 1 } } };
  },
  "ask-expired": (state, { ask }) => ({ ...state, asks: without(state.asks, ask) }),
  "budget-refused": (state) => state,
  "budget-overrun": (state) => state,
};

const MOST_ANSWERS = 20;
const MOST_NOTICES = 10;
const NO_HOLD: Step["held"] = { tokens: null, money: null, milliseconds: 0 };
const NEW_STEP: Step = {
  id: "",
  agent: "",
  phase: "delay",
  attempt: "",
  attempts: 0,
  repairs: 0,
  reason: { kind: "first", from: null, note: null, issues: [], problems: [] },
  startedAt: 0,
  session: null,
  notices: [],
  given: [],
  routeAs: null,
  gateFailed: false,
  accepted: 0,
  gate: 0,
  passes: 0,
  claims: NO_CLAIMS,
  settled: {},
  retold: [],
  shown: [],
  figures: null,
  commandDone: false,
  held: NO_HOLD,
};

/** What it has worked with, and not what came while it did: that is for its next step. */
function withoutTold(state: RunState, agent: string, told: readonly string[]): RunState {
  const left = (ownValue(state.notices, agent) ?? []).filter((notice) => !told.includes(notice));
  return { ...state, notices: left.length === 0 ? without(state.notices, agent) : { ...state.notices, [agent]: left } };
}

/** While a person was asked, that person may have changed what the agent finds: it begins anew. */
function beginning({ trail, began }: TaskState, agent: string, step: string, reason: StepReason): string {
  const known = Object.hasOwn(began, agent) ? began[agent] : undefined;
  const isSeries = trail.at(-1) === agent && reason.kind !== "person";
  return isSeries && known !== undefined ? known : step;
}

/** An attempt that is asked to write its handoff again knows what the one before was given. */
function givenBy(known: Step["given"], { end, record }: AttemptEnded): Step["given"] {
  const packet = record?.packet ?? null;
  if (end !== "finished" || packet === null) return known;
  const ids = new Set(known.map(({ id }) => id));
  return [...known, ...packet.facts.filter(({ id }) => !ids.has(id))].slice(0, MOST_GIVEN);
}

const MOST_GIVEN = 500;

/** What a later gate has measured counts. */
function laterFigures(known: Figures | null, next: Figures | null): Figures | null {
  if (known === null || next === null) return next ?? known;
  return {
    tests: next.tests ?? known.tests,
    coverage: next.coverage ?? known.coverage,
    sources: [...known.sources, ...next.sources],
    problems: [...known.problems, ...next.problems],
  };
}

/** A cost that is not known stays so; what it may have been at most is kept beside it. */
function spend(spent: Spending, { usage }: AttemptEnded, held: Step["held"]): Spending {
  return {
    agent: spent.agent + usage.milliseconds,
    tokens: spent.tokens + (usage.tokens ?? 0),
    money: spent.money + (usage.money ?? 0),
    unknownTokens: spent.unknownTokens + (usage.tokens === null ? 1 : 0),
    unknownMoney: spent.unknownMoney + (usage.money === null ? 1 : 0),
    possibleTokens: spent.possibleTokens + (usage.tokens === null ? (held.tokens ?? 0) : 0),
    possibleMoney: spent.possibleMoney + (usage.money === null ? (held.money ?? 0) : 0),
  };
}
