import type { Commit, InboxMessage, Lease, NewRun } from "../../ports/event-log.ts";
import { StoreError } from "../../ports/event-log.ts";
import type { AuditedEffect } from "../../ports/log-snapshot.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import { canonicalJson, hashOfText, messageChecksum, runChecksum, runDigestOf } from "../../audit/hash-chain.ts";
import { effectExists, leaseLost, movedOn, noSuchRun, runExists } from "../refusals.ts";
import { shownBrief } from "../run-search.ts";

/** A write that shares its transaction with others. */
export type WriteJob =
  | { readonly kind: "create"; readonly run: NewRun; readonly worker: string; readonly until: number }
  | { readonly kind: "commit"; readonly commit: Commit }
  | { readonly kind: "post"; readonly message: InboxMessage }
  | {
      readonly kind: "claim";
      readonly run: string;
      readonly worker: string;
      readonly now: number;
      readonly until: number;
    }
  | { readonly kind: "renew"; readonly leases: readonly Lease[]; readonly until: number }
  | { readonly kind: "release"; readonly lease: Lease }
  | { readonly kind: "text"; readonly hash: string; readonly text: string }
  | { readonly kind: "workflow"; readonly hash: string; readonly definition: JsonRecord };

/** The result of each kind of write. */
export interface WriteAnswers {
  readonly create: Lease;
  readonly commit: null;
  readonly post: boolean;
  readonly claim: Lease | null;
  readonly renew: Lease[];
  readonly release: null;
  readonly text: null;
  readonly workflow: null;
}

/** The row of a run while its transaction has it locked, with what it has open. */
export interface GroupRun {
  readonly number: number;
  readonly run: string;
  readonly name: string;
  readonly workflow: string;
  readonly brief: string;
  readonly createdAt: number;
  status: string;
  finished: boolean;
  updatedAt: number;
  sequence: number;
  wakeAt: number | null;
  dueAt: number | null;
  fence: number;
  worker: string | null;
  leasedUntil: number | null;
  /** Null while it is as it was stored. */
  summary: string | null;
  head: string;
  effects: AuditedEffect[];
  /** Inbox messages that were not taken, by id. */
  readonly waiting: Map<string, number>;
  /** Ids of messages of this group that were posted before. */
  readonly posted: Set<string>;
  /** The hash of the data of its last entry, where a commit may have been stored before. */
  readonly lastData: Buffer | null;
  isChanged: boolean;
}

/** A run that is created by this transaction. */
export interface CreatedRun {
  readonly row: GroupRun;
  readonly mark: string;
}

export interface PlannedEntry {
  readonly run: GroupRun;
  readonly sequence: number;
  readonly at: number;
  readonly kind: string;
  readonly data: string;
  readonly seal: string | null;
}

/** What the transaction has to store, in the order of the jobs. */
export interface GroupPlan {
  readonly created: CreatedRun[];
  /** Entries, and ends of runs, in the order in which they are chained. */
  readonly chained: (PlannedEntry | { readonly ended: GroupRun })[];
  readonly settled: { readonly run: GroupRun; readonly key: string }[];
  readonly effects: { readonly run: GroupRun; readonly effect: AuditedEffect }[];
  readonly taken: { readonly run: GroupRun; readonly id: string; readonly number: number }[];
  readonly posted: { readonly run: GroupRun; readonly message: InboxMessage; readonly number: number }[];
  readonly texts: Map<string, string>;
  readonly workflows: Map<string, string>;
}

export type JobAnswer = { readonly value: unknown } | { readonly error: StoreError };

/** What was read under the locks of the transaction. */
export interface GroupState {
  readonly runs: Map<string, GroupRun>;
  /** The clock of the database, in milliseconds. */
  readonly now: number;
  /** Where the numbers of runs stand. */
  lastRun: number;
  /** Runs that are there and not locked. */
  readonly existing: Set<string>;
  /** Free numbers for the messages that are posted. */
  readonly letterNumbers: number[];
  /** A commit of this group may have been stored before: its answer was lost. */
  readonly mayBeStored: (run: string) => boolean;
}

