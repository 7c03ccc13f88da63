import type { Commit, Lease, InboxMessage, NewRun } from "../../ports/event-log.ts";
import type { KeptCheckpoint, AuditedEffect } from "../../ports/log-snapshot.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import {
  messageChecksum,
  runChecksum,
  canonicalJson,
  hashOfEntry,
  hashOfText,
  runDigestOf,
} from "../../audit/hash-chain.ts";
import { noSuchRun, runExists, effectExists, leaseLost, movedOn } from "../refusals.ts";
import { EMPTY_REGISTER, nextInRegister, type RegisterEntry } from "../../audit/register.ts";
import {
  auditedEffectOf,
  bytesOf,
  columnOrNull,
  integerOf,
  leaseOf,
  registerRowOf,
  type Row,
  textColumn,
} from "./rows.ts";
import { packText } from "../pack-text.ts";
import { shownBrief } from "../run-search.ts";
import { bytesOfHash } from "../stored-hashes.ts";
import type { LogStatements } from "./statements.ts";
import { storeCheckpoint } from "./store-checkpoint.ts";

/** A write as plain JSON, so that another thread with the file open can execute it. */
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
  | {
      readonly kind: "claim-idle";
      readonly worker: string;
      readonly now: number;
      readonly until: number;
      readonly limit: number;
    }
  | { readonly kind: "renew"; readonly leases: readonly Lease[]; readonly until: number }
  | { readonly kind: "release"; readonly lease: Lease }
  | { readonly kind: "text"; readonly hash: string; readonly text: string }
  | { readonly kind: "checkpoint"; readonly checkpoint: KeptCheckpoint }
  | { readonly kind: "workflow"; readonly hash: string; readonly definition: JsonRecord };

/** The result of each kind of write. */
export interface WriteAnswers {
  readonly create: Lease;
  readonly commit: null;
  readonly post: boolean;
  readonly claim: Lease | null;
  readonly "claim-idle": Lease[];
  readonly renew: Lease[];
  readonly release: null;
  readonly text: null;
  readonly workflow: null;
  readonly checkpoint: boolean;
}

/** Inside a transaction. Throws a StoreError only before its first write. */
export function executeJob(statements: LogStatements, job: WriteJob): WriteAnswers[WriteJob["kind"]] {
  switch (job.kind) {
    case "create":
      return createRun(statements, job.run, job.worker, job.until);
    case "commit":
      return done(storeCommit(statements, job.commit));
    case "post":
      return postMessage(statements, job.message);
    case "claim":
      return acquireRun(statements, job.run, job.worker, job.now, job.until);
    case "claim-idle":
      return acquireIdleRuns(statements, job.worker, job.now, job.until, job.limit);
    case "renew":
      return renewLeases(statements, job.leases, job.until);
    case "release":
      return done(statements.releaseLease.run(job.lease.run, job.lease.fence));
    case "text":
      return putText(statements, bytesOfHash(job.hash), job.text);
    case "checkpoint":
      return storeCheckpoint(statements, job.checkpoint);
    case "workflow":
      return done(statements.insertWorkflow.run(job.hash, JSON.stringify(job.definition)));
  }
}

/** For a job that may have been stored before: it is not stored twice. */
export function retryJob(statements: LogStatements, job: WriteJob): WriteAnswers[WriteJob["kind"]] {
  if (job.kind === "commit" && isStored(statements, job.commit)) return null;
  const made = job.kind === "create" ? firstLease(statements, job.run.run, job.worker) : null;
  return made ?? executeJob(statements, job);
}

/** Only the holder of a fence commits, so a run at this sequence number got there by this commit. */
function isStored({ runNumber }: LogStatements, { run, lease, after, entries }: Commit): boolean {
  const row = runNumber.get(run);
  if (row === undefined || entries.length === 0) return false;
  return integerOf(row, "fence") === lease.fence && integerOf(row, "sequence") === after + entries.length;
}

function firstLease({ runNumber }: LogStatements, run: string, worker: string): Lease | null {
  const row = runNumber.get(run);
  const lease = row === undefined ? null : leaseOf(row);
  return lease?.fence === 1 && lease.worker === worker ? lease : null;
}

/** Drops the result. */
function done(_result: unknown): null {
  return null;
}

