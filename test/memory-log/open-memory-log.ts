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
} from "../../src/ports/event-log.ts";
import type { LogSnapshot, RegisterRow } from "../../src/ports/log-snapshot.ts";
import type { JsonRecord } from "../../src/shared/json-value.ts";
import { hashOfEntry, hashOfText, canonicalJson, runChecksum } from "../../src/audit/hash-chain.ts";
import { EMPTY_REGISTER, nextInRegister, type RegisterEntry } from "../../src/audit/register.ts";
import { findChainBreak } from "../../src/audit/verify-snapshot.ts";
import { namesIn } from "../../src/stores/stored-hashes.ts";
import {
  closed,
  effectExists,
  leaseLost,
  movedOn,
  noSuchRun,
  runExists,
  parseRecord,
} from "../../src/stores/refusals.ts";
import { countRuns, findRuns } from "./find-memory-runs.ts";
import { memorySnapshot } from "./memory-snapshot.ts";
import {
  dueAt,
  isLeased,
  type MemoryEntry,
  type MemoryRun,
  newMemoryRun,
  runRowOf,
  storedEntryOf,
  waitingEffects,
  waitingMessages,
} from "./memory-run.ts";

/** A log that ends with the process, for tests and simulations. It keeps every promise but the one about the disk. */
export function openMemoryLog(): EventLog {
  return new MemoryLog();
}

class MemoryLog implements EventLog {
  readonly #runs = new Map<string, MemoryRun>();
  readonly #history: MemoryEntry[] = [];
  readonly #register: RegisterRow[] = [];
  readonly #texts = new Map<string, string>();
  readonly #workflows = new Map<string, string>();
  #prunedTexts = 0;
  #closed = false;