/** Decides job after job over the rows in memory. A job that is refused changes nothing. */
export function planGroup(
  state: GroupState,
  jobs: readonly WriteJob[],
): { readonly plan: GroupPlan; readonly answers: JobAnswer[] } {
  const plan: GroupPlan = {
    created: [],
    chained: [],
    settled: [],
    effects: [],
    taken: [],
    posted: [],
    texts: new Map(),
    workflows: new Map(),
  };
  const answers = jobs.map((job): JobAnswer => {
    try {
      return { value: planJob(state, plan, job) };
    } catch (error) {
      if (error instanceof StoreError) return { error };
      throw error;
    }
  });
  return { plan, answers };
}

function planJob(state: GroupState, plan: GroupPlan, job: WriteJob): WriteAnswers[WriteJob["kind"]] {
  switch (job.kind) {
    case "create":
      return createRun(state, plan, job);
    case "commit":
      return storeCommit(state, plan, job.commit);
    case "post":
      return postMessage(state, plan, job.message);
    case "claim":
      return claimRun(state, job);
    case "renew":
      return job.leases.flatMap((lease) => renewLease(state, lease, job.until));
    case "release":
      return releaseLease(state, job.lease);
    case "text":
      plan.texts.set(job.hash, job.text);
      return null;
    case "workflow":
      plan.workflows.set(job.hash, JSON.stringify(job.definition));
      return null;
  }
}

function createRun(
  state: GroupState,
  plan: GroupPlan,
  { run: { run, name, workflow, at, brief = "" }, worker, until }: Extract<WriteJob, { kind: "create" }>,
): Lease {
  const known = state.runs.get(run);
  if (known !== undefined) {
    const isOurs = state.mayBeStored(run) && known.fence === 1 && known.worker === worker;
    if (isOurs) return { run, worker, fence: 1, until: known.leasedUntil ?? until };
    throw runExists(run);
  }
  if (state.existing.has(run)) throw runExists(run);
  const shown = shownBrief(brief);
  const row: GroupRun = {
    number: ++state.lastRun,
    run,
    name,
    workflow,
    brief: shown,
    createdAt: at,
    status: "running",
    finished: false,
    updatedAt: at,
    sequence: 0,
    wakeAt: null,
    dueAt: null,
    fence: 1,
    worker,
    leasedUntil: until,
    summary: "{}",
    head: "",
    effects: [],
    waiting: new Map(),
    posted: new Set(),
    lastData: null,
    isChanged: false,
  };
  state.runs.set(run, row);
  plan.created.push({ row, mark: runChecksum({ run, name, workflow, brief: shown, createdAt: at }) });
  return { run, worker, fence: 1, until };
}

/** False when a message with this id was posted before. */
function postMessage(state: GroupState, plan: GroupPlan, message: InboxMessage): boolean {
  const run = knownRun(state, message.run);
  if (run.waiting.has(message.id) || run.posted.has(message.id)) return false;
  const number = state.letterNumbers.shift();
  if (number === undefined) throw new Error("a message was given no number");
  run.waiting.set(message.id, number);
  plan.posted.push({ run, message, number });
  run.dueAt = 0;
  run.isChanged = true;
  return true;
}

/** Refuses before it changes anything. */
function storeCommit(state: GroupState, plan: GroupPlan, commit: Commit): null {
  const run = knownRun(state, commit.run);
  if (state.mayBeStored(commit.run) && isStored(run, commit)) return null;
  refuseStale(run, commit);
  const { kept, added } = nextEffects(run, commit);
  for (const key of commit.settled)
    if (run.effects.some((effect) => effect.key === key)) plan.settled.push({ run, key });
  for (const effect of added) plan.effects.push({ run, effect });
  run.effects = [...kept, ...added];
  for (const id of commit.taken) takeMessage(run, plan, id);
  const wasFinished = run.finished;
  run.status = commit.status;
  run.finished = commit.finished;
  run.updatedAt = commit.at;
  run.sequence = commit.after + commit.entries.length;
  run.wakeAt = commit.wakeAt;
  run.summary = canonicalJson(commit.summary);
  run.dueAt = run.effects.length > 0 || run.waiting.size > 0 ? 0 : commit.wakeAt;
  run.isChanged = true;
  planEntries(run, plan, commit);
  if (commit.finished && (!wasFinished || commit.entries.length > 0)) plan.chained.push({ ended: run });
  return null;
}

