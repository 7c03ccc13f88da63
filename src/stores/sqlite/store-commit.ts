import type { Commit } from "../../ports/event-log.ts";
import type { AuditedEffect } from "../../ports/log-snapshot.ts";
import { canonicalJson } from "../../audit/canonical-json.ts";
import { hashOfEntry, hashOfText } from "../../audit/hash-chain.ts";
import { markOfLetter, sealOf } from "../../audit/seal.ts";
import { effectExists, leaseLost, movedOn, noSuchRun } from "../refusals.ts";
import { headOf, integerOf, type Row, textOf } from "./rows.ts";
import type { Statements } from "./statements.ts";

/** Inside a transaction. Refuses before the first write, so that a refused commit cannot spoil its group. */
export function storeCommit(statements: Statements, commit: Commit): void {
  const row = checkCommit(statements, commit);
  const run = integerOf(row, "number");
  for (const key of commit.settled) statements.deleteEffect.run(run, key);
  for (const { key, kind, data } of commit.effects) statements.insertEffect.run(run, key, kind, canonicalJson(data));
  for (const id of commit.taken) takeLetter(statements, run, commit.run, id);
  const { status, finished, at, wakeAt } = commit;
  const summary = canonicalJson(commit.summary);
  const sequence = commit.after + commit.entries.length;
  const seal = sealOf({
    name: textOf(row, "name"),
    workflow: textOf(row, "workflow"),
    brief: textOf(row, "brief"),
    createdAt: integerOf(row, "created_at"),
    status,
    finished,
    updatedAt: at,
    sequence,
    wakeAt,
    summary,
    effects: statements.effectsOfNumber.all(run).map(auditedEffectOf),
  });
  appendEntries(statements, run, commit, seal);
  statements.updateRun.run(at, sequence, summary, wakeAt, run);
  statements.updateStanding.run(status, finished ? 1 : 0, wakeAt, run);
}

/** The id stays, and stops a second posting. */
function takeLetter(statements: Statements, number: number, run: string, id: string): void {
  const row = statements.letterNumber.get(number, id);
  if (row === undefined) return;
  const letter = integerOf(row, "number");
  statements.takeLetter.run(letter, bytes(markOfLetter(letter, run, id, null)));
}

export function auditedEffectOf(row: Row): AuditedEffect {
  return {
    number: integerOf(row, "number"),
    key: textOf(row, "key"),
    kind: textOf(row, "kind"),
    data: textOf(row, "data"),
  };
}

/** The row of the run, if this commit may be believed. */
function checkCommit(statements: Statements, { run, lease, after, effects, settled }: Commit): Row {
  const row = statements.runToCommit.get(run);
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
  return row;
}

/** The head is read in the transaction that writes: other processes write too. The last entry carries the seal. */
function appendEntries(statements: Statements, number: number, commit: Commit, sealOfRun: string): void {
  const { run, after, at, entries } = commit;
  let { position, hash } = headOf(statements.head.get());
  let sequence = after;
  for (const { kind, data } of entries) {
    position++;
    sequence++;
    const text = canonicalJson(data);
    const dataHash = hashOfText(text);
    const seal = sequence === after + entries.length ? sealOfRun : null;
    hash = hashOfEntry(hash, { position, run, sequence, at, kind, dataHash, seal });
    const sealed = seal === null ? null : bytes(seal);
    statements.insertEntry.run(position, number, sequence, at, kind, text, bytes(dataHash), bytes(hash), sealed);
  }
}

export function bytes(hash: string): Buffer {
  return Buffer.from(hash, "hex");
}
