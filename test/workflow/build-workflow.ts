import { DEFAULT_POLICY } from "../../src/evidence/policy.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import { decide } from "../../src/workflow/decide.ts";
import type { Action, AgentDefinition, GateDefinition, Route, Workflow } from "../../src/workflow/definition.ts";
import type { Effect } from "../../src/workflow/effect.ts";
import type { Event } from "../../src/workflow/event.ts";
import { EMPTY_RUN } from "../../src/workflow/evolve.ts";
import type { Input, ReportAttempt, StartRun } from "../../src/workflow/input.ts";
import type { RunState } from "../../src/workflow/state.ts";

/** An issue as a handoff lists it. */
export type ListedIssue = NonNullable<NonNullable<Handoff["findings"]>["issues"]>[number];

export function go(to: string): Route[] {
  return [{ when: null, action: { kind: "go", to } }];
}

export function always(action: Action): Route[] {
  return [{ when: null, action }];
}

const LOOP = { limit: 3, blocking: ["critical", "high", "important"], stuck: "person", capped: "person" } as const;

export function buildAgent(name: string, more: Partial<AgentDefinition> = {}): AgentDefinition {
  return {
    name,
    runner: { kind: "process", command: ["true"], prompt: "stdin", environment: {}, inherit: [] },
    dialect: "pipeline-json",
    domain: name.split("-")[0] ?? name,
    phase: null,
    prompt: "",
    routes: { done: always({ kind: "end" }) },
    retry: { most: 3, delay: 1_000 },
    repairs: 2,
    timeout: 60_000,
    output: 1_000_000,
    onFailure: null,
    verify: DEFAULT_POLICY,
    context: null,
    gates: [],
    approve: null,
    loop: LOOP,
    needs: null,
    gives: {},
    cost: { tokens: null, money: null },
    file: null,
    hub: false,
    ...more,
  };
}

export function buildGate(name: string, more: Partial<GateDefinition> = {}): GateDefinition {
  return {
    name,
    command: ["true"],
    require: null,
    proves: [name],
    reports: [],
    place: "copy",
    bring: [],
    limits: { network: false, memory: 2 ** 30, processes: 100, disk: 2 ** 30, environment: {}, inherit: [] },
    timeout: 1_000,
    times: 1,
    failed: { kind: "retry", most: 1, then: { kind: "person" } },
    ...more,
  };
}

export function buildWorkflow(agents: readonly AgentDefinition[], more: Partial<Workflow> = {}): Workflow {
  return {
    name: "test",
    description: "",
    hash: "hash",
    mode: "autonomous",
    start: agents[0]?.name ?? "",
    agents: Object.fromEntries(agents.map((agent) => [agent.name, agent])),
    gates: {},
    loop: LOOP,
    blocked: {},
    budget: { wall: null, agent: null, tokens: null, money: null, steps: 100 },
    parallel: 1,
    asks: { timeout: null, silence: "remind" },
    workspace: "in-place",
    verify: DEFAULT_POLICY,
    learns: false,
    commands: "never",
    tasks: [],
    forge: null,
    ...more,
  };
}

type WithoutTime<I> = I extends Input ? Omit<I, "at"> : never;

/** A run driven by hand, one input after the other, with a clock of its own. */
export class HandDrivenRun {
  readonly workflow: Workflow;
  state: RunState = EMPTY_RUN;
  now = 1_000_000;
  /** Events and effects of the last input. */
  events: readonly Event[] = [];
  effects: readonly Effect[] = [];
  readonly history: Event[] = [];

  constructor(workflow: Workflow, start: Partial<StartRun> = {}) {
    this.workflow = workflow;
    this.tell({
      kind: "start-run",
      run: "run",
      workflow: "hash",
      name: workflow.name,
      brief: "",
      tasks: [],
      known: {},
      ...start,
    });
  }

  tell(input: WithoutTime<Input>): this {
    const decision = decide(this.workflow, this.state, { ...input, at: this.now });
    this.state = decision.state;
    this.events = decision.events;
    this.effects = decision.effects;
    this.history.push(...decision.events);
    return this;
  }

  /** The agents that were just started. */
  get started(): string[] {
    return this.effects.flatMap((effect) => (effect.kind === "start-agent" ? [effect.agent] : []));
  }

  /** The attempt that is at work for a task. */
  attempt(task = "main"): string {
    return this.state.tasks[task]?.step?.attempt ?? "";
  }

  handIn(handoff: Partial<Handoff>, task = "main", more: Partial<ReportAttempt> = {}): this {
    const delivery = {
      handoff: { dialect: "pipeline-json", outcome: "done", ...handoff },
      text: "0".repeat(64),
      source: "message",
      repaired: false,
      warnings: 0,
    } as const;
    return this.end("finished", task, { delivery, ...more });
  }

  end(end: ReportAttempt["end"], task = "main", more: Partial<ReportAttempt> = {}): this {
    const usage = { milliseconds: 10, tokens: null, money: null };
    const told = {
      kind: "report-attempt",
      attempt: this.attempt(task),
      end,
      message: "",
      delivery: null,
      judgements: [],
      problems: [],
    } as const;
    return this.tell({ ...told, usage, session: null, ...more });
  }

  answer(choice: string, text: string | null = null): this {
    const [ask = ""] = Object.keys(this.state.asks);
    return this.tell({ kind: "answer", ask, choice, text, by: "ada" });
  }

  /** Lets the time pass until the next timer, and fires it. */
  fireNext(): this {
    const [timer] = Object.values(this.state.timers).sort((left, right) => left.dueAt - right.dueAt);
    if (timer === undefined) throw new Error("no timer is set");
    this.now = timer.dueAt;
    return this.tell({ kind: "fire-timer", timer: timer.id });
  }

  kinds(): string[] {
    return this.events.map((event) => event.kind);
  }

  last<K extends Event["kind"]>(kind: K): Extract<Event, { kind: K }> {
    const found = this.history.findLast((event) => event.kind === kind);
    if (found === undefined) throw new Error(`no ${kind} happened`);
    return found as Extract<Event, { kind: K }>;
  }
}
