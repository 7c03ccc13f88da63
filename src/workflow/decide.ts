import type { Workflow, TaskDefinition } from "./definition.ts";
import { Draft } from "./draft.ts";
import type { Effect } from "./effect.ts";
import type { Event } from "./event.ts";
import type { Answer, Input, RaiseBudget, StartRun, TrustFiles } from "./input.ts";
import { takeAnswer, chooseForAsk, isLate } from "./rules/answer-ask.ts";
import { budgetOf } from "./rules/budget.ts";
import { endAttempt } from "./rules/end-attempt.ts";
import { observe } from "./rules/observe.ts";
import { passGate } from "./rules/pass-gate.ts";
import { scheduleTasks } from "./rules/schedule-tasks.ts";
import type { RunState, Next, TaskState, Ask } from "./state.ts";
import { findCycles } from "./find-cycles.ts";
import { failRun } from "./rules/fail-run.ts";
import { isBlocking, isToFix, openIssues } from "./rules/issue-ledger.ts";
import { ownValue } from "../shared/json-value.ts";

/**
 * The version of the rules by which inputs are decided. It is stored with every input. Decisions of earlier rules stay
 * as they were recorded.
 *
 * - Rules 2: a loop route that holds loops, limits count the rounds of a task, conditions can be unknown.
 * - Rules 3: what an agent says is not enough to close an issue or to pass a gate. An issue is closed by the agent that
 *   reported it, or by a gate; the word of another agent is noted and the issue stays open. An issue that its fixer
 *   called fixed and that is found again was never closed, so it does not end a loop as one that was. Another agent
 *   becomes the reporter of an open issue only when it sends the work back by a loop and is not the one to fix it.
 *   A question names the commit that it is about.
 *   A run says at its end which changed files its handoffs do not name.
 *   A file that would be run and is not the one that was trusted is a question to a person.
 *   A gate without a result passes nothing: its agent is told once, then a person is asked.
 *   Refuted claims whose policy is `ask` wait for a person.
 */
export const RULES_VERSION = 3;

interface Decision {
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
  readonly state: RunState;
}

/** Decides what follows from one input. Pure and total: the same input on the same state gives the same decision. */
export function decide(workflow: Workflow, state: RunState, input: Input): Decision {
  const draft = new Draft(workflow, state, input.at);
  const refusal = refuse(state, input);
  if (refusal !== null) draft.record({ kind: "input-ignored", input: input.kind, why: refusal });
  else {
    apply(draft, input);
    // Nothing is started in a session that is only watched.
    if (draft.state.observed === undefined) scheduleTasks(draft);
  }
  return { events: draft.events, effects: withoutUndone(draft.effects), state: draft.state };
}

/** Drops agents that are started and stopped within the same decision. */
function withoutUndone(effects: readonly Effect[]): readonly Effect[] {
  const stopped = new Set(effects.flatMap((effect) => (effect.kind === "stop-agent" ? [effect.attempt] : [])));
  const undone = new Set(
    effects.flatMap((effect) => (effect.kind === "start-agent" && stopped.has(effect.attempt) ? [effect.attempt] : [])),
  );
  return effects.filter((effect) => !("attempt" in effect) || !undone.has(effect.attempt));
}

function refuse(state: RunState, input: Input): string | null {
  if (state.run === "") return input.kind === "start-run" ? null : "The run has not started.";
  if (input.kind === "start-run") return "The run has started already.";
  // A session may be continued after its end.
  if (input.kind === "observe") return state.observed === undefined ? "The run is driven, and not observed." : null;
  if (input.kind === "retry-run") return state.status === "failed" ? null : `The run is ${state.status}, not failed.`;
  if (WHILE_FAILED.includes(input.kind) && state.status === "failed") return null;
  return state.status === "running" ? null : `The run is ${state.status}.`;
}

/** What a person settles before a failed run is retried. */
const WHILE_FAILED: readonly Input["kind"][] = ["raise-budget", "trust-files"];

