import { resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Fact } from "../../knowledge/fact.ts";
import { StoreError } from "../../ports/event-log.ts";
import type {
  AnsweredStep,
  FactChange,
  FactQuery,
  FactRecord,
  FileTouch,
  FoundFact,
  KnowledgeCheck,
  KnowledgeHead,
  KnowledgeStore,
  KnowledgeTotals,
  KnownTask,
  LearnedBatch,
  NodeId,
  Signals,
  Subgraph,
  HandoffFact,
} from "../../ports/knowledge-store.ts";
import type { LogSigner, NoSigner, Signer } from "../../ports/log-signer.ts";
import type { GivenFact } from "../../workflow/attempt-record.ts";
import { Connection, openConnection, reopenConnection, type SaveDatabase } from "../sqlite/connection.ts";
import { LOCK_TIMEOUT } from "../sqlite/sqlite-error.ts";
import { integerOf, textColumn } from "../sqlite/rows.ts";
import { WriteQueue } from "../sqlite/write-queue.ts";
import { changeFact, answerQuestions, countHelp } from "./change-fact.ts";
import { factWithId, loadFact, loadFacts } from "./fact-rows.ts";
import { writeFacts } from "./sqlite-fact-tables.ts";
import { numbersOf, recordOf } from "./stored-fact.ts";
import type { FactTables } from "./fact-tables.ts";
import { storeLearnedBatch, trustStep } from "./store-learned-batch.ts";
import { listFiles, listTasks, countAll } from "./list-tasks.ts";
import { forgetAltered } from "./forget-altered.ts";
import { checkSeals, foreignKeys, sealAll, sealChanges } from "./seal-changes.ts";
import { KNOWLEDGE_SCHEMA } from "./migrations.ts";
import { searchFacts, findCandidates } from "./search-facts.ts";
import { prepareKnowledgeStatements, type KnowledgeStatements } from "./statements.ts";
import { walkGraph } from "./walk-graph.ts";

interface KnowledgeStoreOptions {
  /** How long a call waits for other processes before it is refused as busy, in milliseconds. */
  readonly lockTimeout?: number;
  /** For a file without write permission: every change is refused. */
  readonly isReadOnly?: boolean;
  /** Called when the file was removed or replaced while it is open. */
  readonly save?: SaveDatabase;
  /** Signs changes, and remembers the last seal outside of the file. */
  readonly logSigner?: LogSigner;
}

/** Knowledge in one file, which any number of processes of one machine may have open. */
export function openKnowledgeStore(path: string, options: KnowledgeStoreOptions = {}): KnowledgeStore {
  const lockTimeout = options.lockTimeout ?? LOCK_TIMEOUT;
  const how = { schema: KNOWLEDGE_SCHEMA, isReadOnly: options.isReadOnly };
  const database = withLargeCache(openConnection(path, { lockTimeout, ...how }));
  const place = { path: resolve(path), prepare: prepareKnowledgeStatements, save: options.save };
  const reopen = (): DatabaseSync => withLargeCache(reopenConnection(place.path, how));
  return new SqliteKnowledge(new Connection(database, { ...place, reopen }), lockTimeout, options.logSigner ?? null);
}

