import { PgBoss } from "pg-boss";
import { type RunJob, RunQueue } from "../../src/drivers/pg-boss/run-queue.ts";
import type { Lease } from "../../src/ports/event-log.ts";
import type { SharedLog } from "../../src/ports/shared-log.ts";
import { PostgresConnections } from "../../src/stores/postgres/connection.ts";
import { openPostgresLog } from "../../src/stores/postgres/open-postgres-log.ts";
import { commitOf, LATER, newRun } from "../contracts/event-log-commits.ts";
import type { Random } from "../simulation/random.ts";
import { newLogPlace } from "./postgres-log.ts";

/** How a worker whose job was given to another one settles it when it comes back. */
type Settling = "by attempt" | "by bare id";

/**
 * Each run is given to a second worker while the first one hangs, gets a message, and is settled by the first one, which
 * comes back; half of the second workers die before they have seen the message. Returns how many messages nobody will
 * ever take.
 */
export async function raceSettling(url: string, runs: number, settling: Settling, random: Random): Promise<number> {
  const place = await newLogPlace(url);
  const queuePlace = { url, schema: "jobs", prefix: place.schema, maxPause: 1, notify: () => undefined };
  await RunQueue.prepare(queuePlace);
  const boss = new PgBoss({ connectionString: url, schema: "jobs", migrate: false, supervise: false, schedule: false });
  await boss.start();
  const connections = new PostgresConnections(place);
  const log = openPostgresLog(place);
  const queue = new RunQueue(queuePlace);
  log.useJobs(queue);
  const scene = { log, queue, connections, boss, name: `${place.schema}/runs` };
  try {
    const names = Array.from({ length: runs }, (_, index) => `run-${index}`);
    for (const name of names) await log.release(await log.create(newRun(name), "starter", LATER));
    await post(log, names, "first");
    const first = await claimAll(scene, runs);
    for (const { job, lease } of first) await take(log, lease, 0, "first", job.run);
    await loseAll(scene);
    const second = await claimAll(scene, runs);
    const late = [...first].sort(() => random.next() - 0.5);
    const early = late.splice(0, Math.floor(runs / 2));
    await settleAll(scene, early, settling);
    await post(log, names, "second");
    await settleAll(scene, late, settling);
    for (const { job, lease } of second)
      if (random.chance(0.5)) {
        await take(log, lease, 1, "second", job.run);
        await log.lockRun(job.run, (_, transaction) => queue.complete(job, transaction));
      }
    await loseAll(scene);
    for (const { job, lease } of await claimAll(scene, runs))
      if ((await log.messages(job.run)).length > 0) await take(log, lease, 1, "second", job.run);
    const left = await Promise.all(names.map((name) => log.messages(name)));
    return left.filter((messages) => messages.length > 0).length;
  } finally {
    await boss.stop({ graceful: false, close: true });
    await Promise.all([log.close(), queue.close(), connections.close()]);
  }
}

interface Scene {
  readonly log: SharedLog;
  readonly queue: RunQueue;
  readonly connections: PostgresConnections;
  readonly boss: PgBoss;
  readonly name: string;
}

interface Claimed {
  readonly job: RunJob;
  readonly lease: Lease;
}

async function post(log: SharedLog, runs: readonly string[], id: string): Promise<void> {
  await Promise.all(runs.map((run) => log.postMessage({ id, run, input: {} })));
}

async function claimAll({ log, queue }: Scene, count: number): Promise<Claimed[]> {
  const jobs = await queue.fetch(count);
  return Promise.all(
    jobs.map(async (job) => ({ job, lease: await log.lockRun(job.run, async (run) => run.claim("worker", LATER)) })),
  );
}

async function take(log: SharedLog, lease: Lease, after: number, id: string, run: string): Promise<void> {
  const entries = [{ kind: "input", data: { id } }];
  await log.commit({ ...commitOf(lease, after, { entries }), run, taken: [id] });
}

/** Their hearts have not beaten for long; the pause before the next worker is left out. */
async function loseAll({ queue, connections, name }: Scene): Promise<void> {
  await connections.change(
    "UPDATE jobs.job SET heartbeat_on = now() - interval '1 hour' WHERE name = $1 AND state = 'active'",
    [name],
  );
  // The engine looks once a second.
  const active = "SELECT 1 FROM jobs.job WHERE name = $1 AND state = 'active'";
  while ((await connections.all(active, [name])).length > 0) {
    await queue.supervise();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await connections.change("UPDATE jobs.job SET start_after = now() WHERE name = $1 AND state = 'retry'", [name]);
}

async function settleAll(
  { log, queue, boss, name }: Scene,
  late: readonly Claimed[],
  settling: Settling,
): Promise<void> {
  for (const { job } of late)
    if (settling === "by bare id") await boss.complete(name, job.id);
    else await log.lockRun(job.run, (_, transaction) => queue.complete(job, transaction));
}
