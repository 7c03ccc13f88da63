import type { Fact } from "../../knowledge/fact.ts";
import type {
  AnsweredStep,
  FactChange,
  FactQuery,
  FactRecord,
  FileTouch,
  FoundFact,
  HandoffFact,
  KnowledgeCheck,
  KnowledgeHead,
  KnowledgeStore,
  KnowledgeTotals,
  KnownTask,
  LearnedBatch,
  NodeId,
  Signals,
  Subgraph,
} from "../../ports/knowledge-store.ts";
import type { LogSigner, NoSigner, Signer } from "../../ports/log-signer.ts";
import type { GivenFact } from "../../workflow/attempt-record.ts";
import { answerQuestions, changeFact, countHelp } from "../knowledge/change-fact.ts";
import { storeLearnedBatch, trustStep } from "../knowledge/store-learned-batch.ts";
import { recordOf } from "../knowledge/stored-fact.ts";
import { PostgresConnections, type PostgresPlace, type Queries } from "../postgres/connection.ts";
import { requireTables } from "../postgres/migrate.ts";
import { integerOf, textColumn } from "../sqlite/rows.ts";
import { FactDraft } from "./fact-draft.ts";
import { forgetPostgresFacts } from "./forget-altered.ts";
import type { KnowledgeDatabase } from "./knowledge-database.ts";
import { countAllPostgres, listPostgresFiles, listPostgresTasks } from "./list-tasks.ts";
import { loadAnswer, loadChange, loadHelp, loadLearning, loadStep } from "./load-draft.ts";
import { withNul } from "./nul-text.ts";
import { loadPostgresFact, loadPostgresFacts, storedFactWithId } from "./read-facts.ts";
import { findPostgresCandidates, searchPostgresFacts } from "./search-facts.ts";
import { checkPostgresSeals, sealEverything } from "./sealed-rows.ts";
import { lockLedger, storeDraft, storeLedger } from "./store-draft.ts";
import { keyOf, KNOWLEDGE_TABLES, prefixOf } from "./tables.ts";
import { walkPostgresGraph } from "./walk-graph.ts";

interface PostgresKnowledgeOptions {
  /** How long a change waits for those of other hosts before it is refused as busy, in milliseconds. */
  readonly lockTimeout?: number;
  /** Signs changes, and remembers the last seal outside of the database. */
  readonly logSigner?: LogSigner;
}

/** Knowledge that any number of hosts share. The tables must have been made (`migrate`). */
export async function openPostgresKnowledge(
  place: PostgresPlace,
  { lockTimeout = LOCK_TIMEOUT, logSigner }: PostgresKnowledgeOptions = {},
): Promise<KnowledgeStore> {
  const connections = new PostgresConnections(place);
  try {
    await requireTables(connections, KNOWLEDGE_TABLES);
  } catch (error) {
    await connections.close();
    throw error;
  }
  return new PostgresKnowledge(connections, lockTimeout, logSigner ?? null);
}

const NO_SIGNER: NoSigner = { why: "the knowledge was opened without a key" };

const LOCK_TIMEOUT = 10_000;

class PostgresKnowledge implements KnowledgeStore {
  readonly #connections: PostgresConnections;
  readonly #database: KnowledgeDatabase;
  /** How every change begins. */
  readonly #begin: string;
  readonly #logSigner: LogSigner | null;
  /** Settles when every change that was asked for is answered. */
  #changes: Promise<unknown> = Promise.resolve();
  #head: KnowledgeHead | null = null;
  /** What was remembered before does not count any more. */
  #accepts = false;

  constructor(connections: PostgresConnections, lockTimeout: number, logSigner: LogSigner | null) {
    this.#connections = connections;
    this.#begin = `BEGIN; SET LOCAL lock_timeout = ${Math.max(1, Math.floor(lockTimeout))}`;
    this.#database = this.#askedBy(connections);
    this.#logSigner = logSigner;
  }

