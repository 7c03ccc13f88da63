import type { Figures } from "../evidence/observations.ts";
import { ownValue } from "../shared/json-value.ts";
import { taskOf, withStep, withTask, omitKey, type Handlers } from "./change-state.ts";
import type { AttemptEnded } from "./event.ts";
import type { JudgedClaim, RunState, Spending, Step, StepReason, TaskState } from "./state.ts";
import { CLAIM_TRAITS, type Judgement, type Verdict } from "../evidence/claim.ts";
import { type VerdictCounts, countVerdicts } from "../evidence/policy.ts";

const NO_CLAIMS: VerdictCounts = { confirmed: 0, refuted: 0, unverifiable: 0 };
/** Nothing is known yet about the handoff to come. */
const NOT_JUDGED = { claims: NO_CLAIMS, settled: {}, refuted: {}, retold: [] } as const;

/** Events of steps, attempts, gates and the people who are asked. */
export const STEP_EVENTS: Handlers<
  | "step-started"
  | "attempt-started"
  | "attempt-ended"
  | "attempt-delayed"
  | "handoff-accepted"
  | "handoff-refused"
  | "round-misstated"
  | "dependencies-unmet"
  | "claims-verified"
  | "claims-waived"
  | "command-approved"
  | "command-ended"
  | "command-skipped"
  | "wish-overruled"
  | "gate-passed"
  | "gate-failed"
  | "gate-waived"
  | "failure-waived"
  | "help-requested"
  | "facts-helped"
  | "failure-counted"
  | "agent-notified"
  | "ask-opened"
  | "ask-answered"
  | "ask-reminded"
  | "ask-expired"
  | "budget-refused"
  | "budget-raised"
  | "budget-overrun"
