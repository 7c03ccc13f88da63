import type { Handoff } from "../protocol/handoff.ts";
import { taskOf } from "./change-state.ts";
import type { AgentDefinition, Workflow } from "./definition.ts";
import type { Effect, WantedEffect } from "./effect.ts";
import type { Event } from "./event.ts";
import { evolve } from "./evolve.ts";
import type { RunState, Step, TaskState } from "./state.ts";

/**
 * A decision being made. Rules record events, which change the state the next rule sees, and ask for
 * effects. Effects are performed only after the decision is stored.
 */
export class Draft {
  readonly workflow: Workflow;
  readonly at: number;
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];
  #state: RunState;

  constructor(workflow: Workflow, state: RunState, at: number) {
    this.workflow = workflow;
    this.at = at;
    this.#state = state;
  }

  get state(): RunState {
    return this.#state;
  }

  record(event: Event): void {
    this.events.push(event);
    this.#state = evolve(this.#state, event);
  }

  /** The key is built from run, kind and subject, so the same effect always has the same key. */
  want(effect: WantedEffect): void {
    this.effects.push({ ...effect, key: `${this.#state.run}:${subjectOf(effect)}:${effect.kind}` });
  }

  task(id: string): TaskState {
    return taskOf(this.#state, id);
  }

  /** The step of a task that is under way. */
  step(id: string): Step {
    const { step } = this.task(id);
    if (step === null) throw new Error(`Task ${id} has no step under way`);
    return step;
  }

  /** The handoff of the step under way; null when its agent gave none. */
  handoff(id: string): Handoff | null {
    const { last, step } = this.task(id);
    return last !== null && last.step === step?.id ? last.handoff : null;
  }

  agent(name: string): AgentDefinition {
    const agent = this.workflow.agents[name];
    if (agent === undefined) throw new Error(`The workflow has no agent ${name}`);
    return agent;
  }
}

function subjectOf(effect: WantedEffect): string {
  switch (effect.kind) {
    case "start-agent":
    case "stop-agent":
      return effect.attempt;
    case "run-gate":
      return effect.gateRun;
    case "notify":
      return `${effect.who}:${effect.text}`;
  }
}