/** The creation and its entry in the register are one transaction. */
function createRun(
  statements: LogStatements,
  { run, name, workflow, at, brief = "" }: NewRun,
  worker: string,
  until: number,
): Lease {
  if (statements.runNumber.get(run) !== undefined) throw runExists(run);
  const shown = shownBrief(brief);
  const mark = runChecksum({ run, name, workflow, brief: shown, createdAt: at });
  const head = appendToRegister(statements, { kind: "created", run, mark });
  const { lastInsertRowid } = statements.insertRun.run(
    run,
    name,
    workflow,
    shown,
    at,
    at,
    worker,
    until,
    bytesOfHash(mark),
    bytesOfHash(head),
  );
  statements.insertRunText.run(lastInsertRowid, run, name, shown);
  return { run, worker, fence: 1, until };
}

/** Inside a write transaction. Returns the hash of the new entry. */
export function appendToRegister(
  { registerHead, insertRegister }: Pick<LogStatements, "registerHead" | "insertRegister">,
  entry: RegisterEntry,
): string {
  const last = registerHead.get();
  const { number, body, hash } = nextInRegister(last === undefined ? EMPTY_REGISTER : registerRowOf(last), entry);
  insertRegister.run(number, body, bytesOfHash(hash));
  return hash;
}

/** Does not compress a text again that is stored already. */
function putText({ hasText, insertText }: LogStatements, hash: Buffer, text: string): null {
  return hasText.get(hash) === undefined ? done(insertText.run(hash, packText(text))) : null;
}

/** False when a message with this id was posted before. */
function postMessage(
  { runNumber, nextLetter, insertLetter, wakeRun }: LogStatements,
  { run, id, input }: InboxMessage,
): boolean {
  const row = runNumber.get(run);
  if (row === undefined) throw noSuchRun(run);
  const number = integerOf(row, "number");
  const text = canonicalJson(input);
  const messageNumber = integerOf(nextLetter.get() ?? {}, "number");
  const mark = bytesOfHash(messageChecksum(messageNumber, run, id, text));
  if (insertLetter.run(messageNumber, number, id, text, mark).changes === 0) return false;
  wakeRun.run(number);
  return true;
}

/** Inside a transaction. Refuses before the first write, so that a refused commit does not affect its group. */
function storeCommit(statements: LogStatements, commit: Commit): void {
  const row = rowForCommit(statements, commit);
  const run = integerOf(row, "number");
  const effects = storeEffects(statements, run, commit);
  for (const id of commit.taken) takeMessage(statements, run, commit.run, id);
  const { status, finished, at, wakeAt } = commit;
  const summary = canonicalJson(commit.summary);
  const sequence = commit.after + commit.entries.length;
  const digest = runDigestOf({
    name: textColumn(row, "name"),
    workflow: textColumn(row, "workflow"),
    brief: textColumn(row, "brief"),
    createdAt: integerOf(row, "created_at"),
    status,
    finished,
    updatedAt: at,
    sequence,
    wakeAt,
    summary,
    effects,
  });
  const head = appendEntries(statements, row, commit, digest);
  statements.updateRun.run(at, sequence, summary, wakeAt, head, run);
  if (finished && (row["finished"] !== 1 || commit.entries.length > 0))
    appendToRegister(statements, {
      kind: "ended",
      run: commit.run,
      sequence,
      hash: (head ?? closedHash(statements)).toString("hex"),
    });
  updateStatus(statements, row, commit, effects.length > 0);
}

/** The effects that the run has after this commit. */
function storeEffects(statements: LogStatements, run: number, commit: Commit): AuditedEffect[] {
  const before = statements.effectsOfNumber.all(run).map(auditedEffectOf);
  const kept = before.filter(({ key }) => !commit.settled.includes(key));
  const added = commit.effects.map(({ key, kind, data }, index) => ({
    number: (kept.at(-1)?.number ?? 0) + 1 + index,
    key,
    kind,
    data: canonicalJson(data),
  }));
  refuseTwice(commit.run, [...kept, ...added]);
  for (const { key } of before) if (commit.settled.includes(key)) statements.deleteEffect.run(run, key);
  for (const { number, key, kind, data } of added) statements.insertEffect.run(run, key, number, kind, data);
  return [...kept, ...added];
}

