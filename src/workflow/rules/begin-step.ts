import type { Draft } from "../draft.ts";
import type { Next, StepReason } from "../state.ts";
import { askPerson } from "./ask-person.ts";
import { allowance, hasCapacity, mustWait, refuseSpending, refuseStep } from "./budget.ts";
import { NOTHING, type NextRule } from "./next-rule.ts";

const FIRST: StepReason = { kind: "first", from: null, note: null, issues: [], problems: [] };

/** Starts the next agent of a task, or asks whether it may start. */
export function beginStep(draft: Draft, id: string): void {
  const task = draft.task(id);
  const next: Next = task.next ?? { agent: task.start ?? draft.workflow.start, reason: FIRST, approved: false };
  const agent = draft.agent(next.agent);
  if (refuseStep(draft, id, agent)) return;
  if (!next.approved && needsApproval(draft, next)) return askApproval(draft, id, next);
  const step = `s${draft.state.steps + 1}`;
  const { iteration } = draft.state;
  draft.record({
    kind: "step-started",
    task: id,
    step,
    agent: agent.name,
    reason: next.reason,
    iteration,
    at: draft.at,
  });
  if (agent.runner.kind === "human") askHuman(draft, id, agent.prompt);
  else startAttempt(draft, id, next.reason, null);
}

/** Repairs and retries need no approval: the step was approved before. */
function needsApproval({ workflow }: Draft, { agent, reason }: Next): boolean {
  if (reason.kind === "retry" || reason.kind === "person") return false;
  if (reason.kind === "gate" && reason.from === agent) return false;
  if (workflow.mode === "supervised") return true;
  return workflow.mode === "semi" && workflow.agents[agent]?.approve === "before";
}

function askApproval(draft: Draft, id: string, next: Next): void {
  // The task remembers what was about to start.
  draft.record({ kind: "task-advanced", task: id, next, callers: draft.task(id).callers });
  askPerson(draft, id, {
    kind: "before",
    agent: next.agent,
    title: `May ${next.agent} start?`,
    details: next.reason.note === null ? [] : [next.reason.note],
    choices: ["approve", "reject"],
  });
}

function askHuman(draft: Draft, id: string, prompt: string): void {
  const { agent, reason } = draft.step(id);
  askPerson(draft, id, {
    kind: "human",
    agent,
    title: `${agent} is a person: how did it end?`,
    details: [prompt, ...(reason.note === null ? [] : [reason.note])],
    choices: ["done", "done-with-warnings", "needs-fixes", "failed", "blocked"],
  });
}

/** One more attempt of the step that is under way. */
export function startAttempt(draft: Draft, id: string, reason: StepReason, session: string | null): NextRule {
  const step = draft.step(id);
  const agent = draft.agent(step.agent);
  if (mustWait(draft, agent) || !hasCapacity(draft, id)) {
    draft.record({
      kind: "task-advanced",
      task: id,
      next: { agent: agent.name, reason, approved: true },
      callers: draft.task(id).callers,
    });
    return NOTHING;
  }
  if (refuseSpending(draft, id, agent)) return NOTHING;
  const { timeout, held } = allowance(draft, agent);
  const attempt = `${step.id}.${step.attempts + 1}`;
  draft.record({ kind: "attempt-started", task: id, attempt, reason, timeout, held });
  draft.want({ kind: "start-agent", task: id, step: step.id, attempt, agent: agent.name, timeout, reason, session });
  return NOTHING;
}
