import { isSameClaim } from "../../src/workflow/rules/ask-about-claims.ts";
import type { Handoff } from "../../src/protocol/handoff.ts";
import type { AgentDefinition, Route, Workflow } from "../../src/workflow/definition.ts";
import type { Event } from "../../src/workflow/event.ts";
import { evolve } from "../../src/workflow/evolve.ts";
import { printCondition } from "../../src/workflow/file/print-graph.ts";
import type { RunState, TaskState } from "../../src/workflow/state.ts";
import type { ConditionText } from "./random-workflow.ts";

/**
 * What must hold of loops, checked on the events of every decision, with a reading of routes and conditions that is not
 * the one of the core.
 */
export class LoopPromises {
  readonly #workflow: Workflow;
  /** Loops and granted rounds of each task. */
  readonly #loops = new Map<string, number>();
  readonly #grants = new Map<string, number>();
  /** Steps whose last handoff was refused. */
  readonly #refused = new Set<string>();

  constructor(workflow: Workflow) {
    this.#workflow = workflow;
  }

  /** What went against a promise, in words. */
  check(before: RunState, events: readonly Event[]): string[] {
    const broken: string[] = [];
    let state = before;
    for (const event of events) {
      broken.push(...this.#checkEvent(state, event));
      state = evolve(state, event);
    }
    return broken;
  }

  #checkEvent(state: RunState, event: Event): string[] {
    if (event.kind === "loop-began") this.#loops.set(event.loop.task, this.#roundsOf(event.loop.task));
    if (event.kind === "round-granted") this.#grants.set(event.task, (this.#grants.get(event.task) ?? 0) + 1);
    if (event.kind === "handoff-refused") this.#refused.add(event.step);
    if (event.kind === "handoff-accepted") this.#refused.delete(event.step);
    if (event.kind === "loop-ended" && event.end === "capped") return this.#checkCap(event.task, event.asker);
    if (event.kind === "task-advanced" && FORWARD.includes(event.next.reason.kind))
      return this.#checkForward(state, event.task, event.next.agent);
    if (event.kind === "task-finished" && event.status === "done") return this.#checkForward(state, event.task, null);
    return event.kind === "run-completed" ? this.#checkEnd(state, event.reason) : [];
  }

  #roundsOf(task: string): number {
    return (this.#loops.get(task) ?? 0) + 1;
  }

  /** No task is without a round because another has used its own. */
  #checkCap(task: string, asker: string): string[] {
    const limit = this.#workflow.agents[asker]?.loop.limit ?? 0;
    const own = this.#roundsOf(task) - (this.#grants.get(task) ?? 0);
    return own < limit ? [`task ${task} was capped in its own round ${own} of ${limit}`] : [];
  }

  /** Work whose loop route holds goes forward only when a person or the workflow lets it, and that is noted. */
  #checkForward(state: RunState, id: string, to: string | null): string[] {
    const task = state.tasks[id];
    const step = task?.step ?? null;
    if (task === undefined || step === null || to === step.agent) return [];
    if (step.gateFailed) return [`${step.agent} on ${id} went forward with a failed gate, and nothing tells it`];
    const isExcused = state.waived.some((waiver) => waiver.task === id && waiver.agent === step.agent);
    const { last } = task;
    if (isExcused) return [];
    if (last === null || last.step !== step.id || this.#refused.has(step.id))
      return to === null ? [`${step.agent} ended ${id} without a handoff, and nothing tells it`] : [];
    const agent = this.#workflow.agents[step.agent];
    if (agent === undefined) return [];
    const { isLoop, isUnknown } = readRoutes(agent, state, task, last.handoff);
    if (isLoop) return [`${step.agent} on ${id} went forward although its loop holds`];
    const isTold = state.unknowns.some((unknown) => unknown.task === id && unknown.agent === step.agent);
    return isUnknown && !isTold ? [`${step.agent} on ${id} passed over a condition, and nothing tells it`] : [];
  }

  /** What is open, waived or unknown stands in the end line. */
  #checkEnd(state: RunState, reason: string): string[] {
    const open = Object.values(state.ledger).filter((issue) => {
      const reporter = this.#workflow.agents[issue.seenBy ?? issue.openedBy];
      const blocking = reporter?.loop.blocking ?? [];
      return issue.status === "open" && (issue.severity === "" || blocking.includes(issue.severity));
    });
    const told = (count: number, words: RegExp): boolean => Number(words.exec(reason)?.[1] ?? 0) === count;
    const waivedIssues = open.filter(({ waivedBy }) => waivedBy !== undefined).length;
    return [
      ...(told(open.length - waivedIssues, /(\d+) blocking issues? open/)
        ? []
        : ["open issues are not told at the end"]),
      ...(told(different(state.waived) + waivedIssues + acceptedClaims(state), /(\d+) waived/)
        ? []
        : ["waivers are not told at the end"]),
      ...(told(different(state.unknowns), /(\d+) conditions? unknown/) ? [] : ["unknown conditions are not told"]),
    ];
  }
}

