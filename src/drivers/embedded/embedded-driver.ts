import type { Driver, NewRunOptions } from "../../ports/driver.ts";
import type { RunInput } from "../../workflow/input.ts";
import type { Lease } from "../../ports/event-log.ts";
import type { Ports } from "../../ports/ports.ts";
import { type DriveOptions, driveRun } from "../../runtime/drive-run.ts";
import { acquireToResume } from "../../runtime/operations/resume-run.ts";
import { startRun } from "../../runtime/operations/start-run.ts";
import { readState, sendInput } from "../../runtime/operations/send-input.ts";
import { hasMessages } from "../../runtime/read-log.ts";
import { isParked } from "../../runtime/run-session.ts";
import { LEASE_TIME, workerName } from "../../runtime/worker-name.ts";
import type { RunState } from "../../workflow/state.ts";

interface EmbeddedOptions extends Pick<DriveOptions, "watch" | "pollTime"> {
  /** Maximum number of runs driven at once; parked runs do not count. */
  readonly runs?: number;
  /** Whether a run found in the store may be driven by this process; all may by default. */
  readonly mayDrive?: (run: string) => Promise<boolean>;
}

const MAX_RUNS = 200;
const LOOK_AGAIN = 100;
const MAX_LOOKED_AT = 1_000;

/** Drives runs in this process, on the store of the given ports. Several processes can share a store. */
export function embeddedDriver(ports: Ports, options: EmbeddedOptions = {}): ResumingDriver {
  return new EmbeddedDriver(ports, options);
}

interface ResumingDriver extends Driver {
  /** Resumes a run that no process drives; false when another process drives it. */
  resume(run: string): Promise<boolean>;
}

class EmbeddedDriver implements ResumingDriver {
  readonly #ports: Ports;
  readonly #options: EmbeddedOptions;
  readonly #stopping = new AbortController();
  readonly #driving = new Map<string, Promise<void>>();
  readonly #taking = new Map<string, Promise<boolean>>();
  readonly #looking: Promise<void>;

  constructor(ports: Ports, options: EmbeddedOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#looking = this.#lookForWork();
  }

  async start(run: NewRunOptions): Promise<string> {
    const lease = await startRun(this.#ports, run);
    this.#drive(lease);
    return lease.run;
  }

  async send(run: string, told: RunInput, id?: string): Promise<boolean> {
    const isNew = await sendInput(this.#ports, run, told, id);
    // Ended runs are not polled for work, so an input that restarts one must resume it here.
    if (await this.#hasEnded(run)) await this.resume(run);
    return isNew;
  }

  async settled(run: string): Promise<RunState> {
    for (;;) {
      await this.#driving.get(run);
      const row = await this.#ports.log.run(run);
      const mayBeSettled = row !== null && (row.finished || row.status === "waiting");
      if (mayBeSettled && !(await hasMessages(this.#ports, run))) {
        const state = await readState(this.#ports, run);
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

  /** Acquires undriven runs with something to do: parked runs that were answered, crashed runs, due timers. */
  async #lookForWork(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const room = (this.#options.runs ?? MAX_RUNS) - this.#driving.size;
      const now = this.#ports.clock.now();
      const until = now + LEASE_TIME;
      if (room > 0) await this.#driveIdle(now, until, room);
      await this.#rest();
    }
  }

  /** If the store fails, the next poll tries again. */
  async #driveIdle(now: number, until: number, room: number): Promise<void> {
    try {
      const { mayDrive } = this.#options;
      if (mayDrive !== undefined) return await this.#driveAllowed(mayDrive, now, room);
      const leases = await this.#ports.log.acquireIdle(workerName(this.#ports), now, until, room);
      for (const lease of leases) this.#drive(lease);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#options.watch?.({ kind: "trouble", message: `No work could be looked for: ${message}` });
    }
  }

  /** Checks permission before it acquires a run: a run that this process may not drive stays free for others. */
  async #driveAllowed(mayDrive: (run: string) => Promise<boolean>, now: number, room: number): Promise<void> {
    let left = room;
    for (const run of await this.#ports.log.idleRuns(now, MAX_LOOKED_AT)) {
      if (left <= 0) return;
      if (this.#driving.has(run) || !(await mayDrive(run))) continue;
      if (await this.resume(run)) left--;
    }
  }

  /** A process can acquire a lease that it already holds, so concurrent calls for a run share one attempt. */
  resume(run: string): Promise<boolean> {
    const taking = this.#taking.get(run) ?? this.#take(run).finally(() => this.#taking.delete(run));
    this.#taking.set(run, taking);
    return taking;
  }

  /** A run that has ended is still being cleaned up here and would not see a new input, so it is acquired again. */
  async #take(run: string): Promise<boolean> {
    if (this.#driving.has(run) && !(await this.#hasEnded(run))) return true;
    const lease = await acquireToResume(this.#ports, run);
    if (lease !== null) this.#drive(lease);
    return lease !== null;
  }

  async #hasEnded(run: string): Promise<boolean> {
    return (await this.#ports.log.run(run))?.finished === true;
  }

  #drive(lease: Lease): void {
    const driving = driveRun(this.#ports, lease, {
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
