import type { Driver, NewRunOptions, Told } from "../../ports/driver.ts";
import type { Lease } from "../../ports/event-log.ts";
import type { Machine } from "../../ports/machine.ts";
import { type DriveOptions, LEASE_TIME, driveRun } from "../../runtime/drive-run.ts";
import { claimRun } from "../../runtime/operations/resume-run.ts";
import { startRun } from "../../runtime/operations/start-run.ts";
import { readState, tellRun } from "../../runtime/operations/tell-run.ts";
import { isParked } from "../../runtime/summarise-run.ts";
import { workerName } from "../../runtime/worker-name.ts";
import type { RunState } from "../../workflow/state.ts";

export interface EmbeddedOptions extends Pick<DriveOptions, "watch" | "pollTime"> {
  /** Most runs that are driven at once; parked ones take no room. */
  readonly runs?: number;
  /** Whether a run that is found in the store may be driven here; all may unless it is given. */
  readonly mayDrive?: (run: string) => Promise<boolean>;
}

const MOST_RUNS = 200;
const LOOK_AGAIN = 100;
const MOST_LOOKED_AT = 1_000;

/** Drives runs in this process, over whatever store the machine has; several such processes share them. */
export function embeddedDriver(machine: Machine, options: EmbeddedOptions = {}): ResumingDriver {
  return new EmbeddedDriver(machine, options);
}

export interface ResumingDriver extends Driver {
  /** Goes on with a run that nobody drives; false when another process does. */
  resume(run: string): Promise<boolean>;
}

class EmbeddedDriver implements ResumingDriver {
  readonly #machine: Machine;
  readonly #options: EmbeddedOptions;
  readonly #stopping = new AbortController();
  readonly #driving = new Map<string, Promise<void>>();
  readonly #taking = new Map<string, Promise<boolean>>();
  readonly #looking: Promise<void>;

  constructor(machine: Machine, options: EmbeddedOptions) {
    this.#machine = machine;
    this.#options = options;
    this.#looking = this.#lookForWork();
  }

  async start(run: NewRunOptions): Promise<string> {
    const lease = await startRun(this.#machine, run);
    this.#drive(lease);
    return lease.run;
  }

  async tell(run: string, told: Told, id?: string): Promise<boolean> {
    const isNew = await tellRun(this.#machine, run, told, id);
    // Nobody looks for work in runs that have ended; one that is sent on again has some.
    if (await this.#hasEnded(run)) await this.resume(run);
    return isNew;
  }

  async settled(run: string): Promise<RunState> {
    for (;;) {
      await this.#driving.get(run);
      const row = await this.#machine.log.run(run);
      if (
        row !== null &&
        (row.finished || row.status === "waiting") &&
        (await this.#machine.log.letters(run)).length === 0
      ) {
        const state = await readState(this.#machine, run);
        if (state.status !== "running" || isParked(state)) return state;
      }
      await this.#rest();
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
    await Promise.all(this.#driving.values());
  }

  /** Takes runs that have something to do and that nobody drives: parked ones that were answered, crashed ones, due timers. */
  async #lookForWork(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const room = (this.#options.runs ?? MOST_RUNS) - this.#driving.size;
      const now = this.#machine.clock.now();
      const until = now + LEASE_TIME;
      if (room > 0) await this.#driveIdle(now, until, room);
      await this.#rest();
    }
  }

  /** A store that does not answer is asked again later. */
  async #driveIdle(now: number, until: number, room: number): Promise<void> {
    try {
      const { mayDrive } = this.#options;
      if (mayDrive !== undefined) return await this.#driveAllowed(mayDrive, now, room);
      const leases = await this.#machine.log.claimIdle(workerName(this.#machine), now, until, room);
      for (const lease of leases) this.#drive(lease);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#options.watch?.({ kind: "trouble", message: `No work could be looked for: ${message}` });
    }
  }

  /** Looks before it takes: a run that it may not drive stays free for whoever may. */
  async #driveAllowed(mayDrive: (run: string) => Promise<boolean>, now: number, room: number): Promise<void> {
    let left = room;
    for (const run of await this.#machine.log.idleRuns(now, MOST_LOOKED_AT)) {
      if (left <= 0) return;
      if (this.#driving.has(run) || !(await mayDrive(run))) continue;
      if (await this.resume(run)) left--;
    }
  }

  /** A process may claim what it holds: asked for twice at once, a run is taken once. */
  resume(run: string): Promise<boolean> {
    const taking = this.#taking.get(run) ?? this.#take(run).finally(() => this.#taking.delete(run));
    this.#taking.set(run, taking);
    return taking;
  }

  /** One that has ended is only put away here, and would not see what it is told. */
  async #take(run: string): Promise<boolean> {
    if (this.#driving.has(run) && !(await this.#hasEnded(run))) return true;
    const lease = await claimRun(this.#machine, run);
    if (lease !== null) this.#drive(lease);
    return lease !== null;
  }

  async #hasEnded(run: string): Promise<boolean> {
    return (await this.#machine.log.run(run))?.finished === true;
  }

  #drive(lease: Lease): void {
    const driving = driveRun(this.#machine, lease, {
      ...this.#options,
      leaveParked: true,
      signal: this.#stopping.signal,
    }).then(
      () => undefined,
      (error: unknown) => {
        const message = error instanceof Error ? error.message : String(error);
        this.#options.watch?.({ kind: "trouble", message: `Run ${lease.run} was let go: ${message}` });
      },
    );
    this.#driving.set(lease.run, driving);
    void driving.then(() => {
      if (this.#driving.get(lease.run) === driving) this.#driving.delete(lease.run);
    });
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.#options.pollTime ?? LOOK_AGAIN));
  }
}
