import { StoreError } from "../../ports/event-log.ts";
import type {
  AuditedEffect,
  AuditedEntry,
  AuditedMessage,
  AuditedRun,
  AuditedText,
  AuditedWorkflow,
  KeptCheckpoint,
  LogCounts,
  LogSnapshot,
  RegisterRow,
} from "../../ports/log-snapshot.ts";
import { unpackText } from "../pack-text.ts";
import { foreignTriggers } from "./hold-log.ts";
import { bytesOfHash } from "../stored-hashes.ts";
import { readBrief } from "./brief-text.ts";
import type { PostgresConnections, Queries, PostgresRow } from "./connection.ts";
import { auditedEffectOf, bytesOf, checkpointOf, flagOf, hashOf, numberOf, orNull, textIn } from "./log-rows.ts";

/** Uses a connection of its own with one long read transaction, so that writers go on and the reader sees one state. */
export async function openSnapshot(connections: PostgresConnections): Promise<LogSnapshot> {
  const look = await connections.look();
  const { queries } = look;
  try {
    const { schema } = connections;
    const [ledger] = await queries.all(`SELECT log, pruned, pruned_texts FROM ${schema}.ledger`);
    if (ledger === undefined) throw new StoreError("damaged", "the ledger of the log is missing");
    const [counted = {}] = await queries.all(
      `SELECT ${TABLES.map((table) => `(SELECT count(*) FROM ${schema}.${table}) AS ${table}`).join(", ")}`,
    );
    const counts = Object.fromEntries(TABLES.map((table) => [table, numberOf(counted, table)]));
    return new PostgresSnapshot(queries, schema, () => look.end(), ledger, counts as Record<keyof LogCounts, number>);
  } catch (error) {
    await look.end();
    throw error;
  }
}

const TABLES = ["entries", "register", "checkpoints", "runs", "letters", "texts", "workflows"] as const;

class PostgresSnapshot implements LogSnapshot {
  readonly log: string;
  readonly pruned: number;
  readonly prunedTexts: number;
  readonly counts: LogCounts;
  readonly gapsThrough = { letters: Infinity, texts: Infinity, workflows: Infinity };
  readonly #queries: Queries;
  readonly #schema: string;
  readonly #end: () => Promise<void>;

  constructor(queries: Queries, schema: string, end: () => Promise<void>, ledger: PostgresRow, counts: LogCounts) {
    this.log = textIn(ledger, "log");
    this.pruned = numberOf(ledger, "pruned");
    this.prunedTexts = numberOf(ledger, "pruned_texts");
    this.counts = counts;
    this.#queries = queries;
    this.#schema = schema;
    this.#end = end;
  }

