import { canonicalJson, hashOfEntry, hashOfText } from "../../audit/hash-chain.ts";
import { nextInRegister, type RegisterEntry } from "../../audit/register.ts";
import type { RegisterRow } from "../../ports/log-snapshot.ts";
import type { RunJobs } from "../../ports/shared-log.ts";
import { storedBrief } from "./brief-text.ts";
import type { Queries } from "./connection.ts";
import { type LockedRegister, lockRegister, lockRuns, noteExisting, transactionOf } from "./lock-runs.ts";
import { hashOf, numberOf } from "./log-rows.ts";
import { nextPositions } from "./log-tables.ts";
import { packText } from "../pack-text.ts";
import { bytesOfHash } from "../stored-hashes.ts";
import { searchPartsOf, searchTextOf } from "./search-parts.ts";
import {
  type JobAnswer,
  type CreatedRun,
  type GroupPlan,
  type GroupState,
  letterMark,
  type PlannedEntry,
  planGroup,
  type WriteJob,
} from "./write-group.ts";

/**
 * Stores the jobs in one transaction, with a number of statements that does not grow with them: lock the runs, read what
 * they have open, decide in memory, store. Runs are locked in the order of their ids, then the register, so that two
 * transactions never wait for each other.
 */
export async function storeGroup(
  queries: Queries,
  schema: string,
  jobs: readonly WriteJob[],
  mayBeStored: (run: string) => boolean,
  runJobs: RunJobs | null,
): Promise<JobAnswer[]> {
  const state = await lockRuns(queries, schema, jobs, mayBeStored);
  const creates = jobs.some(({ kind }) => kind === "create");
  // Created runs need a number before they are decided upon.
  let register = creates ? await lockRegister(queries, schema) : null;
  state.lastRun = register?.runs ?? 0;
  if (creates) await noteExisting(queries, schema, state, jobs);
  const { plan, answers } = planGroup(state, jobs);
  register ??= plan.chained.some((each) => "ended" in each) ? await lockRegister(queries, schema) : null;
  const added = await chain(queries, schema, plan, register);
  await storeRuns(queries, schema, plan, state);
  await storeEffects(queries, schema, plan);
  await storeLetters(queries, schema, plan);
  await storeTexts(queries, schema, plan);
  if (register !== null) await storeRegister(queries, schema, added, register.runs + plan.created.length);
  const woken = [...new Set(plan.posted.map(({ run }) => run.run))];
  if (runJobs !== null && woken.length > 0) await runJobs.send(woken, transactionOf(queries));
  return answers;
}

/** Inside a transaction, for what belongs to no group. */
export async function appendToRegister(queries: Queries, schema: string, entry: RegisterEntry): Promise<void> {
  const { head, runs } = await lockRegister(queries, schema);
  await storeRegister(queries, schema, [nextInRegister(head, entry)], runs);
}

/** Links entries to the chains of their runs, and creations and ends to the register, in the order of the jobs. */
async function chain(
  queries: Queries,
  schema: string,
  plan: GroupPlan,
  register: LockedRegister | null,
): Promise<readonly RegisterRow[]> {
  const added: RegisterRow[] = [];
  const append = (entry: RegisterEntry): string => {
    const next = nextInRegister(added.at(-1) ?? (register as LockedRegister).head, entry);
    added.push(next);
    return next.hash;
  };
  for (const { row, mark } of plan.created) row.head = append({ kind: "created", run: row.run, mark });
  const count = plan.chained.filter((each) => !("ended" in each)).length;
  const positions = count === 0 ? [] : await queries.all(nextPositions(schema), [count]);
  const stored: StoredEntryRow[] = [];
  for (const each of plan.chained) {
    if ("ended" in each) {
      const { run, sequence, head } = each.ended;
      append({ kind: "ended", run, sequence, hash: head });
    } else stored.push(chainEntry(each, numberOf(positions[stored.length] ?? {}, "position")));
  }
  if (stored.length > 0) await insertEntries(queries, schema, stored);
  return added;
}

interface StoredEntryRow {
  readonly entry: PlannedEntry;
  readonly position: number;
  readonly dataHash: string;
  readonly hash: string;
}

