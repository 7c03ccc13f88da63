import type { RegisterRow } from "../ports/log-snapshot.ts";
import type { FindingCollector } from "./findings.ts";
import {
  type ClosedChain,
  EMPTY_REGISTER,
  hashInRegister,
  readRegisterEntry,
  type RegisterEntry,
  type RegisterHead,
  type RunHead,
} from "./register.ts";

/** What the register tells of one run. */
interface RegisteredRun {
  /** The hash that its chain begins with, and the checksum of what it was created with; null for runs that are older. */
  readonly created: { readonly hash: string; readonly mark: string } | null;
  /** Its last end; null when it has not ended. */
  readonly end: RunHead | null;
  /** What was emptied when it was first pruned, and how far it is emptied now; null when it was not pruned. */
  readonly pruned: { readonly from: number; readonly through: number } | null;
}

const UNKNOWN: RegisteredRun = { created: null, end: null, pruned: null };

/** Verifies the register entry by entry, and collects what it tells. After a finding it goes on from the entry as it is. */
export class RegisterWalk {
  head: RegisterHead = EMPTY_REGISTER;
  entries = 0;
  closed: (ClosedChain & { readonly registerHash: string }) | null = null;
  readonly ends: RunHead[] = [];
  /** Runs in the order in which they were created. */
  readonly created: string[] = [];
  /** What was pruned, by the number of the entry that tells it. */
  readonly prunings: { readonly number: number; readonly runs: readonly string[] }[] = [];
  readonly #runs = new Map<string, RegisteredRun>();
  readonly #findings: FindingCollector;

  constructor(findings: FindingCollector) {
    this.#findings = findings;
  }

  runOf(run: string): RegisteredRun {
    return this.#runs.get(run) ?? UNKNOWN;
  }

  take({ number, body, hash }: RegisterRow): void {
    this.entries++;
    const expected = this.head.number + 1;
    const row = `register ${number}`;
    if (number !== expected)
      this.#findings.add("register-missing", `entry ${expected} of the register is missing`, { row });
    else if (hashInRegister(this.head.hash, number, body) !== hash)
      this.#findings.add("register-changed", "the entry, its hash or the hash of the entry before was changed", {
        row,
      });
    const entry = readRegisterEntry(body);
    const why = entry === null ? "the entry is not as it was written" : this.#keep(entry, number, hash);
    if (why !== null) this.#findings.add("register-changed", why, { row });
    this.head = { number, hash };
  }

  /** What is wrong with it; null when it fits what the register has told before. */
  #keep(entry: RegisterEntry, number: number, hash: string): string | null {
    switch (entry.kind) {
      case "created":
        return this.#create(entry.run, entry.mark, hash);
      case "ended": {
        const known = this.runOf(entry.run);
        if (known === UNKNOWN && this.closed === null) return `run ${entry.run} ended and was never created`;
        this.ends.push(entry);
        this.#runs.set(entry.run, { ...known, end: entry });
        return null;
      }
      case "pruned":
        this.prunings.push({ number, runs: entry.runs.map(({ run }) => run) });
        return entry.runs.map((each) => this.#prune(each)).find((why) => why !== null) ?? null;
      case "closed":
        if (number !== 1) return "the chain of an older version is closed, and not at the beginning";
        this.closed = { ...entry, registerHash: hash };
        return null;
    }
  }

  #create(run: string, mark: string, hash: string): string | null {
    if (this.#runs.has(run)) return `run ${run} was created before`;
    this.#runs.set(run, { ...UNKNOWN, created: { hash, mark } });
    this.created.push(run);
    return null;
  }

  #prune({ run, from, through }: { readonly run: string; readonly from: number; readonly through: number }) {
    const known = this.runOf(run);
    const before = known.pruned ?? { from, through: from };
    this.#runs.set(run, { ...known, pruned: { from: before.from, through } });
    const isNext = before.through === from && through > from && (known.created === null || before.from === 0);
    return isNext ? null : `what was pruned of run ${run} does not continue what was pruned before`;
  }
}
