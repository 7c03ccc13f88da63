import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Engine } from "../../runtime/engine.ts";
import { lastPosition } from "../../runtime/operations/show-run.ts";
import { type Notification, notificationsAfter, stalledRuns } from "../../runtime/operations/list-notifications.ts";
import { isRecord } from "../../shared/json-value.ts";
import { type Webhook, signedRequest } from "./webhook.ts";

interface WebhookSenderOptions {
  /** Called when the receiver cannot be reached, once for each notification. */
  readonly notify: (trouble: string) => void;
  readonly pollTime?: number;
  /** Before it is tried again; doubled each time. */
  readonly firstWait?: number;
}

const POLL_TIME = 1_000;
const STALL_TIME = 60_000;
const PAGE = 500;
const MAX_SENDING = 10_000;
const FIRST_WAIT = 1_000;
const MAX_WAIT = 300_000;
/** Older notifications are not sent, and a receiver is not tried for longer. */
const OLD_NEWS = 24 * 60 * 60 * 1_000;
const MAX_STALLS = 1_000;

/** The position up to which the receiver was notified, and the stalls it knows. */
interface Progress {
  readonly position: number;
  readonly stalls: readonly string[];
}

/**
 * Tells one receiver, one piece of news after the other, each until it is taken: at least once, in order, and never
 * more than one at a time. How far it came stands in a file, so that a restart neither forgets nor repeats all.
 */
export class WebhookSender {
  readonly #engine: Engine;
  readonly #webhook: Webhook;
  readonly #options: WebhookSenderOptions;
  readonly #path: string;
  readonly #stopping = new AbortController();
  readonly #working: Promise<void>;
  #stalledAt = 0;

  constructor(engine: Engine, webhook: Webhook, options: WebhookSenderOptions) {
    this.#engine = engine;
    this.#webhook = webhook;
    this.#options = options;
    const name = createHash("sha256").update(webhook.url).digest("hex").slice(0, 32);
    this.#path = join(engine.stateFolder, "webhooks", `${name}.json`);
    this.#working = this.#work();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #work(): Promise<void> {
    let progress: Progress | null = null;
    while (!this.#isStopping) {
      try {
        progress ??= await this.#begin();
        progress = await this.#tellStalls(await this.#tellNews(progress));
      } catch (error) {
        // Whatever was taken is noted: from there it goes on.
        progress = null;
        this.#options.notify(
          `Notifications could not be sent: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
      await this.#rest(this.#options.pollTime ?? POLL_TIME);
    }
  }

  /** A new receiver is notified of what happens from now on. */
  async #begin(): Promise<Progress> {
    const known = readProgress(this.#path);
    const position = await lastPosition(this.#engine.ports);
    // A position that this log has never had is of another log: an older copy was put in its place.
    if (known !== null) return known.position > position ? this.#keep({ ...known, position }) : known;
    const stalls = (await stalledRuns(this.#engine.ports)).map(({ id }) => id);
    return this.#keep({ position, stalls });
  }

  async #tellNews(progress: Progress): Promise<Progress> {
    const { ports } = this.#engine;
    for (let done = progress; ;) {
      const since = ports.clock.now() - OLD_NEWS;
      const page = await notificationsAfter(ports, done.position, PAGE, since);
      for (const news of page.news) {
        if (!(await this.#send(news))) return done;
        done = this.#keep({ ...done, position: Number(/\d+$/.exec(news.id)?.[0] ?? done.position) });
      }
      if (page.position > done.position) done = this.#keep({ ...done, position: page.position });
      if (page.isLast || this.#isStopping) return done;
    }
  }

  async #tellStalls(progress: Progress): Promise<Progress> {
    if (performance.now() < this.#stalledAt) return progress;
    this.#stalledAt = performance.now() + STALL_TIME;
    let done = progress;
    for (const news of await stalledRuns(this.#engine.ports)) {
      if (done.stalls.includes(news.id)) continue;
      if (!(await this.#send(news))) return done;
      done = this.#keep({ ...done, stalls: [...done.stalls, news.id].slice(-MAX_STALLS) });
    }
    return done;
  }

  /** False when it was stopped before it was taken. What is not accepted for a day is given up. */
  async #send(news: Notification): Promise<boolean> {
    if (!this.#webhook.kinds.includes(news.kind)) return true;
    const { clock } = this.#engine.ports;
    const begunAt = clock.now();
    let wait = this.#options.firstWait ?? FIRST_WAIT;
    for (let attempt = 1; !this.#isStopping; attempt++) {
      const problem = await this.#post(news);
      if (problem === null) return true;
      if (attempt === 1)
        this.#options.notify(`${this.#host} was not told of ${news.id}: ${problem}. It is tried again.`);
      if (clock.now() - begunAt > OLD_NEWS) return true;
      await this.#rest(wait);
      wait = Math.min(wait * 2, MAX_WAIT);
    }
    return false;
  }

  get #host(): string {
    return new URL(this.#webhook.url).host;
  }

  /** Null when it was taken. */
  async #post(news: Notification): Promise<string | null> {
    try {
      const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(MAX_SENDING)]);
      const request = signedRequest(this.#webhook, news, this.#engine.ports.clock.now());
      const response = await fetch(this.#webhook.url, { method: "POST", redirect: "error", signal, ...request });
      await response.body?.cancel();
      return response.ok ? null : `it answered ${response.status}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  #keep(progress: Progress): Progress {
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const temporary = `${this.#path}.${randomBytes(4).toString("hex")}`;
    writeFileSync(temporary, JSON.stringify(progress), { mode: 0o600, flush: true });
    renameSync(temporary, this.#path);
    return progress;
  }

  #rest(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, milliseconds);
      const { signal } = this.#stopping;
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      }
      if (signal.aborted) done();
      else signal.addEventListener("abort", done);
    });
  }
}

function readProgress(path: string): Progress | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isRecord(parsed) || typeof parsed["position"] !== "number" || !Array.isArray(parsed["stalls"])) return null;
    return { position: parsed["position"], stalls: parsed["stalls"].filter((item) => typeof item === "string") };
  } catch {
    return null;
  }
}
