import type { LockedRun, StoreTransaction } from "../../ports/shared-log.ts";
import type { RegisterHead } from "../../audit/register.ts";
import { noSuchRun } from "../refusals.ts";
import { readBrief } from "./brief-text.ts";
import type { PostgresRow, Queries, Values } from "./connection.ts";
import { auditedEffectOf, flagOf, hashOf, numberOf, orNull, textIn } from "./log-rows.ts";
import type { GroupRun, GroupState, WriteJob } from "./write-group.ts";

/** Locks the runs of these jobs, in the order of their ids, and reads what they have open. */
export async function lockRuns(
  queries: Queries,
  schema: string,
  jobs: readonly WriteJob[],
  mayBeStored: (run: string) => boolean,
): Promise<GroupState> {
  const ids = [...new Set(jobs.flatMap(runsOf))];
  const state: GroupState = {
    runs: new Map(),
    now: 0,
    lastRun: 0,
    letterNumbers: [],
    existing: new Set(),
    mayBeStored,
  };
  if (ids.length === 0) return state;
  const rows = await queries.all(
    `SELECT number, run, name, workflow, brief, status, finished, created_at, updated_at, sequence, wake_at, due_at,
        fence, worker, leased_until, ${headIn(schema)} AS head, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
      FROM ${schema}.runs WHERE run = ANY($1) ORDER BY run FOR UPDATE`,
    [ids],
  );
  const locked = { ...state, now: rows[0] === undefined ? 0 : numberOf(rows[0], "now") };
  for (const row of rows) locked.runs.set(textIn(row, "run"), lockedRunOf(row));
  await readOpen(queries, schema, locked, jobs);
  return locked;
}

/** A run that has entries in the one chain of older versions only continues from the entry that closed it. */
function headIn(schema: string): string {
  return `coalesce(head, (SELECT hash FROM ${schema}.register WHERE number = 1))`;
}

/** Runs that another process has created while this transaction waited for the register. */
export async function noteExisting(
  queries: Queries,
  schema: string,
  state: GroupState,
  jobs: readonly WriteJob[],
): Promise<void> {
  const ids = jobs.flatMap((job) => (job.kind === "create" ? [job.run.run] : []));
  const rows = await queries.all(`SELECT run FROM ${schema}.runs WHERE run = ANY($1)`, [ids]);
  for (const row of rows) state.existing.add(textIn(row, "run"));
}

function runsOf(job: WriteJob): readonly string[] {
  switch (job.kind) {
    case "create":
      return [job.run.run];
    case "commit":
      return [job.commit.run];
    case "post":
      return [job.message.run];
    case "claim":
      return [job.run];
    case "renew":
      return job.leases.map(({ run }) => run);
    case "release":
      return [job.lease.run];
    case "text":
    case "workflow":
      return [];
  }
}

function lockedRunOf(row: PostgresRow): GroupRun {
  return {
    number: numberOf(row, "number"),
    run: textIn(row, "run"),
    name: textIn(row, "name"),
    workflow: textIn(row, "workflow"),
    brief: readBrief(textIn(row, "brief")),
    createdAt: numberOf(row, "created_at"),
    status: textIn(row, "status"),
    finished: flagOf(row, "finished"),
    updatedAt: numberOf(row, "updated_at"),
    sequence: numberOf(row, "sequence"),
    wakeAt: orNull(numberOf, row, "wake_at"),
    dueAt: orNull(numberOf, row, "due_at"),
    fence: numberOf(row, "fence"),
    worker: orNull(textIn, row, "worker"),
    leasedUntil: orNull(numberOf, row, "leased_until"),
    summary: null,
    head: hashOf(row, "head"),
    effects: [],
    waiting: new Map(),
    posted: new Set(),
    lastData: null,
    isChanged: false,
  };
}

/**
 * Effects and inbox messages of the runs that are committed or posted to. Read by a statement of its own: one that waits
 * for a lock still sees what was there before the wait.
 */
