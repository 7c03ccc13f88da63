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
  const row = believedRow(statements, commit);
  const run = integerOf(row, "number");
  const effects = storeEffects(statements, run, commit);
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
    effects,
  });
  appendEntries(statements, run, commit, seal);
  statements.updateRun.run(at, sequence, summary, wakeAt, run);
  updateStanding(statements, row, commit, effects.length > 0);
}

/** The effects that the run has after this commit. */
function storeEffects(statements: Statements, run: number, commit: Commit): AuditedEffect[] {
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

/** What the indexes hold is written only when it changes: SQLite would write their pages for equal values, too. */
function updateStanding(statements: Statements, row: Row, { status, finished, wakeAt }: Commit, isOwed: boolean): void {
  const run = integerOf(row, "number");
  const dueAt = isOwed || statements.hasLetters.get(run) !== undefined ? 0 : wakeAt;
  const isFinished = finished ? 1 : 0;
  const isSame = row["status"] === status && row["finished"] === isFinished && row["due_at"] === dueAt;
  if (!isSame) statements.updateStanding.run(status, isFinished, dueAt, run);
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
function believedRow(statements: Statements, { run, lease, after }: Commit): Row {
  const row = statements.runToCommit.get(run);
  if (row === undefined) throw noSuchRun(run);
  if (lease.run !== run || row["worker"] === null || integerOf(row, "fence") !== lease.fence) throw leaseLost(lease);
  const sequence = integerOf(row, "sequence");
  if (sequence !== after) throw movedOn(run, after, sequence);
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
