import type { ClaimKind, Verdict } from "../evidence/claim.ts";
import type { Handoff } from "../protocol/handoff.ts";
import type { Event } from "../workflow/event.ts";
import type { SessionUsage } from "../workflow/input.ts";
import { cutText } from "../shared/envelope.ts";
import type { Completion } from "./metrics.ts";
import type { RunAgent, RunCoverage, RunFigure, RunMeasure, Totals } from "./run-measure.ts";
import { coverageSaid, figuresOf } from "./read-metric.ts";
import { figureKey } from "./sum-figures.ts";
import { totalsOf } from "./sum-figures.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Tally = Mutable<Omit<RunAgent, "refuted_kinds" | "attempts" | Verdict>> & { readonly attempts: number[] };

interface Sight {
  readonly agent: string;
  readonly attempt: string;
  readonly kind: ClaimKind;
  readonly verdict: Verdict;
}

type KnownUsage = Readonly<Record<"milliseconds" | "tokens" | "money", number | null>>;

/** Usage of an agent that was stopped with its task: it reports none. */
const UNKNOWN_USAGE: KnownUsage = { milliseconds: null, tokens: null, money: null };

type OfKind<K extends Event["kind"]> = Extract<Event, { kind: K }>;
type Handlers = { readonly [K in Event["kind"]]?: (event: OfKind<K>, at: number) => void };

/** Limits on what is kept of one run, so that a long loop cannot fill the memory. */
const MAX_POINTS = 200;
const MAX_TEXT = 500;
const MAX_FIGURES = 1_000;

/** Folds the events of a run incrementally; more events can be added later. */
export class RunMeasuring {
  readonly #run: string;
  readonly #workflow: string;
  readonly #agents = new Map<string, Tally>();
  /** The agent and the attempt of each task. */
  readonly #agentOf = new Map<string, string>();
  readonly #attemptOf = new Map<string, string>();
  /** Tasks with a running attempt. */
  readonly #atWork = new Set<string>();
  readonly #claims = new Map<string, Sight>();
  /** Steps that ended with a handoff, by agent. A retry does not count as a second review. */
  readonly #accepted = new Map<string, Set<string>>();
  readonly #loops: { asker: string; target: string }[] = [];
  readonly #coverage: RunCoverage[] = [];
  readonly #figures: RunFigure[] = [];
  readonly #open = new Map<string, number>();
  #startedAt: number | null = null;
  #endedAt: number | null = null;
  #hasCompleted = false;
  #isObserved = false;
  #session: SessionUsage | null = null;
  #asks = 0;
  #waits = 0;
  #waited = 0;
  #waitsSince: number | null = null;
  #hasPullRequest = false;
  #mergedBy: string | null = null;
  #completion: Completion | null = null;

  constructor(run: string, workflow: string) {
    this.#run = run;
    this.#workflow = workflow;
  }