function chainEntry(entry: PlannedEntry, position: number): StoredEntryRow {
  const { run, sequence, at, kind, data, seal } = entry;
  const dataHash = hashOfText(data);
  const hash = hashOfEntry(run.head, { position, run: run.run, sequence, at, kind, dataHash, seal });
  run.head = hash;
  return { entry, position, dataHash, hash };
}

async function insertEntries(queries: Queries, schema: string, rows: readonly StoredEntryRow[]): Promise<void> {
  await queries.change(
    `INSERT INTO ${schema}.entries (position, run, sequence, at, kind, data, data_hash, hash, seal)
      SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bytea[],
        $8::bytea[], $9::bytea[])`,
    [
      rows.map(({ position }) => position),
      rows.map(({ entry }) => entry.run.number),
      rows.map(({ entry }) => entry.sequence),
      rows.map(({ entry }) => entry.at),
      rows.map(({ entry }) => entry.kind),
      rows.map(({ entry }) => entry.data),
      rows.map(({ dataHash }) => bytesOfHash(dataHash)),
      rows.map(({ hash }) => bytesOfHash(hash)),
      rows.map(({ entry }) => (entry.seal === null ? null : bytesOfHash(entry.seal))),
    ],
  );
}

async function storeRuns(queries: Queries, schema: string, plan: GroupPlan, state: GroupState): Promise<void> {
  if (plan.created.length > 0) await insertRuns(queries, schema, plan.created);
  const changed = [...state.runs.values()].filter(({ isChanged }) => isChanged);
  if (changed.length === 0) return;
  await queries.change(
    `UPDATE ${schema}.runs AS r SET status = c.status, finished = c.finished, updated_at = c.updated_at,
        sequence = c.sequence, wake_at = c.wake_at, due_at = c.due_at, fence = c.fence, worker = c.worker,
        leased_until = c.leased_until, summary = coalesce(c.summary, r.summary),
        head = CASE WHEN r.head IS NULL AND r.sequence = c.sequence THEN NULL ELSE c.head END,
        prunable_at = CASE WHEN c.finished AND r.emptied < c.sequence THEN c.updated_at END
      FROM unnest($1::bigint[], $2::text[], $3::boolean[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
        $8::bigint[], $9::text[], $10::bigint[], $11::text[], $12::bytea[])
        AS c (number, status, finished, updated_at, sequence, wake_at, due_at, fence, worker, leased_until, summary, head)
      WHERE r.number = c.number`,
    [
      changed.map(({ number }) => number),
      changed.map(({ status }) => status),
      changed.map(({ finished }) => finished),
      changed.map(({ updatedAt }) => updatedAt),
      changed.map(({ sequence }) => sequence),
      changed.map(({ wakeAt }) => wakeAt),
      changed.map(({ dueAt }) => dueAt),
      changed.map(({ fence }) => fence),
      changed.map(({ worker }) => worker),
      changed.map(({ leasedUntil }) => leasedUntil),
      changed.map(({ summary }) => summary),
      changed.map(({ head }) => bytesOfHash(head)),
    ],
  );
}

/** As they are created; what the same group has changed since is updated after it. */
async function insertRuns(queries: Queries, schema: string, created: readonly CreatedRun[]): Promise<void> {
  const rows = created.map(({ row }) => row);
  await queries.change(
    `INSERT INTO ${schema}.runs (number, run, name, workflow, brief, status, finished, created_at, updated_at, sequence,
        fence, worker, leased_until, summary, mark, head)
      SELECT number, run, name, workflow, brief, 'running', false, created_at, created_at, 0, 1, worker, leased_until,
        '{}', mark, head
      FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bigint[],
        $9::bytea[], $10::bytea[])
        AS c (number, run, name, workflow, brief, created_at, worker, leased_until, mark, head)`,
    [
      rows.map(({ number }) => number),
      rows.map(({ run }) => run),
      rows.map(({ name }) => name),
      rows.map(({ workflow }) => workflow),
      rows.map(({ brief }) => storedBrief(brief)),
      rows.map(({ createdAt }) => createdAt),
      rows.map(({ worker }) => worker),
      rows.map(({ leasedUntil }) => leasedUntil),
      created.map(({ mark }) => bytesOfHash(mark)),
      rows.map(({ head }) => bytesOfHash(head)),
    ],
  );
  for (const row of rows) {
    const text = searchTextOf(row);
    await queries.change(`INSERT INTO ${schema}.run_texts (number, text, parts) VALUES ($1, $2, $3)`, [
      row.number,
      text,
      searchPartsOf(text),
    ]);
  }
}