function apply(draft: Draft, input: Input): void {
  switch (input.kind) {
    case "start-run":
      return beginRun(draft, input);
    case "report-attempt":
      return endAttempt(draft, input);
    case "report-gate":
      return passGate(draft, input);
    case "fire-timer":
      return fireTimer(draft, input.timer);
    case "answer":
      return answerInTime(draft, input);
    case "cancel-run":
      return cancelRun(draft, input.by, input.reason);
    case "retry-run":
      return retryRun(draft, input.by, input.note);
    case "raise-budget":
      return raiseBudget(draft, input);
    case "report-changes":
      return draft.record({ kind: "workspace-changed", paths: input.paths, more: input.more, by: input.by });
    case "trust-files":
      return trustFiles(draft, input);
    case "observe":
      return observe(draft, input.seen);
  }
}

/** What was trusted before no longer counts: it may have been by somebody else. */
function trustFiles(draft: Draft, { files, by }: TrustFiles): void {
  const named = new Set(files.map(({ path }) => path));
  const gone = (draft.state.trusted ?? []).flatMap(({ path }) => (named.has(path) ? [] : [path]));
  draft.record({ kind: "files-trusted", files, gone, by });
}

/** Starts the run. A run without tasks gets one task, `main`. */
function beginRun(draft: Draft, { kind: _kind, continues, ...input }: StartRun): void {
  draft.record({ ...input, kind: "run-started", at: draft.at });
  if (input.observed !== undefined) return;
  const tasks = [...draft.workflow.tasks, ...input.tasks];
  for (const task of tasks.length === 0 ? [MAIN] : tasks) {
    if (Object.hasOwn(draft.state.tasks, task.id)) return failRun(draft, `Two tasks have the id ${task.id}.`);
    draft.record({ kind: "task-added", task });
  }
  const [first] = Object.keys(draft.state.tasks);
  if (continues !== undefined && first !== undefined)
    draft.record({ kind: "handoff-continued", task: first, ...continues });
  setWallTimer(draft);
  const unknown = tasks.find((task) => task.dependsOn.some((id) => !Object.hasOwn(draft.state.tasks, id)));
  if (unknown !== undefined) return failRun(draft, `Task ${unknown.id} depends on a task that does not exist.`);
  const needs = (id: string) => (draft.state.tasks[id]?.dependsOn ?? []).map((name) => ({ name, path: [] }));
  const [cycle] = findCycles(
    tasks.map((task) => task.id),
    needs,
  );
  if (cycle !== undefined) failRun(draft, `These tasks wait for each other: ${cycle.names.join(" needs ")}.`);
}

const MAIN: TaskDefinition = { id: "main", name: "main", priority: "medium", dependsOn: [], start: null, brief: "" };

function cancelRun(draft: Draft, by: string, reason: string): void {
  for (const { id, step, status } of Object.values(draft.state.tasks)) {
    if (status === "done" || status === "failed") continue;
    if (step?.phase === "working") draft.want({ kind: "stop-agent", attempt: step.attempt });
    draft.record({ kind: "task-finished", task: id, status: "cancelled", reason });
  }
  draft.record({ kind: "run-cancelled", at: draft.at, by, reason });
}

function setWallTimer(draft: Draft): void {
  const { wall } = budgetOf(draft.workflow, draft.state);
  if (wall === null) return;
  const timer = { id: "wall", dueAt: draft.state.startedAt + wall, purpose: "wall", subject: "" } as const;
  draft.record({ kind: "timer-set", timer });
}

/** A limit is only ever raised, and one that the workflow does not set cannot be. */
function raiseBudget(draft: Draft, { by, budget }: RaiseBudget): void {
  const now: Partial<Record<string, number | null>> = { ...budgetOf(draft.workflow, draft.state) };
  const higher = Object.entries(budget).filter(([name, limit]) => limit > (now[name] ?? Infinity));
  if (higher.length === 0) {
    draft.record({ kind: "input-ignored", input: "raise-budget", why: "No limit of the run would be raised." });
    return;
  }
  draft.record({ kind: "budget-raised", at: draft.at, by, budget: Object.fromEntries(higher) });
  if (draft.state.status === "running" && higher.some(([name]) => name === "wall")) setWallTimer(draft);
}

