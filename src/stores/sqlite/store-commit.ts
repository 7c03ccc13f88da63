import type { Commit } from "../../ports/event-log.ts";
import { canonicalJson } from "../canonical-json.ts";
import { hashOfEntry, hashOfText } from "../hash-chain.ts";
import { effectExists, leaseLost, movedOn, noSuchRun } from "../refusals.ts";
import { headOf, integerOf } from "./rows.ts";
import type { Statements } from "./statements.ts";

/** Inside a transaction. Refuses before the first write, so that a refused commit cannot spoil its group. */
export function storeCommit(statements: Statements, commit: Commit): void {
  const run = checkCommit(statements, commit);
  const sequence = appendEntries(statements, run, commit);
  for (const key of commit.settled) statements.deleteEffect.run(run, key);
  for (const { key, kind, data } of commit.effects) statements.insertEffect.run(run, key, kind, canonicalJson(data));
  for (const id of commit.taken) statements.takeLetter.run(run, id);
  const { status, finished, at, summary, wakeAt } = commit;
  statements.updateRun.run(at, sequence, canonicalJson(summary), wakeAt, run);
  statements.updateStanding.run(status, finished ? 1 : 0, wakeAt, run);
}

/** The number of the run, if this commit may be believed. */
function checkCommit(statements: Statements, { run, lease, after, effects, settled }: Commit): number {
  const row = statements.runNumber.get(run);
  if (row === undefined) throw noSuchRun(run);
  if (lease.run !== run || row["worker"] === null || integerOf(row, "fence") !== lease.fence) throw leaseLost(lease);
  const sequence = integerOf(row, "sequence");
  if (sequence !== after) throw movedOn(run, after, sequence);
  const number = integerOf(row, "number");
  const keys = new Set<string>();
  for (const { key } of effects) {
    const isWaiting = !settled.includes(key) && statements.hasEffect.get(number, key) !== undefined;
    if (isWaiting || keys.has(key)) throw effectExists(run, key);
    keys.add(key);
  }
  return number;
}

/** The head is read in the transaction that writes: other processes write too. Returns the last sequence number. */
function appendEntries(statements: Statements, number: number, { run, after, at, entries }: Commit): number {
  let { position, hash } = headOf(statements.head.get());
  let sequence = after;
  for (const { kind, data } of entries) {
    position++;
    sequence++;
    const text = canonicalJson(data);
    const dataHash = hashOfText(text);
    hash = hashOfEntry(hash, { position, run, sequence, at, kind, dataHash });
    statements.insertEntry.run(position, number, sequence, at, kind, text, bytes(dataHash), bytes(hash));
  }
  return sequence;
}

function bytes(hash: string): Buffer {
  return Buffer.from(hash, "hex");
}
