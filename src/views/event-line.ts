import type { Judgement } from "../evidence/claim.ts";
import { countVerdicts } from "../evidence/policy.ts";
import { count } from "../shared/count.ts";
import type { AttemptRecord } from "../workflow/attempt-record.ts";
import type { Event, SessionNote } from "../workflow/event.ts";
import type { ForeignChanges } from "../workflow/input.ts";
import { codec, withoutVersion } from "../workflow/stored/codec.ts";
import type { JsonRecord } from "../shared/json-value.ts";
import type { Ask } from "../workflow/state.ts";
import { type Infer, data } from "../protocol/shape.ts";
import { describeSessionUsage, sessionUsageView } from "./observed-run.ts";

const TONES = ["good", "bad", "warning", "person", "plain", "quiet"] as const;
export type Tone = (typeof TONES)[number];

interface EventLine {
  readonly tone: Tone;
  readonly text: string;
}

type Lines = { readonly [K in Event["kind"]]: (event: Extract<Event, { kind: K }>) => EventLine | null };

/** One event in one line for people; null for an event that only the engine needs. */
export function eventLine(event: Event): EventLine | null {
  return (LINES[event.kind] as (event: Event) => EventLine | null)(event);
}

function toLine(tone: Tone, text: string): EventLine {
  return { tone, text };
}

