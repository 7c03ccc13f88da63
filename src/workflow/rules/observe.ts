import { ownValue } from "../../shared/json-value.ts";
import type { Draft } from "../draft.ts";
import type { Observation, ObservedStop, ObservedUsage, Usage } from "../input.ts";
import { countRemarks, remarksOf, summariseRemarks } from "../remarks.ts";
import type { StepReason } from "../state.ts";
import { noteJudgements, recordKnownFacts } from "./accept-handoff.ts";
import { failRun } from "./fail-run.ts";
import { expectationsOn, lastHandedOver } from "./expectations.ts";
import { updateLedger } from "./issue-ledger.ts";

/**
 * Takes what a hook has told about a session that is watched. The agents are started, sent back and let go by their
 * client: here it is only recorded, in the same events as the steps of a run that is driven.
 */
export function observe(draft: Draft, seen: Observation): void {
  const { status, observed } = draft.state;
  if (status !== "running") draft.record({ kind: "run-reopened", at: draft.at, by: observed?.client ?? "the client" });
  switch (seen.kind) {
    case "prompt":
      draft.record({ kind: "session-noted", what: "prompt", agent: null, says: seen.text });
      return seen.agent === undefined ? undefined : beginObserved(draft, MAIN_TASK, seen.agent);
    case "agent-started":
      return beginObserved(draft, seen.task, seen.agent);
    case "agent-stopped":
      return endObserved(draft, seen);
    case "other-started":
      return draft.record({ kind: "other-agent-seen", id: seen.id, agent: seen.agent, has: "started" });
    case "other-ended": {
      const { kind: _kind, ...other } = seen;
      return draft.record({ kind: "other-agent-seen", has: "ended", ...other });
    }
    case "session-ended":
      if (seen.usage !== undefined) draft.record({ kind: "session-measured", usage: seen.usage });
      return endSession(draft, seen.reason);
  }
}

/** The task of the main agent. */
const MAIN_TASK = "main";

const FIRST: StepReason = { kind: "first", from: null, note: null, issues: [], problems: [] };

/** Adds the task of the agent and begins its step, unless it is at work already. */
function beginObserved(draft: Draft, id: string, agent: string): void {
  const known = ownValue(draft.state.tasks, id);
  if (known === undefined) {
    const task = { id, name: agent, priority: "medium", dependsOn: [], start: agent, brief: "" } as const;
    draft.record({ kind: "task-added", task });
  }
  if (known !== undefined && known.step !== null) return;
  const step = `s${draft.state.steps + 1}`;
  const { iteration } = draft.state;
  draft.record({ kind: "step-started", task: id, step, agent, reason: FIRST, iteration, at: draft.at });
  beginAttempt(draft, id, FIRST);
}

/** The client decides how long it may take and what it may cost. */
function beginAttempt(draft: Draft, task: string, reason: StepReason): void {
  const { id, attempts } = draft.step(task);
  const held = { tokens: null, money: null, milliseconds: 0 };
  const attempt = `${id}.${attempts + 1}`;
  draft.record({ kind: "attempt-started", task, attempt, reason, timeout: 0, held, at: draft.at });
}

function endObserved(draft: Draft, { task, agent, delivery, judgements, problems, ...stop }: ObservedStop): void {
  const isBeginUnknown = (ownValue(draft.state.tasks, task)?.step ?? null) === null;
  beginObserved(draft, task, agent);
  const { attempt, id } = draft.step(task);
  const message = stop.result === "accepted" ? "" : stop.message;
  endObservedAttempt(draft, task, { message, usage: stop.usage, isBeginUnknown });
  noteJudgements(draft, task, null, judgements);
  if (delivery !== null && stop.result === "accepted") {
    const before = lastHandedOver(draft.state);
    draft.record({ kind: "handoff-accepted", task, step: id, agent, delivery });
    recordKnownFacts(draft, agent, delivery.handoff);
    updateLedger(draft, { task, agent, ...(stop.tree !== undefined && { tree: stop.tree }) }, delivery.handoff);
    for (const note of expectationsOn(draft.workflow, draft.state, { agent, before, handoff: delivery.handoff }))
      draft.record({ kind: "session-noted", agent, ...note });
    return draft.record({ kind: "task-finished", task, status: "done", reason: delivery.handoff.outcome });
  }
  if (problems.length > 0) draft.record({ kind: "handoff-refused", task, step: id, agent, attempt, problems });
  if (stop.result === "sent-back")
    return beginAttempt(draft, task, { kind: "repair", from: agent, note: null, issues: [], problems });
  const isUnread = stop.result === "unread";
  draft.record({ kind: "session-noted", what: isUnread ? "unread" : "given-up", agent, says: stop.message });
  draft.record({ kind: "task-finished", task, status: isUnread ? "cancelled" : "failed", reason: stop.message });
}

interface EndedAttempt {
  readonly message: string;
  readonly usage: ObservedUsage | undefined;
  /** Its stop is the first that was heard of it. */
  readonly isBeginUnknown: boolean;
}

function endObservedAttempt(draft: Draft, task: string, { message, usage, isBeginUnknown }: EndedAttempt): void {
  const { attempt, attemptAt, startedAt } = draft.step(task);
  const milliseconds = isBeginUnknown ? 0 : Math.max(0, draft.at - (attemptAt ?? startedAt));
  draft.record({
    kind: "attempt-ended",
    task,
    attempt,
    end: "finished",
    message,
    usage: { milliseconds, tokens: tokensSince(usage, draft.task(task).counted ?? 0), money: null },
    session: draft.state.observed?.session ?? null,
    ...(usage !== undefined && { counted: usage }),
    ...(isBeginUnknown && { isBeginUnknown }),
    at: draft.at,
  });
}

/** What an attempt has used of what its agent has used so far; null where it is not known whole. */
function tokensSince(usage: ObservedUsage | undefined, before: number): Usage["tokens"] {
  if (usage === undefined || usage.isPart === true || usage.tokens < before) return null;
  return usage.tokens - before;
}

/** An agent that is still at work when its session ends was cut off, and owes its handoff. */
function endSession(draft: Draft, reason: string): void {
  for (const { id, step } of Object.values(draft.state.tasks)) {
    if (step === null) continue;
    const why = "the session ended before it handed over";
    draft.record({ kind: "session-noted", what: "given-up", agent: step.agent, says: why });
    draft.record({ kind: "task-finished", task: id, status: "failed", reason: why });
  }
  const tasks = Object.values(draft.state.tasks);
  const failed = tasks.filter(({ status }) => status === "failed");
  if (failed.length > 0) return failRun(draft, failed.map((task) => `${task.name}: ${task.reason ?? ""}`).join("; "));
  const remarks = countRemarks(remarksOf(draft.workflow, { ...draft.state, status: "completed" }));
  const unread = tasks.filter(({ status }) => status === "cancelled").length;
  const parts = [uncheckedWords(tasks.length, unread), summariseRemarks({ ...remarks, unchecked: 0 })];
  const but = parts.filter((part) => part !== "").join(", ");
  const said = `the session ended (${reason})`;
  const end = but === "" ? { reason: said } : { reason: `${said}, but ${but}`, remarks };
  draft.record({ kind: "run-completed", at: draft.at, ...end });
}

/** A task is cancelled only where its handoff could not be read. */
function uncheckedWords(tasks: number, unread: number): string {
  if (tasks === 0) return "no agent handed over: nothing was checked";
  if (unread === 0) return "";
  return unread === 1 ? "1 handoff was not read" : `${unread} handoffs were not read`;
}
