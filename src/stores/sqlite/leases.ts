import type { Lease } from "../../ports/event-log.ts";
import { noSuchRun } from "../refusals.ts";
import { integerOf, leaseOf, type Row, textOf } from "./rows.ts";
import type { Statements } from "./statements.ts";

/** All inside a transaction. A lease is live until its time has come; a later claim then gets a greater fence. */
export function claimRun(
  statements: Statements,
  run: string,
  worker: string,
  now: number,
  until: number,
): Lease | null {
  const row = statements.runNumber.get(run);
  if (row === undefined) throw noSuchRun(run);
  const present = leaseOf(row);
  if (present !== null && present.worker !== worker && present.until > now) return null;
  return leaseTo(statements, row, worker, until);
}

export function claimIdleRuns(
  statements: Statements,
  worker: string,
  now: number,
  until: number,
  limit: number,
): Lease[] {
  return statements.idleRuns.all(now, now, limit).map((row) => leaseTo(statements, row, worker, until));
}

function leaseTo(statements: Statements, row: Row, worker: string, until: number): Lease {
  const run = textOf(row, "run");
  const fence = integerOf(row, "fence") + 1;
  statements.lease.run(worker, until, integerOf(row, "number"));
  return { run, worker, fence, until };
}

export function renewLeases(statements: Statements, leases: readonly Lease[], until: number): Lease[] {
  return leases
    .filter(({ run, fence }) => statements.renewLease.run(until, run, fence).changes === 1)
    .map((held) => ({ ...held, until }));
}
