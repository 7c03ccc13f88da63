import type { FileTouch, KnowledgeStore, KnowledgeTotals, KnownTask } from "../../ports/knowledge-store.ts";
import { markGroups } from "../knowledge/rank-facts.ts";
import { knownTaskOf, knowledgeTotalsOf, touchOf } from "../knowledge/task-rows.ts";
import { bytesOf, integerOf, type Row, textColumn } from "../sqlite/rows.ts";
import { findFactsSql } from "./find-facts.ts";
import type { KnowledgeDatabase } from "./knowledge-database.ts";
import { numbersOf } from "../knowledge/stored-fact.ts";
import { tokenStatistics } from "./look-up-tokens.ts";
import { keyOf } from "./tables.ts";

type TaskQuery = Parameters<KnowledgeStore["tasks"]>[0];
type FileQuery = Parameters<KnowledgeStore["files"]>[0];

export function listSql(t: string) {
  const touches = `SELECT t.*, l.run, l.task, l.agent, l.at FROM ${t}touches t JOIN ${t}lessons l ON l.number = t.lesson`;
  return {
    tasks: `SELECT * FROM ${t}tasks ORDER BY at DESC, run COLLATE "C", id COLLATE "C" LIMIT $1`,
    tasksOfRun: `SELECT * FROM ${t}tasks WHERE run_key = $2 ORDER BY at DESC, id COLLATE "C" LIMIT $1`,
    tasksByKey: `SELECT * FROM ${t}tasks WHERE key = ANY($1::bytea[])`,
    needs: `SELECT task_key, needs FROM ${t}dependencies WHERE task_key = ANY($1::bytea[]) ORDER BY task_key, ordinal`,
    tasksOfFacts: `SELECT k.at, s.run, s.task FROM unnest($1::bigint[]) WITH ORDINALITY k (fact, at)
      CROSS JOIN LATERAL (SELECT l.run, l.task, min(w.ordinal) AS ordinal FROM ${t}witnesses w
        JOIN ${t}lessons l ON l.number = w.lesson WHERE w.fact = k.fact
        GROUP BY l.run, l.task ORDER BY ordinal LIMIT $2) s
      ORDER BY k.at, s.ordinal`,
    touches: `${touches} ORDER BY t.lesson DESC, t.ordinal LIMIT $1`,
    touchesOfRun: `${touches} WHERE l.run_key = $2 ORDER BY l.number DESC, t.ordinal LIMIT $1`,
    touchesOfTask: `${touches} WHERE l.task_key = $2 ORDER BY l.number DESC, t.ordinal LIMIT $1`,
    touchesOfTaskName: `${touches} WHERE l.task_name_key = $2 ORDER BY l.number DESC, t.ordinal LIMIT $1`,
    countFacts: `SELECT kind, count(*) AS count FROM ${t}facts WHERE status <> 'retired' GROUP BY kind`,
    countOthers: `SELECT (SELECT count(*) FROM ${t}tasks) AS tasks,
      (SELECT count(*) FROM (SELECT DISTINCT path_key FROM ${t}touches) p) AS files`,
  };
}

export async function listPostgresTasks(database: KnowledgeDatabase, query: TaskQuery): Promise<KnownTask[]> {
  const { tag, kind, run, max } = query;
  if (tag !== undefined || kind !== undefined) return tasksThatSaid(database, query);
  const { queries, prefix } = database;
  const sql = listSql(prefix);
  const rows = await (run === undefined
    ? queries.all(sql.tasks, [max])
    : queries.all(sql.tasksOfRun, [max, keyOf(run)]));
  return withNeeds(database, rows);
}

/** Reads facts from the newest to the oldest until there are enough tasks. */
async function tasksThatSaid(database: KnowledgeDatabase, query: TaskQuery): Promise<KnownTask[]> {
  const { queries, prefix } = database;
  const names = new Map<string, Buffer>();
  for await (const numbers of pagesOfFacts(database, query)) {
    for (const row of await queries.all(listSql(prefix).tasksOfFacts, [numbers, query.max])) {
      const [run, task] = [textColumn(row, "run"), textColumn(row, "task")];
      if (query.run === undefined || query.run === run) names.set(JSON.stringify([run, task]), keyOf(run, task));
    }
    if (names.size >= query.max) break;
  }
  const keys = [...names.values()].slice(0, query.max);
  const rows = await queries.all(listSql(prefix).tasksByKey, [keys]);
  const byKey = new Map(rows.map((row) => [hexOf(row, "key"), [row]]));
  return withNeeds(
    database,
    keys.flatMap((key): Row[] => byKey.get(key.toString("hex")) ?? []),
  );
}

/** One task may have stated many facts, so facts are read in large pages. */
const FACTS_AT_ONCE = 1_000;

async function* pagesOfFacts(database: KnowledgeDatabase, query: TaskQuery): AsyncGenerator<number[]> {
  const { tag, kind, run } = query;
  const groups = markGroups({
    ...(tag === undefined ? {} : { tags: [tag] }),
    ...(kind === undefined ? {} : { kinds: [kind] }),
  });
  const near = run === undefined ? {} : { run };
  const statistics = await tokenStatistics(database, groups.flat());
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const { sql, values } = findFactsSql(
      database.prefix,
      [{ groups, near, before, columns: "named", max: FACTS_AT_ONCE }],
      statistics,
    );
    const numbers = numbersOf(await database.queries.all(sql, values)).sort((left, right) => right - left);
    if (numbers.length > 0) yield numbers;
    if (numbers.length < FACTS_AT_ONCE) return;
    before = numbers.at(-1) ?? 0;
  }
}

async function withNeeds({ queries, prefix }: KnowledgeDatabase, rows: readonly Row[]): Promise<KnownTask[]> {
  if (rows.length === 0) return [];
  const keys = rows.map((row) => bytesOf(row, "key"));
  const needs = new Map<string, string[]>();
  for (const row of await queries.all(listSql(prefix).needs, [keys])) {
    const task = hexOf(row, "task_key");
    needs.set(task, [...(needs.get(task) ?? []), textColumn(row, "needs")]);
  }
  return rows.map((row) => knownTaskOf(row, needs.get(hexOf(row, "key")) ?? []));
}

function hexOf(row: Row, column: string): string {
  return bytesOf(row, column).toString("hex");
}

export async function listPostgresFiles(
  { queries, prefix }: KnowledgeDatabase,
  { run, task, max }: FileQuery,
): Promise<FileTouch[]> {
  const sql = listSql(prefix);
  const find = (): Promise<Row[]> => {
    if (task !== undefined && run !== undefined) return queries.all(sql.touchesOfTask, [max, keyOf(run, task)]);
    if (task !== undefined) return queries.all(sql.touchesOfTaskName, [max, keyOf(task)]);
    return run === undefined ? queries.all(sql.touches, [max]) : queries.all(sql.touchesOfRun, [max, keyOf(run)]);
  };
  return (await find()).map(touchOf);
}

export async function countAllPostgres({ queries, prefix }: KnowledgeDatabase): Promise<KnowledgeTotals> {
  const sql = listSql(prefix);
  const kinds = new Map((await queries.all(sql.countFacts)).map((row) => [row["kind"], integerOf(row, "count")]));
  const [others = {}] = await queries.all(sql.countOthers);
  return knowledgeTotalsOf((kind) => kinds.get(kind) ?? 0, {
    tasks: integerOf(others, "tasks"),
    files: integerOf(others, "files"),
  });
}
