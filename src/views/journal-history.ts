import { count } from "../shared/count.ts";
import type { Event } from "../workflow/event.ts";

export interface HistoryLine {
  readonly at: number;
  readonly text: string;
}

type Tell = { readonly [K in Event["kind"]]?: (event: Extract<Event, { kind: K }>) => string };

/** What happened in a run, in our words: names, counts and outcomes, and nothing that an agent has written freely. */
export function historyOf(events: readonly { readonly at: number; readonly event: Event }[]): HistoryLine[] {
  return events.flatMap(({ at, event }) => {
    const tell = TOLD[event.kind] as ((event: Event) => string) | undefined;
    return tell === undefined ? [] : [{ at, text: tell(event) }];
  });
}

const TOLD: Tell = {
  "run-started": ({ name, run }) => `run ${run} of ${name} started`,
  "run-completed": () => "run completed",
  "run-failed": () => "run failed",
  "run-cancelled": ({ by }) => `run cancelled by ${by}`,
  "run-reopened": ({ by }) => `run sent on again by ${by}`,
  "step-started": ({ agent, task, reason, iteration }) =>
    `${agent} started on ${task}, round ${iteration}${reason.kind === "first" ? "" : ` (${reason.kind})`}`,
  "handoff-accepted": ({ agent, task, delivery }) => `${agent} handed ${task} over: ${delivery.handoff.outcome}`,
  "handoff-refused": ({ agent, task, problems }) =>
    `a handoff of ${agent} on ${task} was sent back with ${count(problems.length, "problem")}`,
  "gate-passed": ({ gate, task }) => `gate ${gate} passed for ${task}`,
  "gate-failed": ({ gate, task }) => `gate ${gate} failed for ${task}`,
  "loop-began": ({ loop, issues }) =>
    `round ${loop.iteration}: ${loop.asker} sent ${loop.task} back to ${loop.target} with ${count(issues.length, "issue")}`,
  "loop-ended": ({ task, asker, end }) => `the loop of ${asker} on ${task} ended: ${end}`,
  "task-blocked": ({ task, blocker }) => `${task} is held up by ${blocker.by}`,
  "task-released": ({ task, by }) => `${task} is no longer held up by ${by}`,
  "task-finished": ({ task, status }) => `${task} ended: ${status}`,
  "ask-opened": ({ ask }) => `${ask.id} waits for a person (${ask.kind})`,
  "ask-answered": ({ ask, choice, by }) => `${by} answered ${ask}: ${choice}`,
};
