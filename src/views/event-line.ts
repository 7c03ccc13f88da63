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
  "attempt-ended": ({ end, attempt, message, record }) =>
    end === "finished"
      ? takeoverLine(attempt, record)
      : line(end === "lost" ? "warning" : "bad", `attempt ${attempt} ${end}: ${message}`),
  "attempt-delayed": () => line("quiet", "tried again after a while"),
  "handoff-accepted": ({ agent, delivery: { handoff, repaired, warnings } }) => {
    const notes = [...(repaired ? ["repaired"] : []), ...(warnings > 0 ? [count(warnings, "warning")] : [])];
    const word = handoff.status ?? handoff.outcome;
    const tone = GOOD.includes(handoff.outcome) ? "good" : "warning";
    return line(
      tone,
      `${agent}: ${word}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}${summaryOf(handoff.summary)}`,
    );
  },
  "handoff-refused": ({ agent, problems }) =>
    line(
      "bad",
      `${agent}: handoff refused, ${problems[0]?.message ?? ""}${problems.length > 1 ? ` (and ${problems.length - 1} more)` : ""}`,
    ),
  "claims-verified": ({ agent, gate, judgements }) => claimsLine(agent, gate, judgements),
  "command-approved": ({ command, by }) => line("person", `${by} lets this command run: ${command}`),
  "command-ended": ({ command, passed, message }) =>
    line(passed ? "good" : "bad", `gate ${passed ? "passed" : "failed"} (${message}), validation command: ${command}`),
  "wish-overruled": ({ agent, wish, instead, why }) =>
    line("quiet", `${agent} wished ${wish}, goes to ${instead}: ${why}`),
  "gate-passed": ({ gate, message }) => line("good", `gate ${gate} passed (${message})`),
  "gate-failed": ({ gate, message }) => line("bad", `gate ${gate} failed (${message})`),
  "loop-began": ({ loop, issues, why }) =>
    line(
      "warning",
      `round ${loop.iteration}: ${loop.asker} sends the work back to ${loop.target} with ${count(issues.length, "issue")}: ${why}`,
    ),
  "loop-ended": ({ end, why }) => line(end === "converged" ? "good" : "warning", `loop ended, ${end}: ${why}`),
  "issue-opened": ({ issue: { id, severity, location, description } }) =>
    line("warning", `issue ${[id, severity, location ?? ""].filter((part) => part !== "").join(" ")}: ${description}`),
  "issue-changed": ({ id, status, why }) =>
    line(status === "reopened" ? "warning" : "good", `issue ${id} ${status}: ${why}`),
  "fact-learned": ({ name, value, by }) => line("quiet", `${by}: ${name} is ${value}`),
  "facts-helped": ({ step, facts }) => line("quiet", `step ${step} went well with ${count(facts.length, "fact")}`),
  "failure-counted": ({ why, class: kind }) => line("bad", kind === "UNKNOWN" ? why : `${why} (${kind})`),
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
  const where = task === "main" ? "" : ` on ${task}`;
  return `${agent} starts${where}${reason === "first" || reason === "forward" ? "" : ` (${reason})`}${iteration > 1 ? `, round ${iteration}` : ""}`;
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