/** Only the holder of a fence commits, so a run at this sequence number with these data got there by this commit. */
function isStored(run: GroupRun, { lease, after, entries }: Commit): boolean {
  const last = entries.at(-1);
  if (last === undefined || run.fence !== lease.fence || run.sequence !== after + entries.length) return false;
  return run.lastData?.equals(Buffer.from(hashOfText(canonicalJson(last.data)), "hex")) === true;
}

function refuseStale(run: GroupRun, { run: id, lease, after }: Commit): void {
  if (lease.run !== id || run.worker === null || run.fence !== lease.fence) throw leaseLost(lease);
  if (run.sequence !== after) throw movedOn(id, after, run.sequence);
}

/** The effects that the run has after a commit. */
function nextEffects(
  run: GroupRun,
  commit: Commit,
): { readonly kept: AuditedEffect[]; readonly added: AuditedEffect[] } {
  const kept = run.effects.filter(({ key }) => !commit.settled.includes(key));
  const added = commit.effects.map(({ key, kind, data }, index) => ({
    number: (kept.at(-1)?.number ?? 0) + 1 + index,
    key,
    kind,
    data: canonicalJson(data),
  }));
  const keys = new Set<string>();
  for (const { key } of [...kept, ...added]) {
    if (keys.has(key)) throw effectExists(run.run, key);
    keys.add(key);
  }
  return { kept, added };
}

function planEntries(run: GroupRun, plan: GroupPlan, { after, at, entries }: Commit): void {
  const { name, workflow, brief, createdAt, status, finished, updatedAt, sequence, wakeAt, effects } = run;
  const summary = run.summary ?? "{}";
  const columns = { name, workflow, brief, createdAt, status, finished, updatedAt, sequence, wakeAt, summary, effects };
  for (const [index, { kind, data }] of entries.entries()) {
    const seal = index === entries.length - 1 ? runDigestOf(columns) : null;
    plan.chained.push({ run, sequence: after + index + 1, at, kind, data: canonicalJson(data), seal });
  }
}

/** The id stays, so that the same message cannot be posted again. */
function takeMessage(run: GroupRun, plan: GroupPlan, id: string): void {
  const number = run.waiting.get(id);
  if (number === undefined) return;
  run.waiting.delete(id);
  run.posted.add(id);
  plan.taken.push({ run, id, number });
}

/** A worker whose clock is ahead takes no lease before its time: the clock of the database has to agree. */
function claimRun(
  state: GroupState,
  { run: id, worker, now, until }: Extract<WriteJob, { kind: "claim" }>,
): Lease | null {
  const run = knownRun(state, id);
  const isHeld = run.worker !== null && (run.leasedUntil ?? 0) > Math.min(now, state.now);
  if (isHeld && run.worker !== worker) return null;
  run.fence++;
  run.worker = worker;
  run.leasedUntil = until;
  run.isChanged = true;
  return { run: id, worker, fence: run.fence, until };
}

/** Also after its time: while the fence is the same, no other worker has acquired the run. */
function renewLease(state: GroupState, lease: Lease, until: number): Lease[] {
  const run = state.runs.get(lease.run);
  if (run === undefined || run.worker === null || run.fence !== lease.fence) return [];
  run.leasedUntil = until;
  run.isChanged = true;
  return [{ ...lease, until }];
}

function releaseLease(state: GroupState, { run: id, fence }: Lease): null {
  const run = state.runs.get(id);
  if (run === undefined || run.fence !== fence) return null;
  run.worker = null;
  run.leasedUntil = null;
  run.isChanged = true;
  return null;
}

function knownRun(state: GroupState, id: string): GroupRun {
  const run = state.runs.get(id);
  if (run === undefined) throw noSuchRun(id);
  return run;
}

/** The checksum of a message, as it is posted or after it was taken. */
export function letterMark(number: number, run: string, id: string, input: JsonRecord | null): string {
  return messageChecksum(number, run, id, input === null ? null : canonicalJson(input));
}
