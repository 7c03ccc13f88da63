import {
  type Commit,
  type EventLog,
  type InboxMessage,
  type Lease,
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
import type { LockedRun, RunJobs, SharedLog, StoreTransaction } from "../../ports/shared-log.ts";
import type { LogSigner } from "../../ports/log-signer.ts";
import { hashOfText } from "../../audit/hash-chain.ts";
import type { SigningInput } from "../../audit/plan-checkpoint.ts";
import { findChainBreak } from "../../audit/verify-snapshot.ts";
import { parseRecord } from "../refusals.ts";
import { CheckpointKeeper } from "../checkpoint-keeper.ts";
import { unpackText } from "../pack-text.ts";
import { bytesOfHash } from "../stored-hashes.ts";
import { PostgresConnections, type PostgresPlace, type Queries, type PostgresRow } from "./connection.ts";
import { countRunRows, findRunRows, listNames } from "./find-runs.ts";
import { GroupWriter } from "./group-writer.ts";
import { bytesOf, entryOf, firstOf, numberOf, runOf, textIn } from "./log-rows.ts";
import { refuseHeldLog } from "./hold-log.ts";
import { LOG_TABLES } from "./log-tables.ts";
import { requireTables } from "./migrate.ts";
import { openSnapshot } from "./open-snapshot.ts";
import { lockOneRun } from "./lock-runs.ts";
import { type PruningDoors, pruneRuns, pruneTexts } from "./prune-log.ts";
import { signNow, storeNextCheckpoint } from "./store-checkpoint.ts";

interface PostgresLogOptions extends PostgresPlace {
  /** Signs checkpoints. Without it they are unsigned, and are made only on request. */
  readonly logSigner?: LogSigner;
}

/** A log that any number of hosts share. Its tables must be there (`migrate`). It connects when it is first used. */
export function openPostgresLog(options: PostgresLogOptions): SharedLog {
  return new PostgresLog(options);
}

const ENTRY = "SELECT e.position, r.run, e.sequence, e.at, e.kind, e.data, e.hash";
const MAX_REMEMBERED = 2_000;
const NO_SIGNER = { why: "this log was opened without a key" } as const;

class PostgresLog implements SharedLog {
  readonly #connections: PostgresConnections;
  readonly #writer: GroupWriter;
  readonly #schema: string;
  readonly #keeper: CheckpointKeeper | null;
  #ready: Promise<void> | null = null;
  /** From the clock of this process, which starts at 0 and is never set, to that of the database. */
  #clockOffset = Date.now() - performance.now();
  /** Hashes of workflows that are stored; workflows are never removed. */
  readonly #storedWorkflows = new Set<string>();

  constructor(options: PostgresLogOptions) {
    this.#connections = new PostgresConnections(options);
    this.#schema = this.#connections.schema;
    this.#writer = new GroupWriter(this.#connections, () => this.#isReady());
    const { logSigner } = options;
    this.#keeper = logSigner === undefined ? null : new CheckpointKeeper(logSigner, (input) => this.#sign(input), 0);
  }

  create(run: NewRun, worker: string, until: number): Promise<Lease> {
    return this.#writer.write({ kind: "create", run, worker, until });
  }

  async commit(commit: Commit): Promise<void> {
    await this.#writer.write({ kind: "commit", commit });
    this.#keeper?.committed(commit);
  }

  async entries(run: string, after = 0, limit = -1): Promise<StoredEntry[]> {
    const rows = await this.#all(
      `${ENTRY} FROM ${this.#schema}.runs r JOIN ${this.#schema}.entries e ON e.run = r.number
        WHERE r.run = $1 AND e.sequence > $2 ORDER BY e.sequence LIMIT $3`,
      [run, after, limit < 0 ? null : limit],
    );
    return rows.map(entryOf);
  }

  /** Entries of one run are stored one after the other, so that none can come before another that was read. */
  async history(after: number, limit: number, run?: string): Promise<StoredEntry[]> {
    if (run !== undefined) {
      const rows = await this.#all(
        `${ENTRY} FROM ${this.#schema}.runs r JOIN ${this.#schema}.entries e ON e.run = r.number
          WHERE r.run = $1 AND e.position > $2 ORDER BY e.sequence LIMIT $3`,
        [run, after, limit],
      );
      return rows.map(entryOf);
    }
    const settled = await this.lastPosition();
    if (settled <= after) return [];
    const rows = await this.#all(
      `${ENTRY} FROM ${this.#schema}.entries e JOIN ${this.#schema}.runs r ON r.number = e.run
        WHERE e.position > $1 AND e.position <= $2 ORDER BY e.position LIMIT $3`,
      [after, settled, limit],
    );
    return rows.map(entryOf);
  }

  async lastPosition(): Promise<number> {
    const [row = {}] = await this.#all(`SELECT ${this.#schema}.settled_position() AS position`);
    return numberOf(row, "position");
  }

  async prunedEntries(): Promise<number> {
    const [row = {}] = await this.#all(`SELECT pruned FROM ${this.#schema}.ledger WHERE one = 1`);
    return numberOf(row, "pruned");
  }

  async run(id: string): Promise<RunRow | null> {
    return firstOf(await this.#all(`SELECT * FROM ${this.#schema}.runs WHERE run = $1`, [id]), runOf);
  }

  async runsFrom(beginning: string, limit: number): Promise<RunRow[]> {
    const rows = await this.#all(
      `SELECT * FROM ${this.#schema}.runs WHERE run >= $1 AND run < $2 ORDER BY run LIMIT $3`,
      [beginning, `${beginning}\u{10ffff}`, limit],
    );
    return rows.map(runOf);
  }

  async runs({ status, unfinished, limit }: RunFilter): Promise<RunRow[]> {
    const isUnfinished = unfinished === true;
    const conditions = [...(isUnfinished ? ["NOT finished"] : []), ...(status === undefined ? [] : ["status = $2"])];
    const order = status === undefined || isUnfinished ? "number DESC" : "created_at DESC, number DESC";
    const rows = await this.#all(
      `SELECT * FROM ${this.#schema}.runs ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`}
        ORDER BY ${order} LIMIT $1`,
      status === undefined ? [limit] : [limit, status],
    );
    return rows.map(runOf);
  }

  async findRuns(search: RunSearch): Promise<RunRow[]> {
    return (await this.#reading((queries) => findRunRows(queries, this.#schema, search))).map(runOf);
  }

  countRuns(search: Omit<RunSearch, "statusFilters" | "before" | "limit">, stalledBefore: number): Promise<RunCounts> {
    return this.#reading((queries) => countRunRows(queries, this.#schema, search, stalledBefore));
  }

  runNames(): Promise<string[]> {
    return this.#reading((queries) => listNames(queries, this.#schema));
  }

  postMessage(message: InboxMessage): Promise<boolean> {
    return this.#writer.write({ kind: "post", message });
  }

  async messages(run: string): Promise<InboxMessage[]> {
    const rows = await this.#all(
      `SELECT l.id, l.input FROM ${this.#schema}.letters l JOIN ${this.#schema}.runs r ON r.number = l.run
        WHERE r.run = $1 AND l.input IS NOT NULL ORDER BY l.number`,
      [run],
    );
    return rows.map((row) => {
      const id = textIn(row, "id");
      return { id, run, input: parseRecord(textIn(row, "input"), `inbox message ${id}`) };
    });
  }

  async outbox(run: string): Promise<StoredEffect[]> {
    const rows = await this.#all(
      `SELECT e.key, e.kind, e.data FROM ${this.#schema}.effects e JOIN ${this.#schema}.runs r ON r.number = e.run
        WHERE r.run = $1 ORDER BY e.number`,
      [run],
    );
    return rows.map((row) => {
      const key = textIn(row, "key");
      return { key, kind: textIn(row, "kind"), data: parseRecord(textIn(row, "data"), `effect ${key}`) };
    });
  }

  acquire(run: string, worker: string, now: number, until: number): Promise<Lease | null> {
    return this.#writer.write({ kind: "claim", run, worker, now, until });
  }

  /** Rows that another worker takes at this moment are passed over. */
  acquireIdle(worker: string, now: number, until: number, limit: number): Promise<Lease[]> {
    return this.#writer.transact(async (queries) => {
      const rows = await queries.all(
        `UPDATE ${this.#schema}.runs AS r SET fence = r.fence + 1, worker = $2, leased_until = $3
          FROM (SELECT number FROM ${this.#schema}.runs WHERE ${IDLE} ORDER BY due_at, number LIMIT $4
            FOR UPDATE SKIP LOCKED) AS idle
          WHERE r.number = idle.number RETURNING r.run, r.fence, r.due_at`,
        [now, worker, until, limit],
      );
      return rows
        .sort((one, other) => numberOf(one, "due_at") - numberOf(other, "due_at"))
        .map((row) => ({ run: textIn(row, "run"), worker, fence: numberOf(row, "fence"), until }));
    });
  }

  async idleRuns(now: number, limit: number): Promise<string[]> {
    const rows = await this.#all(
      `SELECT run FROM ${this.#schema}.runs WHERE ${IDLE} ORDER BY due_at, number LIMIT $2`,
      [now, limit],
    );
    return rows.map((row) => textIn(row, "run"));
  }

  async renew(leases: readonly Lease[], until: number): Promise<Lease[]> {
    return leases.length === 0 ? [] : this.#writer.write({ kind: "renew", leases, until });
  }

  async release(lease: Lease): Promise<void> {
    await this.#writer.write({ kind: "release", lease });
  }

  async putText(text: string): Promise<string> {
    const hash = hashOfText(text);
    await this.#writer.write({ kind: "text", hash, text });
    return hash;
  }

  async text(hash: string): Promise<string | null> {
    const rows = await this.#all(`SELECT body FROM ${this.#schema}.texts WHERE hash = $1`, [bytesOfHash(hash)]);
    return firstOf(rows, (row) => keptTextOf(hash, row));
  }

  async putWorkflow(hash: string, definition: JsonRecord): Promise<void> {
    if (this.#storedWorkflows.has(hash)) return;
    await this.#writer.write({ kind: "workflow", hash, definition });
    if (this.#storedWorkflows.size >= MAX_REMEMBERED) this.#storedWorkflows.clear();
    this.#storedWorkflows.add(hash);
  }

  async workflow(hash: string): Promise<JsonRecord | null> {
    const rows = await this.#all(`SELECT definition FROM ${this.#schema}.workflows WHERE hash = $1`, [hash]);
    return firstOf(rows, (row) => parseRecord(textIn(row, "definition"), `workflow ${hash}`));
  }

  async backup(path: string): Promise<void> {
    throw new StoreError("unavailable", `a log in Postgres is not copied to ${path}: pg_dump does that`);
  }

  async prune(before: number): Promise<Pruned> {
    await this.#isReady();
    const keeper = this.#keeper;
    const doors: PruningDoors = {
      schema: this.#schema,
      queries: this.#connections,
      transact: (work) => this.#writer.transact(work),
      confirm: async (queries, pruned) => {
        if (keeper !== null) keeper.confirm(await signNow(queries, this.#schema, keeper.inputFor(pruned)));
      },
    };
    const { runs, entries } = await pruneRuns(doors, before);
    const texts = await pruneTexts(doors);
    if (entries + texts > 0) await keeper?.pruned();
    return { runs, entries, texts, freed: 0, unfreed: null };
  }

  checkpoint({ accepts = false }: { readonly accepts?: boolean } = {}): Promise<KeptCheckpoint | null> {
    if (this.#keeper !== null) return this.#keeper.make(accepts);
    return this.#sign({ signer: NO_SIGNER, keys: [], seen: () => [], at: Date.now(), confirms: "all" });
  }

  useJobs(jobs: RunJobs): void {
    this.#writer.useJobs(jobs);
  }

  /** At once, beside the groups: an engine does not wait for what else is written. */
  async lockRun<T>(run: string, work: (locked: LockedRun, transaction: StoreTransaction) => Promise<T>): Promise<T> {
    await this.#isReady();
    return this.#connections.transact((queries) => lockOneRun(queries, this.#schema, run, work));
  }

  async claimPlace(mark: string, name: string): Promise<string | null> {
    await this.#isReady();
    await this.#connections.change(
      `UPDATE ${this.#schema}.ledger SET place = $1, place_name = $2 WHERE one = 1 AND place IS NULL`,
      [mark, name],
    );
    const [row = {}] = await this.#connections.all(`SELECT place, place_name FROM ${this.#schema}.ledger`);
    return row["place"] === mark ? null : textIn(row, "place_name");
  }

  now(): number {
    return Math.round(performance.now() + this.#clockOffset);
  }

  /** Half of the way there and back is taken off. */
  async setClock(): Promise<void> {
    const asked = performance.now();
    const [row = {}] = await this.#connections.all(
      "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now",
    );
    const answered = performance.now();
    this.#clockOffset = Number(row["now"]) - (asked + answered) / 2;
  }

  async snapshot(): Promise<LogSnapshot> {
    await this.#isReady();
    return openSnapshot(this.#connections);
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
    await this.#writer.close();
    await this.#connections.close();
  }

  async #sign(input: SigningInput): Promise<KeptCheckpoint | null> {
    await this.#isReady();
    return storeNextCheckpoint(this.#connections, input);
  }

  /** Once: a failure is not remembered, because the database may be there later. */
  #isReady(): Promise<void> {
    this.#ready ??= this.#requireLog().catch((error: unknown) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  async #requireLog(): Promise<void> {
    await requireTables(this.#connections, LOG_TABLES);
    await refuseHeldLog(this.#connections, this.#schema);
  }

  async #reading<T>(read: (queries: Queries) => Promise<T>): Promise<T> {
    await this.#isReady();
    return read(this.#connections);
  }

  #all(sql: string, values: Parameters<Queries["all"]>[1] = []): Promise<PostgresRow[]> {
    return this.#reading((queries) => queries.all(sql, values));
  }
}

/** The clock of the database has to agree that a lease is over: a worker whose clock is ahead takes no run too early. */
const IDLE = `NOT finished AND due_at IS NOT NULL AND due_at <= $1 AND (worker IS NULL
  OR leased_until <= least($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint))`;

function keptTextOf(hash: string, row: PostgresRow): string {
  const text = unpackText(bytesOf(row, "body"));
  if (text === null || hashOfText(text) !== hash) throw new StoreError("damaged", `text ${hash} was changed`);
  return text;
}
