import type { FactQuery } from "../../ports/knowledge-store.ts";
import type { Values } from "../postgres/connection.ts";
import type { Groups } from "../knowledge/rank-facts.ts";
import { type Bind, BoundValues } from "./knowledge-database.ts";
import { keyOf } from "./tables.ts";

/** The most facts of one run, task or file that are read. */
const MAX_OF_ONE = 50_000;
/** Every run may have a task of that name, so only its newest lessons are read. */
const MAX_LESSONS = 1_000;

/** How facts are found, the newest first. */
export interface WantedFacts {
  readonly groups: Groups;
  /** Facts with this token are left out. */
  readonly without?: string;
  /** Only those of a run, a task or a file. */
  readonly near?: Pick<FactQuery, "run" | "task" | "file">;
  /** Only facts with smaller numbers. */
  readonly before?: number;
  readonly columns: keyof typeof FOUND;
  readonly max: number;
}

/** How many facts have a token, and how many there are. */
export interface TokenStatistics {
  readonly facts: number;
  readonly counts: ReadonlyMap<string, number>;
}

const READ = "number, id, kind, status, learned_at, witnesses - repeats AS sources, helped, tokens";

/** What is given back of a fact that is found: enough to rank it, or only which one it is. */
const FOUND = {
  ranked: "number, id, kind, status, learned_at, sources, helped, tokens",
  named: "number, id",
} as const;

interface Question {
  readonly sql: string;
  readonly values: Values;
}

/** The facts that match one of several descriptions, each with `part`, the number of the description from 0. */
export function findFactsSql(t: string, wanted: readonly WantedFacts[], statistics: TokenStatistics): Question {
  const { values, bind } = new BoundValues();
  const parts = wanted.map(
    (one, part) => `(SELECT ${part} AS part, ${FOUND[one.columns]} FROM (${selectOf(t, one, statistics, bind)}) m)`,
  );
  return { sql: parts.join(" UNION ALL "), values };
}

/**
 * Where few facts match, they are found by the index of tokens and then sorted; where many do, the newest facts are
 * looked at until there are enough. The planner cannot tell, because it does not know how many have a token: OFFSET 0
 * keeps what stands inside of the parentheses apart.
 */
function selectOf(t: string, wanted: WantedFacts, statistics: TokenStatistics, bind: Bind): string {
  const { groups, without, near = {}, before, max } = wanted;
  const has = (tokens: readonly string[]): string => `string_to_array(tokens, ' ') && ${bind(tokens, "text[]")}`;
  const places = placesOf(t, near, bind);
  const conditions = [
    ...places.map((numbers) => `number = ANY(ARRAY(${numbers}))`),
    ...groups.map(has),
    ...(without === undefined ? [] : [`NOT ${has([without])}`]),
  ];
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const older = before === undefined ? "" : `WHERE number < ${bind(before, "bigint")}`;
  const facts = `SELECT ${READ} FROM (SELECT * FROM ${t}facts ${older}) f`;
  const newest = "ORDER BY number DESC";
  const limit = `LIMIT ${bind(max, "bigint")}`;
  if (places.length > 0) return `${facts} ${where} ${newest} ${limit}`;
  if (isFrequent(groups, max, statistics)) return `SELECT * FROM (${facts} ${newest} OFFSET 0) n ${where} ${limit}`;
  return `SELECT * FROM (${facts} ${where} OFFSET 0) n ${newest} ${limit}`;
}

function placesOf(t: string, { run, task, file }: Pick<FactQuery, "run" | "task" | "file">, bind: Bind): string[] {
  const key = (...texts: readonly string[]): string => bind(keyOf(...texts), "bytea");
  const ofLessons = (lessons: string): string =>
    `SELECT DISTINCT w.fact FROM (${lessons}) l JOIN ${t}witnesses w ON w.lesson = l.number ORDER BY w.fact DESC LIMIT ${MAX_OF_ONE}`;
  const lessons = `SELECT number FROM ${t}lessons`;
  const places: string[] = [];
  if (file !== undefined)
    places.push(`SELECT fact FROM ${t}fact_files WHERE path_key = ${key(file)} ORDER BY fact DESC LIMIT ${MAX_OF_ONE}`);
  if (task !== undefined && run !== undefined) places.push(ofLessons(`${lessons} WHERE task_key = ${key(run, task)}`));
  else if (task !== undefined)
    places.push(ofLessons(`${lessons} WHERE task_name_key = ${key(task)} ORDER BY number DESC LIMIT ${MAX_LESSONS}`));
  else if (run !== undefined) places.push(ofLessons(`${lessons} WHERE run_key = ${key(run)}`));
  return places;
}

/** Whether fewer facts are read by looking at the newest ones than by collecting all that match. */
function isFrequent(groups: Groups, max: number, { facts, counts }: TokenStatistics): boolean {
  let matching = facts;
  for (const tokens of groups) {
    const having = tokens.reduce((sum, token) => sum + (counts.get(token) ?? 0), 0);
    matching *= Math.min(1, having / Math.max(1, facts));
  }
  return matching * matching >= max * facts;
}