async function readOpen(queries: Queries, schema: string, state: GroupState, jobs: readonly WriteJob[]): Promise<void> {
  const byNumber = new Map([...state.runs.values()].map((run) => [run.number, run]));
  const opened = jobs.filter(({ kind }) => kind === "commit" || kind === "post").flatMap(runsOf);
  if (opened.length === 0) return;
  const numbers = [...new Set(opened)].flatMap((run) => state.runs.get(run)?.number ?? []);
  const posts = jobs.flatMap((job) => (job.kind === "post" ? [job.message] : []));
  const doubtful = [...new Set(opened)].filter((run) => state.mayBeStored(run));
  const rows = await queries.all(
    `SELECT 'effect' AS what, run, number, key, kind, data, NULL::bytea AS data_hash
        FROM ${schema}.effects WHERE run = ANY($1::bigint[])
      UNION ALL SELECT 'waiting', run, number, id, NULL, NULL, NULL
        FROM ${schema}.letters WHERE run = ANY($1::bigint[]) AND input IS NOT NULL
      UNION ALL SELECT 'posted', l.run, l.number, l.id, NULL, NULL, NULL
        FROM unnest($2::bigint[], $3::text[]) AS p (run, id) JOIN ${schema}.letters l ON l.run = p.run AND l.id = p.id
      UNION ALL SELECT 'last', r.number, e.position, NULL, NULL, NULL, e.data_hash
        FROM ${schema}.runs r JOIN ${schema}.entries e ON e.run = r.number AND e.sequence = r.sequence
        WHERE r.run = ANY($4::text[])
      UNION ALL SELECT 'free', 0, nextval('${schema}.letter_numbers'), NULL, NULL, NULL, NULL
        FROM generate_series(1, $5::integer)
      ORDER BY number`,
    [
      numbers,
      posts.map(({ run }) => state.runs.get(run)?.number ?? 0),
      posts.map(({ id }) => id),
      doubtful,
      posts.length,
    ],
  );
  for (const row of rows) takeOpen(state, byNumber.get(numberOf(row, "run")), row);
}

function takeOpen(state: GroupState, run: GroupRun | undefined, row: PostgresRow): void {
  const number = numberOf(row, "number");
  switch (row["what"]) {
    case "effect":
      run?.effects.push(auditedEffectOf(row));
      break;
    case "waiting":
      run?.waiting.set(textIn(row, "key"), number);
      break;
    case "posted":
      run?.posted.add(textIn(row, "key"));
      break;
    case "last":
      if (run !== undefined) state.runs.set(run.run, Object.assign(run, { lastData: row["data_hash"] }));
      break;
    default:
      state.letterNumbers.push(number);
  }
}

/** The same transaction, as an engine takes it. */
export function transactionOf(queries: Queries): StoreTransaction {
  return { executeSql: async (text, values = []) => ({ rows: await queries.all(text, values as Values) }) };
}

/** One run, locked by itself, for an engine that starts and ends its jobs. */
export async function lockOneRun<T>(
  queries: Queries,
  schema: string,
  id: string,
  work: (locked: LockedRun, transaction: StoreTransaction) => Promise<T>,
): Promise<T> {
  const probe: WriteJob = { kind: "release", lease: { run: id, worker: "", fence: 0, until: 0 } };
  const state = await lockRuns(queries, schema, [probe], () => false);
  const row = state.runs.get(id);
  if (row === undefined) throw noSuchRun(id);
  const done = await work(engineRunOf(row, state.now), transactionOf(queries));
  if (row.isChanged)
    await queries.change(`UPDATE ${schema}.runs SET fence = $2, worker = $3, leased_until = $4 WHERE number = $1`, [
      row.number,
      row.fence,
      row.worker,
      row.leasedUntil,
    ]);
  return done;
}

/** `due_at` is 0 while it has messages or effects. */
function engineRunOf(row: GroupRun, now: number): LockedRun {
  const { run, fence, finished, dueAt, wakeAt } = row;
  return {
    run,
    fence,
    finished,
    hasWork: dueAt === 0,
    wakeAt,
    now,
    claim(worker, until) {
      Object.assign(row, { fence: fence + 1, worker, leasedUntil: until, isChanged: true });
      return { run, worker, fence: fence + 1, until };
    },
    release() {
      Object.assign(row, { worker: null, leasedUntil: null, isChanged: true });
    },
  };
}

export interface LockedRegister {
  readonly head: RegisterHead;
  readonly runs: number;
}

export async function lockRegister(queries: Queries, schema: string): Promise<LockedRegister> {
  const [row = {}] = await queries.all(
    `SELECT runs, register_number, register_hash FROM ${schema}.ledger WHERE one = 1 FOR UPDATE`,
  );
  const head = { number: numberOf(row, "register_number"), hash: hashOf(row, "register_hash") };
  return { head, runs: numberOf(row, "runs") };
}
