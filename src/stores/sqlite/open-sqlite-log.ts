import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import {
  type Commit,
  type EventLog,
  type Lease,
  type Letter,
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
import type { Notary } from "../../ports/notary.ts";
import { type ChainBreak, hashOfText } from "../../audit/hash-chain.ts";
import { parseRecord } from "../parse-record.ts";
import { closed } from "../refusals.ts";
import { backUp } from "./back-up.ts";
import { Connection } from "./connection.ts";
import { findBreak } from "./find-break.ts";
import { KnownCounts, countRuns, findRuns, listNames } from "./find-runs.ts";
import { CheckpointKeeper } from "./keep-checkpoints.ts";
import { LOG_SCHEMA } from "./migrations.ts";
import { openConnection, readablePlace } from "./open-connection.ts";
import { unpackText } from "./pack-text.ts";
import { PATIENCE_MILLISECONDS } from "./patience.ts";
import { bytesOf, entryOf, headOf, type Row, runOf, textOf } from "./rows.ts";
import { type PruningDoors, pruneRuns } from "./prune-runs.ts";
import { pruneTexts } from "./prune-texts.ts";
import { logIdOf, reopenLog } from "./reopen-log.ts";
import { shrink } from "./shrink.ts";
import { prepareStatements, type Statements } from "./statements.ts";
import { openSnapshot } from "./open-snapshot.ts";
import { type Notarial, planCheckpoint } from "./store-checkpoint.ts";
import { asForeignTables, asStoreError } from "./sqlite-error.ts";
import { carryOut, carryOutAgain, type WriteAnswers, type WriteJob } from "./write-job.ts";
import { WriteQueue } from "./write-queue.ts";
import { type WriterData, WriterThread } from "./writer-thread.ts";

export interface SqliteLogOptions {
  /** How long a call waits for other processes before it is refused as busy, in milliseconds. */
  readonly patience?: number;
  /** Who signs checkpoints; without one they are made unsigned, and only when asked for. */
  readonly notary?: Notary;
  /** From how many writes at once on a thread of its own stores them. */
  readonly many?: number;
  /** For a file that is there and may not be written: every write is refused. */
  readonly isReadOnly?: boolean;
}

/** A log in one file, which any number of processes of one machine may have open. */
export function openSqliteLog(path: string, options: SqliteLogOptions = {}): EventLog {
  const patience = options.patience ?? PATIENCE_MILLISECONDS;
  const { notary = null, many = MANY, isReadOnly = false } = options;
  const database = openConnection(path, { patience, schema: LOG_SCHEMA, isReadOnly });
  try {
    return new SqliteLog(path, connect(resolve(path), database, isReadOnly), { patience, notary, many, isReadOnly });
  } catch (error) {
    database.close();
    throw asStoreError(asForeignTables(error));
  }
}

/** A process may change its folder, so the place is whole. */
function connect(place: string, database: DatabaseSync, isReadOnly: boolean): Connection<Statements> {
  const log = logIdOf(prepareStatements(database));
  return new Connection(database, prepareStatements, () => reopenLog(place, log, isReadOnly));
}

interface Settings {
  readonly patience: number;
  readonly notary: Notary | null;
  readonly many: number;
  readonly isReadOnly: boolean;
}

/** Fewer are stored faster than they are given away. */
const MANY = 16;
const MOST_REMEMBERED = 2_000;
const NOBODY = { why: "this log was opened without a key" } as const;

class SqliteLog implements EventLog {
  readonly #path: string;
  readonly #connection: Connection<Statements>;
  readonly #patience: number;
  readonly #isReadOnly: boolean;
  readonly #counts = new KnownCounts();
  readonly #queue: WriteQueue;
  readonly #keeper: CheckpointKeeper | null;
  /** Hashes of workflows that are known to be on the disk: none is ever removed. Texts are, by other processes too. */
  readonly #kept = new Set<string>();

  constructor(path: string, connection: Connection<Statements>, settings: Settings) {
    const { patience, notary, many, isReadOnly } = settings;
    this.#path = path;
    this.#connection = connection;
    this.#patience = patience;
    this.#isReadOnly = isReadOnly;
    // With one core there is nobody who could help.
    const hasHelper = !isReadOnly && availableParallelism() > 1;
    const place = resolve(path);
    const data = (): WriterData => ({ path: place, patience, log: logIdOf(this.#connection.statements) });
    this.#queue = new WriteQueue(connection, patience, hasHelper ? new WriterThread(many, data) : null);
    this.#keeper = notary === null ? null : new CheckpointKeeper(notary, (notarial) => this.#sign(notarial));
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
    return this.#read(({ head }) => headOf(head.get()).position);
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
    return this.#read((statements) => findRuns(statements, search).map(runOf));
  }

  countRuns(search: Omit<RunSearch, "standings" | "before" | "limit">, stalledBefore: number): Promise<RunCounts> {
    return this.#read((statements) => countRuns(statements, search, stalledBefore, this.#counts));
  }

  runNames(): Promise<string[]> {
    return this.#read(listNames);
  }

  post(letter: Letter): Promise<boolean> {
    return this.#do({ kind: "post", letter });
  }

  letters(run: string): Promise<Letter[]> {
    return this.#read(({ letters }) => letters.all(run).map((row) => letterOf(run, row)));
  }

  outbox(run: string): Promise<StoredEffect[]> {
    return this.#read(({ effects }) => effects.all(run).map(effectOf));
  }

  claim(run: string, worker: string, now: number, until: number): Promise<Lease | null> {
    return this.#do({ kind: "claim", run, worker, now, until });
  }

  /** Looks before it locks: most of the time nothing is idle, and then no writer is disturbed. */
  async claimIdle(worker: string, now: number, until: number, limit: number): Promise<Lease[]> {
    const idle = await this.#read(({ idleRuns }) => idleRuns.get(now, now, limit));
    if (idle === undefined) return [];
    return this.#do({ kind: "claim-idle", worker, now, until, limit });
  }

  idleRuns(now: number, limit: number): Promise<string[]> {
    return this.#read(({ idleRuns }) => idleRuns.all(now, now, limit).map((row) => textOf(row, "run")));
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
    if (this.#kept.has(hash)) return;
    await this.#do({ kind: "workflow", hash, definition });
    this.#remember(hash);
  }

  workflow(hash: string): Promise<JsonRecord | null> {
    return this.#read(({ workflow }) =>
      firstOf(workflow.get(hash), (row) => parseRecord(textOf(row, "definition"), `workflow ${hash}`)),
    );
  }

  backup(path: string): Promise<void> {
    return backUp(this.#path, path);
  }

  async prune(before: number): Promise<Pruned> {
    const doors: PruningDoors = { read: (read) => this.#read(read), write: (write) => this.#write(write) };
    const { runs, entries } = await pruneRuns(doors, before);
    const texts = await pruneTexts(doors);
    if (entries + texts > 0) await this.#keeper?.pruned();
    return { runs, entries, texts, ...(await shrink(this.#connection, this.#patience)) };
  }

  checkpoint(): Promise<KeptCheckpoint | null> {
    return this.#keeper?.make() ?? this.#sign({ signer: NOBODY, seen: [], at: Date.now() });
  }

  async snapshot(): Promise<LogSnapshot> {
    if (this.#connection.isClosed) throw closed();
    return openSnapshot(this.#isReadOnly ? readablePlace(this.#path) : this.#path);
  }

  findBreak(): Promise<ChainBreak | null> {
    return findBreak((reading) => this.#read(reading));
  }

  async close(): Promise<void> {
    await this.#keeper?.close();
    await this.#queue.close();
    this.#connection.close();
  }

  #remember(hash: string): void {
    if (this.#kept.size >= MOST_REMEMBERED) this.#kept.clear();
    this.#kept.add(hash);
  }

  /** Signed here, where the key is, and stored like everything else; again when another process was faster. */
  async #sign(notarial: Notarial): Promise<KeptCheckpoint | null> {
    for (;;) {
      const planned = await this.#read((statements) => this.#atOneMoment(() => planCheckpoint(statements, notarial)));
      if (planned === null) return null;
      const { checkpoint, isNew } = planned;
      if (!isNew || (await this.#do({ kind: "checkpoint", checkpoint }))) return checkpoint;
    }
  }

  #atOneMoment<T>(read: () => T): T {
    const { database } = this.#connection;
    database.exec("BEGIN");
    try {
      return read();
    } finally {
      if (database.isTransaction) database.exec("ROLLBACK");
    }
  }

  #do<J extends WriteJob>(job: J): Promise<WriteAnswers[J["kind"]]> {
    return this.#queue.write(() => carryOut(this.#connection.statements, job) as WriteAnswers[J["kind"]], {
      job,
      again: () => carryOutAgain(this.#connection.statements, job),
    });
  }

  /** What only this thread can do: what it needs cannot be given to another one. */
  #write<T>(write: (statements: Statements) => T): Promise<T> {
    return this.#queue.write(() => write(this.#connection.statements));
  }

  #read<T>(read: (statements: Statements) => T): Promise<T> {
    return this.#queue.read(() => read(this.#connection.statements));
  }
}

function firstOf<T>(row: Row | undefined, read: (row: Row) => T): T | null {
  return row === undefined ? null : read(row);
}

function listRuns(statements: Statements, { status, unfinished, limit }: RunFilter): Row[] {
  const isUnfinished = unfinished === true;
  if (status === undefined) return (isUnfinished ? statements.unfinishedRuns : statements.runs).all(limit);
  return (isUnfinished ? statements.unfinishedRunsByStatus : statements.runsByStatus).all(status, limit);
}

function letterOf(run: string, row: Row): Letter {
  const id = textOf(row, "id");
  return { id, run, input: parseRecord(textOf(row, "input"), `letter ${id}`) };
}

function effectOf(row: Row): StoredEffect {
  const key = textOf(row, "key");
  return { key, kind: textOf(row, "kind"), data: parseRecord(textOf(row, "data"), `effect ${key}`) };
}

function keptTextOf(hash: string, row: Row): string {
  const text = unpackText(bytesOf(row, "body"));
  if (text === null || hashOfText(text) !== hash) throw new StoreError("damaged", `text ${hash} was changed`);
  return text;
}
