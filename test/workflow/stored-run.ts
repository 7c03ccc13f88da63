import type { EventLog, Lease } from "../../src/ports/event-log.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import type { Workflow } from "../../src/workflow/definition.ts";
import { HandDrivenRun } from "./build-workflow.ts";

const DAY = 86_400_000;

/** A run with a clock that moves, kept in a log as it goes. */
export class StoredRun extends HandDrivenRun {
  readonly #times: number[] = [];
  readonly #name: string;
  readonly #run: string;
  #stored = 0;

  constructor(run: string, workflow: Workflow, at = 10 * DAY) {
    super(workflow, { run });
    this.#run = run;
    this.#name = workflow.name;
    const shift = at - this.now;
    this.now = at;
    this.history.splice(0, this.history.length, ...this.history.map((event) => shifted(event, shift)));
    this.#noteTimes();
  }

  after(milliseconds: number): this {
    this.#noteTimes();
    this.now += milliseconds;
    return this;
  }

  async store(log: EventLog): Promise<this> {
    this.#noteTimes();
    const lease = await this.#lease(log);
    while (this.#stored < this.history.length) {
      const at = this.#times[this.#stored] ?? this.now;
      const events = this.history.filter((_, index) => index >= this.#stored && this.#times[index] === at);
      await log.commit({
        run: this.#run,
        lease,
        after: this.#stored,
        at,
        entries: events.map((event) => ({ kind: event.kind, data: event as unknown as JsonRecord })),
        effects: [],
        settled: [],
        taken: [],
        status: this.#status(),
        finished: this.state.status !== "running",
        summary: {},
        wakeAt: null,
      });
      this.#stored += events.length;
    }
    await log.release(lease);
    return this;
  }

  async #lease(log: EventLog): Promise<Lease> {
    const row = { run: this.#run, name: this.#name, workflow: "hash", at: this.now };
    const lease =
      this.#stored === 0 ? await log.create(row, "worker", 1) : await log.acquire(this.#run, "worker", 2, 3);
    if (lease === null) throw new Error("somebody else has the run");
    return lease;
  }

  #status(): string {
    return this.state.status === "running" && Object.keys(this.state.asks).length > 0 ? "waiting" : this.state.status;
  }

  #noteTimes(): void {
    while (this.#times.length < this.history.length) this.#times.push(this.now);
  }
}

function shifted<E>(event: E, by: number): E {
  const { at } = event as { at?: number };
  return at === undefined ? event : { ...event, at: at + by };
}
