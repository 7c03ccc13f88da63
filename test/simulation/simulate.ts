import { OUTCOMES } from "../../src/protocol/handoff-words.ts";
import { CLAIM_KINDS, type Judgement } from "../../src/evidence/claim.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { decide } from "../../src/workflow/decide.ts";
import type { Workflow } from "../../src/workflow/definition.ts";
import type { Effect } from "../../src/workflow/effect.ts";
import type { Event } from "../../src/workflow/event.ts";
import { EMPTY_RUN, evolve } from "../../src/workflow/evolve.ts";
import type { Input, ReportAttempt } from "../../src/workflow/input.ts";
import type { RunState } from "../../src/workflow/state.ts";
import { LoopPromises } from "./loop-promises.ts";
import { Random } from "./random.ts";
import { randomWorkflow } from "./random-workflow.ts";

interface Simulation {
  readonly workflow: Workflow;
  readonly state: RunState;
  readonly inputs: readonly Input[];
  readonly events: readonly Event[];
  /** What went against an invariant, in words. */
  readonly broken: readonly string[];
}

const MAX_INPUTS = 3_000;
/** Real agents mostly do their work, and reviewers mostly find something. */
const LIKELY = ["done", "done", "done", "done", "done", "done", "needs-fixes", "needs-fixes", "needs-fixes"] as const;

/** One run of a random workflow with random agents, people and faults; everything comes from the seed. */
export function simulate(seed: number): Simulation {
  const random = new Random(seed);
  const simulated = new SimulatedRun(random, randomWorkflow(random));
  return simulated.run();
}

class SimulatedRun {
  readonly #random: Random;
  readonly #workflow: Workflow;
  #state: RunState = EMPTY_RUN;
  #now = 1_000;
  readonly #working = new Map<string, Extract<Effect, { kind: "start-agent" }>>();
  readonly #gates = new Map<string, Extract<Effect, { kind: "run-gate" }>>();
  readonly #inputs: Input[] = [];
  readonly #events: Event[] = [];
  readonly #broken: string[] = [];
  readonly #keys = new Set<string>();
  readonly #promises: LoopPromises;

  constructor(random: Random, workflow: Workflow) {
    this.#random = random;
    this.#workflow = workflow;
    this.#promises = new LoopPromises(workflow);
  }

