import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import {
  type Commit,
  type EventLog,
  type Lease,
  type InboxMessage,
  type NewRun,
  type Pruned,
  type RunCounts,
  type RunFilter,
  type RunRow,
  type RunSearch,
  StoreError,
  type StoredEffect,
  type StoredEntry,
} from "../../ports/event-log.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import type { KeptCheckpoint, LogSnapshot } from "../../ports/log-snapshot.ts";
import type { LogSigner } from "../../ports/log-signer.ts";
import { hashOfText } from "../../audit/hash-chain.ts";
import { findChainBreak } from "../../audit/verify-snapshot.ts";
import type { SigningInput } from "../../audit/plan-checkpoint.ts";
import { CheckpointKeeper } from "../checkpoint-keeper.ts";
import { unpackText } from "../pack-text.ts";
import { closed, parseRecord } from "../refusals.ts";
import { backUp } from "./back-up.ts";
import { Connection, openConnection, readablePlace, type SaveDatabase } from "./connection.ts";
import { KnownCounts, countRunRows, findRunRows, listNames } from "./find-runs.ts";
import { LOG_SCHEMA } from "./migrations.ts";
import { bytesOf, entryOf, type Row, runOf, textColumn, integerOf } from "./rows.ts";
import { type PruningDoors, pruneRuns, pruneTexts, shrink } from "./prune-log.ts";
import { prepareLogStatements, type LogStatements, logIdOf, reopenLog } from "./statements.ts";
import { openSnapshot } from "./open-snapshot.ts";
import { isChainUnsigned, planNext, signNow } from "./store-checkpoint.ts";
import { asForeignTables, asStoreError, LOCK_TIMEOUT } from "./sqlite-error.ts";
import { executeJob, retryJob, type WriteAnswers, type WriteJob } from "./write-job.ts";
import { WriteQueue } from "./write-queue.ts";
import { type WriterData, WriterThread } from "./writer-thread.ts";

interface SqliteLogOptions {
  /** How long a call waits for other processes before it is refused as busy, in milliseconds. */
  readonly lockTimeout?: number;
  /** Signs checkpoints. Without it they are unsigned, and are made only on request. */
  readonly logSigner?: LogSigner;
  /** The number of simultaneous writes from which on a separate thread stores them. */
  readonly minBatchForThread?: number;
  /** For a file without write permission: every write is refused. */
  readonly isReadOnly?: boolean;
  /** Called when the file was removed or replaced while it is open. */
  readonly save?: SaveDatabase;
  /** No other part of this process has the file open, and there is too little to store for a thread. */
  readonly isAlone?: boolean;
}

/** A log in one file, which any number of processes of one machine may have open. */
export function openSqliteLog(path: string, options: SqliteLogOptions = {}): EventLog {
  const lockTimeout = options.lockTimeout ?? LOCK_TIMEOUT;
  const { logSigner = null, minBatchForThread = MIN_BATCH_FOR_THREAD, isReadOnly = false, isAlone = false } = options;
  const database = openConnection(path, { lockTimeout, schema: LOG_SCHEMA, isReadOnly });
  try {
    return new SqliteLog(path, connect(resolve(path), database, { ...options, isReadOnly, isAlone }), {
      lockTimeout,
      logSigner,
      minBatchForThread,
      isReadOnly,
      isAlone,
    });
  } catch (error) {
    database.close();
    throw asStoreError(asForeignTables(error));
  }
}

/** The path is absolute, because a process may change its working folder. */
function connect(
  path: string,
  database: DatabaseSync,
  { isReadOnly, isAlone, save }: Pick<SqliteLogOptions, "save"> & Pick<Settings, "isReadOnly" | "isAlone">,
): Connection<LogStatements> {
  const log = logIdOf(prepareLogStatements(database));
  const reopen = (): DatabaseSync => reopenLog(path, log, isReadOnly);
  return new Connection(database, { path, prepare: prepareLogStatements, reopen, save, isAlone });
}

interface Settings {
  readonly lockTimeout: number;
  readonly logSigner: LogSigner | null;
  readonly minBatchForThread: number;
  readonly isReadOnly: boolean;
  readonly isAlone: boolean;
}

/** Smaller batches are stored faster than they are sent to a thread. */
const MIN_BATCH_FOR_THREAD = 16;
const MAX_REMEMBERED = 2_000;
const NO_SIGNER = { why: "this log was opened without a key" } as const;

class SqliteLog implements EventLog {
  readonly #path: string;
  readonly #connection: Connection<LogStatements>;
  readonly #lockTimeout: number;
  readonly #isReadOnly: boolean;
  readonly #counts = new KnownCounts();
  readonly #queue: WriteQueue;
  readonly #keeper: CheckpointKeeper | null;
  /** Hashes of workflows that are stored; workflows are never removed. Texts may be, by other processes too. */
  readonly #storedWorkflows = new Set<string>();

