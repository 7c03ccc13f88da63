import { hostname } from "node:os";
import { RunQueue } from "../drivers/pg-boss/run-queue.ts";
import type { KnowledgeStore } from "../ports/knowledge-store.ts";
import type { LogSigner } from "../ports/log-signer.ts";
import type { SharedLog } from "../ports/shared-log.ts";
import type { Engine } from "../runtime/engine.ts";
import { AppError } from "../shared/app-error.ts";
import { openPostgresKnowledge } from "../stores/postgres-knowledge/open-postgres-knowledge.ts";
import { KNOWLEDGE_TABLES } from "../stores/postgres-knowledge/tables.ts";
import { PostgresConnections } from "../stores/postgres/connection.ts";
import { LOG_TABLES } from "../stores/postgres/log-tables.ts";
import { migrate } from "../stores/postgres/migrate.ts";
import { openPostgresLog } from "../stores/postgres/open-postgres-log.ts";
import { fileLogSigner } from "../stores/signer/file-log-signer.ts";
import { composeEngine } from "./open-engine.ts";
import { queuesOf, type SharedStore } from "./shared-store.ts";
import { findStatePlace, repositoryMark, type StatePlace } from "./state-folder.ts";
import { preparedFolder, schedulesIn } from "./state-places.ts";

/** A network that swallows what is sent is noticed within this time, in milliseconds. */
const QUERY_TIMEOUT = 10_000;

/** The engine over a store that several processes share: workers drive its runs, and this process only gives them work. */
export async function openSharedEngine(
  directory: string,
  configFolder: string,
  notify: (message: string) => void,
  store: SharedStore,
): Promise<Engine & { readonly log: SharedLog }> {
  const statePlace = findStatePlace(directory, process.env);
  const signs = { logSigner: signerOfStore(statePlace, configFolder, store) };
  const log = openPostgresLog({ ...store, ...signs, queryTimeout: QUERY_TIMEOUT });
  const jobs = new GivenJobs(store, notify);
  log.useJobs(jobs);
  let knowledge: KnowledgeStore;
  try {
    await refuseOtherPlace(log, statePlace.root);
    await log.setClock();
    knowledge = await openPostgresKnowledge(store, signs);
  } catch (error) {
    await log.close();
    throw error;
  }
  const engine = composeEngine(statePlace, configFolder, notify, {
    log,
    knowledge: () => knowledge,
    hasKnowledge: () => true,
    git: preparedFolder(statePlace.stateFolder, "git"),
    schedules: schedulesIn(statePlace.stateFolder),
    now: () => log.now(),
    logSigner: signs.logSigner,
    store,
    async close() {
      await jobs.close();
      await Promise.all([log.close(), knowledge.close()]);
    },
  });
  const shared = {
    givenUp: () => jobs.queue.lostRuns(),
    async wake(run: string) {
      await jobs.queue.forgetLost(run);
      await log.lockRun(run, (_row, transaction) => jobs.send([run], transaction));
    },
  };
  return { ...engine, log, shared };
}

/** The log of a store is remembered by the address of its tables; user and password are no part of it. */
function signerOfStore({ root, stateFolder }: StatePlace, configFolder: string, store: SharedStore): LogSigner {
  const { host, pathname } = new URL(store.url);
  const place = `/postgres/${host}${pathname}/${store.schema}`;
  return fileLogSigner({
    folder: configFolder,
    place,
    repository: { root, state: place },
    forbidden: [root, stateFolder],
  });
}

/** Makes the tables of a store, or brings them to this version; processes that are at work go on. */
export async function prepareSharedStore(store: SharedStore, notify: (message: string) => void): Promise<void> {
  const connections = new PostgresConnections(store);
  try {
    for (const tables of [LOG_TABLES, KNOWLEDGE_TABLES]) await migrate(connections, tables);
  } finally {
    await connections.close();
  }
  await prepareJobs(store, notify);
}

/** Makes the queues of a store: before anything that needs the engine begins. */
export async function prepareJobs(store: SharedStore, notify: (message: string) => void): Promise<void> {
  await RunQueue.prepare({ ...queuesOf(store), notify });
}

/** For who gives jobs and opens no engine. */
export function openJobs(
  store: SharedStore,
  notify: (message: string) => void,
): Pick<RunQueue, "send"> & { close(): Promise<void> } {
  return new GivenJobs(store, notify);
}

/** The engine of the jobs is started with the first job: most commands give none. */
class GivenJobs {
  readonly #store: SharedStore;
  readonly #notify: (message: string) => void;
  #opened: RunQueue | null = null;

  constructor(store: SharedStore, notify: (message: string) => void) {
    this.#store = store;
    this.#notify = notify;
  }

  get queue(): RunQueue {
    return (this.#opened ??= new RunQueue({ ...queuesOf(this.#store), notify: this.#notify, connections: 2 }));
  }

  send(...args: Parameters<RunQueue["send"]>): Promise<void> {
    return this.queue.send(...args);
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }
}

/** Runs work in folders of the machine: until they can move, all processes of a store are those of one repository. */
async function refuseOtherPlace(log: SharedLog, root: string): Promise<void> {
  const other = await log.claimPlace(repositoryMark(root), `${root} on ${hostname()}`);
  if (other === null) return;
  throw new AppError(
    "cannot-read",
    `The runs of this store work in ${other}, and this is another place.`,
    "Runs cannot move between folders or machines yet. Give this repository a schema of its own: BATON_STORE=…?schema=NAME",
  );
}
