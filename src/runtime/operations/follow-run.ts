import type { RunRow } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import type { RunView } from "../../views/run-view.ts";
import type { Workflow } from "../../workflow/definition.ts";
import type { Event } from "../../workflow/event.ts";
import { EMPTY_RUN, evolve } from "../../workflow/evolve.ts";
import { findRun } from "./send-input.ts";
import { readWholeEntries, readPinnedWorkflow } from "../read-log.ts";
import { SessionView } from "./view-run.ts";

export interface RunGlance {
  readonly row: RunRow;
  /** Events since the last call. */
  readonly news: readonly { readonly event: Event; readonly at: number }[];
  /** Null until the first event. */
  readonly view: RunView | null;
}

/** Follows a run that another process drives. Each call reads only new entries. */
class FollowedRun {
  readonly #ports: Ports;
  readonly #run: string;
  readonly #workflow: Workflow;
  #state = EMPTY_RUN;
  #sequence = 0;
  readonly #growing = new SessionView();
  #view: RunView | null = null;

  constructor(ports: Ports, run: string, workflow: Workflow) {
    this.#ports = ports;
    this.#run = run;
    this.#workflow = workflow;
  }

  async look(): Promise<RunGlance> {
    // Reads the row first: entries stored after that are read by the next call.
    const row = await findRun(this.#ports, this.#run);
    const entries = await readWholeEntries(this.#ports.log, this.#run, this.#sequence);
    this.#sequence = entries.at(-1)?.sequence ?? this.#sequence;
    const news = entries.flatMap(({ event, at }) => (event === null ? [] : [{ event, at }]));
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

/** Finds a run by its id or a prefix of it; the newest run when no name is given. */
export async function followRun(ports: Ports, name: string | undefined): Promise<FollowedRun> {
  const row = await findRun(ports, name);
  return new FollowedRun(ports, row.run, await readPinnedWorkflow(ports.log, row));
}
