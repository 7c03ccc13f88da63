import type { RunCounts, RunSearch } from "../../ports/event-log.ts";
import type { Queries, PostgresRow } from "./connection.ts";
import { numberOf, orNull, textIn } from "./log-rows.ts";
import { folded, searchPartsOf } from "./search-parts.ts";
import { splitSearch } from "../run-search.ts";

const EVER = Number.MAX_SAFE_INTEGER;
/** If more runs contain a text, only the newest of them are counted. */
const MAX_COUNTED = 5_000;

type Filter = Omit<RunSearch, "statusFilters" | "before" | "limit">;

/** Values of a statement, each written as the next `$n`. */
class Bound {
  readonly values: (string | number | readonly string[])[] = [];

  add(value: string | number | readonly string[]): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** Newest first, beginning after the last run of the previous page. */
export async function findRunRows(queries: Queries, schema: string, search: RunSearch): Promise<PostgresRow[]> {
  const from = await placeOf(queries, schema, search.before);
  if (from === null) return [];
  const bound = new Bound();
  const after = `(r.created_at, r.number) < (${bound.add(from.createdAt)}::bigint, ${bound.add(from.number)}::bigint)`;
  const matches = conditionsOf(bound, schema, search);
  const limit = bound.add(search.limit);
  // Each status is read from its index in the order of the page.
  const lists = search.statusFilters.map(({ status, updatedFrom, updatedBefore }) => {
    const conditions = [
      `r.status = ${bound.add(status)}`,
      ...(updatedFrom === undefined ? [] : [`r.updated_at >= ${bound.add(updatedFrom)}::bigint`]),
      ...(updatedBefore === undefined ? [] : [`r.updated_at < ${bound.add(updatedBefore)}::bigint`]),
      after,
      ...matches,
    ];
    return `(SELECT r.* FROM ${schema}.runs r WHERE ${conditions.join(" AND ")}
      ORDER BY r.created_at DESC, r.number DESC LIMIT ${limit})`;
  });
  return queries.all(
    `SELECT * FROM (${lists.join(" UNION ALL ")}) AS found ORDER BY created_at DESC, number DESC LIMIT ${limit}`,
    bound.values,
  );
}

interface Place {
  readonly createdAt: number;
  readonly number: number;
}

/** Null for a run that does not exist: then the page is empty. */
async function placeOf(queries: Queries, schema: string, before: string | undefined): Promise<Place | null> {
  if (before === undefined) return { createdAt: EVER, number: EVER };
  const [row] = await queries.all(`SELECT created_at, number FROM ${schema}.runs WHERE run = $1`, [before]);
  return row === undefined ? null : { createdAt: numberOf(row, "created_at"), number: numberOf(row, "number") };
}

function conditionsOf(bound: Bound, schema: string, { name, since, until, text }: Filter): string[] {
  return [
    ...(name === undefined ? [] : [`r.name = ${bound.add(name)}`]),
    ...(since === undefined ? [] : [`r.created_at >= ${bound.add(since)}::bigint`]),
    ...(until === undefined ? [] : [`r.created_at < ${bound.add(until)}::bigint`]),
    ...(text === undefined ? [] : [textCondition(bound, schema, text)]),
  ];
}

/** Every word in any place; one that is too short for the index can only begin the id. */
function textCondition(bound: Bound, schema: string, text: string): string {
  const { words, begin } = splitSearch(text);
  if (words.length === 0) {
    const from = bound.add(begin);
    return `r.run >= ${from} AND r.run < ${bound.add(`${begin}\u{10ffff}`)}`;
  }
  const small = words.map(folded);
  const parts = bound.add(small.flatMap(searchPartsOf));
  const contained = small.map((word) => `strpos(t.text, ${bound.add(word)}) > 0`);
  return `r.number IN (SELECT t.number FROM ${schema}.run_texts t
    WHERE t.parts @> ${parts}::text[] AND ${contained.join(" AND ")} ORDER BY t.number DESC LIMIT ${MAX_COUNTED})`;
}

export async function countRunRows(
  queries: Queries,
  schema: string,
  search: Filter,
  stalledBefore: number,
): Promise<RunCounts> {
  const bound = new Bound();
  const stalled = `r.status = 'running' AND r.updated_at < ${bound.add(stalledBefore)}::bigint`;
  const conditions = conditionsOf(bound, schema, search);
  const rows = await queries.all(
    `SELECT r.status, count(*) AS runs, count(*) FILTER (WHERE ${stalled}) AS stalled FROM ${schema}.runs r
      ${conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`} GROUP BY r.status`,
    bound.values,
  );
  return {
    byStatus: Object.fromEntries(rows.map((row) => [textIn(row, "status"), numberOf(row, "runs")])),
    stalled: rows.reduce((sum, row) => sum + numberOf(row, "stalled"), 0),
  };
}

/** Steps from one name to the next in the index: there are few names and many runs. */
export async function listNames(queries: Queries, schema: string): Promise<string[]> {
  const rows = await queries.all(
    `WITH RECURSIVE names AS (
        SELECT min(name) AS name FROM ${schema}.runs
        UNION ALL SELECT (SELECT min(r.name) FROM ${schema}.runs r WHERE r.name > names.name)
          FROM names WHERE names.name IS NOT NULL
      ) SELECT name FROM names WHERE name IS NOT NULL`,
  );
  return rows.flatMap((row) => orNull(textIn, row, "name") ?? []);
}