/** What is the same twice, such as a loop that ended twice in one step, is told once. */
function different(items: readonly object[]): number {
  return new Set(items.map((item) => JSON.stringify(item))).size;
}

const FORWARD: readonly string[] = ["forward", "return", "gate"];
const FINISHED: readonly string[] = ["done", "done-with-warnings", "needs-fixes", "needs-review", "skipped"];
const LIKE_DONE: readonly string[] = ["done-with-warnings", "needs-review", "skipped"];

/** Whether the work must loop, and whether a condition before the route that holds cannot be decided. */
function readRoutes(
  agent: AgentDefinition,
  state: RunState,
  task: TaskState,
  handoff: Handoff,
): { isLoop: boolean; isUnknown: boolean } {
  const neither = { isLoop: false, isUnknown: false };
  if (!FINISHED.includes(handoff.outcome)) return neither;
  const { required = false, target } = handoff.routing?.loop ?? {};
  const all = Object.values(agent.routes).flat();
  if (required) return { ...neither, isLoop: all.some(({ action }) => targetOf(action) === target) };
  const likeDone = LIKE_DONE.includes(handoff.outcome) ? (agent.routes.done ?? []) : [];
  const routes: readonly Route[] = agent.routes[handoff.outcome] ?? likeDone;
  const verdicts = routes.map(({ when }) =>
    when === null ? true : evaluate(printCondition(when) as ConditionText, state, task, handoff, agent),
  );
  const first = verdicts.indexOf(true);
  return {
    isLoop: routes[first]?.action.kind === "loop",
    isUnknown: verdicts.slice(0, Math.max(0, first)).includes(undefined),
  };
}

function targetOf(action: Route["action"]): string | null {
  if (action.kind === "retry") return targetOf(action.then);
  if (action.kind === "choose") return targetOf(action.otherwise);
  return action.kind === "loop" ? action.to : null;
}

/** Whether a condition holds; undefined when its value is missing or not a number. */
function evaluate(
  text: ConditionText,
  state: RunState,
  task: TaskState,
  handoff: Handoff,
  agent: AgentDefinition,
): boolean | undefined {
  switch (text) {
    case "coverage < 80": {
      const coverage = Number(JSON.stringify(handoff.metrics?.["coverage"] ?? "good").replaceAll(/["%]/g, ""));
      return Number.isNaN(coverage) ? undefined : coverage < 80;
    }
    case "open.blocking > 0":
      return Object.values(state.ledger).some(
        (issue) =>
          issue.task === task.id &&
          issue.status === "open" &&
          (issue.severity === "" || agent.loop.blocking.includes(issue.severity)),
      );
    case "iteration < 3":
      return state.loops.filter((loop) => loop.task === task.id).length + 1 < 3;
    case "metrics.speed > 5": {
      const speed = handoff.metrics?.["speed"];
      return typeof speed === "number" ? speed > 5 : undefined;
    }
  }
}

/** Refuted claims that stand and that a person has accepted. */
function acceptedClaims({ tasks }: RunState): number {
  const texts = Object.values(tasks).flatMap(({ id, refuted, acceptedClaims: accepted }) =>
    Object.values(refuted).flatMap(({ agent, claims }) =>
      claims
        .filter((claim) => accepted.some((one) => one.agent === agent && isSameClaim(one, claim)))
        .map((claim) => {
          // Claims that no handoff makes are told by their evidence alone.
          const says = claim.isImplied === true ? "" : claim.says;
          return JSON.stringify([id, agent, says, claim.evidence, accepted.find((one) => isSameClaim(one, claim))?.by]);
        }),
    ),
  );
  return new Set(texts).size;
}