/** Retries a failed run: each failed task starts again at the agent where it failed. */
function retryRun(draft: Draft, by: string, note: string | null): void {
  draft.record({ kind: "run-reopened", at: draft.at, by });
  setWallTimer(draft);
  for (const task of Object.values(draft.state.tasks)) {
    if (task.status !== "failed") continue;
    const next = task.next === null ? nextTry(draft, task, by, note) : withNote(task.next, note);
    draft.record({ kind: "task-advanced", task: task.id, next, callers: task.callers });
  }
}

/** A step that was refused its start is planned again with the note; the steps before it are done. */
function withNote(next: Next, note: string | null): Next {
  const notes = [next.reason.note, note].filter((text) => text !== null);
  return { ...next, reason: { ...next.reason, note: notes.length === 0 ? null : notes.join("\n") } };
}

function nextTry(draft: Draft, { id, trail, start }: TaskState, by: string, note: string | null): Next {
  const agent = trail.at(-1) ?? start ?? draft.workflow.start;
  const issues = issuesOfLoop(draft, id, agent);
  return { agent, reason: { kind: "person", from: by, note, issues, problems: [] }, approved: false };
}

/** Issues of the loop that the agent was fixing when it failed. */
function issuesOfLoop(draft: Draft, task: string, agent: string): string[] {
  const loop = draft.state.loops.findLast((one) => one.task === task);
  if (loop?.target !== agent) return [];
  const policy = draft.agent(loop.asker).loop;
  return openIssues(draft.state, task).flatMap((issue) =>
    isToFix(issue) && isBlocking(issue, policy) ? [issue.id] : [],
  );
}

function fireTimer(draft: Draft, id: string): void {
  const timer = ownValue(draft.state.timers, id);
  if (timer === undefined || timer.dueAt > draft.at) {
    draft.record({ kind: "input-ignored", input: "fire-timer", why: `No timer ${id} is due.` });
    return;
  }
  draft.record({ kind: "timer-cleared", timer: id });
  if (timer.purpose === "wall") return failRun(draft, "The run has taken all the time its budget allows.");
  if (timer.purpose === "ask") return expireAsk(draft, timer.subject);
  const { step, callers } = draft.task(timer.subject);
  if (step?.phase !== "delay") return;
  const next = { agent: step.agent, reason: step.reason, approved: true };
  draft.record({ kind: "task-advanced", task: timer.subject, next, callers });
}

/** Silence has decided a question whose time was over, also when no process was there to notice. */
function answerInTime(draft: Draft, answer: Answer): void {
  const ask = ownValue(draft.state.asks, answer.ask);
  if (ask === undefined || !isLate(ask, draft.workflow.asks, answer.givenAt)) return takeAnswer(draft, answer);
  draft.record({ kind: "timer-cleared", timer: `ask:${ask.id}` });
  expireAsk(draft, ask.id);
  const why = `The answer ${answer.choice} of ${answer.by} to ${ask.id} came after the time for it.`;
  draft.record({ kind: "input-ignored", input: "answer", why });
}

/** Handles a question that nobody answered in time. Silence is never consent: it is asked again or counts as a no. */
function expireAsk(draft: Draft, id: string): void {
  const ask = ownValue(draft.state.asks, id);
  if (ask === undefined) return;
  const { silence, timeout } = draft.workflow.asks;
  if (silence === "remind") return remind(draft, ask, timeout ?? 0);
  // Rejecting finished work would restart the agent forever while no person is there.
  const canSayNo = ask.kind === "before" || ask.kind === "command";
  const choice = silence === "reject" && canSayNo ? "reject" : "fail";
  draft.record({ kind: "ask-expired", ask: id, consequence: choice });
  chooseForAsk(draft, ask, { choice, text: "Nobody answered in time.", by: "timeout" });
}

function remind(draft: Draft, ask: Ask, timeout: number): void {
  const dueAt = draft.at + timeout;
  draft.record({ kind: "ask-reminded", ask: ask.id, dueAt });
  draft.record({ kind: "timer-set", timer: { id: `ask:${ask.id}`, dueAt, purpose: "ask", subject: ask.id } });
  draft.want({ kind: "notify", who: "person", text: `${ask.id} still waits (${ask.reminders + 1}): ${ask.title}` });
}