  learn(batch: LearnedBatch): Promise<Fact[]> {
    return this.#write(
      (database, draft) => loadLearning(database, draft, batch),
      (draft) => storeLearnedBatch(draft, batch),
      loadPostgresFacts,
    );
  }

  trust(run: string, step: string, at: number): Promise<number> {
    return this.#write(
      (database, draft) => loadStep(database, draft, run, step),
      (draft) => trustStep(draft, run, step, at),
    );
  }

  countHelp(run: string, step: string, facts: readonly GivenFact[]): Promise<number> {
    return this.#write(
      (database, draft) => loadHelp(database, draft, { run, step, facts }),
      (draft) => countHelp(draft, run, step, facts),
    );
  }

  answer(answered: AnsweredStep): Promise<number> {
    return this.#write(
      (database, draft) => loadAnswer(database, draft, answered),
      (draft) => answerQuestions(draft, answered),
    );
  }

  change(change: FactChange): Promise<Fact> {
    return this.#write(
      (database, draft) => loadChange(database, draft, change),
      (draft) => changeFact(draft, change),
      loadPostgresFact,
    );
  }

  async find(id: string): Promise<Fact | null> {
    const sql = `SELECT number FROM ${this.#database.prefix}facts WHERE id = $1`;
    const [row] = await this.#database.queries.all(sql, [id]);
    if (row === undefined) return null;
    return (await loadPostgresFacts(this.#database, [integerOf(row, "number")]))[0] ?? null;
  }

  search(query: FactQuery): Promise<FoundFact[]> {
    return searchPostgresFacts(this.#database, query);
  }

  candidates(signals: Signals): Promise<Fact[]> {
    return findPostgresCandidates(this.#database, signals);
  }

  async taught({ run, task, handoff }: Parameters<KnowledgeStore["taught"]>[0]): Promise<HandoffFact[]> {
    const { queries, prefix } = this.#database;
    const sql = `SELECT w.place, w.fact, f.id FROM ${prefix}lessons l JOIN ${prefix}witnesses w ON w.lesson = l.number
      JOIN ${prefix}facts f ON f.number = w.fact
      WHERE l.task_key = $1 AND l.handoff = $2 ORDER BY l.number, w.place COLLATE "C"`;
    const rows = await queries.all(sql, [keyOf(run, task), handoff]);
    const numbers = new Set(rows.map((row) => integerOf(row, "fact")));
    const facts = new Map((await loadPostgresFacts(this.#database, [...numbers])).map((fact) => [fact.id, fact]));
    return rows.flatMap((row) => {
      const fact = facts.get(textColumn(row, "id"));
      return fact === undefined ? [] : [{ where: textColumn(row, "place"), fact }];
    });
  }

  neighbours(node: NodeId, depth: number, max: number): Promise<Subgraph> {
    return walkPostgresGraph(this.#database, node, depth, max);
  }

  tasks(query: Parameters<KnowledgeStore["tasks"]>[0]): Promise<KnownTask[]> {
    return listPostgresTasks(this.#database, query);
  }

  files(query: Parameters<KnowledgeStore["files"]>[0]): Promise<FileTouch[]> {
    return listPostgresFiles(this.#database, query);
  }

  totals(): Promise<KnowledgeTotals> {
    return countAllPostgres(this.#database);
  }

  async history(id: string): Promise<FactRecord[]> {
    const { number } = await storedFactWithId(this.#database, id);
    const { queries, prefix } = this.#database;
    const sql = `SELECT h.at, h.by, h.what, h.why, o.id AS other, h.before
      FROM ${prefix}history h LEFT JOIN ${prefix}facts o ON o.number = h.other WHERE h.fact = $1 ORDER BY h.number`;
    return (await queries.all(sql, [number])).map(recordOf);
  }

  async page(after: string | null, max: number): Promise<Fact[]> {
    const number = after === null ? 0 : (await storedFactWithId(this.#database, after)).number;
    const sql = `SELECT number FROM ${this.#database.prefix}facts WHERE number > $1 ORDER BY number LIMIT $2`;
    const rows = await this.#database.queries.all(sql, [number, max]);
    return loadPostgresFacts(
      this.#database,
      rows.map((row) => integerOf(row, "number")),
    );
  }

  async check(keys: readonly string[] = []): Promise<KnowledgeCheck> {
    const look = await this.#connections.look();
    try {
      return await this.#check(this.#askedBy(look.queries), keys);
    } finally {
      await look.end();
    }
  }

  forgetAltered(): Promise<string[]> {
    return this.#sealAll(async (database) => {
      const check = await this.#check(database);
      const isWhole = check.problems.length + check.altered.length === 0;
      return isWhole ? null : forgetPostgresFacts(database, check);
    });
  }

  async accept(): Promise<void> {
    await this.#sealAll(() => Promise.resolve([]));
  }

  async close(): Promise<void> {
    await this.#changes;
    await this.#connections.close();
    // If the folder of the key is read-only, it cannot be remembered; the seals are still valid.
    if (this.#head !== null) await this.#logSigner?.rememberKnowledge(this.#head, this.#accepts).catch(() => undefined);
  }

  #askedBy(queries: Queries): KnowledgeDatabase {
    return { queries: withNul(queries), prefix: prefixOf(this.#connections.schema) };
  }

  #signer(): Signer | NoSigner {
    return this.#logSigner?.signer() ?? NO_SIGNER;
  }

  #check(database: KnowledgeDatabase, others: readonly string[] = []): Promise<KnowledgeCheck> {
    const keys = [...others, ...(this.#logSigner?.keys() ?? []).map(({ publicKey }) => publicKey)];
    return checkPostgresSeals(database, keys, this.#logSigner?.seenKnowledge() ?? null);
  }

  /** Loads what is decided on, decides, stores and seals it; then reads what the caller is answered. */
  #write<T>(load: Load, decide: (draft: FactDraft) => T): Promise<T>;
  #write<T, R>(load: Load, decide: (draft: FactDraft) => T, read: Read<T, R>): Promise<R>;
  async #write<T>(load: Load, decide: (draft: FactDraft) => T, read?: Read<T, unknown>): Promise<unknown> {
    const { answer, head } = await this.#transact(async (queries) => {
      const database = this.#askedBy(queries);
      const draft = new FactDraft(await lockLedger(database));
      await load(database, draft);
      const decided = decide(draft);
      const sealed = await storeDraft(database, draft, this.#signer());
      return { answer: read === undefined ? decided : await read(database, decided), head: sealed };
    });
    this.#head = head ?? this.#head;
    return answer;
  }

  /** In the order in which this store was asked: they would wait for each other all the same. */
  #transact<T>(work: (queries: Queries) => Promise<T>): Promise<T> {
    const done = this.#changes.then(() => this.#connections.transact(work, this.#begin));
    this.#changes = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  /** Nothing is sealed where `work` answers null. */
  async #sealAll(work: (database: KnowledgeDatabase) => Promise<string[] | null>): Promise<string[]> {
    const { answer, head } = await this.#transact(async (queries) => {
      const database = this.#askedBy(queries);
      const ledger = await lockLedger(database);
      const done = await work(database);
      if (done === null) return { answer: [], head: null };
      const sealed = await sealEverything(database, ledger, this.#signer());
      await storeLedger(database, ledger);
      return { answer: done, head: sealed };
    });
    if (head !== null) {
      this.#head = head;
      this.#accepts = true;
    }
    return answer;
  }
}

type Load = (database: KnowledgeDatabase, draft: FactDraft) => Promise<void>;
type Read<T, R> = (database: KnowledgeDatabase, decided: T) => Promise<R>;