  run(): Simulation {
    this.#tell({
      kind: "start-run",
      at: this.#now,
      run: "run",
      workflow: "hash",
      name: "test",
      brief: "",
      tasks: [],
      known: {},
    });
    while (this.#state.status === "running" && this.#inputs.length < MAX_INPUTS) {
      this.#now += this.#random.below(500);
      const input = this.#nextInput();
      if (input === null) {
        this.#broken.push("the run waits for nothing");
        break;
      }
      this.#tell(input);
    }
    if (this.#inputs.length >= MAX_INPUTS) this.#broken.push("the run does not end");
    this.#checkRouting();
    return {
      workflow: this.#workflow,
      state: this.#state,
      inputs: this.#inputs,
      events: this.#events,
      broken: this.#broken,
    };
  }

  #tell(input: Input): void {
    this.#inputs.push(input);
    const before = this.#state;
    const decision = decide(this.#workflow, this.#state, input);
    this.#broken.push(...this.#promises.check(before, decision.events));
    this.#state = decision.state;
    this.#events.push(...decision.events);
    for (const effect of decision.effects) this.#take(effect);
    const folded = decision.events.reduce(evolve, before);
    if (JSON.stringify(folded) !== JSON.stringify(decision.state))
      this.#broken.push("the events do not give the state");
    if (JSON.stringify(JSON.parse(JSON.stringify(decision.state))) !== JSON.stringify(decision.state))
      this.#broken.push("the state is not plain JSON");
    this.#checkState();
  }

  #take(effect: Effect): void {
    if (effect.kind !== "notify" && this.#keys.has(effect.key))
      this.#broken.push(`effect ${effect.key} was asked for twice`);
    this.#keys.add(effect.key);
    if (effect.kind === "start-agent") {
      if ([...this.#working.values()].some((other) => other.task === effect.task))
        this.#broken.push(`two agents work on task ${effect.task}`);
      this.#working.set(effect.attempt, effect);
    } else if (effect.kind === "stop-agent") this.#working.delete(effect.attempt);
    else if (effect.kind === "run-gate") this.#gates.set(effect.gateRun, effect);
  }

  #checkState(): void {
    const { parallel } = this.#workflow;
    const { spent, steps, raised } = this.#state;
    const budget = { ...this.#workflow.budget, ...raised };
    if (this.#working.size > parallel) this.#broken.push("more agents work than may");
    if (steps > budget.steps) this.#broken.push("more steps than the budget allows");
    if (budget.tokens !== null && spent.tokens + spent.possibleTokens > budget.tokens)
      this.#broken.push("too many tokens");
    if (budget.money !== null && spent.money + spent.possibleMoney > budget.money) this.#broken.push("too much money");
    if (budget.agent !== null && spent.agent > budget.agent) this.#broken.push("agents worked longer than they may");
  }

  #nextInput(): Input | null {
    const choices: (() => Input)[] = [];
    for (const effect of this.#working.values()) choices.push(() => this.#endAgent(effect));
    for (const effect of this.#gates.values()) choices.push(() => this.#endGate(effect));
    for (const ask of Object.values(this.#state.asks))
      choices.push(() => ({
        kind: "answer",
        at: this.#now,
        ask: ask.id,
        choice: this.#choose(ask.choices),
        text: "yes",
        by: "ada",
      }));
    const timers = Object.values(this.#state.timers);
    if (timers.length > 0 && (choices.length === 0 || this.#random.chance(0.1))) choices.push(() => this.#fire());
    if (choices.length === 0) return null;
    if (this.#random.chance(0.01)) return { kind: "cancel-run", at: this.#now, by: "ada", reason: "enough" };
    if (this.#random.chance(0.05)) return this.#noise();
    return this.#random.pick(choices)();
  }

  #choose(choices: readonly string[]): string {
    const kind = choices.filter((choice) => choice !== "fail" && choice !== "reject");
    return this.#random.pick(kind.length > 0 && this.#random.chance(0.9) ? kind : choices);
  }

  #fire(): Input {
    const timers = Object.values(this.#state.timers).sort((left, right) => left.dueAt - right.dueAt);
    const [timer] = timers;
    this.#now = Math.max(this.#now, timer?.dueAt ?? 0);
    return { kind: "fire-timer", at: this.#now, timer: timer?.id ?? "" };
  }

  /** Inputs that are late, doubled or made up: none may change anything. */
  #noise(): Input {
    const at = this.#now;
    switch (this.#random.below(5)) {
      case 4:
        return { kind: "raise-budget", at, by: "ada", budget: { steps: this.#random.below(70) } };
      case 0:
        return { ...this.#report("s1.1"), at };
      case 1:
        return { kind: "answer", at, ask: "q999", choice: "approve", text: null, by: "mallory" };
      case 2:
        return { kind: "fire-timer", at, timer: "retry:s999" };
      default:
        return {
          kind: "report-gate",
          at,
          gateRun: "s1/none/1",
          passed: true,
          message: "",
          output: "",
          milliseconds: 1,
          figures: null,
          judgements: [],
        };
    }
  }

  #report(attempt: string): Omit<ReportAttempt, never> {
    const usage = { milliseconds: 1, tokens: 1, money: 0 };
    const handoff: Handoff = { dialect: "pipeline-json", outcome: "done" };
    const delivery = { handoff, text: "", source: "message", repaired: false, warnings: 0 } as const;
    const isLate = this.#working.has(attempt);
    return {
      kind: "report-attempt",
      attempt: isLate ? "s0.0" : attempt,
      end: "finished",
      message: "",
      delivery,
      judgements: [],
      problems: [],
      usage,
      session: null,
    };
  }

  #endGate(effect: Extract<Effect, { kind: "run-gate" }>): Input {
    this.#gates.delete(effect.gateRun);
    const passed = this.#random.chance(0.7);
    return {
      kind: "report-gate",
      at: this.#now,
      gateRun: effect.gateRun,
      passed,
      message: "",
      output: "",
      milliseconds: 5,
      figures: null,
      judgements: randomJudgements(this.#random),
    };
  }

  /** Honest about what it costs, otherwise anything. */
  #endAgent(effect: Extract<Effect, { kind: "start-agent" }>): Input {
    this.#working.delete(effect.attempt);
    const random = this.#random;
    const { cost } = this.#workflow.agents[effect.agent] ?? { cost: { tokens: 0, money: 0 } };
    const usage = {
      milliseconds: random.below(effect.timeout + 1),
      tokens: random.chance(0.2) ? null : random.below((cost.tokens ?? 0) + 1),
      money: random.chance(0.2) ? null : random.below((cost.money ?? 0) + 1),
    };
    this.#now += usage.milliseconds;
    const end = random.chance(0.8)
      ? "finished"
      : random.pick(["crashed", "timed-out", "flooded", "could-not-start", "lost", "stopped"] as const);
    const problems = random.chance(0.1) ? [{ message: "wrong", hint: null, where: null, rule: null }] : [];
    const handoff = this.#randomHandoff(effect.agent);
    const delivery =
      end === "finished" && random.chance(0.9)
        ? ({ handoff, text: "", source: "message", repaired: false, warnings: 0 } as const)
        : null;
    return {
      kind: "report-attempt",
      at: this.#now,
      attempt: effect.attempt,
      end,
      message: "",
      delivery,
      judgements: delivery === null ? [] : randomJudgements(random),
      problems,
      usage,
      session: null,
    };
  }

  #randomHandoff(agent: string): Handoff {
    const random = this.#random;
    const names = [...Object.keys(this.#workflow.agents), "nobody", "constructor", "__proto__"];
    const issues = Array.from({ length: random.below(3) }, () => ({
      ...(random.chance(0.5) && { id: random.pick(["BUG-1", "BUG-2", "__proto__"]) }),
      severity: random.pick(["critical", "high", "low"] as const),
      category: random.pick(["bug", "flaky", "quality"]),
      location: `src/${random.below(3)}.ts:${random.below(50)}`,
      description: `problem ${random.below(4)}`,
      status: random.pick(["open", "open", "fixed", "wontfix"] as const),
    }));
    return {
      dialect: "pipeline-json",
      outcome: random.pick([...OUTCOMES, ...LIKELY]),
      from: random.chance(0.05) ? "somebody else" : agent,
      to: random.chance(0.3) ? null : random.pick(names),
      summary: "text",
      ...(random.chance(0.7) && {
        metrics: {
          coverage: random.pick([random.below(100), `${random.below(100)}%`, "good"]),
          ...(random.chance(0.5) && { speed: random.pick([random.below(10), "fast"]) }),
        },
      }),
      findings: { issues, resolved: random.chance(0.3) ? ["BUG-1"] : [] },
      ...(random.chance(0.2) && { questions: [{ question: "which?", blocking: true }] }),
      ...(random.chance(0.3) && { checks: { command: random.pick(["true", "rm -rf /", " "]) } }),
      ...(random.chance(0.1) && { final: true }),
      ...(random.chance(0.1) && { blockers: [{ description: "stuck", blocks: ["task-1", "task-2", "constructor"] }] }),
      ...(random.chance(0.1) && { error: { type: "x", message: "y", recoverable: random.chance(0.5) } }),
      ...(random.chance(0.2) && { issue: { number: String(random.below(2)) } }),
      routing: {
        loop: {
          required: random.chance(0.3),
          target: random.pick(names),
          reason: random.pick(["FLAKY_TESTS", "constructor", null]),
        },
        ...(random.chance(0.2) && {
          on_failure: { retry: random.pick([0, 1, 1e9, -5]), route_to: random.pick(names) },
        }),
        ...(random.chance(0.2) && { blocked_reason: random.pick(["security_concern", "unknown", "__proto__"]) }),
      },
    };
  }

  /** Every accepted handoff leaves its step once, by one door. */
  #checkRouting(): void {
    const left = new Map<string, number>();
    const stepOf = new Map<string, string>();
    for (const event of this.#events) {
      if (event.kind === "step-started") stepOf.set(event.task, event.step);
      const task = event.kind === "task-advanced" || event.kind === "task-finished" ? event.task : null;
      const step = task === null ? undefined : stepOf.get(task);
      if (task === null || step === undefined) continue;
      stepOf.delete(task);
      left.set(step, (left.get(step) ?? 0) + 1);
    }
    for (const event of this.#events)
      if (event.kind === "handoff-accepted" && left.get(event.step) !== 1 && this.#state.status !== "cancelled")
        this.#broken.push(`the handoff of ${event.step} was routed ${left.get(event.step) ?? 0} times`);
  }
}

function randomJudgements(random: Random): Judgement[] {
  const verdicts = ["confirmed", "confirmed", "refuted", "unverifiable"] as const;
  return Array.from({ length: random.below(4) }, (_, at) => ({
    kind: random.pick(CLAIM_KINDS),
    where: `work.modified.${at}`,
    says: "something",
    verdict: random.pick(verdicts),
    procedure: "chance",
    evidence: "a die",
  }));
}
