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
  KnowledgeStore,
  KnowledgeTotals,
  KnownTask,
  Lesson,
  NodeId,
  Signals,
  Subgraph,
  TaughtFact,
} from "../../ports/knowledge-store.ts";
import type { GivenFact } from "../../workflow/attempt-record.ts";
import { parseRecord } from "../parse-record.ts";
import { Connection } from "../sqlite/connection.ts";
import { openConnection, reopenConnection } from "../sqlite/open-connection.ts";
import { PATIENCE_MILLISECONDS } from "../sqlite/patience.ts";
import { integerOf, orNull, type Row, textOf } from "../sqlite/rows.ts";
import { WriteQueue } from "../sqlite/write-queue.ts";
import { answerQuestions } from "./answer-questions.ts";
import { changeFact } from "./change-fact.ts";
import { countHelp } from "./count-help.ts";
import { factWithId, loadFacts, numbersOf } from "./fact-rows.ts";
import { countAll } from "./count-all.ts";
import { findCandidates } from "./find-candidates.ts";
import { learnLesson, trustStep } from "./learn-lesson.ts";
import { listFiles, listTasks } from "./list-tasks.ts";
import { KNOWLEDGE_SCHEMA } from "./migrations.ts";
import { searchFacts } from "./search-facts.ts";
import { prepareStatements, type Statements } from "./statements.ts";
import { walkGraph } from "./walk-graph.ts";

export interface KnowledgeStoreOptions {
  /** How long a call waits for other processes before it is refused as busy, in milliseconds. */
  readonly patience?: number;
  /** For a file that is there and may not be written: every change is refused. */
  readonly isReadOnly?: boolean;
}

/** Knowledge in one file, which any number of processes of one machine may have open. */
export function openKnowledgeStore(path: string, options: KnowledgeStoreOptions = {}): KnowledgeStore {
  const patience = options.patience ?? PATIENCE_MILLISECONDS;
  const how = { schema: KNOWLEDGE_SCHEMA, isReadOnly: options.isReadOnly };
  const database = withLargeCache(openConnection(path, { patience, ...how }));
  const place = resolve(path);
  const reopen = (): DatabaseSync => withLargeCache(reopenConnection(place, how));
  return new SqliteKnowledge(new Connection(database, prepareStatements, reopen), patience);
}

function withLargeCache(database: DatabaseSync): DatabaseSync {
  database.exec(`PRAGMA cache_size = -${CACHE_KIBIBYTES}`);
  return database;
}

/** Words are spread over the whole file; the 2 MB that SQLite keeps by itself are read anew again and again. */
const CACHE_KIBIBYTES = 65_536;

class SqliteKnowledge implements KnowledgeStore {
  readonly #connection: Connection<Statements>;
  readonly #queue: WriteQueue;

  constructor(connection: Connection<Statements>, patience: number) {
    this.#connection = connection;
    this.#queue = new WriteQueue(connection, patience);
  }

  learn(lesson: Lesson): Promise<Fact[]> {
    return this.#write((statements) => learnLesson(statements, lesson));
  }

  trust(run: string, step: string, at: number): Promise<number> {
    return this.#write((statements) => trustStep(statements, run, step, at));
  }

  countHelp(run: string, step: string, facts: readonly GivenFact[]): Promise<number> {
    return this.#write((statements) => countHelp(statements, run, step, facts));
  }

  answer(answered: AnsweredStep): Promise<number> {
    return this.#write((statements) => answerQuestions(statements, answered));
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

  taught({ run, task, handoff }: Parameters<KnowledgeStore["taught"]>[0]): Promise<TaughtFact[]> {
    return this.#read((statements) => {
      const rows = statements.taught.all(task, run, handoff);
      const facts = loadFacts(
        statements,
        rows.map((row) => integerOf(row, "fact")),
      );
      return facts.map((fact, at) => ({ where: textOf(rows[at] ?? {}, "place"), fact }));
    });
  }

  neighbours(node: NodeId, depth: number, most: number): Promise<Subgraph> {
    return this.#read((statements) => walkGraph(statements, node, depth, most));
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

  change(change: FactChange): Promise<Fact> {
    return this.#write((statements) => changeFact(statements, change));
  }

  history(id: string): Promise<FactRecord[]> {
    return this.#read((statements) => statements.history.all(factWithId(statements, id).number).map(recordOf));
  }

  page(after: string | null, most: number): Promise<Fact[]> {
    return this.#read((statements) => {
      const number = after === null ? 0 : factWithId(statements, after).number;
      return loadFacts(statements, numbersOf(statements.page.all(number, most)));
    });
  }

  async close(): Promise<void> {
    await this.#queue.close();
    this.#connection.close();
  }

  async #write<T>(write: (statements: Statements) => T): Promise<T> {
    try {
      return await this.#queue.write(() => breakingOff(() => write(this.#connection.statements)));
    } catch (error) {
      throw error instanceof BrokenOff ? error.cause : error;
    }
  }

  #read<T>(read: (statements: Statements) => T): Promise<T> {
    return this.#queue.read(() => read(this.#connection.statements));
  }
}

/** The queue takes a StoreError for a refusal that has written nothing. Damage is found in the middle of writing. */
class BrokenOff extends Error {}

function breakingOff<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof StoreError && error.code === "damaged") throw new BrokenOff(error.message, { cause: error });
    throw error;
  }
}

function recordOf(row: Row): FactRecord {
  const before = orNull(textOf, row, "before");
  return {
    at: integerOf(row, "at"),
    by: textOf(row, "by"),
    what: textOf(row, "what") as FactRecord["what"],
    why: orNull(textOf, row, "why"),
    other: orNull(textOf, row, "other"),
    before: before === null ? null : parseRecord(before, "a record of the history"),
  };
}