  async entries(after: number, limit: number): Promise<AuditedEntry[]> {
    // A left join, because an entry without a run is a finding and must not be skipped.
    const rows = await this.#queries.all(
      `SELECT e.position, r.run, e.sequence, e.at, e.kind, e.data, e.data_hash, e.seal, e.hash, r.emptied
        FROM ${this.#schema}.entries e LEFT JOIN ${this.#schema}.runs r ON r.number = e.run
        WHERE e.position > $1 ORDER BY e.position LIMIT $2`,
      [after, limit],
    );
    return rows.map(entryOf);
  }

  async register(after: number, limit: number): Promise<RegisterRow[]> {
    const rows = await this.#page("number, body, hash", "register", after, limit);
    return rows.map((row) => ({
      number: numberOf(row, "number"),
      body: textIn(row, "body"),
      hash: hashOf(row, "hash"),
    }));
  }

  async checkpoints(after: number, limit: number): Promise<KeptCheckpoint[]> {
    return (await this.#page("number, body, signature", "checkpoints", after, limit)).map(checkpointOf);
  }

  async runs(after: number, limit: number): Promise<AuditedRun[]> {
    const rows = await this.#queries.all(
      `SELECT r.*, e.position AS last_position, e.sequence AS last_sequence, e.seal AS last_seal,
          EXISTS (SELECT 1 FROM ${this.#schema}.letters l WHERE l.run = r.number AND l.input IS NOT NULL) AS has_letters
        FROM ${this.#schema}.runs r LEFT JOIN LATERAL (
          SELECT position, sequence, seal FROM ${this.#schema}.entries WHERE run = r.number ORDER BY sequence DESC LIMIT 1
        ) e ON true
        WHERE r.number > $1 ORDER BY r.number LIMIT $2`,
      [after, limit],
    );
    const effects = await this.#effectsOf(rows.map((row) => numberOf(row, "number")));
    return rows.map((row) => runOf(row, effects.get(numberOf(row, "number")) ?? []));
  }

  async letters(after: number, limit: number): Promise<AuditedMessage[]> {
    const rows = await this.#queries.all(
      `SELECT l.number, r.run, l.id, l.input, l.mark FROM ${this.#schema}.letters l
        LEFT JOIN ${this.#schema}.runs r ON r.number = l.run
        WHERE l.number > $1 ORDER BY l.number LIMIT $2`,
      [after, limit],
    );
    return rows.map((row) => ({
      number: numberOf(row, "number"),
      run: orNull(textIn, row, "run"),
      id: textIn(row, "id"),
      input: orNull(textIn, row, "input"),
      mark: orNull(hashOf, row, "mark"),
    }));
  }

  async texts(after: number, limit: number): Promise<AuditedText[]> {
    return (await this.#page("number, hash, body", "texts", after, limit)).map((row) => {
      const body = bytesOf(row, "body");
      return {
        number: numberOf(row, "number"),
        hash: hashOf(row, "hash"),
        text: unpackText(body),
        isEmptied: body.length === 0,
      };
    });
  }

  async workflows(after: number, limit: number): Promise<AuditedWorkflow[]> {
    const rows = await this.#page("number, hash, definition", "workflows", after, limit);
    return rows.map((row) => ({
      number: numberOf(row, "number"),
      hash: textIn(row, "hash"),
      definition: textIn(row, "definition"),
    }));
  }

  async missingTexts(hashes: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.#queries.all(`SELECT hash FROM ${this.#schema}.texts WHERE hash = ANY($1::bytea[])`, [
      hashes.map(bytesOfHash),
    ]);
    const there = new Set(rows.map((row) => hashOf(row, "hash")));
    return new Set(hashes.filter((hash) => !there.has(hash)));
  }

  async hasWorkflow(hash: string): Promise<boolean> {
    return (await this.#queries.all(`SELECT 1 FROM ${this.#schema}.workflows WHERE hash = $1`, [hash])).length > 0;
  }

  /** Rows that reading from number 1 on, or by run, would miss. The pages themselves are the database's to check. */
  async damages(): Promise<string[]> {
    const found: string[] = [];
    for (const [condition, what] of STRAYS) {
      const [row = {}] = await this.#queries.all(`SELECT count(*) AS count FROM ${condition(this.#schema)}`);
      const count = numberOf(row, "count");
      if (count > 0) found.push(`${what} (${count})`);
    }
    return found;
  }

  close(): Promise<void> {
    return this.#end();
  }

  #page(columns: string, table: (typeof TABLES)[number], after: number, limit: number): Promise<PostgresRow[]> {
    return this.#queries.all(
      `SELECT ${columns} FROM ${this.#schema}.${table} WHERE number > $1 ORDER BY number LIMIT $2`,
      [after, limit],
    );
  }

  async #effectsOf(runs: readonly number[]): Promise<ReadonlyMap<number, AuditedEffect[]>> {
    const rows = await this.#queries.all(
      `SELECT run, number, key, kind, data FROM ${this.#schema}.effects WHERE run = ANY($1::bigint[]) ORDER BY run, number`,
      [runs],
    );
    const found = new Map<number, AuditedEffect[]>();
    for (const row of rows) {
      const run = numberOf(row, "run");
      found.set(run, [...(found.get(run) ?? []), auditedEffectOf(row)]);
    }
    return found;
  }
}

