import { DatabaseSync, type StatementSync } from "node:sqlite";
import { StoreError } from "../../ports/event-log.ts";
import type {
  AuditedEntry,
  AuditedLetter,
  AuditedRun,
  AuditedText,
  AuditedWorkflow,
  KeptCheckpoint,
  LogCounts,
  LogSnapshot,
} from "../../ports/log-snapshot.ts";
import { findDamages } from "./find-damages.ts";
import { unpackText } from "./pack-text.ts";
import { bytesOf, hashOf, integerOf, orNull, type Row, textOf } from "./rows.ts";
import { asForeignTables, asStoreError } from "./sqlite-error.ts";
import { auditedEffectOf } from "./store-commit.ts";

const SQL = {
  ledger: "SELECT log, pruned, pruned_texts FROM ledger",
  counts: `SELECT (SELECT count(*) FROM entries) AS entries, (SELECT count(*) FROM checkpoints) AS checkpoints,
    (SELECT count(*) FROM runs) AS runs, (SELECT count(*) FROM letters) AS letters,
    (SELECT count(*) FROM texts) AS texts, (SELECT count(*) FROM workflows) AS workflows`,
  // Runs are joined from outside: an entry of nobody is a finding and must not be passed over.
  entries: `SELECT e.position, r.run, e.sequence, e.at, e.kind, e.data, e.data_hash, e.seal, e.hash, r.emptied
    FROM entries e LEFT JOIN runs r ON r.number = e.run WHERE e.position > ? ORDER BY e.position LIMIT ?`,
  checkpoints: "SELECT number, body, signature FROM checkpoints WHERE number > ? ORDER BY number LIMIT ?",
  runs: `SELECT r.*, e.position AS last_position, e.sequence AS last_sequence, e.seal AS last_seal,
      EXISTS (SELECT 1 FROM letters l WHERE l.run = r.number AND l.input IS NOT NULL) AS has_letters
    FROM runs r LEFT JOIN entries e ON e.run = r.number
      AND e.sequence = (SELECT max(sequence) FROM entries WHERE run = r.number)
    WHERE r.number > ? ORDER BY r.number LIMIT ?`,
  effects: "SELECT number, key, kind, data FROM effects WHERE run = ? ORDER BY number",
  letters: `SELECT l.number, r.run, l.id, l.input, l.mark FROM letters l LEFT JOIN runs r ON r.number = l.run
    WHERE l.number > ? ORDER BY l.number LIMIT ?`,
  texts: "SELECT number, hash, body FROM texts WHERE number > ? ORDER BY number LIMIT ?",
  workflows: "SELECT rowid AS number, hash, definition FROM workflows WHERE rowid > ? ORDER BY rowid LIMIT ?",
  hasText: "SELECT 1 FROM texts WHERE hash = ?",
  hasWorkflow: "SELECT 1 FROM workflows WHERE hash = ?",
} as const;

type Statements = Readonly<Record<keyof typeof SQL, StatementSync>>;