function refuseTwice(run: string, effects: readonly AuditedEffect[]): void {
  const keys = new Set<string>();
  for (const { key } of effects) {
    if (keys.has(key)) throw effectExists(run, key);
    keys.add(key);
  }
}

/** Indexed columns are written only when they change: SQLite writes the pages of an index for equal values too. */
function updateStatus(
  statements: LogStatements,
  row: Row,
  { status, finished, wakeAt }: Commit,
  hasEffects: boolean,
): void {
  const run = integerOf(row, "number");
  const dueAt = hasEffects || statements.hasLetters.get(run) !== undefined ? 0 : wakeAt;
  const isFinished = finished ? 1 : 0;
  const isSame = row["status"] === status && row["finished"] === isFinished && row["due_at"] === dueAt;
  if (!isSame) statements.updateStanding.run(status, isFinished, dueAt, run);
}

/** The id stays, so that the same message cannot be posted again. */
function takeMessage(statements: LogStatements, number: number, run: string, id: string): void {
  const row = statements.letterNumber.get(number, id);
  if (row === undefined) return;
  const messageNumber = integerOf(row, "number");
  statements.takeLetter.run(messageNumber, bytesOfHash(messageChecksum(messageNumber, run, id, null)));
}

/** The row of the run; refuses a commit without the lease or with an old sequence number. */
function rowForCommit(statements: LogStatements, { run, lease, after }: Commit): Row {
  const row = statements.runToCommit.get(run);
  if (row === undefined) throw noSuchRun(run);
  if (lease.run !== run || row["worker"] === null || integerOf(row, "fence") !== lease.fence) throw leaseLost(lease);
  const sequence = integerOf(row, "sequence");
  if (sequence !== after) throw movedOn(run, after, sequence);
  return row;
}

/**
 * Appends to the chain of the run. The position is read in the transaction that writes, because other processes write
 * too. The last entry has the digest. Returns the head of the run.
 */
function appendEntries(statements: LogStatements, row: Row, commit: Commit, digest: string): Buffer | null {
  const { run, after, at, entries } = commit;
  let head = columnOrNull(bytesOf, row, "head");
  if (entries.length === 0) return head;
  const number = integerOf(row, "number");
  let position = integerOf(statements.lastPosition.get() ?? {}, "position");
  let previous = (head ?? closedHash(statements)).toString("hex");
  for (const [index, { kind, data }] of entries.entries()) {
    position++;
    const sequence = after + index + 1;
    const text = canonicalJson(data);
    const dataHash = hashOfText(text);
    const seal = index === entries.length - 1 ? digest : null;
    previous = hashOfEntry(previous, { position, run, sequence, at, kind, dataHash, seal });
    head = bytesOfHash(previous);
    const sealBytes = seal === null ? null : bytesOfHash(seal);
    statements.insertEntry.run(position, number, sequence, at, kind, text, bytesOfHash(dataHash), head, sealBytes);
  }
  return head;
}

/** Runs that are older than the register continue from its first entry, which closed the chain that they were in. */
function closedHash({ registerAt }: LogStatements): Buffer {
  return bytesOf(registerAt.get(1) ?? {}, "hash");
}

/** Inside a transaction. A lease is valid until its time is over; the next one has a greater fence. */
function acquireRun(statements: LogStatements, run: string, worker: string, now: number, until: number): Lease | null {
  const row = statements.runNumber.get(run);
  if (row === undefined) throw noSuchRun(run);
  const present = leaseOf(row);
  if (present !== null && present.worker !== worker && present.until > now) return null;
  return leaseTo(statements, row, worker, until);
}

function acquireIdleRuns(
  statements: LogStatements,
  worker: string,
  now: number,
  until: number,
  limit: number,
): Lease[] {
  return statements.idleRuns.all(now, now, limit).map((row) => leaseTo(statements, row, worker, until));
}

function leaseTo(statements: LogStatements, row: Row, worker: string, until: number): Lease {
  const run = textColumn(row, "run");
  const fence = integerOf(row, "fence") + 1;
  statements.lease.run(worker, until, integerOf(row, "number"));
  return { run, worker, fence, until };
}

function renewLeases(statements: LogStatements, leases: readonly Lease[], until: number): Lease[] {
  return leases
    .filter(({ run, fence }) => statements.renewLease.run(until, run, fence).changes === 1)
    .map((held) => ({ ...held, until }));
}
