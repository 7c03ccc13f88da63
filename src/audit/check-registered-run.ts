import type { AuditedRun } from "../ports/log-snapshot.ts";
import type { CheckpointBody } from "./checkpoint.ts";
import type { FindingCollector } from "./findings.ts";
import { runChecksum } from "./hash-chain.ts";
import type { RunHead } from "./register.ts";
import type { ChainWalk } from "./walk-log.ts";
import type { RegisterWalk } from "./walk-register.ts";

type RegisteredRow = Pick<
  AuditedRun,
  "run" | "name" | "workflow" | "brief" | "createdAt" | "finished" | "sequence" | "head"
>;

/** What is wrong with the row of a run by the register and the chain of the run; null when they agree. */
export function whyNotRegistered(row: RegisteredRow, register: RegisterWalk, chain: ChainWalk): string | null {
  const { created, end } = register.runOf(row.run);
  const head = chain.headOf(row.run) ?? created?.hash ?? null;
  if (created !== null && created.mark !== runChecksum(row))
    return "its name, workflow, brief or start is not that of the run in the register";
  if (row.head !== head) return "its head is not the hash of its last entry";
  return whyNotEnded(row, head ?? closedHash(register), end, head === null);
}

/** A run that ended before there was a register has no end in it. */
function whyNotEnded(row: RegisteredRow, head: string | null, end: RunHead | null, isOlder: boolean): string | null {
  if (end?.sequence === row.sequence && end.hash === head)
    return row.finished ? null : "it goes on, but the register says that it is over";
  return row.finished && !(isOlder && end === null) ? "it is over, but not where the register says" : null;
}

function closedHash({ closed }: RegisterWalk): string | null {
  return closed?.registerHash ?? null;
}

/** Called before entries are walked: each end in the register, and the end of the chain of older versions. */
export function expectRegistered(
  register: RegisterWalk,
  chain: ChainWalk,
  findings: FindingCollector,
  onlyRun: string | null = null,
): void {
  const { closed } = register;
  if (closed !== null) {
    const row = "register 1";
    const { position } = closed;
    const missed = (): void =>
      findings.add("wrong-head", `the entries up to ${position}, where the chain was closed, were rewritten`, {
        row,
        position,
      });
    if (position > 0) chain.expectAt(position, { hash: closed.hash, met: () => undefined, missed });
  }
  for (const end of register.ends) if ((onlyRun ?? end.run) === end.run) expectEnd(end, register, chain, findings);
}

/** A run that ended before it had an entry in its own chain ended where that begins. */
function expectEnd(end: RunHead, register: RegisterWalk, chain: ChainWalk, findings: FindingCollector): void {
  const { run, sequence, hash } = end;
  if (hash === (register.runOf(run).created?.hash ?? closedHash(register))) return;
  const missed = (found: object | null): void =>
    findings.add(
      found === null ? "entry-missing" : "wrong-head",
      `the register says that the run ended with entry ${sequence}, which is ${found === null ? "missing" : "another one"}`,
      { run, sequence },
    );
  chain.expectOf(run, sequence, { hash, met: () => undefined, missed });
}

/** Only a checkpoint may say that something was pruned. */
export function noteUnconfirmedPruning(
  { prunings }: RegisterWalk,
  confirmed: CheckpointBody,
  findings: FindingCollector,
): void {
  const covered = confirmed.version === 2 ? confirmed.register.number : 0;
  for (const { number, runs } of prunings.filter((each) => each.number > covered))
    findings.add("pruned-unsigned", `no checkpoint confirms that it was pruned${namesOf(runs)}`, {
      row: `register ${number}`,
    });
}

const MAX_NAMED = 10;

export function namesOf(runs: readonly string[]): string {
  const more = runs.length > MAX_NAMED ? ` and ${runs.length - MAX_NAMED} more` : "";
  return runs.length === 0 ? "" : ` (of ${runs.slice(0, MAX_NAMED).join(", ")}${more})`;
}
