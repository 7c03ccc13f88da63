import type { Lease, InboxMessage, NewRun, RunRow, StoredEffect, StoredEntry } from "../../src/ports/event-log.ts";
import { parseRecord } from "../../src/stores/refusals.ts";
import type { ChainHead } from "../../src/audit/hash-chain.ts";
import { shownBrief } from "../../src/stores/run-search.ts";

/** What a memory log keeps of a run. Data are kept as canonical text: nobody can change them from outside. */
export interface MemoryRun {
  readonly id: string;
  readonly name: string;
  readonly workflow: string;
  readonly brief: string;
  readonly createdAt: number;
  readonly entries: MemoryEntry[];
  /** By key, in the order in which they were stored. */
  readonly effects: Map<string, { readonly kind: string; readonly data: string }>;
  /** By id, in the order in which they were posted; null once it was taken. */
  readonly letters: Map<string, string | null>;
  status: string;
  finished: boolean;
  updatedAt: number;
  wakeAt: number | null;
  summary: string;
  /** Where its chain stands. */
  head: string;
  fence: number;
  lease: Lease | null;
  /** The last sequence number whose data were pruned. */
  emptied: number;
}

export interface MemoryEntry extends ChainHead {
  readonly run: string;
  readonly sequence: number;
  readonly at: number;
  readonly kind: string;
  readonly dataHash: string;
  readonly seal: string | null;
  data: string | null;
}

export function newMemoryRun({ run, name, workflow, at, brief = "" }: NewRun, lease: Lease): MemoryRun {
  return {
    id: run,
    name,
    workflow,
    brief: shownBrief(brief),
    createdAt: at,
    entries: [],
    effects: new Map(),
    letters: new Map(),
    status: "running",
    finished: false,
    updatedAt: at,
    wakeAt: null,
    summary: "{}",
    head: "",
    fence: lease.fence,
    lease,
    emptied: 0,
  };
}

export function runRowOf(run: MemoryRun): RunRow {
  const { name, workflow, brief, status, finished, createdAt, updatedAt, wakeAt, lease } = run;
  const summary = parseRecord(run.summary, `the summary of run ${run.id}`);
  const sequence = run.entries.length;
  return {
    run: run.id,
    name,
    workflow,
    brief,
    status,
    finished,
    createdAt,
    updatedAt,
    sequence,
    isPruned: run.emptied > 0,
    wakeAt,
    summary,
    lease,
  };
}

export function storedEntryOf({ position, run, sequence, at, kind, data, hash }: MemoryEntry): StoredEntry {
  const parsed = data === null ? null : parseRecord(data, `the data of entry ${position}`);
  return { position, run, sequence, at, kind, data: parsed, hash };
}

export function waitingMessages(run: MemoryRun): InboxMessage[] {
  return [...run.letters].flatMap(([id, input]) =>
    input === null ? [] : [{ id, run: run.id, input: parseRecord(input, `letter ${id}`) }],
  );
}

export function waitingEffects(run: MemoryRun): StoredEffect[] {
  return [...run.effects].map(([key, { kind, data }]) => ({ key, kind, data: parseRecord(data, `effect ${key}`) }));
}

/** When the run has something to do: at once, at its time, or never by itself. */
export function dueAt(run: MemoryRun): number | null {
  if (run.finished) return null;
  const hasLetters = [...run.letters.values()].some((input) => input !== null);
  return hasLetters || run.effects.size > 0 ? 0 : run.wakeAt;
}

export function isLeased(run: MemoryRun, now: number): boolean {
  return run.lease !== null && run.lease.until > now;
}
