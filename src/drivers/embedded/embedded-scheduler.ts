import type { Ports } from "../../ports/ports.ts";

const MINUTE = 60_000;
/** A machine that slept wakes up in the middle of a wait. */
const MAX_REST = 20_000;

interface SchedulerOptions {
  /** Looks once at all schedules; it may be called at any time, and by several processes. */
  readonly keep: () => Promise<void>;
  /** Is told when a look failed as a whole. */
  readonly notify: (error: unknown) => void;
  /** Longest time between two looks. */
  readonly pollTime?: number;
}

/** Looks at schedules when a minute begins, in this process. Several processes can share a state. */
export function embeddedScheduler({ clock }: Pick<Ports, "clock">, options: SchedulerOptions): Scheduler {
  const stopping = new AbortController();
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      await options.keep().catch(options.notify);
      const toNextMinute = MINUTE - (clock.now() % MINUTE);
      await rest(Math.min(toNextMinute, options.pollTime ?? MAX_REST), stopping.signal);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await looking;
    },
  };
}

interface Scheduler {
  /** A look that has begun is finished. */
  stop(): Promise<void>;
}

function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener("abort", done, { once: true });
  });
}