/** Over a connection of its own in one long reading transaction: writers go on, and nothing moves under the reader. */
export function openSnapshot(path: string | URL): LogSnapshot {
  return refusing(() => {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
    try {
      database.exec("PRAGMA trusted_schema = OFF; BEGIN");
      const prepared = Object.entries(SQL).map(([name, sql]) => [name, database.prepare(sql)] as const);
      return new SqliteSnapshot(database, Object.fromEntries(prepared) as Statements);
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

class SqliteSnapshot implements LogSnapshot {
  readonly log: string;
  readonly pruned: number;
  readonly prunedTexts: number;
  readonly counts: LogCounts;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;

  constructor(database: DatabaseSync, statements: Statements) {
    this.#database = database;
    this.#statements = statements;
    const ledger = statements.ledger.all();
    const [row] = ledger;
    if (row === undefined || ledger.length > 1) throw new StoreError("damaged", "the ledger of the log is gone");
    this.log = textOf(row, "log");
    this.pruned = integerOf(row, "pruned");
    this.prunedTexts = integerOf(row, "pruned_texts");
    const counts = statements.counts.get() ?? {};
    this.counts = {
      entries: integerOf(counts, "entries"),
      checkpoints: integerOf(counts, "checkpoints"),
      runs: integerOf(counts, "runs"),
      letters: integerOf(counts, "letters"),
      texts: integerOf(counts, "texts"),
      workflows: integerOf(counts, "workflows"),
    };
  }

  entries(after: number, limit: number): AuditedEntry[] {
    return this.#page("entries", "position", after, limit, entryOf);
  }

  checkpoints(after: number, limit: number): KeptCheckpoint[] {
    return this.#page("checkpoints", "number", after, limit, checkpointOf);
  }

  runs(after: number, limit: number): AuditedRun[] {
    return this.#page("runs", "number", after, limit, (row) => runOf(row, this.#statements.effects));
  }

  letters(after: number, limit: number): AuditedLetter[] {
    return this.#page("letters", "number", after, limit, letterOf);
  }

  texts(after: number, limit: number): AuditedText[] {
    return this.#page("texts", "number", after, limit, keptTextOf);
  }

  workflows(after: number, limit: number): AuditedWorkflow[] {
    return this.#page("workflows", "number", after, limit, workflowOf);
  }

  hasText(hash: string): boolean {
    return refusing(() => this.#statements.hasText.get(Buffer.from(hash, "hex")) !== undefined);
  }

  hasWorkflow(hash: string): boolean {
    return refusing(() => this.#statements.hasWorkflow.get(hash) !== undefined);
  }

  damages(): string[] {
    return refusing(() => findDamages(this.#database));
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }

  /**
   * A row that holds something else than its table allows is named in the refusal. Rows of a broken page may come in
   * any order, and again and again: whoever reads page by page would never come to an end.
   */
  #page<T>(table: keyof Statements, key: string, after: number, limit: number, read: (row: Row) => T): T[] {
    let last = after;
    return refusing(() =>
      this.#statements[table].all(after, limit).map((row) => {
        try {
          const number = integerOf(row, key);
          if (number <= last) throw new StoreError("damaged", `it stands after ${last}`);
          last = number;
          return read(row);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          throw new StoreError("damaged", `${table}, ${key} ${String(row[key])}: ${error.message}`, { cause: error });
        }
      }),
    );
  }
}

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw asStoreError(asForeignTables(error));
  }
}

function entryOf(row: Row): AuditedEntry {
  return {
    position: integerOf(row, "position"),
    run: orNull(textOf, row, "run"),
    sequence: integerOf(row, "sequence"),
    at: integerOf(row, "at"),
    kind: textOf(row, "kind"),
    data: orNull(textOf, row, "data"),
    dataHash: hashOf(row, "data_hash"),
    seal: orNull(hashOf, row, "seal"),
    hash: hashOf(row, "hash"),
    emptied: orNull(integerOf, row, "emptied") ?? 0,
  };
}

export function checkpointOf(row: Row): KeptCheckpoint {
  return { number: integerOf(row, "number"), body: textOf(row, "body"), signature: orNull(textOf, row, "signature") };
}

function runOf(row: Row, effects: StatementSync): AuditedRun {
  const number = integerOf(row, "number");
  const position = orNull(integerOf, row, "last_position");
  return {
    number,
    run: textOf(row, "run"),
    name: textOf(row, "name"),
    workflow: textOf(row, "workflow"),
    brief: textOf(row, "brief"),
    status: textOf(row, "status"),
    finished: integerOf(row, "finished") === 1,
    createdAt: integerOf(row, "created_at"),
    updatedAt: integerOf(row, "updated_at"),
    sequence: integerOf(row, "sequence"),
    emptied: integerOf(row, "emptied"),
    wakeAt: orNull(integerOf, row, "wake_at"),
    dueAt: orNull(integerOf, row, "due_at"),
    summary: textOf(row, "summary"),
    mark: orNull(hashOf, row, "mark"),
    effects: effects.all(number).map(auditedEffectOf),
    hasLetters: integerOf(row, "has_letters") === 1,
    last:
      position === null
        ? null
        : { position, sequence: integerOf(row, "last_sequence"), seal: orNull(hashOf, row, "last_seal") },
  };
}

function letterOf(row: Row): AuditedLetter {
  return {
    number: integerOf(row, "number"),
    run: orNull(textOf, row, "run"),
    id: textOf(row, "id"),
    input: orNull(textOf, row, "input"),
    mark: orNull(hashOf, row, "mark"),
  };
}

function keptTextOf(row: Row): AuditedText {
  const body = bytesOf(row, "body");
  return {
    number: integerOf(row, "number"),
    hash: hashOf(row, "hash"),
    text: unpackText(body),
    isEmptied: body.length === 0,
  };
}

function workflowOf(row: Row): AuditedWorkflow {
  return { number: integerOf(row, "number"), hash: textOf(row, "hash"), definition: textOf(row, "definition") };
}
