import type { AuditReport } from "../../audit/report.ts";
import { type UnsealedRun, verifySnapshot } from "../../audit/verify-snapshot.ts";
import type { StoredEntry } from "../../ports/event-log.ts";
import type { KnownKey } from "../../ports/notary.ts";
import type { Engine } from "../engine.ts";
import { foldEntries } from "../run-session.ts";
import { isParked } from "../summarise-run.ts";

export type { AuditFinding, AuditProof, AuditReport, AuditVerdict } from "../../audit/report.ts";
export type { KnownKey } from "../../ports/notary.ts";

export interface VerifyAuditOptions {
  /** Keys that are believed besides those of this machine. */
  readonly keys?: readonly KnownKey[];
  /** A head that was kept elsewhere. */
  readonly head?: { readonly position: number; readonly hash: string };
}

/** Recomputes everything that the log claims, and says what holds, what does not, and what nobody can tell. */
export async function verifyAudit(
  { machine, notary }: Pick<Engine, "machine" | "notary">,
  { keys = [], head }: VerifyAuditOptions = {},
): Promise<AuditReport> {
  const { log } = machine;
  const trust = {
    keys: [...keys, ...(notary?.keys() ?? [])],
    seen: notary?.seen() ?? [],
    ...(head === undefined ? {} : { head }),
  };
  const snapshot = await log.snapshot();
  try {
    return await verifySnapshot(snapshot, trust, (run) => compareWithEntries(log, run));
  } finally {
    snapshot.close();
  }
}

/** A run from before there were seals: at least its status has to be what its entries tell. */
async function compareWithEntries(log: Engine["machine"]["log"], { run, status }: UnsealedRun): Promise<string | null> {
  const entries = await log.entries(run);
  if (entries.some(({ data }) => data === null)) return null;
  const told = statusIn(entries);
  return told === status ? null : `it is listed as ${status}, and its entries tell ${told}`;
}

/** Whoever edited them need not have known what can be folded. */
function statusIn(entries: readonly StoredEntry[]): string {
  try {
    const state = foldEntries(entries);
    return isParked(state) ? "waiting" : state.status;
  } catch (error) {
    return `nothing that could be understood (${error instanceof Error ? error.message : String(error)})`;
  }
}