  add(event: Event, at: number): void {
    (this.#handlers[event.kind] as ((event: Event, at: number) => void) | undefined)?.(event, at);
  }

  readonly #handlers: Handlers = {
    "run-started": (event) => {
      this.#startedAt = event.at;
      this.#isObserved = event.observed !== undefined;
      this.#hasPullRequest ||= event.known["pull_request.number"] !== undefined;
    },
    "run-completed": (event) => this.#end(event.at, true),
    "run-failed": (event) => this.#end(event.at, false),
    "run-cancelled": (event) => this.#end(event.at, false),
    "run-reopened": () => {
      this.#endedAt = null;
      this.#hasCompleted = false;
    },
    "step-started": ({ task, agent }) => {
      this.#agentOf.set(task, agent);
      this.#tally(agent).steps++;
    },
    "attempt-started": ({ task, attempt }) => {
      this.#attemptOf.set(task, attempt);
      this.#atWork.add(task);
    },
    "attempt-ended": ({ task, end, usage, isBeginUnknown }) =>
      this.#spend(task, end === "lost" || isBeginUnknown === true ? { ...usage, milliseconds: null } : usage),
    "task-finished": ({ task }) => {
      if (this.#atWork.has(task)) this.#spend(task, UNKNOWN_USAGE);
    },
    "attempt-delayed": ({ task }) => {
      this.#tallyOf(task).retries++;
    },
    "handoff-accepted": (event, at) => this.#take(event, at),
    "handoff-refused": ({ agent }) => {
      this.#tally(agent).repairs++;
    },
    "claims-verified": (event) => this.#noteClaims(event),
    "gate-passed": (event, at) => this.#passGate(event, at),
    "gate-failed": ({ task }) => {
      this.#tallyOf(task).gates_failed++;
    },
    // The validation command of a handoff runs as a gate, so it is counted as one.
    "command-ended": ({ task, passed }) => {
      this.#tallyOf(task)[passed ? "gates_passed" : "gates_failed"]++;
    },
    "loop-began": ({ loop: { asker, target } }) => {
      this.#loops.push({ asker, target });
    },
    "session-measured": ({ usage }) => {
      this.#session = usage;
    },
    "fact-learned": ({ name }) => {
      this.#hasPullRequest ||= name === "pull_request.number";
    },
    "ask-opened": ({ ask }, at) => {
      this.#asks++;
      this.#open.set(ask.id, at);
      this.#waitsSince ??= at;
    },
    "ask-answered": ({ ask }, at) => this.#closeAsk(ask, at),
    "ask-expired": ({ ask }, at) => this.#closeAsk(ask, at),
  };

  measure(): RunMeasure {
    const agents = [...this.#agents.values()].map((tally) => ({ ...tally, ...this.#truthOf(tally.agent) }));
    return {
      run: this.#run,
      workflow: this.#workflow,
      started_at: this.#startedAt,
      ended_at: this.#endedAt,
      has_completed: this.#hasCompleted,
      is_observed: this.#isObserved,
      agents,
      totals: withSession(totalsOf(agents), this.#session),
      loops: this.#loops,
      reviews: this.#reviews(),
      asks: this.#asks,
      waited: this.#waits === 0 ? null : this.#waited,
      has_pull_request: this.#hasPullRequest,
      merge: this.#merge(),
      coverage: this.#coverage,
      figures: this.#figures,
      completion: this.#completion,
    };
  }

  #end(at: number, hasCompleted: boolean): void {
    this.#endedAt = at;
    this.#hasCompleted = hasCompleted;
    this.#open.clear();
    this.#stopWaiting(at);
  }

  #closeAsk(ask: string, at: number): void {
    this.#open.delete(ask);
    if (this.#open.size === 0) this.#stopWaiting(at);
  }

  #stopWaiting(at: number): void {
    if (this.#waitsSince === null) return;
    this.#waits++;
    this.#waited += Math.max(0, at - this.#waitsSince);
    this.#waitsSince = null;
  }

  #spend(task: string, { milliseconds, tokens, money }: KnownUsage): void {
    const tally = this.#tallyOf(task);
    this.#atWork.delete(task);
    tally.ended++;
    if (milliseconds !== null) tally.attempts.push(milliseconds);
    if (tokens === null) tally.unknown_tokens++;
    else tally.tokens += tokens;
    if (money === null) tally.unknown_money++;
    else tally.money += money;
  }

  #take({ task, step, agent, delivery: { handoff } }: OfKind<"handoff-accepted">, at: number): void {
    this.#tally(agent).handoffs++;
    this.#accepted.set(agent, (this.#accepted.get(agent) ?? new Set()).add(step));
    const room = MAX_FIGURES - this.#figures.length;
    for (const { name, text, metric } of figuresOf(handoff).slice(0, room))
      this.#figures.push({ key: figureKey(name, metric), name, text, metric, at, agent });
    for (const said of coverageSaid(handoff)) this.#notePoint({ ...said, at, agent, source: "claimed" });
    if (handoff.work?.merge?.status === "merged") this.#mergedBy = this.#attemptOf.get(task) ?? null;
    if (handoff.final === true && handoff.metrics !== undefined) this.#completion = this.#complete(handoff, agent, at);
  }

