import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../ports/event-log.ts";
import type { RunJobs } from "../../ports/shared-log.ts";
import { closed } from "../refusals.ts";
import { type PostgresConnections, type Queries, StoreUncertain } from "./connection.ts";
import { storeGroup } from "./store-group.ts";
import type { JobAnswer, WriteAnswers, WriteJob } from "./write-group.ts";

interface Waiting {
  /** Null for a write that does everything itself, in a transaction of its own. */
  readonly job: WriteJob | null;
  readonly alone: ((queries: Queries) => Promise<unknown>) | null;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Longer groups would hold their locks for long. */
const MAX_GROUP = 300;
/** How long a transaction whose end is unknown is tried again, in milliseconds. */
const RETRY_TIME = 10_000;

/**
 * Writes of one turn of the event loop share a transaction, and so a round of statements. They are stored in the order
 * in which they were requested; a write that is refused does not affect the others. When the connection is cut off at
 * the end of a transaction, it is looked up whether it was stored, so that nothing is stored twice.
 */
export class GroupWriter {
  readonly #connections: PostgresConnections;
  readonly #isReady: () => Promise<void>;
  #waiting: Waiting[] = [];
  #working: Promise<void> | null = null;
  #isClosed = false;
  #runJobs: RunJobs | null = null;
  /** Runs with a write of which it is unknown whether it was stored. */
  readonly #uncertain = new Set<string>();

  /** `isReady` resolves when the tables are there. */
  constructor(connections: PostgresConnections, isReady: () => Promise<void>) {
    this.#connections = connections;
    this.#isReady = isReady;
  }

  useJobs(runJobs: RunJobs): void {
    this.#runJobs = runJobs;
  }

  write<J extends WriteJob>(job: J): Promise<WriteAnswers[J["kind"]]> {
    return this.#add({ job, alone: null }) as Promise<WriteAnswers[J["kind"]]>;
  }

  /** A transaction of its own, in its turn. */
  transact<T>(alone: (queries: Queries) => Promise<T>): Promise<T> {
    return this.#add({ job: null, alone }) as Promise<T>;
  }

  /** Resolves when every write is answered. Later writes are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#working;
  }

  #add(write: Pick<Waiting, "job" | "alone">): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...write, resolve, reject });
      this.#working ??= this.#work();
    });
  }

  async #work(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const [first] = this.#waiting;
      if (first?.alone === null) await this.#store(this.#takeGroup());
      else await this.#storeAlone(this.#waiting.shift() as Waiting);
    }
    this.#working = null;
  }

  /** A text stays with the write after it: without an entry that names it, it would be pruned. */
  #takeGroup(): readonly Waiting[] {
    const end = this.#waiting.findIndex(
      ({ alone }, index) => alone !== null || (index >= MAX_GROUP && this.#waiting[index - 1]?.job?.kind !== "text"),
    );
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #storeAlone({ alone, resolve, reject }: Waiting): Promise<void> {
    try {
      await this.#isReady();
      resolve(alone === null ? null : await this.#connections.transact(alone));
    } catch (error) {
      reject(error);
    }
  }

  async #store(group: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.#storeOnce(group);
      for (const [index, { resolve, reject }] of group.entries()) settle(answers[index], resolve, reject);
    } catch (error) {
      const parts = partsOf(group);
      // A value that the database refuses fails the group, so each part gets its own transaction.
      if (parts.length > 1 && !(error instanceof StoreError)) for (const part of parts) await this.#store(part);
      else for (const { reject } of group) reject(error);
    }
  }

  async #storeOnce(group: readonly Waiting[]): Promise<JobAnswer[]> {
    const jobs = group.flatMap(({ job }) => job ?? []);
    const runs = jobs.flatMap(changedRunOf);
    const { schema } = this.#connections;
    for (const until = performance.now() + RETRY_TIME; ;) {
      try {
        await this.#isReady();
        const answers = await this.#connections.transact((queries) =>
          storeGroup(queries, schema, jobs, (run) => this.#uncertain.has(run), this.#runJobs),
        );
        for (const run of runs) this.#uncertain.delete(run);
        return answers;
      } catch (error) {
        const isUncertain = error instanceof StoreUncertain;
        if (isUncertain) for (const run of runs) this.#uncertain.add(run);
        const isPassing =
          isUncertain || isBusy(error) || (isUnavailable(error) && runs.some((run) => this.#uncertain.has(run)));
        if (!isPassing || performance.now() >= until) throw error;
        await sleep(PAUSE);
      }
    }
  }
}

const PAUSE = 100;

/** Runs for which storing a job twice would be seen. */
function changedRunOf(job: WriteJob): readonly string[] {
  if (job.kind === "commit") return [job.commit.run];
  return job.kind === "create" ? [job.run.run] : [];
}

function isBusy(error: unknown): boolean {
  return error instanceof StoreError && error.code === "busy";
}

function isUnavailable(error: unknown): boolean {
  return error instanceof StoreError && error.code === "unavailable";
}

function settle(answer: JobAnswer | undefined, resolve: Waiting["resolve"], reject: Waiting["reject"]): void {
  if (answer === undefined) reject(new Error("a write was not answered"));
  else if ("error" in answer) reject(answer.error);
  else resolve(answer.value);
}

/** The smallest groups that can be stored by themselves. */
function partsOf(group: readonly Waiting[]): readonly (readonly Waiting[])[] {
  const parts: Waiting[][] = [[]];
  for (const waiting of group) {
    parts.at(-1)?.push(waiting);
    if (waiting.job?.kind !== "text") parts.push([]);
  }
  return parts.filter((part) => part.length > 0);
}