const LINES: Lines = {
  "run-started": ({ run, name }) => toLine("plain", `run ${run} of ${name} started`),
  "run-completed": ({ reason, remarks }) => toLine(remarks === undefined ? "good" : "warning", `COMPLETE: ${reason}`),
  "run-failed": ({ reason }) => toLine("bad", `FAILED: ${reason}`),
  "run-cancelled": ({ by, reason }) => toLine("bad", `cancelled by ${by}: ${reason}`),
  "run-reopened": ({ by }) => toLine("person", `${by} sends the run on again`),
  "task-added": () => null,
  "task-advanced": () => null,
  "task-finished": ({ task, status, reason }) =>
    task === "main" ? null : toLine(status === "done" ? "good" : "bad", `task ${task} ${status}: ${reason}`),
  "task-blocked": ({ task, blocker }) =>
    toLine("warning", `task ${task} is held up by ${blocker.by}: ${blocker.description}`),
  "task-released": ({ task, by }) => toLine("plain", `task ${task} is no longer held up by ${by}`),
  "step-started": ({ agent, task, reason, iteration }) =>
    toLine("plain", startLine(agent, task, reason.kind, iteration)),
  "attempt-started": ({ attempt, reason }) =>
    reason.kind === "repair" ? toLine("quiet", `attempt ${attempt}: asked to write the handoff again`) : null,
  "attempt-ended": ({ end, attempt, message, record, task }) =>
    end === "finished"
      ? takeoverLine(attempt, record)
      : toLine(end === "lost" ? "warning" : "bad", `attempt ${attempt}${on(task)} ${end}: ${message}`),
  "attempt-delayed": ({ task }) => toLine("quiet", `tried again${on(task)} after a while`),
  "handoff-accepted": ({ agent, task, delivery: { handoff, repaired, warnings } }) => {
    const notes = [...(repaired ? ["repaired"] : []), ...(warnings > 0 ? [count(warnings, "warning")] : [])];
    const word = handoff.status ?? handoff.outcome;
    const tone = GOOD.includes(handoff.outcome) ? "good" : "warning";
    return toLine(
      tone,
      `${agent}${on(task)}: ${word}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}${summaryOf(handoff.summary)}`,
    );
  },
  "handoff-refused": ({ agent, task, problems }) =>
    toLine(
      "bad",
      `${agent}${on(task)}: handoff refused, ${problems[0]?.message ?? ""}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ""}`,
    ),
  "round-misstated": ({ agent, said, round, task }) =>
    toLine("warning", `${agent}${on(task)} says that this is round ${said}, but it is round ${round}`),
  "dependencies-unmet": ({ agent, task, unknown, unfinished }) =>
    toLine("warning", `${agent}${on(task)} depends on ${unmet(unknown, unfinished)}`),
  "claims-verified": ({ agent, task, gate, judgements }) => claimsLine(`${agent}${on(task)}`, gate, judgements),
  "command-approved": ({ command, by }) => toLine("person", `${by} lets this command run: ${command}`),
  "command-ended": ({ command, passed, message, task }) =>
    toLine(
      passed ? "good" : "bad",
      `gate ${passed ? "passed" : "failed"}${on(task)} (${message}), validation command: ${command}`,
    ),
  "command-skipped": ({ command, why, task }) =>
    toLine("quiet", `validation command not run${on(task)}: ${command}. ${why}`),
  "wish-overruled": ({ agent, wish, instead, why, task }) =>
    toLine("quiet", `${agent}${on(task)} wished ${wish}, goes to ${instead}: ${why}`),
  "gate-passed": ({ gate, message, task }) => toLine("good", `gate ${gate} passed${on(task)} (${message})`),
  "gate-failed": ({ gate, message, task, isUnusable }) =>
    toLine("bad", `gate ${gate} ${isUnusable === true ? "has no result" : "failed"}${on(task)} (${message})`),
  "claims-waived": ({ claims, agent, by, task }) =>
    toLine("person", `${by} accepted ${count(claims.length, "refuted claim")} of ${agent}${on(task)}`),
  "gate-waived": ({ gate, by, task }) => toLine("person", `gate ${gate} waived by ${by ?? "the workflow"}${on(task)}`),
  "failure-waived": ({ agent, why, task }) =>
    toLine("warning", `the workflow ends the task${on(task)} although ${agent} did not finish: ${why}`),
  "condition-unknown": ({ condition, agent, task, names, isAsked }) =>
    toLine(
      "warning",
      `unknown whether ${condition} holds for ${agent}${on(task)} (${names.join(", ")})${isAsked ? "" : "; its route is passed over"}`,
    ),
  "help-requested": ({ agent, reason, helper, task }) =>
    toLine("plain", `${helper} is sent to help ${agent}${on(task)}: ${reason}`),
  "round-granted": ({ task, to, by }) => toLine("person", `${by} grants one more round to ${to}${on(task)}`),
  "loop-began": ({ loop, issues, why }) =>
    toLine(
      "warning",
      `round ${loop.iteration}: ${loop.asker}${on(loop.task)} sends the work back to ${loop.target} with ${count(issues.length, "issue")}: ${why}`,
    ),
  "loop-ended": ({ end, why, task }) =>
    toLine(end === "converged" ? "good" : "warning", `loop ended${on(task)}, ${end}: ${why}`),
  "issue-opened": ({ issue: { id, severity, location, description } }) =>
    toLine(
      "warning",
      `issue ${[id, severity, location ?? ""].filter((part) => part !== "").join(" ")}: ${description}`,
    ),
  "issue-seen": ({ id, by }) => toLine("quiet", `issue ${id} reported again by ${by}`),
  "fix-claimed": ({ id, why }) => toLine("plain", `issue ${id} is open until it is looked at again: ${why}`),
  "issues-waived": ({ issues, by, task }) =>
    toLine("person", `${by} lets the work continue${on(task)} with open issues: ${issues.join(", ")}`),
  "issue-changed": ({ id, status, why }) =>
    toLine(status === "reopened" ? "warning" : "good", `issue ${id} ${status}: ${why}`),
  "fact-learned": ({ name, value, by }) => toLine("quiet", `${by}: ${name} is ${value}`),
  "facts-helped": ({ step, facts }) => toLine("quiet", `step ${step} went well with ${count(facts.length, "fact")}`),
  "failure-counted": ({ why, class: kind, task }) =>
    toLine("bad", `${task === "main" ? "" : `task ${task}: `}${kind === "UNKNOWN" ? why : `${why} (${kind})`}`),
  "agent-notified": ({ agent, text }) => toLine("quiet", `${agent} is told: ${text}`),
  "ask-opened": ({ ask }) =>
    toLine("person", `${askName(ask)} waits for a person: ${ask.title} [${ask.choices.join(" | ")}]`),
  "ask-answered": ({ ask, choice, by, text }) =>
    toLine("person", `${by} answers ${ask}: ${choice}${text === null ? "" : `, ${text}`}`),
  "ask-reminded": ({ ask }) => toLine("person", `${ask} still waits for a person`),
  "ask-expired": ({ ask, consequence }) => toLine("bad", `nobody answered ${ask}: ${consequence}`),
  "timer-set": () => null,
  "timer-cleared": () => null,
  "budget-refused": ({ agent, budget, why }) => toLine("bad", `${agent} may not start, ${budget}: ${why}`),
  "budget-raised": ({ by, budget }) =>
    toLine(
      "person",
      `${by} raises the budget: ${Object.entries(budget)
        .map(([name, limit]) => `${name} ${limit}`)
        .join(", ")}`,
    ),
  "budget-overrun": ({ budget, why }) => toLine("warning", `more ${budget} than the budget: ${why}`),
  "files-trusted": ({ files, gone, by }) =>
    toLine("person", `${by} trusts as it is now: ${[...files.map(({ path }) => path), ...gone].join(", ")}`),
  "workspace-changed": (changes) => toLine("warning", changedLine(changes)),
  "handoff-continued": ({ run, agent }) => toLine("plain", `the run begins with the handoff of ${agent} in run ${run}`),
  "session-noted": ({ what, agent, says }) =>
    toLine(NOTE_TONES[what], `${what === "prompt" ? "asked: " : ""}${agent === null ? says : `${agent}: ${says}`}`),
  "other-agent-seen": ({ agent, has, files = [] }) =>
    toLine(
      "plain",
      `${agent} ${has}, which owes no handoff${files.length === 0 ? "" : `; it changed ${files.join(", ")}`}`,
    ),
  "session-measured": ({ usage }) =>
    toLine("quiet", `as the client counts, ${describeSessionUsage(sessionUsageView(usage))}`),
  "input-ignored": ({ input, why }) => toLine("quiet", `${input} ignored: ${why}`),
};

