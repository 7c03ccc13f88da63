import type { DatabaseSync } from "node:sqlite";
import {
  type Commit,
  type EventLog,
  type Lease,
  type Letter,
  type NewRun,
  type RunFilter,
  type RunRow,
  StoreError,
  type StoredEffect,
  type StoredEntry,
} from "../../ports/event-log.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import { canonicalJson } from "../canonical-json.ts";
import { type ChainBreak, hashOfText } from "../hash-chain.ts";
import { parseRecord } from "../parse-record.ts";
import { closed, noSuchRun, runExists } from "../refusals.ts";
import { backUp } from "./back-up.ts";
import { findBreak } from "./find-break.ts";
import { claimIdleRuns, claimRun, renewLeases } from "./leases.ts";
import { LOG_SCHEMA } from "./migrations.ts";
import { openConnection } from "./open-connection.ts";
import { packText, unpackText } from "./pack-text.ts";
import { patiently, PATIENCE_MILLISECONDS } from "./patience.ts";
import { bytesOf, entryOf, integerOf, type Row, runOf, textOf } from "./rows.ts";
import { prepareStatements, type Statements } from "./statements.ts";
import { storeCommit } from "./store-commit.ts";
import { WriteQueue } from "./write-queue.ts";

export interface SqliteLogOptions {
  /** How long a call waits for other processes before it is refused as busy, in milliseconds. */
  readonly patience?: number;
}

/** A log in one file, which any number of processes of one machine may have open. */
export function openSqliteLog(path: string, options: SqliteLogOptions = {}): EventLog {
  const patience = options.patience ?? PATIENCE_MILLISECONDS;
  return new SqliteLog(path, openConnection(path, patience, LOG_SCHEMA), patience);
}

const PRUNED_AT_ONCE = 50;

class SqliteLog implements EventLog {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #patience: number;
  readonly #statements: Statements;
  readonly #queue: WriteQueue;

  constructor(path: string, database: DatabaseSync, patience: number) {
    this.#path = path;
    this.#database = database;
    this.#patience = patience;
    this.#statements = prepareStatements(database);
    this.#queue = new WriteQueue(database, patience);
  }

  create({ run, name, workflow, at }: NewRun, worker: string, until: number): Promise<Lease> {
    return this.#write(({ insertRun }) => {
      const { changes } = insertRun.run(run, name, workflow, at, at, worker, until);
      if (changes === 0) throw runExists(run);
      return { run, worker, fence: 1, until };
    });
  }

  commit(commit: Commit): Promise<void> {
    return this.#write((statements) => storeCommit(statements, commit));
  }

  entries(run: string, after = 0): Promise<StoredEntry[]> {
    return this.#read(({ entries }) => entries.all(run, after).map(entryOf));
  }

  history(after: number, limit: number): Promise<StoredEntry[]> {
    return this.#read(({ history }) => history.all(after, limit).map(entryOf));
  }

  run(id: string): Promise<RunRow | null> {
    return this.#read(({ run }) => firstOf(run.get(id), runOf));
  }

  runs(filter: RunFilter): Promise<RunRow[]> {
    return this.#read((statements) => listRuns(statements, filter).map(runOf));
  }

  post({ run, id, input }: Letter): Promise<boolean> {
    return this.#write(({ runNumber, insertLetter, wakeRun }) => {
      const row = runNumber.get(run);
      if (row === undefined) throw noSuchRun(run);
      const number = integerOf(row, "number");
      if (insertLetter.run(number, id, canonicalJson(input)).changes === 0) return false;
      wakeRun.run(number);
      return true;
    });
  }

  letters(run: string): Promise<Letter[]> {
    return this.#read(({ letters }) => letters.all(run).map((row) => letterOf(run, row)));
  }

  outbox(run: string): Promise<StoredEffect[]> {
    return this.#read(({ effects }) => effects.all(run).map(effectOf));
  }

  claim(run: string, worker: string, now: number, until: number): Promise<Lease | null> {
    return this.#write((statements) => claimRun(statements, run, worker, now, until));
  }

  /** Looks before it locks: most of the time nothing is idle, and then no writer is disturbed. */
  async claimIdle(worker: string, now: number, until: number, limit: number): Promise<Lease[]> {
    const idle = await this.#read(({ idleRuns }) => idleRuns.get(now, now, limit));
    if (idle === undefined) return [];
    return this.#write((statements) => claimIdleRuns(statements, worker, now, until, limit));
  }

  async renew(leases: readonly Lease[], until: number): Promise<Lease[]> {
    if (leases.length === 0) return [];
    return this.#write((statements) => renewLeases(statements, leases, until));
  }

  release({ run, fence }: Lease): Promise<void> {
    return this.#write(({ releaseLease }) => void releaseLease.run(run, fence));
  }

  async putText(text: string): Promise<string> {
    const hash = hashOfText(text);
    const body = packText(text);
    await this.#write(({ insertText }) => insertText.run(Buffer.from(hash, "hex"), body));
    return hash;
  }

  text(hash: string): Promise<string | null> {
    return this.#read(({ text }) => firstOf(text.get(Buffer.from(hash, "hex")), (row) => keptTextOf(hash, row)));
  }

  async putWorkflow(hash: string, definition: JsonRecord): Promise<void> {
    await this.#write(({ insertWorkflow }) => insertWorkflow.run(hash, JSON.stringify(definition)));
  }

  workflow(hash: string): Promise<JsonRecord | null> {
    return this.#read(({ workflow }) =>
      firstOf(workflow.get(hash), (row) => parseRecord(textOf(row, "definition"), `workflow ${hash}`)),
    );
  }

  backup(path: string): Promise<void> {
    return backUp(this.#path, path);
  }

  /** A few runs at a time: a transaction over years of runs would keep everybody waiting. */
  async prune(before: number): Promise<{ readonly runs: number; readonly entries: number }> {
    let runs = 0;
    let entries = 0;
    for (;;) {
      const emptied = await this.#write((statements) => emptyRuns(statements, before));
      if (emptied.length === 0) return { runs, entries };
      runs += emptied.length;
      for (const count of emptied) entries += count;
    }
  }

  findBreak(): Promise<ChainBreak | null> {
    return findBreak(this.#statements, (reading) => this.#read(reading));
  }

  async close(): Promise<void> {
    await this.#queue.close();
    if (this.#database.isOpen) this.#database.close();
  }

  #write<T>(write: (statements: Statements) => T): Promise<T> {
    return this.#queue.write(() => write(this.#statements));
  }

  async #read<T>(read: (statements: Statements) => T): Promise<T> {
    if (!this.#database.isOpen) throw closed();
    return patiently(() => read(this.#statements), this.#patience);
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

/** How many entries were emptied, run by run. */
function emptyRuns(statements: Statements, before: number): number[] {
  return statements.prunableRuns.all(before, PRUNED_AT_ONCE).map((row) => {
    const run = integerOf(row, "number");
    const { changes } = statements.emptyEntries.run(run);
    statements.markEmptied.run(run);
    return Number(changes);
  });
}