  async create(run: NewRun, worker: string, until: number): Promise<Lease> {
    this.#refuseClosed();
    if (this.#runs.has(run.run)) throw runExists(run.run);
    const lease = { run: run.run, worker, fence: 1, until };
    const made = newMemoryRun(run, lease);
    const { id, name, workflow, brief, createdAt } = made;
    made.head = this.#note({
      kind: "created",
      run: id,
      mark: runChecksum({ run: id, name, workflow, brief, createdAt }),
    });
    this.#runs.set(run.run, made);
    return lease;
  }

  async commit(commit: Commit): Promise<void> {
    const run = this.#known(commit.run);
    checkCommit(run, commit);
    this.#append(run, commit);
    for (const key of commit.settled) run.effects.delete(key);
    for (const { key, kind, data } of commit.effects) run.effects.set(key, { kind, data: canonicalJson(data) });
    for (const id of commit.taken) if (run.letters.has(id)) run.letters.set(id, null);
    if (commit.finished && (!run.finished || commit.entries.length > 0))
      this.#note({ kind: "ended", run: run.id, sequence: run.entries.length, hash: run.head });
    run.status = commit.status;
    run.finished = commit.finished;
    run.updatedAt = commit.at;
    run.wakeAt = commit.wakeAt;
    run.summary = canonicalJson(commit.summary);
  }

  async entries(run: string, after = 0, limit = Number.POSITIVE_INFINITY): Promise<StoredEntry[]> {
    this.#refuseClosed();
    const from = Math.max(after, 0);
    return (this.#runs.get(run)?.entries.slice(from, from + limit) ?? []).map(storedEntryOf);
  }

  async history(after: number, limit: number, run?: string): Promise<StoredEntry[]> {
    this.#refuseClosed();
    const from = Math.max(after, 0);
    if (run === undefined) return this.#history.slice(from, from + limit).map(storedEntryOf);
    const later = this.#runs.get(run)?.entries.filter(({ position }) => position > from) ?? [];
    return later.slice(0, limit).map(storedEntryOf);
  }

  async prunedEntries(): Promise<number> {
    return this.#history.filter(({ data }) => data === null).length;
  }

  async lastPosition(): Promise<number> {
    this.#refuseClosed();
    return this.#history.at(-1)?.position ?? 0;
  }

  async run(id: string): Promise<RunRow | null> {
    this.#refuseClosed();
    const run = this.#runs.get(id);
    return run === undefined ? null : runRowOf(run);
  }

  async runsFrom(beginning: string, limit: number): Promise<RunRow[]> {
    this.#refuseClosed();
    const found = [...this.#runs.values()].filter(({ id }) => id.startsWith(beginning));
    return found
      .sort((left, right) => (left.id < right.id ? -1 : 1))
      .slice(0, limit)
      .map(runRowOf);
  }

  async runs({ status, unfinished, limit }: RunFilter): Promise<RunRow[]> {
    this.#refuseClosed();
    return [...this.#runs.values()]
      .reverse()
      .filter((run) => (status === undefined || run.status === status) && !(unfinished === true && run.finished))
      .slice(0, limit)
      .map(runRowOf);
  }

  async findRuns(search: RunSearch): Promise<RunRow[]> {
    this.#refuseClosed();
    return findRuns([...this.#runs.values()], search).map(runRowOf);
  }

  async countRuns(
    search: Omit<RunSearch, "statusFilters" | "before" | "limit">,
    stalledBefore: number,
  ): Promise<RunCounts> {
    this.#refuseClosed();
    return countRuns([...this.#runs.values()], search, stalledBefore);
  }

  async runNames(): Promise<string[]> {
    this.#refuseClosed();
    return [...new Set([...this.#runs.values()].map(({ name }) => name))].sort();
  }

  async postMessage({ run, id, input }: InboxMessage): Promise<boolean> {
    const { letters } = this.#known(run);
    if (letters.has(id)) return false;
    letters.set(id, canonicalJson(input));
    return true;
  }

  async messages(run: string): Promise<InboxMessage[]> {
    this.#refuseClosed();
    const found = this.#runs.get(run);
    return found === undefined ? [] : waitingMessages(found);
  }

  async outbox(run: string): Promise<StoredEffect[]> {
    this.#refuseClosed();
    const found = this.#runs.get(run);
    return found === undefined ? [] : waitingEffects(found);
  }

  async acquire(id: string, worker: string, now: number, until: number): Promise<Lease | null> {
    const run = this.#known(id);
    return isLeased(run, now) && run.lease?.worker !== worker ? null : leaseTo(run, worker, until);
  }

  async acquireIdle(worker: string, now: number, until: number, limit: number): Promise<Lease[]> {
    this.#refuseClosed();
    return this.#idle(now, limit).map((run) => leaseTo(run, worker, until));
  }

  async idleRuns(now: number, limit: number): Promise<string[]> {
    this.#refuseClosed();
    return this.#idle(now, limit).map(({ id }) => id);
  }

  #idle(now: number, limit: number): MemoryRun[] {
    return [...this.#runs.values()]
      .filter((run) => !isLeased(run, now))
      .map((run) => ({ run, due: dueAt(run) ?? Number.POSITIVE_INFINITY }))
      .filter(({ due }) => due <= now)
      .sort((left, right) => left.due - right.due)
      .slice(0, limit)
      .map(({ run }) => run);
  }

  async renew(leases: readonly Lease[], until: number): Promise<Lease[]> {
    this.#refuseClosed();
    return leases.flatMap((held) => {
      const run = this.#runs.get(held.run);
      if (run?.lease?.fence !== held.fence) return [];
      run.lease = { ...run.lease, until };
      return [run.lease];
    });
  }

  async release({ run: id, fence }: Lease): Promise<void> {
    this.#refuseClosed();
    const run = this.#runs.get(id);
    if (run?.lease?.fence === fence) run.lease = null;
  }

  async putText(text: string): Promise<string> {
    this.#refuseClosed();
    const hash = hashOfText(text);
    this.#texts.set(hash, Buffer.from(text, "utf8").toString("utf8"));
    return hash;
  }

  async text(hash: string): Promise<string | null> {
    this.#refuseClosed();
    return this.#texts.get(hash) ?? null;
  }

  async putWorkflow(hash: string, definition: JsonRecord): Promise<void> {
    this.#refuseClosed();
    if (!this.#workflows.has(hash)) this.#workflows.set(hash, JSON.stringify(definition));
  }

  async workflow(hash: string): Promise<JsonRecord | null> {
    this.#refuseClosed();
    const definition = this.#workflows.get(hash);
    return definition === undefined ? null : parseRecord(definition, `workflow ${hash}`);
  }

  async backup(path: string): Promise<void> {
    throw new StoreError("unavailable", `a log in memory cannot be copied to ${path}`);
  }

  async prune(before: number): Promise<Pruned> {
    this.#refuseClosed();
    const ended = [...this.#runs.values()].filter(
      (run) => run.finished && run.updatedAt < before && run.emptied < run.entries.length,
    );
    let entries = 0;
    const runs = ended.map((run) => ({ run: run.id, from: run.emptied, through: run.entries.length }));
    if (runs.length > 0) this.#note({ kind: "pruned", runs });
    for (const run of ended) {
      for (const entry of run.entries.slice(run.emptied)) entry.data = null;
      entries += run.entries.length - run.emptied;
      run.emptied = run.entries.length;
    }
    return { runs: ended.length, entries, texts: this.#pruneTexts(), freed: 0, unfreed: null };
  }

  #pruneTexts(): number {
    const runs = [...this.#runs.values()];
    const naming = [
      ...this.#history.map(({ data }) => data),
      ...runs.flatMap(({ letters }) => [...letters.values()]),
      ...runs.flatMap(({ effects }) => [...effects.values()].map(({ data }) => data)),
    ];
    const named = new Set(naming.flatMap((data) => (data === null ? [] : namesIn(data))));
    const unnamed = [...this.#texts.keys()].filter((hash) => !named.has(hash));
    for (const hash of unnamed) this.#texts.delete(hash);
    this.#prunedTexts += unnamed.length;
    return unnamed.length;
  }

  /** Nobody signs what ends with the process. */
  async checkpoint(): Promise<null> {
    this.#refuseClosed();
    return null;
  }

  async snapshot(): Promise<LogSnapshot> {
    this.#refuseClosed();
    return memorySnapshot(
      { runs: [...this.#runs.values()], history: this.#history, register: this.#register },
      this.#texts,
      this.#prunedTexts,
      this.#workflows,
    );
  }

  async findBreak(): ReturnType<EventLog["findBreak"]> {
    return findChainBreak(await this.snapshot());
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #known(id: string): MemoryRun {
    this.#refuseClosed();
    const run = this.#runs.get(id);
    if (run === undefined) throw noSuchRun(id);
    return run;
  }

  #refuseClosed(): void {
    if (this.#closed) throw closed();
  }

  #append(run: MemoryRun, { at, entries }: Commit): void {
    for (const { kind, data } of entries) {
      const text = canonicalJson(data);
      const sequence = run.entries.length + 1;
      const position = this.#history.length + 1;
      const seal = null;
      const chained = { position, run: run.id, sequence, at, kind, dataHash: hashOfText(text), seal };
      run.head = hashOfEntry(run.head, chained);
      const entry = { ...chained, data: text, hash: run.head };
      this.#history.push(entry);
      run.entries.push(entry);
    }
  }

  /** Appends to the register; returns the hash. */
  #note(entry: RegisterEntry): string {
    const row = nextInRegister(this.#register.at(-1) ?? EMPTY_REGISTER, entry);
    this.#register.push(row);
    return row.hash;
  }
}

function leaseTo(run: MemoryRun, worker: string, until: number): Lease {
  run.fence++;
  run.lease = { run: run.id, worker, fence: run.fence, until };
  return run.lease;
}

function checkCommit(run: MemoryRun, { lease: held, after, effects, settled }: Commit): void {
  if (held.run !== run.id || run.lease?.fence !== held.fence) throw leaseLost(held);
  if (run.entries.length !== after) throw movedOn(run.id, after, run.entries.length);
  const keys = new Set<string>();
  for (const { key } of effects) {
    if ((run.effects.has(key) && !settled.includes(key)) || keys.has(key)) throw effectExists(run.id, key);
    keys.add(key);
  }
}