const NOTE_TONES: Readonly<Record<SessionNote, Tone>> = {
  prompt: "person",
  "given-up": "bad",
  unread: "warning",
  deviation: "warning",
  suggestion: "plain",
};

function changedLine({ paths, more, by }: ForeignChanges): string {
  const files = [...paths, ...(more > 0 ? [`${more} more`] : [])].join(", ");
  const who = by === null ? "" : `; run ${by} worked in the same folder`;
  return `files changed while no agent of this run was at work: ${files}${who}. They count as no agent's work`;
}

/** Leaves out values that are not known, and marks estimates as such. */
function takeoverLine(attempt: string, record: AttemptRecord | undefined): EventLine | null {
  if (record === undefined) return null;
  const { packet, takeover } = record;
  const { inputBeforeChange, reads } = takeover;
  const others = reads === null ? 0 : reads.unnamed.length + reads.more;
  const told = [
    ...(packet === null ? [] : [`was given about ${count(packet.estimatedTokens, "token")} (estimated)`]),
    ...(inputBeforeChange === null ? [] : [`sent ${count(inputBeforeChange, "token")} until its first change`]),
    ...(reads === null ? [] : [`read ${count(reads.named.length, "file")} of its packet and ${others} not in it`]),
  ];
  return told.length === 0 ? null : toLine("quiet", `attempt ${attempt} ${told.join(", ")}`);
}

const GOOD: readonly string[] = ["done", "done-with-warnings", "skipped"];

function startLine(agent: string, task: string, reason: string, iteration: number): string {
  return `${agent} starts${on(task)}${reason === "first" || reason === "forward" ? "" : ` (${reason})`}${iteration > 1 ? `, round ${iteration}` : ""}`;
}

/** Names the task, because one agent can work on several tasks at once. */
function on(task: string): string {
  return task === "main" ? "" : ` on ${task}`;
}

function summaryOf(summary: string | undefined): string {
  return summary === undefined ? "" : `, ${summary}`;
}

function claimsLine(agent: string, gate: string | null, judgements: readonly Judgement[]): EventLine {
  const { confirmed, refuted, unverifiable } = countVerdicts(judgements);
  const seen = gate === null ? "" : ` after ${gate}`;
  const lie = judgements.find(({ verdict }) => verdict === "refuted");
  const text = `${agent}: claims${seen} ${confirmed} confirmed, ${refuted} refuted, ${unverifiable} unverifiable`;
  return lie === undefined ? toLine("quiet", text) : toLine("warning", `${text}: ${lie.says} ${lie.evidence}`);
}

/** The place of an entry in the log. */
export const entryPlaceShape = data.record({
  /** Position over all runs; it only grows. */
  position: data.count(),
  run: data.text(),
  sequence: data.count(),
  at: data.count(),
  kind: data.text(),
});

export const eventItemShape = data.extend(entryPlaceShape, {
  tone: data.oneOf(TONES),
  /** Null for an event that only the engine needs. */
  text: data.nullable(data.text()),
  /** Null once the entry was pruned. */
  data: data.anything(),
});
/** One event as a sentence and as stored data. */
export type EventItem = Infer<typeof eventItemShape>;

export const eventListShape = data.record({
  events: data.list(eventItemShape),
  /** The value of `after` for the next page; null when there are no more events yet. */
  next: data.nullable(data.count()),
});
export type EventList = Infer<typeof eventListShape>;

type Entry = Pick<EventItem, "position" | "run" | "sequence" | "at" | "kind"> & { readonly data: JsonRecord | null };

export function eventItem({ position, run, sequence, at, kind, data: stored }: Entry): EventItem {
  const line = stored === null || kind === "input" ? null : lineOf(stored);
  const shown = stored === null ? null : withoutVersion(stored);
  return { position, run, sequence, at, kind, tone: line?.tone ?? "quiet", text: line?.text ?? null, data: shown };
}

/** A newer baton may have written events that this version does not know. */
function lineOf(stored: JsonRecord): ReturnType<typeof eventLine> {
  try {
    return eventLine(codec.decodeEvent(stored, "An event"));
  } catch {
    return null;
  }
}

/** Adds the task if the run has several: agents of two tasks may ask the same question. */
export function askName({ id, task }: Pick<Ask, "id" | "task">): string {
  return task === "main" ? id : `${id} (${task})`;
}

/** An event with its place in the log and its time. */
export interface TimedEvent {
  /** Position over all runs. */
  readonly position: number;
  readonly at: number;
  readonly event: Event;
}

/** Completes "depends on ...". */
function unmet(unknown: readonly string[], unfinished: readonly string[]): string {
  const parts = [
    ...(unknown.length === 0 ? [] : [`${unknown.join(", ")}, which the run does not have`]),
    ...(unfinished.length === 0 ? [] : [`${unfinished.join(", ")}, which is not complete`]),
  ];
  return parts.join("; ");
}
