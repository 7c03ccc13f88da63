import { Refusal } from "./refusal.ts";

export interface ServerLimits {
  /** Requests a second, on average, and at once. */
  readonly requests: Rate;
  /** Wrong tokens a second: guessing must not cost the server anything. */
  readonly failures: Rate;
  /** Requests at work. */
  readonly atOnce: number;
  /** Milliseconds within which the headers, and the whole request, must arrive. */
  readonly headers: number;
  readonly wholeRequest: number;
}

interface Rate {
  readonly each: number;
  readonly burst: number;
}

/** How much the server accepts at once. A client beyond it is told when to try again. */
export const LIMITS = {
  requests: { each: 1_000, burst: 3_000 },
  failures: { each: 5, burst: 50 },
  atOnce: 128,
  liveClients: 1_500,
  connections: 2_000,
  /** Bytes. A handoff has its own limit when it is read. */
  body: 1_048_576 + 4_096,
  jsonBody: 65_536,
  /** A handoff inside of a JSON text, all of whose characters may be escaped. */
  mcpBody: 8 * 1_048_576,
  headers: 10_000,
  wholeRequest: 20_000,
  keepAlive: 10_000,
} as const satisfies ServerLimits & Readonly<Record<string, unknown>>;

/** A token bucket: it fills up over time, and each call takes one. */
export class Bucket {
  readonly #each: number;
  readonly #burst: number;
  #level: number;
  #at = performance.now();

  constructor({ each, burst }: Rate) {
    this.#each = each;
    this.#burst = burst;
    this.#level = burst;
  }

  /** False when it is empty. */
  take(): boolean {
    const now = performance.now();
    this.#level = Math.min(this.#burst, this.#level + ((now - this.#at) / 1_000) * this.#each);
    this.#at = now;
    if (this.#level < 1) return false;
    this.#level -= 1;
    return true;
  }
}

export function tooMany(): Refusal {
  const hint = "Wait a moment; the header Retry-After says how many seconds.";
  return new Refusal(429, "too-many", "The server has too many requests.", hint, { "retry-after": "1" });
}