function withLargeCache(database: DatabaseSync): DatabaseSync {
  database.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}`);
  return database;
}

/** Words are spread over the whole file; with SQLite's default cache of 2 MB, pages would be read again and again. */
const CACHE_KIBIBYTES = 65_536;

const NO_SIGNER: NoSigner = { why: "the knowledge was opened without a key" };

class SqliteKnowledge implements KnowledgeStore {
  readonly #connection: Connection<KnowledgeStatements>;
  readonly #queue: WriteQueue;
  readonly #logSigner: LogSigner | null;
  #head: KnowledgeHead | null = null;
  /** What was remembered before does not count any more. */
  #accepts = false;

  constructor(connection: Connection<KnowledgeStatements>, lockTimeout: number, logSigner: LogSigner | null) {
    this.#logSigner = logSigner;
    this.#connection = connection;
    this.#queue = new WriteQueue(connection, lockTimeout);
  }

  learn(batch: LearnedBatch): Promise<Fact[]> {
    return this.#write((statements) => {
      const numbers = writeFacts(statements, (tables) => storeLearnedBatch(tables, batch));
      return loadFacts(statements, numbers);
    });
  }

  trust(run: string, step: string, at: number): Promise<number> {
    return this.#count((tables) => trustStep(tables, run, step, at));
  }

  countHelp(run: string, step: string, facts: readonly GivenFact[]): Promise<number> {
    return this.#count((tables) => countHelp(tables, run, step, facts));
  }

  answer(answered: AnsweredStep): Promise<number> {
    return this.#count((tables) => answerQuestions(tables, answered));
  }

  find(id: string): Promise<Fact | null> {
    return this.#read((statements) => {
      const row = statements.factById.get(id);
      return row === undefined ? null : (loadFacts(statements, numbersOf([row]))[0] ?? null);
    });
  }

  search(query: FactQuery): Promise<FoundFact[]> {
    return this.#read((statements) => searchFacts(statements, query));
  }

  candidates(signals: Signals): Promise<Fact[]> {
    return this.#read((statements) => findCandidates(statements, signals));
  }

  taught({ run, task, handoff }: Parameters<KnowledgeStore["taught"]>[0]): Promise<HandoffFact[]> {
    return this.#read((statements) => {
      const rows = statements.taught.all(task, run, handoff);
      const facts = loadFacts(
        statements,
        rows.map((row) => integerOf(row, "fact")),
      );
      return facts.map((fact, at) => ({ where: textColumn(rows[at] ?? {}, "place"), fact }));
    });
  }

  neighbours(node: NodeId, depth: number, max: number): Promise<Subgraph> {
    return this.#read((statements) => walkGraph(statements, node, depth, max));
  }

  tasks(query: Parameters<KnowledgeStore["tasks"]>[0]): Promise<KnownTask[]> {
    return this.#read((statements) => listTasks(statements, query));
  }

  files(query: Parameters<KnowledgeStore["files"]>[0]): Promise<FileTouch[]> {
    return this.#read((statements) => listFiles(statements, query));
  }

  totals(): Promise<KnowledgeTotals> {
    return this.#read(countAll);
  }

  check(keys: readonly string[] = []): Promise<KnowledgeCheck> {
    return this.#read((statements) => this.#check(statements, keys));
  }

  forgetAltered(): Promise<string[]> {
    return this.#transact((statements) => {
      const check = this.#check(statements);
      const forgotten = forgetAltered(statements, check);
      if (check.problems.length + check.altered.length > 0) this.#sealAll(statements);
      return forgotten;
    });
  }

  accept(): Promise<void> {
    return this.#transact((statements) => this.#sealAll(statements));
  }

  #sealAll(statements: KnowledgeStatements): void {
    this.#head = sealAll(statements, this.#signer());
    this.#accepts = true;
  }

  #check(statements: KnowledgeStatements, others: readonly string[] = []): KnowledgeCheck {
    const keys = [...others, ...(this.#logSigner?.keys() ?? []).map(({ publicKey }) => publicKey)];
    return checkSeals(statements, keys, this.#logSigner?.seenKnowledge() ?? null);
  }

  #signer(): Signer | NoSigner {
    return this.#logSigner?.signer() ?? NO_SIGNER;
  }

  change(change: FactChange): Promise<Fact> {
    return this.#write((statements) => {
      const number = writeFacts(statements, (tables) => changeFact(tables, change));
      return loadFact(statements, number);
    });
  }

  history(id: string): Promise<FactRecord[]> {
    return this.#read((statements) => statements.history.all(factWithId(statements, id).number).map(recordOf));
  }

  page(after: string | null, max: number): Promise<Fact[]> {
    return this.#read((statements) => {
      const number = after === null ? 0 : factWithId(statements, after).number;
      return loadFacts(statements, numbersOf(statements.page.all(number, max)));
    });
  }

  async close(): Promise<void> {
    await this.#queue.close();
    this.#connection.close();
    // If the folder of the key is read-only, it cannot be remembered; the seals are still valid.
    if (this.#head !== null) await this.#logSigner?.rememberKnowledge(this.#head, this.#accepts).catch(() => undefined);
  }

  #write<T>(write: (statements: KnowledgeStatements) => T): Promise<T> {
    return this.#transact((statements) => {
      const foreign = foreignKeys(statements);
      const result = write(statements);
      this.#head = sealChanges(statements, foreign, this.#signer()) ?? this.#head;
      return result;
    });
  }

  #count(write: (tables: FactTables) => number): Promise<number> {
    return this.#write((statements) => writeFacts(statements, write));
  }

  async #transact<T>(write: (statements: KnowledgeStatements) => T): Promise<T> {
    try {
      return await this.#queue.write(() => breakingOff(() => write(this.#connection.statements)));
    } catch (error) {
      throw error instanceof BrokenOff ? error.cause : error;
    }
  }

  #read<T>(read: (statements: KnowledgeStatements) => T): Promise<T> {
    return this.#queue.read(() => read(this.#connection.statements));
  }
}

/** For the queue, a StoreError is a refusal before the first write; damage is found in the middle of a write. */
class BrokenOff extends Error {}

function breakingOff<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof StoreError && error.code === "damaged") throw new BrokenOff(error.message, { cause: error });
    throw error;
  }
}