> = {
  "step-started": (state, { task, step, agent, reason, iteration, at }) => {
    const before = taskOf(state, task);
    const isRetry = before.trail.at(-1) === agent && (reason.kind === "retry" || reason.kind === "gate");
    const notices = ownValue(state.notices, agent) ?? [];
    const isOther = (one: { task: string; agent: string }): boolean => one.task !== task || one.agent !== agent;
    const begun = {
      ...state,
      steps: state.steps + 1,
      waived: state.waived.filter(isOther),
      unknowns: state.unknowns.filter(isOther),
    };
    return withTask(begun, task, {
      status: "working",
      next: null,
      trail: [...before.trail, agent],
      began: { ...before.began, [agent]: beginning(before, agent, step, reason) },
      since: { ...before.since, [agent]: before.trail.at(-1) === agent ? (before.since[agent] ?? step) : step },
      retries: isRetry ? before.retries + 1 : before.retries,
      step: { ...NEW_STEP, id: step, agent, reason, startedAt: at, iteration, notices },
    });
  },
  "attempt-started": (state, { task, attempt, reason, held, at }) => {
    const step = taskOf(state, task).step ?? NEW_STEP;
    return withStep(withTask(state, task, { status: "working" }), task, {
      phase: "working",
      attempt,
      ...(at !== undefined && { attemptAt: at }),
      attempts: step.attempts + 1,
      repairs: reason.kind === "repair" ? step.repairs + 1 : step.repairs,
      reason,
      held,
      ...NOT_JUDGED,
      ...(step.unproven !== undefined && { unproven: {} }),
    });
  },
  "attempt-ended": (state, event) => {
    const { counted } = event;
    const { held, given, repairs, reason } = taskOf(state, event.task).step ?? NEW_STEP;
    const { isRepositoryGone: _before, ...known } = state;
    const gone = event.isRepositoryGone && { isRepositoryGone: event.isRepositoryGone };
    const spent = withStepHeads({ ...known, ...gone, spent: spend(state.spent, event, held) }, event);
    // A repair attempt that was interrupted does not count: its author had no chance to answer.
    const isUnheard = event.end === "lost" && reason.kind === "repair";
    return withStep(withTask(spent, event.task, { ...(counted && { counted: counted.tokens }) }), event.task, {
      ...(event.session !== null && { session: event.session }),
      held: NO_HOLD,
      phase: "delay",
      repairs: isUnheard ? repairs - 1 : repairs,
      given: givenBy(given, event),
    });
  },
  "attempt-delayed": (state, { task, reason }) => withStep(state, task, { phase: "delay", reason }),
  "handoff-accepted": (state, { task, step: id, agent, delivery: { handoff, text } }) => {
    const { failures, step, confirmed, last: known, received, helps, refuted, unproven, began } = taskOf(state, task);
    const before = step ?? NEW_STEP;
    const last = { agent, step: id, text, handoff };
    const kept = { ...confirmed, [agent]: mergeRetold(confirmed[agent], before.retold) };
    const change = {
      last,
      received: known === null || known.agent === agent ? received : known,
      confirmed: kept,
      refuted: withRefuted(refuted, before, began[agent] ?? id, agent),
      ...withUnproven(unproven, before, began[agent] ?? id, agent),
      ...(handoff.outcome !== "blocked" && { helps: helps.filter((help) => help.agent !== agent) }),
      ...(handoff.outcome !== "failed" && { failures: omitKey(failures, agent) }),
    };
    const { foreignChanges: _seen, ...seen } = withoutSeen(state, agent, before.notices);
    return withStep(withTask(seen, task, change), task, {
      phase: "gates",
      accepted: before.accepted + 1,
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
  "round-misstated": (state) => state,
  "dependencies-unmet": (state) => state,
  "claims-verified": (state, { task, gate, judgements }) => {
    const { step, refuted, unproven, began } = taskOf(state, task);
    if (step === null) return state;
    if (gate === null) return withStep(state, task, firstJudgement(judgements));
    const changed = settle(step, judgements);
    const series = began[step.agent] ?? step.id;
    const kept = withRefuted(refuted, changed, series, step.agent);
    const left = withUnproven(unproven, changed, series, step.agent);
    return withStep(withTask(state, task, { refuted: kept, ...left }), task, changed);
  },
  "claims-waived": (state, { task, agent, claims, by }) => {
    const accepted = [...taskOf(state, task).acceptedClaims, ...claims.map((claim) => ({ ...claim, agent, by }))];
    return withStep(withTask(state, task, { acceptedClaims: accepted.slice(-MAX_REFUTED) }), task, { phase: "gates" });
  },
  "command-approved": (state, { task, command }) =>
    withStep({ ...state, approved: [...state.approved, command] }, task, { phase: "gates" }),
  "command-ended": (state, { task }) => withStep(state, task, { commandDone: true }),
  "command-skipped": (state, { task }) => withStep(state, task, { commandDone: true }),
  "wish-overruled": (state) => state,
  "gate-passed": (state, { task, gate: name, isLast, message, figures }) => {
    const { step, unusable } = taskOf(state, task);
    const { gate = 0, passes = 0, figures: known = null, shown = [] } = step ?? {};
    if (!isLast) return withStep(state, task, { passes: passes + 1, figures: laterFigures(known, figures) });
    const all = [...shown, { gate: name, message, figures }];
    const usable = withTask(state, task, { unusable: unusable.filter((one) => one.gate !== name) });
    return withStep(usable, task, { gate: gate + 1, passes: 0, figures: laterFigures(known, figures), shown: all });
  },
  "gate-failed": (state, { task, gate, isUnusable }) => {
    const { step, unusable } = taskOf(state, task);
    const failed = withStep(state, task, { gateFailed: true });
    return isUnusable === true && step !== null
      ? withTask(failed, task, { unusable: [...unusable, { agent: step.agent, gate }].slice(-MAX_UNUSABLE) })
      : failed;
  },
  // The next gates still run, and then the work goes on as after a loop that has ended.
  "gate-waived": (state, { task, agent, gate, by }) => {
    const waived = { ...state, waived: [...state.waived, { task, agent, what: "gate", name: gate, by } as const] };
    const { gate: at = 0 } = taskOf(state, task).step ?? {};
    return withStep(waived, task, {
      gate: at + 1,
      passes: 0,
      gateFailed: false,
      routeAs: "done-with-warnings",
      phase: "gates",
    });
  },
  "failure-waived": (state, { task, agent, why }) => ({
    ...state,
    waived: [...state.waived, { task, agent, what: "failure", name: why, by: null }],
  }),
  "help-requested": (state, { task, agent, reason, helper }) =>
    withTask(state, task, { helps: [...taskOf(state, task).helps, { agent, reason, helper }] }),
  "facts-helped": (state) => state,
  "failure-counted": (state, { task, agent }) => {
    const { failures } = taskOf(state, task);
    return withTask(state, task, { failures: { ...failures, [agent]: (failures[agent] ?? 0) + 1 } });
  },
  "agent-notified": (state, { agent, text }) => ({
    ...state,
    notices: { ...state.notices, [agent]: [...(ownValue(state.notices, agent) ?? []), text].slice(-MAX_NOTICES) },
  }),
  "ask-opened": (state, { ask }) => {
    const open = { ...state, asked: state.asked + 1, asks: { ...state.asks, [ask.id]: ask } };
    return withStep(withTask(open, ask.task, { status: "asking" }), ask.task, { phase: "asking" });
  },
  "ask-answered": (state, event) => {
    const ask = state.asks[event.ask];
    const closed = { ...state, asks: omitKey(state.asks, event.ask) };
    if (ask === undefined) return closed;
    const { choice, text, by } = event;
    const { step, answers } = taskOf(state, ask.task);
    // A gate that is waived has an event of its own.
    const isWaived = ask.kind === "escalation" && choice === "continue" && step?.gateFailed !== true;
    const waiver = { task: ask.task, agent: ask.agent, what: "question", name: ask.title, by } as const;
    return withTask(isWaived ? { ...closed, waived: [...closed.waived, waiver] } : closed, ask.task, {
      status: step === null ? "waiting" : "working",
      answers: [...answers, { question: ask.title, choice, text, by }].slice(-MAX_ANSWERS),
    });
  },
  "ask-reminded": (state, { ask, dueAt }) => {
    const open = state.asks[ask];
    if (open === undefined) return state;
    return { ...state, asks: { ...state.asks, [ask]: { ...open, dueAt, reminders: open.reminders + 1 } } };
  },
  "ask-expired": (state, { ask }) => ({ ...state, asks: omitKey(state.asks, ask) }),
  "budget-refused": (state) => state,
  "budget-raised": (state, { budget }) => ({ ...state, raised: { ...state.raised, ...budget } }),
  "budget-overrun": (state) => state,
};

const MAX_ANSWERS = 20;
const MAX_NOTICES = 10;
const MAX_UNUSABLE = 50;
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
  iteration: 1,
  session: null,
  notices: [],
  given: [],
  routeAs: null,
  gateFailed: false,
  accepted: 0,
  gate: 0,
  passes: 0,
  ...NOT_JUDGED,
  shown: [],
  figures: null,
  commandDone: false,
  held: NO_HOLD,
};

/** Removes the notices that the step has seen. Later ones stay for its next step. */
function withoutSeen(state: RunState, agent: string, seen: readonly string[]): RunState {
  const left = (ownValue(state.notices, agent) ?? []).filter((notice) => !seen.includes(notice));
  return { ...state, notices: left.length === 0 ? omitKey(state.notices, agent) : { ...state.notices, [agent]: left } };
}

/** The step that changes are counted from: the first of a series of steps of one agent. After a person was asked, a new series begins, because that person may have changed files. */
function beginning({ trail, began }: TaskState, agent: string, step: string, reason: StepReason): string {
  const known = Object.hasOwn(began, agent) ? began[agent] : undefined;
  const isSeries = trail.at(-1) === agent && reason.kind !== "person";
  return isSeries && known !== undefined ? known : step;
}

/** Of several attempts of one step, what the first one began with and the last one left. */
function withStepHeads(state: RunState, { task: id, heads }: AttemptEnded): RunState {
  const { step, heads: known = {} } = taskOf(state, id);
  if (heads === undefined || step === null) return state;
  const before = ownValue(known, step.agent);
  const from = before?.step === step.id ? before.from : heads.from;
  return withTask(state, id, { heads: { ...known, [step.agent]: { step: step.id, from, to: heads.to } } });
}

/** Facts that any finished attempt of the step was given: a repair attempt still knows those of the attempt before. */
function givenBy(known: Step["given"], { end, record }: AttemptEnded): Step["given"] {
  const packet = record?.packet ?? null;
  if (end !== "finished" || packet === null) return known;
  const ids = new Set(known.map(({ id }) => id));
  return [...known, ...packet.facts.filter(({ id }) => !ids.has(id))].slice(0, MAX_GIVEN);
}

const MAX_GIVEN = 500;

/** Figures of a later gate replace those of an earlier one. */
function laterFigures(known: Figures | null, next: Figures | null): Figures | null {
  if (known === null || next === null) return next ?? known;
  return {
    tests: next.tests ?? known.tests,
    coverage: next.coverage ?? known.coverage,
    sources: [...known.sources, ...next.sources],
    problems: [...known.problems, ...next.problems],
  };
}

/** An unknown cost stays unknown; its upper bound is kept beside it. */
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

type Claims = Pick<Step, "claims" | "settled" | "refuted" | "retold" | "unproven">;

/** The first judgement of a handoff. Claims that gates settle later are kept by their place. */
function firstJudgement(judgements: readonly Judgement[]): Claims {
  const settled: Record<string, Verdict> = {};
  for (const { kind, where, verdict } of judgements)
    if (CLAIM_TRAITS[kind].judgedBy === "gate") settled[claimKey({ kind, where })] = verdict;
  const retold = judgements
    .filter(({ kind, verdict }) => verdict === "confirmed" && CLAIM_TRAITS[kind].isRepeated)
    .map(retoldKey);
  const refuted = judgements.flatMap((judgement) => (judgement.verdict === "refuted" ? [keptClaim(judgement)] : []));
  const unproven = judgements.flatMap((judgement) => (isLeftOpen(judgement) ? [keptClaim(judgement)] : []));
  return {
    claims: countVerdicts(judgements),
    settled,
    ...(unproven.length > 0 && { unproven: Object.fromEntries(unproven.slice(0, MAX_REFUTED)) }),
    refuted: Object.fromEntries(refuted.slice(0, MAX_REFUTED)),
    retold: retold.slice(0, MAX_RETOLD),
  };
}

/** It is unverifiable, and people are told. */
function isLeftOpen({ lacksGate, isUnnamed, isDoubtful }: Judgement): boolean {
  return lacksGate === true || isUnnamed === true || isDoubtful === true;
}

/** Counts each claim once, by its latest verdict. */
function settle(
  before: Pick<Step, "claims" | "settled" | "refuted" | "unproven">,
  judgements: readonly Judgement[],
): Omit<Claims, "retold"> {
  const claims: Record<Verdict, number> = { ...before.claims };
  const settled: Record<string, Verdict> = { ...before.settled };
  const refuted = new Map(Object.entries(before.refuted));
  const unproven = { ...before.unproven };
  for (const judgement of judgements) {
    const { verdict } = judgement;
    const key = claimKey(judgement);
    if (verdict === "refuted") refuted.set(...keptClaim(judgement));
    else refuted.delete(key);
    if (isLeftOpen(judgement)) unproven[key] = keptClaim(judgement)[1];
    else delete unproven[key];
    const was = settled[key];
    if (was !== undefined) claims[was]--;
    claims[verdict]++;
    settled[key] = verdict;
  }
  return { claims, settled, refuted: Object.fromEntries([...refuted].slice(0, MAX_REFUTED)), unproven };
}

const MAX_REFUTED = 50;

function keptClaim({ kind, where, says, evidence, isImplied }: Judgement): [key: string, claim: JudgedClaim] {
  return [claimKey({ kind, where }), { kind, says, evidence, ...(isImplied && { isImplied }) }];
}

/**
 * A claim that was let through stays refuted: later handoffs of the agent say nothing about it. Only one of the same
 * series of steps speaks of the same changes, and replaces it.
 */
function withRefuted(
  known: TaskState["refuted"],
  { refuted }: Pick<Step, "refuted">,
  step: string,
  agent: string,
): TaskState["refuted"] {
  const claims = Object.values(refuted);
  return claims.length === 0 ? omitKey(known, step) : { ...known, [step]: { agent, claims } };
}

/** The same of checks that no gate proves and of files that are not named. */
function withUnproven(
  known: TaskState["unproven"],
  { unproven = {} }: Pick<Step, "unproven">,
  step: string,
  agent: string,
): Pick<TaskState, "unproven"> {
  if (Object.keys(unproven).length > 0) return { unproven: { ...known, [step]: { agent, claims: unproven } } };
  return known === undefined ? {} : { unproven: omitKey(known, step) };
}

/** Names a claim of one handoff. It begins with the kind of the claim. */
function claimKey({ kind, where }: Pick<Judgement, "kind" | "where">): string {
  return `${kind} ${where}`;
}

const MAX_RETOLD = 2_000;

export function retoldKey({ kind, says }: Pick<Judgement, "kind" | "says">): string {
  return `${kind} ${says}`;
}

/** Confirmed claims of an agent's accepted handoffs, newest last. */
function mergeRetold(known: readonly string[] | undefined, retold: readonly string[]): readonly string[] {
  return [...new Set([...(known ?? []), ...retold])].slice(-MAX_RETOLD);
}
