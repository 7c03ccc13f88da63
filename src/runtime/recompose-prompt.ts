import { composePrompt } from "../workflow/compose-prompt.ts";
import type { Event } from "../workflow/event.ts";
import type { ReadRun } from "./read-run.ts";
import { foldEntries } from "./run-session.ts";
import { handoffFiles } from "./take-handoff.ts";

/** What an agent was told when this attempt began, from the log alone; null when the log knows no such attempt. */
export function recomposePrompt(
  { workflow, entries }: Pick<ReadRun, "workflow" | "entries">,
  attempt: string,
  given: { readonly nonce: string; readonly packet: string },
): string | null {
  const begun = entries.findIndex(({ data }) => isStartOf(data as unknown as Event, attempt));
  if (begun < 0) return null;
  const event = entries[begun]?.data as unknown as Event;
  if (event.kind !== "attempt-started") return null;
  // It was composed when all that was decided at once had been stored: up to what the world told next.
  const next = entries.findIndex(({ kind }, index) => index > begun && kind === "input");
  const state = foldEntries(next < 0 ? entries : entries.slice(0, next));
  const task = state.tasks[event.task];
  const agent = workflow.agents[task?.step?.agent ?? ""];
  if (task === undefined || agent === undefined) return null;
  const files = handoffFiles(agent, state.iteration, { task: task.id, isParallel: workflow.parallel > 1 });
  return composePrompt(workflow, state, task, event.reason, { ...given, file: files.at(-1) ?? null });
}

function isStartOf(event: Event | null, attempt: string): boolean {
  return event?.kind === "attempt-started" && event.attempt === attempt;
}
