import { verifySnapshot } from "../../audit/verify-snapshot.ts";
import type { Trust } from "../../audit/compose-report.ts";
import type { KnowledgeHead } from "../../ports/knowledge-store.ts";
import { AppError } from "../../shared/app-error.ts";
import type { AuditReport } from "../../views/audit-report.ts";
import type { LogHold } from "../held-log.ts";
import type { AuditedState, LogInspection, MovedRows, MoveEnd, MoveSource, MoveTarget } from "./move-ends.ts";
import {
  MOVED_KNOWLEDGE,
  movedKeyOf,
  MOVED_LOG,
  type MovedKey,
  type MovedRow,
  type MovedTable,
  RowSum,
  type TableSum,
} from "./moved-tables.ts";

export interface MoveOptions {
  readonly from: MoveEnd;
  readonly to: MoveEnd;
  /** A new id for the move. */
  readonly move: string;
  readonly at: number;
  /** What audits of this log compare with. */
  readonly trust: (log: string) => Trust & { readonly knowledge?: KnowledgeHead | null };
  /** Told of each part that begins. */
  readonly progress?: (what: string) => void;
}

export type MoveOutcome =
  /** Everything was copied and compared. */
  | { readonly kind: "moved"; readonly log: string; readonly tables: readonly MovedSum[]; readonly audit: AuditReport }
  /** A move that was interrupted at its very end was ended. */
  | { readonly kind: "finished"; readonly log: string }
  /** It is there since an earlier move. */
  | { readonly kind: "there"; readonly log: string };

type MovedSum = TableSum & { readonly table: string };

/**
 * Takes a log from one store to the other. The source is locked, copied, and the copy compared with it while it is held;
 * then the source says that it was moved, in one transaction. That is the moment: before it the source is the state,
 * after it the target. Repeating it ends what was interrupted.
 */
export async function moveLog(options: MoveOptions): Promise<MoveOutcome> {
  const { from, to } = options;
  const source = await from.inspect();
  if (source === null)
    throw new AppError(
      "no-match",
      `There is no log in ${from.place} that could be moved.`,
      "`baton status --where` tells where the state is.",
    );
  if (source.hold !== null) return endMove(options, source, source.hold, await to.inspect());
  refuseTarget(source, await to.inspect(), options);
  const opened = await from.openSource();
  try {
    // Another process may have moved it while this one waited for the lock.
    refuseTarget(source, await to.inspect(), options);
    const outcome = await copyLog(options, source.log, opened);
    await to.open(options.move);
    return outcome;
  } finally {
    await opened.close();
  }
}

async function copyLog(options: MoveOptions, log: string, source: MoveSource): Promise<MoveOutcome> {
  const { from, to, move, at, progress = () => undefined } = options;
  const trust = options.trust(log);
  progress("the log is audited");
  const before = await auditOf(source, trust);
  if (before.verdict === "broken") throw refusedAudit(from.place, before);
  const target = await to.openTarget();
  try {
    const copied = new Map<MovedTable, TableSum>();
    for (const table of [...MOVED_LOG, ...MOVED_KNOWLEDGE]) {
      progress(`${table.name} are copied`);
      copied.set(table, await copyTable(source, target, table));
    }
    await target.keep({ why: "arriving", move, place: from.place, at });
    for (const [table, sum] of copied) {
      progress(`${table.name} are compared`);
      await compareTable(target, table, sum, to.place);
    }
    progress("the copy is audited");
    const audit = await auditOf(target, trust);
    refuseOtherAudit(before, audit, to.place);
    await source.leave({ why: "moved", move, place: to.place, at });
    return { kind: "moved", log, tables: [...copied].map(([{ name }, sum]) => ({ table: name, ...sum })), audit };
  } finally {
    await target.close();
  }
}

async function copyTable(source: MoveSource, target: MoveTarget, table: MovedTable): Promise<TableSum> {
  const sum = new RowSum();
  for await (const page of pagesOf(source, table)) {
    sum.take(page);
    await target.write(table, page);
  }
  return sum.sum;
}

async function compareTable(target: MoveTarget, table: MovedTable, copied: TableSum, place: string): Promise<void> {
  const sum = new RowSum();
  for await (const page of pagesOf(target, table)) sum.take(page);
  const { rows, hash } = sum.sum;
  if (rows !== copied.rows) throw differs(`${place} has ${rows} of the ${copied.rows} rows of ${table.name}.`);
  if (hash !== copied.hash) throw differs(`${place} has other rows of ${table.name}.`);
}

async function* pagesOf(rows: MovedRows, table: MovedTable): AsyncGenerator<readonly MovedRow[], void, undefined> {
  for (let after: MovedKey | null = null; ;) {
    const page: readonly MovedRow[] = await rows.read(table, after);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = movedKeyOf(table, last);
  }
}

async function auditOf(end: AuditedState, trust: ReturnType<MoveOptions["trust"]>): Promise<AuditReport> {
  const keys = trust.keys.map(({ publicKey }) => publicKey);
  const knowledge = await end.checkKnowledge(keys, trust.knowledge ?? null);
  const snapshot = await end.snapshot();
  try {
    return await verifySnapshot(snapshot, trust, { knowledge });
  } finally {
    await snapshot.close();
  }
}

function differs(message: string): AppError {
  return new AppError("damaged-state", message, "Nothing was moved, and the state is where it was.");
}

function refusedAudit(place: string, { findings: [first] }: AuditReport): AppError {
  const what = first === undefined ? "" : ` (${first.code}: ${first.message})`;
  const hint = "Nothing was moved. `baton audit verify` tells all that is wrong with the state.";
  return new AppError("damaged-state", `The log in ${place} is not what was written${what}.`, hint);
}

/** The copy has to be as whole as the source, and to be proven as far. */
function refuseOtherAudit(before: AuditReport, after: AuditReport, place: string): void {
  const said = ({ verdict, head, proven, pruned, findings }: AuditReport): string =>
    JSON.stringify([verdict, head, proven, pruned, findings]);
  if (said(before) !== said(after)) throw refusedAudit(place, after);
}

const NOTHING_MOVED =
  "Nothing was moved. Set BATON_STORE to an empty database, or ask for another schema: ?schema=NAME.";

function refuseTarget({ log }: LogInspection, target: LogInspection | null, { from, to }: MoveOptions): void {
  if (target === null || (target.isEmpty && target.hold === null)) return;
  if (target.log !== log)
    throw new AppError("conflict", `${to.place} has another log already, ${target.log}.`, NOTHING_MOVED);
  if (target.hold === null)
    throw new AppError("conflict", `${from.place} and ${to.place} both have this log, and both use it.`, NOTHING_MOVED);
}

/** The source was left before: by a move of which only the end is missing, or by one that has ended. */
async function endMove(
  { from, to }: MoveOptions,
  { log }: LogInspection,
  hold: LogHold,
  target: LogInspection | null,
): Promise<MoveOutcome> {
  if (hold.why === "arriving")
    throw new AppError(
      "conflict",
      `The move of the state from ${hold.place} to ${from.place} has not ended.`,
      "Say that move again first: it ends what was interrupted.",
    );
  if (target?.log === log && target.hold === null) return { kind: "there", log };
  if (target?.log !== log || target.hold?.why !== "arriving" || target.hold.move !== hold.move)
    throw new AppError(
      "conflict",
      `The state was moved to ${hold.place}, and what is in ${to.place} is not it.`,
      "Name the database that it was moved to.",
    );
  await to.open(hold.move);
  return { kind: "finished", log };
}
