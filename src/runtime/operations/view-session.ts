import { GrowingView, type RunView } from "../../views/run-view.ts";
import type { Event } from "../../workflow/event.ts";
import type { RunSession } from "../run-session.ts";

/** The view of a run that goes on, from what it was before, without reading its log again. */
export class SessionView {
  readonly #view = new GrowingView();

  after({ workflow, state }: Pick<RunSession, "workflow" | "state">, events: readonly Event[]): RunView {
    return this.#view.after(workflow, state, events);
  }
}
