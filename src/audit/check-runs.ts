import type { AuditedRun } from "../ports/log-snapshot.ts";
import { whyNotRegistered } from "./check-registered-run.ts";
import { entriesIn, type FindingCollector } from "./findings.ts";
import { runChecksum, runDigestOf } from "./hash-chain.ts";
import { digestOfEmptied } from "./register.ts";
import type { ChainWalk } from "./walk-log.ts";
import type { RegisterWalk } from "./walk-register.ts";

/** Compares the rows of runs, in the order of their numbers, with their last entries, their chains and the register. */
export class RunCheck {
  /** Runs that have no digest to compare with. */
  readonly withoutDigest: AuditedRun[] = [];
  readonly #register: RegisterWalk;
  readonly #chain: ChainWalk;
  readonly #findings: FindingCollector;
  readonly #emptiedBefore: { readonly run: string; readonly emptied: number }[] = [];
  readonly #missing: Set<string>;
  readonly #whyChanged: (row: AuditedRun) => string | null;

  /** `whyChanged` compares what else is in the row. */
  constructor(
    { register, chain }: { readonly register: RegisterWalk; readonly chain: ChainWalk },
    findings: FindingCollector,
    whyChanged: (row: AuditedRun) => string | null = whyShortened,
  ) {
    this.#whyChanged = whyChanged;
    this.#register = register;
    this.#chain = chain;
    this.#findings = findings;
    this.#missing = new Set(register.created);
  }

  take(row: AuditedRun): void {
    this.#missing.delete(row.run);
    const where = {
      run: row.run,
      sequence: row.sequence,
      position: row.last?.position ?? null,
      row: `run ${row.number}`,
    };
    const before = this.#register.closed?.runs ?? 0;
    const isOlder = row.number <= before;
    if (!isOlder && this.#register.created[row.number - before - 1] !== row.run)
      return this.#findings.add(
        "run-added",
        `the register does not have run ${row.run} as number ${row.number}`,
        where,
      );
    const registered = (): string | null => whyNotRegistered(row, this.#register, this.#chain);
    const why = this.#whyChanged(row) ?? registered() ?? this.#whyEmptied(row, isOlder);
    if (why !== null) this.#findings.add("run-changed", why, where);
    else if (row.last?.seal === null) this.withoutDigest.push(row);
  }

  /** Called after the last row. */
  settle(): void {
    for (const run of this.#missing)
      this.#findings.add("run-missing", `run ${run} was created, and is not there`, { run, row: "register" });
    const { closed } = this.#register;
    if (closed !== null && digestOfEmptied(this.#emptiedBefore) !== closed.emptied)
      this.#findings.add("entry-emptied", "other runs of an older version are empty than when their chain was closed", {
        row: "register 1",
      });
  }

  /** How far a run is emptied must be what the register says. */
  #whyEmptied({ run, emptied }: AuditedRun, isOlder: boolean): string | null {
    const { pruned } = this.#register.runOf(run);
    if (isOlder) this.#emptiedBefore.push({ run, emptied: pruned?.from ?? emptied });
    if (emptied === (pruned?.through ?? (isOlder ? emptied : 0))) return null;
    return `it is emptied up to entry ${emptied}, and the register says ${pruned === null ? "that it was not pruned" : `up to ${pruned.through}`}`;
  }
}

/** A chain without its end is valid in itself, but each run has the number of its entries. */
function whyShortened({ last, sequence }: AuditedRun): string | null {
  const entries = last?.sequence ?? 0;
  return sequence === entries ? null : `it should have ${entriesIn(sequence)}, but its last one is ${entries}`;
}

/** What is wrong with the row of a run; null when it matches its last entry. */
export function whyRunChanged(run: AuditedRun): string | null {
  const { last, sequence, emptied, mark } = run;
  if (mark !== null && mark !== runChecksum(run)) return "its name, workflow, brief or start was changed";
  const why = whyShortened(run);
  if (why !== null) return why;
  if (emptied < 0 || emptied > sequence) return "the record of how far it was pruned was changed";
  if (run.dueAt !== dueAt(run))
    return "it has inbox messages or effects waiting and is not due, or is due and has none";
  if (last === null) return whyNotNew(run);
  if (last.seal === null || last.seal === runDigestOf(run)) return null;
  return "its status, summary, times or effects do not match the digest in its last entry";
}

function dueAt({ effects, hasLetters, wakeAt }: AuditedRun): number | null {
  return effects.length > 0 || hasLetters ? 0 : wakeAt;
}

function whyNotNew({ status, finished, summary, updatedAt, createdAt, wakeAt, effects }: AuditedRun): string | null {
  const isNew = status === "running" && !finished && summary === "{}" && wakeAt === null;
  const isUntouched = isNew && updatedAt === createdAt && effects.length === 0;
  return isUntouched ? null : "it has no entries, but its row is not that of a new run";
}
