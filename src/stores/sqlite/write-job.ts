import type { Commit, Lease, Letter, NewRun } from "../../ports/event-log.ts";
import type { KeptCheckpoint } from "../../ports/log-snapshot.ts";
import type { JsonRecord } from "../../shared/json-value.ts";
import { canonicalJson } from "../../audit/canonical-json.ts";
import { markOfLetter, markOfRun } from "../../audit/seal.ts";
import { noSuchRun, runExists } from "../refusals.ts";
import { shownBrief } from "../shown-brief.ts";
import { claimIdleRuns, claimRun, renewLeases } from "./leases.ts";
import { packText } from "./pack-text.ts";
import { integerOf, leaseOf } from "./rows.ts";
import type { Statements } from "./statements.ts";
import { storeCheckpoint } from "./store-checkpoint.ts";
import { bytes, storeCommit } from "./store-commit.ts";

/** Something to write, as JSON can hold it: whoever has the file open can carry it out, in another thread too. */
export type WriteJob =
  | { readonly kind: "create"; readonly run: NewRun; readonly worker: string; readonly until: number }
  | { readonly kind: "commit"; readonly commit: Commit }
  | { readonly kind: "post"; readonly letter: Letter }
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

/** What each kind is answered with. */
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
export function carryOut(statements: Statements, job: WriteJob): WriteAnswers[WriteJob["kind"]] {
  switch (job.kind) {
    case "create":
      return createRun(statements, job.run, job.worker, job.until);
    case "commit":
      return done(storeCommit(statements, job.commit));
    case "post":
      return postLetter(statements, job.letter);
    case "claim":
      return claimRun(statements, job.run, job.worker, job.now, job.until);
    case "claim-idle":
      return claimIdleRuns(statements, job.worker, job.now, job.until, job.limit);
    case "renew":
      return renewLeases(statements, job.leases, job.until);
    case "release":
      return done(statements.releaseLease.run(job.lease.run, job.lease.fence));
    case "text":
      return putText(statements, bytes(job.hash), job.text);
    case "checkpoint":
      return storeCheckpoint(statements, job.checkpoint);
    case "workflow":
      return done(statements.insertWorkflow.run(job.hash, JSON.stringify(job.definition)));
  }
}

/** The same when nobody knows whether it was done before: what was is not done twice. */
export function carryOutAgain(statements: Statements, job: WriteJob): WriteAnswers[WriteJob["kind"]] {
  if (job.kind === "commit" && isStored(statements, job.commit)) return null;
  const made = job.kind === "create" ? firstLease(statements, job.run.run, job.worker) : null;
  return made ?? carryOut(statements, job);
}

/** Under one fence nobody else commits: a run that is so far has got there by this commit. */
function isStored({ runNumber }: Statements, { run, lease, after, entries }: Commit): boolean {
  const row = runNumber.get(run);
  if (row === undefined || entries.length === 0) return false;
  return integerOf(row, "fence") === lease.fence && integerOf(row, "sequence") === after + entries.length;
}

function firstLease({ runNumber }: Statements, run: string, worker: string): Lease | null {
  const row = runNumber.get(run);
  const lease = row === undefined ? null : leaseOf(row);
  return lease?.fence === 1 && lease.worker === worker ? lease : null;
}

/** Nothing but that it was done. */
function done(_result: unknown): null {
  return null;
}

function createRun(
  { insertRun, insertRunText }: Statements,
  { run, name, workflow, at, brief = "" }: NewRun,
  worker: string,
  until: number,
): Lease {
  const shown = shownBrief(brief);
  const mark = bytes(markOfRun({ run, name, workflow, brief: shown, createdAt: at }));
  const { changes, lastInsertRowid } = insertRun.run(run, name, workflow, shown, at, at, worker, until, mark);
  if (changes === 0) throw runExists(run);
  insertRunText.run(lastInsertRowid, run, name, shown);
  return { run, worker, fence: 1, until };
}

/** Most that are there already are not packed again. */
function putText({ hasText, insertText }: Statements, hash: Buffer, text: string): null {
  return hasText.get(hash) === undefined ? done(insertText.run(hash, packText(text))) : null;
}

/** False when its id was posted before. */
function postLetter({ runNumber, nextLetter, insertLetter, wakeRun }: Statements, { run, id, input }: Letter): boolean {
  const row = runNumber.get(run);
  if (row === undefined) throw noSuchRun(run);
  const number = integerOf(row, "number");
  const text = canonicalJson(input);
  const letter = integerOf(nextLetter.get() ?? {}, "number");
  const mark = bytes(markOfLetter(letter, run, id, text));
  if (insertLetter.run(letter, number, id, text, mark).changes === 0) return false;
  wakeRun.run(number);
  return true;
}
