import type { RunRow } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import type { RunView } from "../../views/run-view.ts";
import type { Workflow } from "../../workflow/definition.ts";
import type { Event } from "../../workflow/event.ts";
import { EMPTY_RUN, evolve } from "../../workflow/evolve.ts";
import { findRun, wholeEntries } from "./tell-run.ts";
import { SessionView } from "./view-session.ts";

export interface RunGlance {
  readonly row: RunRow;
  /** What has happened since the last look. */
  readonly news: readonly { readonly event: Event; readonly at: number }[];
  /** Null until anything has happened. */
  readonly view: RunView | null;
}

/** Follows a run that another process drives: each look reads only what is new. */
export class FollowedRun {
  readonly #machine: Machine;
  readonly #run: string;
  readonly #workflow: Workflow;
  #state = EMPTY_RUN;
  #sequence = 0;
  readonly #growing = new SessionView();
  #view: RunView | null = null;

  constructor(machine: Machine, run: string, workflow: Workflow) {
    this.#machine = machine;
    this.#run = run;
    this.#workflow = workflow;
  }

  async look(): Promise<RunGlance> {
    // The row first: what is stored after it only makes the next look begin later.
    const row = await findRun(this.#machine, this.#run);
    const entries = await wholeEntries(this.#machine, this.#run, this.#sequence);
    this.#sequence = entries.at(-1)?.sequence ?? this.#sequence;
    const news = entries.flatMap(({ kind, data, at }) =>
      kind === "input" ? [] : [{ event: data as unknown as Event, at }],
    );
    for (const { event } of news) this.#state = evolve(this.#state, event);
    if (news.length > 0) {
      const known = { workflow: this.#workflow, state: this.#state };
      this.#view = this.#growing.after(
        known,
        news.map(({ event }) => event),
      );
    }
    return { row, news, view: this.#view };
  }
}

/** By its id or the beginning of it; the newest one when none is named. */
export async function followRun(machine: Machine, name: string | undefined): Promise<FollowedRun> {
  const { run, workflow } = await findRun(machine, name);
  return new FollowedRun(machine, run, (await machine.log.workflow(workflow)) as unknown as Workflow);
}
