import type { Judgement } from "../evidence/claim.ts";
import { countVerdicts } from "../evidence/policy.ts";
import { count } from "../shared/count.ts";
import type { AttemptRecord } from "../workflow/attempt-record.ts";
import type { Event } from "../workflow/event.ts";
import { askName } from "./ask-name.ts";

export type Tone = "good" | "bad" | "warning" | "person" | "plain" | "quiet";

export interface EventLine {
  readonly tone: Tone;
  readonly text: string;
}

type Lines = { readonly [K in Event["kind"]]: (event: Extract<Event, { kind: K }>) => EventLine | null };

/** One event in one line for people; null for what only the core cares about. */
export function eventLine(event: Event): EventLine | null {
  return (LINES[event.kind] as (event: Event) => EventLine | null)(event);
}

function line(tone: Tone, text: string): EventLine {
  return { tone, text };
}

const LINES: Lines = {
  "run-started": ({ run, name }) => line("plain", `run ${run} of ${name} started`),
  "run-completed": ({ reason }) => line("good", `COMPLETE: ${reason}`),
  "run-failed": ({ reason }) => line("bad", `FAILED: ${reason}`),
  "run-cancelled": ({ by, reason }) => line("bad", `cancelled by ${by}: ${reason}`),
  "run-reopened": ({ by }) => line("person", `${by} sends the run on again`),
  "task-added": () => null,
  "task-advanced": () => null,
  "task-finished": ({ task, status, reason }) =>
    task === "main" ? null : line(status === "done" ? "good" : "bad", `task ${task} ${status}: ${reason}`),
  "task-blocked": ({ task, blocker }) =>
    line("warning", `task ${task} is held up by ${blocker.by}: ${blocker.description}`),
  "task-released": ({ task, by }) => line("plain", `task ${task} is no longer held up by ${by}`),
  "step-started": ({ agent, task, reason, iteration }) => line("plain", startLine(agent, task, reason.kind, iteration)),
  "attempt-started": ({ attempt, reason }) =>
    reason.kind === "repair" ? line("quiet", `attempt ${attempt}: asked to write the handoff again`) : null,
  "attempt-ended": ({ end, attempt, message, record, task }) =>
    end === "finished"
      ? takeoverLine(attempt, record)
      : line(end === "lost" ? "warning" : "bad", `attempt ${attempt}${on(task)} ${end}: ${message}`),
  "attempt-delayed": ({ task }) => line("quiet", `tried again${on(task)} after a while`),
  "handoff-accepted": ({ agent, task, delivery: { handoff, repaired, warnings } }) => {
    const notes = [...(repaired ? ["repaired"] : []), ...(warnings > 0 ? [count(warnings, "warning")] : [])];
    const word = handoff.status ?? handoff.outcome;
    const tone = GOOD.includes(handoff.outcome) ? "good" : "warning";
    return line(
      tone,
      `${agent}${on(task)}: ${word}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}${summaryOf(handoff.summary)}`,
    );
  },
  "handoff-refused": ({ agent, task, problems }) =>
    line(
      "bad",
      `${agent}${on(task)}: handoff refused, ${problems[0]?.message ?? ""}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ""}`,
    ),
  "claims-verified": ({ agent, task, gate, judgements }) => claimsLine(`${agent}${on(task)}`, gate, judgements),
  "command-approved": ({ command, by }) => line("person", `${by} lets this command run: ${command}`),
  "command-ended": ({ command, passed, message, task }) =>
    line(
      passed ? "good" : "bad",
      `gate ${passed ? "passed" : "failed"}${on(task)} (${message}), validation command: ${command}`,
    ),
  "wish-overruled": ({ agent, wish, instead, why, task }) =>
    line("quiet", `${agent}${on(task)} wished ${wish}, goes to ${instead}: ${why}`),
  "gate-passed": ({ gate, message, task }) => line("good", `gate ${gate} passed${on(task)} (${message})`),
  "gate-failed": ({ gate, message, task }) => line("bad", `gate ${gate} failed${on(task)} (${message})`),
  "loop-began": ({ loop, issues, why }) =>
    line(
      "warning",
      `round ${loop.iteration}: ${loop.asker}${on(loop.task)} sends the work back to ${loop.target} with ${count(issues.length, "issue")}: ${why}`,
    ),
  "loop-ended": ({ end, why, task }) =>
    line(end === "converged" ? "good" : "warning", `loop ended${on(task)}, ${end}: ${why}`),
  "issue-opened": ({ issue: { id, severity, location, description } }) =>
    line("warning", `issue ${[id, severity, location ?? ""].filter((part) => part !== "").join(" ")}: ${description}`),
  "issue-changed": ({ id, status, why }) =>
    line(status === "reopened" ? "warning" : "good", `issue ${id} ${status}: ${why}`),
  "fact-learned": ({ name, value, by }) => line("quiet", `${by}: ${name} is ${value}`),
  "facts-helped": ({ step, facts }) => line("quiet", `step ${step} went well with ${count(facts.length, "fact")}`),
  "failure-counted": ({ why, class: kind, task }) =>
    line("bad", `${task === "main" ? "" : `task ${task}: `}${kind === "UNKNOWN" ? why : `${why} (${kind})`}`),
  "agent-notified": ({ agent, text }) => line("quiet", `${agent} is told: ${text}`),
  "ask-opened": ({ ask }) =>
    line("person", `${askName(ask)} waits for a person: ${ask.title} [${ask.choices.join(" | ")}]`),
  "ask-answered": ({ ask, choice, by, text }) =>
    line("person", `${by} answers ${ask}: ${choice}${text === null ? "" : `, ${text}`}`),
  "ask-reminded": ({ ask }) => line("person", `${ask} still waits for a person`),
  "ask-expired": ({ ask, consequence }) => line("bad", `nobody answered ${ask}: ${consequence}`),
  "timer-set": () => null,
  "timer-cleared": () => null,
  "budget-refused": ({ agent, budget, why }) => line("bad", `${agent} may not start, ${budget}: ${why}`),
  "budget-overrun": ({ budget, why }) => line("warning", `more ${budget} than the budget: ${why}`),
  "input-ignored": ({ input, why }) => line("quiet", `${input} ignored: ${why}`),
};

/** What is not known is left out; an estimate says that it is one. */
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
  return told.length === 0 ? null : line("quiet", `attempt ${attempt} ${told.join(", ")}`);
}

const GOOD: readonly string[] = ["done", "done-with-warnings", "skipped"];

function startLine(agent: string, task: string, reason: string, iteration: number): string {
  return `${agent} starts${on(task)}${reason === "first" || reason === "forward" ? "" : ` (${reason})`}${iteration > 1 ? `, round ${iteration}` : ""}`;
}

/** Several tasks may be at work at once, and with the same agent. */
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
  return lie === undefined ? line("quiet", text) : line("warning", `${text}: ${lie.says} ${lie.evidence}`);
}