  #complete(handoff: Handoff, agent: string, at: number): Completion {
    const { summary, issue, pull_request: pull } = handoff;
    return {
      run: this.#run,
      workflow: this.#workflow,
      at,
      agent,
      summary: summary === undefined ? null : cutText(summary, MAX_TEXT),
      issue: issue?.number ?? null,
      pull_request: pull?.number ?? null,
      metrics: figuresOf(handoff).map(({ name, text }) => ({ name, text })),
    };
  }

  #passGate({ task, isLast, figures }: OfKind<"gate-passed">, at: number): void {
    const tally = this.#tallyOf(task);
    tally.gates_passed++;
    if (!isLast) return;
    for (const [measure, percent] of Object.entries(figures?.coverage ?? {}))
      this.#notePoint({ at, agent: tally.agent, source: "measured", measure, percent });
  }

  #notePoint(point: RunCoverage): void {
    if (this.#coverage.length < MAX_POINTS) this.#coverage.push(point);
  }

  /** A gate may settle a claim that was unverifiable before it ran. It stays one claim, and the last verdict counts. */
  #noteClaims({ agent, attempt, judgements }: OfKind<"claims-verified">): void {
    this.#tally(agent);
    for (const { kind, where, says, verdict } of judgements) {
      const key = JSON.stringify([attempt, kind, where, says]);
      if (verdict !== "unverifiable" || !this.#claims.has(key))
        this.#claims.set(key, { agent, attempt, kind, verdict });
    }
  }

  #truthOf(agent: string): Record<Verdict, number> & { refuted_kinds: Partial<Record<ClaimKind, number>> } {
    const truth = { confirmed: 0, refuted: 0, unverifiable: 0 };
    const kinds = new Map<ClaimKind, number>();
    for (const sight of this.#claims.values()) {
      if (sight.agent !== agent) continue;
      truth[sight.verdict]++;
      if (sight.verdict === "refuted") kinds.set(sight.kind, (kinds.get(sight.kind) ?? 0) + 1);
    }
    return { ...truth, refuted_kinds: Object.fromEntries(kinds) };
  }

  /** If no agent is named a reviewer, the agents that sent work back count as reviewers. */
  #reviews(): number | null {
    const named = [...this.#agents.keys()].filter((agent) => /review/i.test(agent));
    const reviewers = named.length > 0 ? named : [...new Set(this.#loops.map(({ asker }) => asker))];
    if (reviewers.length === 0) return null;
    return reviewers.reduce((sum, agent) => sum + (this.#accepted.get(agent)?.size ?? 0), 0);
  }

  #merge(): RunMeasure["merge"] {
    if (this.#mergedBy === null) return "none";
    const verdicts = [...this.#claims.values()]
      .filter(({ attempt, kind }) => attempt === this.#mergedBy && kind === "merge")
      .map(({ verdict }) => verdict);
    if (verdicts.includes("refuted")) return "refuted";
    return verdicts.includes("confirmed") ? "confirmed" : "said";
  }

  #tallyOf(task: string): Tally {
    return this.#tally(this.#agentOf.get(task) ?? "");
  }

  #tally(agent: string): Tally {
    const known = this.#agents.get(agent);
    if (known !== undefined) return known;
    const tally: Tally = { agent, ...NOTHING, attempts: [] };
    this.#agents.set(agent, tally);
    return tally;
  }
}

/** What the client says of all agents of a session counts, and not also what some of them have used. */
function withSession(totals: Totals, usage: SessionUsage | null): Totals {
  if (usage === null || usage.covers !== "session" || usage.isPart === true) return totals;
  const { tokens, money } = usage;
  return {
    ...totals,
    ended: Math.max(1, totals.ended),
    ...(tokens !== null && { tokens, unknown_tokens: 0 }),
    ...(money !== null && { money, unknown_money: 0 }),
  };
}

const NOTHING = {
  steps: 0,
  ended: 0,
  handoffs: 0,
  repairs: 0,
  retries: 0,
  gates_passed: 0,
  gates_failed: 0,
  tokens: 0,
  money: 0,
  unknown_tokens: 0,
  unknown_money: 0,
};