  constructor(path: string, connection: Connection<LogStatements>, settings: Settings) {
    const { lockTimeout, logSigner, minBatchForThread, isReadOnly, isAlone } = settings;
    this.#path = path;
    this.#connection = connection;
    this.#lockTimeout = lockTimeout;
    this.#isReadOnly = isReadOnly;
    // With one core a thread is of no use.
    const hasHelper = !isReadOnly && !isAlone && availableParallelism() > 1;
    const place = resolve(path);
    const data = (): WriterData => ({ path: place, lockTimeout, log: logIdOf(this.#connection.statements) });
    this.#queue = new WriteQueue(connection, lockTimeout, hasHelper ? new WriterThread(minBatchForThread, data) : null);
    const uncovered = logSigner !== null && !isReadOnly && isChainUnsigned(connection.statements) ? 1 : 0;
    this.#keeper = logSigner === null ? null : new CheckpointKeeper(logSigner, (input) => this.#sign(input), uncovered);
  }

  create(run: NewRun, worker: string, until: number): Promise<Lease> {
    return this.#do({ kind: "create", run, worker, until });
  }

  async commit(commit: Commit): Promise<void> {
    await this.#do({ kind: "commit", commit });
    this.#keeper?.committed(commit);
  }

  entries(run: string, after = 0, limit = -1): Promise<StoredEntry[]> {
    return this.#read(({ entries }) => entries.all(run, after, limit).map(entryOf));
  }

  history(after: number, limit: number, run?: string): Promise<StoredEntry[]> {
    return this.#read(({ history, historyOfRun }) =>
      (run === undefined ? history.all(after, limit) : historyOfRun.all(run, after, limit)).map(entryOf),
    );
  }

  lastPosition(): Promise<number> {
    return this.#read(({ lastPosition }) => integerOf(lastPosition.get() ?? {}, "position"));
  }

  prunedEntries(): Promise<number> {
    return this.#read(({ ledger }) => integerOf(ledger.get() ?? {}, "pruned"));
  }

  run(id: string): Promise<RunRow | null> {
    return this.#read(({ run }) => firstOf(run.get(id), runOf));
  }

  runsFrom(beginning: string, limit: number): Promise<RunRow[]> {
    return this.#read(({ runsFrom }) => runsFrom.all(beginning, `${beginning}\u{10ffff}`, limit).map(runOf));
  }

  runs(filter: RunFilter): Promise<RunRow[]> {
    return this.#read((statements) => listRuns(statements, filter).map(runOf));
  }

  findRuns(search: RunSearch): Promise<RunRow[]> {
    return this.#read((statements) => findRunRows(statements, search).map(runOf));
  }

  countRuns(search: Omit<RunSearch, "statusFilters" | "before" | "limit">, stalledBefore: number): Promise<RunCounts> {
    return this.#read((statements) => countRunRows(statements, search, stalledBefore, this.#counts));
  }

  runNames(): Promise<string[]> {
    return this.#read(listNames);
  }

  postMessage(message: InboxMessage): Promise<boolean> {
    return this.#do({ kind: "post", message });
  }

  messages(run: string): Promise<InboxMessage[]> {
    return this.#read(({ letters }) => letters.all(run).map((row) => messageOf(run, row)));
  }

  outbox(run: string): Promise<StoredEffect[]> {
    return this.#read(({ effects }) => effects.all(run).map(effectOf));
  }

  acquire(run: string, worker: string, now: number, until: number): Promise<Lease | null> {
    return this.#do({ kind: "claim", run, worker, now, until });
  }

  /** Reads before it locks: most of the time no run is idle, and then no writer has to wait. */
  async acquireIdle(worker: string, now: number, until: number, limit: number): Promise<Lease[]> {
    const idle = await this.#read(({ idleRuns }) => idleRuns.get(now, now, limit));
    if (idle === undefined) return [];
    return this.#do({ kind: "claim-idle", worker, now, until, limit });
  }

  idleRuns(now: number, limit: number): Promise<string[]> {
    return this.#read(({ idleRuns }) => idleRuns.all(now, now, limit).map((row) => textColumn(row, "run")));
  }

  async renew(leases: readonly Lease[], until: number): Promise<Lease[]> {
    if (leases.length === 0) return [];
    return this.#do({ kind: "renew", leases, until });
  }

  async release(lease: Lease): Promise<void> {
    await this.#do({ kind: "release", lease });
  }

  async putText(text: string): Promise<string> {
    const hash = hashOfText(text);
    await this.#do({ kind: "text", hash, text });
    return hash;
  }

  text(hash: string): Promise<string | null> {
    return this.#read(({ text }) => firstOf(text.get(Buffer.from(hash, "hex")), (row) => keptTextOf(hash, row)));
  }

  async putWorkflow(hash: string, definition: JsonRecord): Promise<void> {
    if (this.#storedWorkflows.has(hash)) return;
    await this.#do({ kind: "workflow", hash, definition });
    this.#remember(hash);
  }

  workflow(hash: string): Promise<JsonRecord | null> {
    return this.#read(({ workflow }) =>
      firstOf(workflow.get(hash), (row) => parseRecord(textColumn(row, "definition"), `workflow ${hash}`)),
    );
  }

  backup(path: string): Promise<void> {
    return backUp(this.#path, path);
  }

  async prune(before: number): Promise<Pruned> {
    const keeper = this.#keeper;
    const doors: PruningDoors = {
      read: (read) => this.#read(read),
      write: (write) => this.#write(write),
      confirm: (statements, pruned) => keeper?.confirm(signNow(statements, keeper.inputFor(pruned))),
    };
    const { runs, entries } = await pruneRuns(doors, before);
    const texts = await pruneTexts(doors);
    if (entries + texts > 0) await keeper?.pruned();
    return { runs, entries, texts, ...(await shrink(this.#connection, this.#lockTimeout)) };
  }

  checkpoint({ accepts = false }: { readonly accepts?: boolean } = {}): Promise<KeptCheckpoint | null> {
    if (this.#keeper !== null) return this.#keeper.make(accepts);
    return this.#sign({ signer: NO_SIGNER, keys: [], seen: () => [], at: Date.now(), confirms: "all" });
  }

  async snapshot(): Promise<LogSnapshot> {
    if (this.#connection.isClosed) throw closed();
    return openSnapshot(this.#isReadOnly ? readablePlace(this.#path) : this.#path);
  }

  async findBreak(): ReturnType<EventLog["findBreak"]> {
    const snapshot = await this.snapshot();
    try {
      return await findChainBreak(snapshot);
    } finally {
      await snapshot.close();
    }
  }

  async close(): Promise<void> {
    await this.#keeper?.close();
    await this.#queue.close();
    this.#connection.close();
  }

  #remember(hash: string): void {
    if (this.#storedWorkflows.size >= MAX_REMEMBERED) this.#storedWorkflows.clear();
    this.#storedWorkflows.add(hash);
  }

  /** Signs in this thread, which has the key, and stores like any write. Repeats when another process was faster. */
  async #sign(input: SigningInput): Promise<KeptCheckpoint | null> {
    for (;;) {
      const planned = await this.#read((statements) => this.#inReadTransaction(() => planNext(statements, input)));
      if (planned === null) return null;
      const { checkpoint, isNew } = planned;
      if (!isNew || (await this.#do({ kind: "checkpoint", checkpoint }))) return checkpoint;
    }
  }

  #inReadTransaction<T>(read: () => T): T {
    const { database } = this.#connection;
    database.exec("BEGIN");
    try {
      return read();
    } finally {
      if (database.isTransaction) database.exec("ROLLBACK");
    }
  }

  #do<J extends WriteJob>(job: J): Promise<WriteAnswers[J["kind"]]> {
    return this.#queue.write(() => executeJob(this.#connection.statements, job) as WriteAnswers[J["kind"]], {
      job,
      again: () => retryJob(this.#connection.statements, job),
    });
  }

  /** For writes that cannot be sent to another thread. */
  #write<T>(write: (statements: LogStatements) => T): Promise<T> {
    return this.#queue.write(() => write(this.#connection.statements));
  }

  #read<T>(read: (statements: LogStatements) => T): Promise<T> {
    return this.#queue.read(() => read(this.#connection.statements));
  }
}

function firstOf<T>(row: Row | undefined, read: (row: Row) => T): T | null {
  return row === undefined ? null : read(row);
}

function listRuns(statements: LogStatements, { status, unfinished, limit }: RunFilter): Row[] {
  const isUnfinished = unfinished === true;
  if (status === undefined) return (isUnfinished ? statements.unfinishedRuns : statements.runs).all(limit);
  return (isUnfinished ? statements.unfinishedRunsByStatus : statements.runsByStatus).all(status, limit);
}

function messageOf(run: string, row: Row): InboxMessage {
  const id = textColumn(row, "id");
  return { id, run, input: parseRecord(textColumn(row, "input"), `inbox message ${id}`) };
}

function effectOf(row: Row): StoredEffect {
  const key = textColumn(row, "key");
  return { key, kind: textColumn(row, "kind"), data: parseRecord(textColumn(row, "data"), `effect ${key}`) };
}

function keptTextOf(hash: string, row: Row): string {
  const text = unpackText(bytesOf(row, "body"));
  if (text === null || hashOfText(text) !== hash) throw new StoreError("damaged", `text ${hash} was changed`);
  return text;
}
