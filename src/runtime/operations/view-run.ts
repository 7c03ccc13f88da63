import type { Ports } from "../../ports/ports.ts";
import { type RunView, runView, GrowingView } from "../../views/run-view.ts";
import type { Workflow } from "../../workflow/definition.ts";
import { type LogEntry, eventsOf, readWholeEntries, readPinnedWorkflow } from "../read-log.ts";
import { foldEntries, type RunSession } from "../run-session.ts";
import type { Event } from "../../workflow/event.ts";

export { askName } from "../../views/event-line.ts";
export { choiceEffect } from "../../views/run-page.ts";
export { type RunView, describeClaimed } from "../../views/run-view.ts";
export { type Tone, eventLine } from "../../views/event-line.ts";

export interface ViewedRun {
  readonly view: RunView;
  readonly workflow: Workflow;
  readonly entries: readonly LogEntry[];
}

/** The view of a run that was not pruned. */
export async function viewRun(ports: Ports, run: string, hash: string): Promise<ViewedRun> {
  const workflow = await readPinnedWorkflow(ports.log, { run, workflow: hash });
  const entries = await readWholeEntries(ports.log, run);
  const view = runView(workflow, foldEntries(entries), eventsOf(entries));
  if (entries.length > 0) return { view, workflow, entries };
  // It is stored and has not begun: it may wait for another run.
  const { createdAt } = (await ports.log.run(run)) ?? { createdAt: 0 };
  return { view: { ...view, run, started_at: createdAt }, workflow, entries };
}

/** The view of a run in progress, updated without reading its log again. */
export class SessionView {
  readonly #view = new GrowingView();

  after({ workflow, state }: Pick<RunSession, "workflow" | "state">, events: readonly Event[]): RunView {
    return this.#view.after(workflow, state, events);
  }
}