const STRAYS: readonly (readonly [(schema: string) => string, string])[] = [
  [(schema) => `${schema}.entries WHERE position < 1`, "entries stand before the first position"],
  [(schema) => `${schema}.register WHERE number < 1`, "entries of the register stand before the first number"],
  [(schema) => `${schema}.checkpoints WHERE number < 1`, "checkpoints stand before the first number"],
  [(schema) => `${schema}.runs WHERE number < 1`, "runs stand before the first number"],
  [(schema) => `${schema}.letters WHERE number < 1`, "letters stand before the first number"],
  [(schema) => `${schema}.texts WHERE number < 1`, "texts stand before the first number"],
  [(schema) => `${schema}.workflows WHERE number < 1`, "workflows stand before the first number"],
  [
    (schema) => `${schema}.effects e WHERE NOT EXISTS (SELECT 1 FROM ${schema}.runs r WHERE r.number = e.run)`,
    "effects belong to no run",
  ],
  [
    (
      schema,
    ) => `${schema}.ledger l WHERE l.one <> 1 OR l.pruned_texts < 0 OR l.unmarked_runs < 0 OR l.unmarked_letters < 0
      OR l.runs <> (SELECT count(*) FROM ${schema}.runs)
      OR l.register_number <> (SELECT coalesce(max(number), 0) FROM ${schema}.register)
      OR (l.register_number > 0
        AND l.register_hash <> (SELECT hash FROM ${schema}.register ORDER BY number DESC LIMIT 1))`,
    "the ledger was changed",
  ],
  [
    (schema) => `${schema}.runs, ${schema}.ledger WHERE (number <= unmarked_runs) <> (mark IS NULL)`,
    "runs have lost their marks",
  ],
  [
    (schema) => `${schema}.letters, ${schema}.ledger WHERE (number <= unmarked_letters) <> (mark IS NULL)`,
    "letters have lost their marks",
  ],
  [foreignTriggers, "tables have triggers, which can change what is stored"],
];

function entryOf(row: PostgresRow): AuditedEntry {
  return {
    position: numberOf(row, "position"),
    run: orNull(textIn, row, "run"),
    sequence: numberOf(row, "sequence"),
    at: numberOf(row, "at"),
    kind: textIn(row, "kind"),
    data: orNull(textIn, row, "data"),
    dataHash: hashOf(row, "data_hash"),
    seal: orNull(hashOf, row, "seal"),
    hash: hashOf(row, "hash"),
    emptied: orNull(numberOf, row, "emptied") ?? 0,
  };
}

function runOf(row: PostgresRow, effects: readonly AuditedEffect[]): AuditedRun {
  const position = orNull(numberOf, row, "last_position");
  return {
    number: numberOf(row, "number"),
    run: textIn(row, "run"),
    name: textIn(row, "name"),
    workflow: textIn(row, "workflow"),
    brief: readBrief(textIn(row, "brief")),
    status: textIn(row, "status"),
    finished: flagOf(row, "finished"),
    createdAt: numberOf(row, "created_at"),
    updatedAt: numberOf(row, "updated_at"),
    sequence: numberOf(row, "sequence"),
    emptied: numberOf(row, "emptied"),
    wakeAt: orNull(numberOf, row, "wake_at"),
    dueAt: orNull(numberOf, row, "due_at"),
    summary: textIn(row, "summary"),
    mark: orNull(hashOf, row, "mark"),
    head: orNull(hashOf, row, "head"),
    effects,
    hasLetters: flagOf(row, "has_letters"),
    last:
      position === null
        ? null
        : { position, sequence: numberOf(row, "last_sequence"), seal: orNull(hashOf, row, "last_seal") },
  };
}
