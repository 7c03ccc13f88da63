import type { StoredEntry } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import { type RunView, runView } from "../../views/run-view.ts";
import type { Workflow } from "../../workflow/definition.ts";
import type { Event } from "../../workflow/event.ts";
import { foldEntries } from "../run-session.ts";
import { wholeEntries } from "./tell-run.ts";

export { askName } from "../../views/ask-name.ts";
export { choiceEffect } from "../../views/choice-effect.ts";
export type { RunView } from "../../views/run-view.ts";
export { type EventLine, type Tone, eventLine } from "../../views/event-line.ts";

export interface ViewedRun {
  readonly view: RunView;
  readonly workflow: Workflow;
  readonly entries: readonly StoredEntry[];
}

/** Of a run whose content is there. */
export async function viewRun(machine: Machine, run: string, hash: string): Promise<ViewedRun> {
  const workflow = (await machine.log.workflow(hash)) as unknown as Workflow;
  const entries = await wholeEntries(machine, run);
  return { view: runView(workflow, foldEntries(entries), eventsOf(entries)), workflow, entries };
}

export function eventsOf(entries: readonly StoredEntry[]): Event[] {
  return entries.flatMap(({ kind, data }) => (kind === "input" || data === null ? [] : [data as unknown as Event]));
}