async function storeEffects(queries: Queries, schema: string, { settled, effects }: GroupPlan): Promise<void> {
  if (settled.length > 0)
    await queries.change(
      `DELETE FROM ${schema}.effects AS e USING unnest($1::bigint[], $2::text[]) AS s (run, key)
        WHERE e.run = s.run AND e.key = s.key`,
      [settled.map(({ run }) => run.number), settled.map(({ key }) => key)],
    );
  // An effect that a later commit of the same group has settled is not stored.
  const left = effects.filter(({ run, effect }) => run.effects.includes(effect));
  if (left.length === 0) return;
  await queries.change(
    `INSERT INTO ${schema}.effects (run, key, number, kind, data)
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[])`,
    [
      left.map(({ run }) => run.number),
      left.map(({ effect }) => effect.key),
      left.map(({ effect }) => effect.number),
      left.map(({ effect }) => effect.kind),
      left.map(({ effect }) => effect.data),
    ],
  );
}

async function storeLetters(queries: Queries, schema: string, { posted, taken }: GroupPlan): Promise<void> {
  if (posted.length > 0)
    await queries.change(
      `INSERT INTO ${schema}.letters (number, run, id, input, mark)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bytea[])`,
      [
        posted.map(({ number }) => number),
        posted.map(({ run }) => run.number),
        posted.map(({ message }) => message.id),
        posted.map(({ message }) => canonicalJson(message.input)),
        posted.map(({ run, message, number }) => bytesOfHash(letterMark(number, run.run, message.id, message.input))),
      ],
    );
  if (taken.length === 0) return;
  await queries.change(
    `UPDATE ${schema}.letters AS l SET input = NULL, mark = CASE WHEN l.mark IS NULL THEN NULL ELSE t.mark END
      FROM unnest($1::bigint[], $2::bytea[]) AS t (number, mark) WHERE l.number = t.number`,
    [
      taken.map(({ number }) => number),
      taken.map(({ run, id, number }) => bytesOfHash(letterMark(number, run.run, id, null))),
    ],
  );
}

/**
 * A text that is there already is locked against pruning until the entries that name it are stored; one that is pruned
 * meanwhile is stored again.
 */
async function storeTexts(queries: Queries, schema: string, { texts, workflows }: GroupPlan): Promise<void> {
  if (texts.size > 0) {
    const hashes = [...texts.keys()].map(bytesOfHash);
    const there = await queries.all(
      `SELECT hash FROM ${schema}.texts WHERE hash = ANY($1::bytea[]) ORDER BY hash FOR KEY SHARE`,
      [hashes],
    );
    const known = new Set(there.map((row) => hashOf(row, "hash")));
    const missing = [...texts].filter(([hash]) => !known.has(hash)).sort(([one], [other]) => (one < other ? -1 : 1));
    if (missing.length > 0)
      await queries.change(
        `INSERT INTO ${schema}.texts (hash, body) SELECT * FROM unnest($1::bytea[], $2::bytea[])
          ON CONFLICT (hash) DO NOTHING`,
        [missing.map(([hash]) => bytesOfHash(hash)), missing.map(([, text]) => packText(text))],
      );
  }
  for (const [hash, definition] of workflows)
    await queries.change(
      `INSERT INTO ${schema}.workflows (hash, definition) VALUES ($1, $2) ON CONFLICT (hash) DO NOTHING`,
      [hash, definition],
    );
}

async function storeRegister(
  queries: Queries,
  schema: string,
  added: readonly RegisterRow[],
  runs: number,
): Promise<void> {
  const last = added.at(-1);
  if (last === undefined) return;
  await queries.change(
    `INSERT INTO ${schema}.register (number, body, hash) SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[])`,
    [added.map(({ number }) => number), added.map(({ body }) => body), added.map(({ hash }) => bytesOfHash(hash))],
  );
  await queries.change(
    `UPDATE ${schema}.ledger SET runs = $1, register_number = $2, register_hash = $3 WHERE one = 1`,
    [runs, last.number, bytesOfHash(last.hash)],
  );
}
