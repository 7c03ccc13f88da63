import { setTimeout as sleep } from "node:timers/promises";
import { killHard } from "../crash/run-victims.ts";
import type { Random } from "../simulation/random.ts";
import type { Host, Hosts } from "./hosts.ts";
import type { TestPostgres } from "./start-postgres.ts";

/** What happens to a worker, its agents or its database. */
export const FAULTS = [
  "worker killed",
  "agent killed",
  "worker stopped",
  "worker stopped in a transaction",
  "network gone",
  "network gone for a moment",
  "network slow",
  "answer of a commit lost",
  "lease lost falsely",
  "worker upgraded",
  "database killed",
] as const;
export type Fault = (typeof FAULTS)[number];

/** Longer than a job may be without a sign of life. */
const LONG = 16_000;
const SHORT = 5_000;
/** A run that is not taken over by then stays without a worker. */
const HOPELESS = 90_000;

export interface Takeover {
  readonly fault: Fault;
  /** How many runs changed their worker. */
  readonly runs: number;
  /** Until the last of them had another one, or had ended; in milliseconds. */
  readonly time: number;
  /** Workers were lost with one of them before, or the database was: then the engine waits for longer. */
  readonly isTroubled: boolean;
}

export class FaultMaker {
  readonly takeovers: Takeover[] = [];
  readonly #hosts: Hosts;
  readonly #server: TestPostgres;
  readonly #random: Random;
  #downs = 0;
  #isDown = false;

  constructor(hosts: Hosts, server: TestPostgres, random: Random) {
    this.#hosts = hosts;
    this.#server = server;
    this.#random = random;
  }

  /** Makes one fault of a host, waits until other workers have its runs, and mends it. */
  async make(fault: Fault, host: Host): Promise<void> {
    await this.#untilBusy(host);
    this.#hosts.note(`${new Date().toISOString()} ${fault}: ${host.pid}`);
    switch (fault) {
      case "worker killed":
        return this.#untilTaken(fault, host, () => host.signal("SIGKILL"));
      case "worker upgraded":
        return this.#untilTaken(fault, host, () => host.signal("SIGTERM"));
      case "agent killed":
        return this.#killAgent(host);
      case "worker stopped":
        return this.#hang(fault, host, () => host.signal("SIGSTOP"));
      case "worker stopped in a transaction":
        return this.#hang(fault, host, async () => {
          host.signal("SIGUSR2");
          for (let looks = 0; !host.isStopped && looks < 500; looks++) await sleep(20);
          host.signal("SIGSTOP");
        });
      case "network gone":
        await this.#untilTaken(fault, host, () => host.proxy.freeze(), LONG);
        return host.proxy.heal();
      case "network gone for a moment":
        host.proxy.freeze();
        await sleep(SHORT);
        return host.proxy.heal();
      case "network slow":
        host.proxy.delay(150);
        await sleep(LONG);
        return host.proxy.delay(0);
      case "answer of a commit lost":
        host.proxy.loseNextCommit();
        return sleep(1_000);
      case "lease lost falsely":
        return this.#untilTaken(fault, host, (runs) => this.#hosts.loseLeases(runs));
      case "database killed":
        return this.#killDatabase();
    }
  }

  /** A fault of a worker without runs shows nothing. */
  async #untilBusy(host: Host): Promise<void> {
    for (let looks = 0; looks < 100; looks++) {
      if ((await this.#patiently(() => this.#hosts.drivenBy(host))).size > 0) return;
      await sleep(100);
    }
  }

  async #hang(fault: Fault, host: Host, hang: () => void | Promise<void>): Promise<void> {
    await this.#untilTaken(fault, host, hang, LONG);
    host.signal("SIGCONT");
  }

  async #killAgent(host: Host): Promise<void> {
    for (let looks = 0; looks < 100; looks++) {
      const agents = host.agents();
      if (agents.length > 0 && killHard(this.#random.pick(agents))) return;
      await sleep(20);
    }
  }

  async #killDatabase(): Promise<void> {
    if (this.#isDown) return;
    this.#isDown = true;
    this.#downs++;
    await this.#server.kill();
    await sleep(this.#random.below(4_000));
    await this.#server.start();
    this.#isDown = false;
  }

  /** Takes at least the given time. */
  async #untilTaken(
    fault: Fault,
    host: Host,
    make: (runs: readonly string[]) => void | Promise<void>,
    least = 0,
  ): Promise<void> {
    const driven = await this.#patiently(() => this.#hosts.drivenBy(host));
    const before = await this.#patiently(() => this.#lostBefore(1));
    const downs = this.#downs;
    const isDown = this.#isDown;
    await make([...driven.keys()]);
    const began = performance.now();
    for (;;) {
      const left = await this.#patiently(() => this.#hosts.unfinished());
      const isTaken = [...driven].every(([run, fence]) => (left.get(run) ?? Infinity) > fence);
      if (isTaken || performance.now() - began > HOPELESS) break;
      await sleep(100);
    }
    const time = performance.now() - began;
    // The worker that took it over was lost with it, too.
    const again = await this.#patiently(() => this.#lostBefore(2));
    const isTroubled =
      isDown || this.#downs > downs || [...driven.keys()].some((run) => before.has(run) || again.has(run));
    this.takeovers.push({ fault, runs: driven.size, time, isTroubled });
    await sleep(Math.max(0, least - time));
  }

  /** Runs whose jobs have lost so many workers already. */
  async #lostBefore(count: number): Promise<Set<string>> {
    const rows = await this.#hosts.connections.all(
      `SELECT singleton_key AS run FROM jobs.job WHERE name = $1 AND state <= 'active'
        AND (retry_count >= $2 OR (data ->> 'losses')::integer > 0)`,
      [`${this.#hosts.schema}/runs`, count],
    );
    return new Set(rows.map((row) => String(row["run"])));
  }

  /** The database may be down just now. */
  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      try {
        return await ask();
      } catch (error) {
        if (tries > 300) throw error;
        await sleep(100);
      }
    }
  }
}
